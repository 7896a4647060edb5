"""The texts that people read in a source file: its comments, its string literals, or the whole document."""

import io
import re
import tokenize

C_SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".inc", ".pml")
HASH_SUFFIXES = (".sh", ".build", ".toml", ".yml", ".yaml", ".cfg", ".conf", ".service")
DOCUMENT_SUFFIXES = (".md",)
MANUAL_SUFFIXES = tuple(f".{section}" for section in "135678")

_C_TOKEN = re.compile(
    r"""(?P<line>//(?:[^\n\\]|\\.|\\\n)*)
      | (?P<block>/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\\\s]{0,16})\((?P<inside>.*?)\)(?P=mark)")
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<char>'(?:[^'\\\n]|\\.)*')""",
    re.VERBOSE | re.DOTALL)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"``.*?``|`[^`\n]*`")
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")


def _number(text, pos):
    return text.count("\n", 0, pos) + 1


def _lines(text, start_line):
    return list(enumerate(text.split("\n"), start_line))


def _c_texts(text, strings):
    found = []
    for match in _C_TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup not in ("mark", "inside") else "raw"
        if kind == "char" or (kind in ("string", "raw")) != strings:
            continue
        if kind == "char" or (kind == "string" and text[:match.start()].rsplit("\n", 1)[-1].startswith("#include")):
            continue
        found += _lines(match.group(), _number(text, match.start()))
    return found


def _python_texts(text, strings):
    found = []
    previous = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            docstring = token.type == tokenize.STRING and previous in (None, tokenize.INDENT, tokenize.NEWLINE)
            if token.type == tokenize.COMMENT and not strings:
                found.append((token.start[0], token.string))
            elif token.type == tokenize.STRING and docstring != strings:
                found += _lines(token.string, token.start[0])
            if token.type not in (tokenize.COMMENT, tokenize.NL):
                previous = token.type
    except (tokenize.TokenError, SyntaxError):
        return _lines(text, 1)
    return found


def _without_code(text):
    """A document with its code blanked; lines keep their numbers."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    for pattern in (_FENCE, _CODE, _LINK_TARGET):
        text = pattern.sub(blank, text)
    return text


def comments(path, text):
    """[(line number, text)] of the comments of a source file, or of the prose of a document."""
    if path.endswith(C_SUFFIXES):
        return _c_texts(text, strings=False)
    if path.endswith(".py"):
        return _python_texts(text, strings=False)
    if path.endswith(DOCUMENT_SUFFIXES):
        return _lines(_without_code(text), 1)
    if path.endswith(MANUAL_SUFFIXES):
        return [(number, line) for number, line in _lines(text, 1) if not line.startswith('.\\"')]
    if path.endswith(HASH_SUFFIXES) or text.startswith("#!/"):
        return [(number, line[line.index("#"):]) for number, line in _lines(text, 1)
                if re.search(r"(^|\s)#", line)]
    return []


def strings(path, text):
    """[(line number, text)] of the string literals of a C, C++ or Python file."""
    if path.endswith(C_SUFFIXES):
        return _c_texts(text, strings=True)
    if path.endswith(".py"):
        return _python_texts(text, strings=True)
    return []
