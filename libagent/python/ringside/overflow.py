"""Records of statements that cannot be registered: a process can have 4,096. Nothing is lost but the types."""

from .scope import EMPTY
from .statement import BRACE, EVENT, SPAN, Place, register
from .values import TEXT, printable
from .writer import Writer

_TEXTS = {BRACE: "{0}", EVENT: "event", SPAN: "span"}
_ALL_STATEMENTS = 4096
_statements = {}


def overflow_statement(style, level):
    """The handle and the writer for all further records of a style and level."""
    style = style if style in _TEXTS else EVENT
    if (style, level) not in _statements:
        names = ["message" if style == BRACE else "name", "fields"]
        handle = register(style, level, _TEXTS[style], names, [TEXT, TEXT], Place(), _ALL_STATEMENTS)
        writer = Writer("text, fields, begin")
        writer.field(TEXT, "text")
        writer.field(TEXT, "fields")
        _statements[style, level] = handle, writer.function(handle, EMPTY, (), "begin")
    return _statements[style, level]


def record_as_text(style, level, text, fields, begin, scope):
    """`text`: of the message, or the name. The fields become one text."""
    write = overflow_statement(style, level)[1]
    pairs = " ".join(f"{name}={printable(value)}" for name, value in {**scope.fields, **fields}.items())
    write(text, pairs, begin)
