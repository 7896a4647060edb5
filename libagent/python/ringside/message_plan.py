"""How a log call is recorded: its statement, and where the values of its fields come from."""

from .levels import stored_level
from .overflow import record_as_text
from .percent import Format, UnusualFormatError, parsed
from .statement import BRACE, ExhaustedError, Place, RefusedError, register_in_scope
from .values import F64, TEXT, field_type
from .writer import Writer

# Attributes that a formatter of another handler may have added: they are not extra fields.
ADDED_BY_FORMATTERS = ("message", "asctime")
_PARAMETERS = "log_record, args, attributes, extra, scope"


def used_arguments(message, args):
    """The arguments that the message converts, by index or key. Raises UnusualFormatError or KeyError."""
    if isinstance(args, tuple):
        return dict(enumerate(args))
    return {conversion.key: args[conversion.key] for conversion in parsed(message).conversions()}


def _format_of(message, args):
    """None: Python makes the text of the whole message."""
    if not args:
        return Format(message.replace("%", "%%"))
    try:
        format_ = parsed(message)
        if format_.has_keys == isinstance(args, tuple) or (not format_.has_keys and format_.count != len(args)):
            return None
        return format_
    except UnusualFormatError:
        return None


class _Message:
    """The names and the writer of a message's fields, and the brace format."""

    def __init__(self, writer, format_, message, args, type_of):
        self.names = []
        self.format = "{0}"
        if format_ is None:
            writer.field(TEXT, "log_record.getMessage()")
            self.names.append("message")
            return
        used = used_arguments(message, args)
        kinds = {key: type_of(value) for key, value in used.items()}
        if isinstance(args, tuple):
            variables = writer.elements("args", list(kinds.values()))
        else:
            writer.require(f"type(args) is {writer.constant(type(args))}")
            variables = {key: writer.item("args", key, kind) for key, kind in kinds.items()}
        pieces = []
        for piece in format_.pieces:
            if isinstance(piece, str):
                pieces.append(piece.replace("{", "{{").replace("}", "}}"))
                continue
            argument = piece.index if piece.key is None else piece.key
            spec = self._add(writer, piece, variables, argument, kinds[argument])
            pieces.append(f"{{{len(self.names) - 1}{':' if spec else ''}{spec}}}")
        self.format = "".join(pieces)

    def _add(self, writer, conversion, variables, argument, kind):
        self.names.append(f"arg{argument + 1}" if conversion.key is None else argument)
        native = conversion.native(kind)
        if native is None:
            passed = [argument] if conversion.key is not None else range(conversion.first, conversion.index + 1)
            values = "".join(f"{variables[key]}, " for key in passed)
            writer.field(TEXT, f"({writer.constant(conversion.text())} % ({values}))")
            return ""
        code, spec = native
        writer.field(code, writer.number(variables[argument]) if code == F64 else variables[argument])
        return spec


def _writer_for(log_record, format_, args, extra, scope, type_of):
    writer = Writer(_PARAMETERS)
    attributes = log_record.__dict__
    writer.require_scope(scope)
    is_attribute = all(name in attributes for name in extra)
    source = "attributes" if is_attribute else "extra"
    writer.require(f"len({source}) == {len(attributes if is_attribute else extra)}")
    for name in ADDED_BY_FORMATTERS:
        if name in attributes:
            writer.require(f"{writer.constant(name)} in attributes")
    message = _Message(writer, format_, log_record.msg, args, type_of)
    # A field of the message is not the one that a context or the caller gave a name.
    names = [name + "_" if name in extra or name in scope.fields else name for name in message.names]
    for name, value in extra.items():
        kind = type_of(value)
        code, convert = field_type(kind)
        variable = writer.item(source, name, kind)
        writer.field(code, f"{writer.constant(convert)}({variable})" if convert is not None else variable)
        names.append(name)
    place = Place(log_record.pathname, log_record.lineno, log_record.funcName, log_record.name)
    handle, hidden = register_in_scope(BRACE, stored_level(log_record.levelno), message.format, names, writer.codes, place,
                                       scope)
    return writer.function(handle, scope, hidden)


def write_overflow(log_record, _args, _attributes, extra, scope):
    record_as_text(BRACE, stored_level(log_record.levelno), log_record.getMessage(), extra, 0, scope)
    return True


def message_writer(log_record, args, extra, scope, type_of, has_own_format):
    """The function that records all calls of one place with the same message, types of arguments and extra fields.

    `has_own_format`: the message is the format; otherwise it is a value. The function takes the record, its arguments, its
    attributes, the extra fields and the scope.
    """
    format_ = _format_of(log_record.msg, args) if has_own_format else None
    try:
        try:
            return _writer_for(log_record, format_, args, extra, scope, type_of)
        except ExhaustedError:
            raise
        except RefusedError:  # for instance a NUL in the message
            return _writer_for(log_record, None, args, extra, scope, type_of)
    except RefusedError:
        return write_overflow
