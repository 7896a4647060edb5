"""The texts that people read in a source file: its comments, its string literals, or the whole document."""

import io
import re
import tokenize

C_SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".inc", ".pml")
HASH_SUFFIXES = (".sh", ".build", ".toml", ".yml", ".yaml", ".cfg", ".conf", ".service")
DOCUMENT_SUFFIXES = (".md",)
TEXT_SUFFIXES = (".json", ".txt", ".yml")
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


def _joined(found, text, number, follows):
    """Appends the lines of a literal. `follows`: it is a part of the literal before it, as in "no " "file"."""
    lines = _lines(text, number)
    if follows and found:
        place, before = found[-1]
        found[-1:] = [(place, before[:-1] + lines[0][1][1:])] + lines[1:]
    else:
        found += lines


def _c_texts(text, strings):
    found = []
    end = -1
    for match in _C_TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup not in ("mark", "inside") else "raw"
        if kind == "char" or (kind in ("string", "raw")) != strings:
            continue
        if kind == "char" or (kind == "string" and text[:match.start()].rsplit("\n", 1)[-1].startswith("#include")):
            continue
        follows = kind == "string" and 0 <= end and text[end:match.start()].isspace() and text[end - 1] == '"'
        _joined(found, match.group(), _number(text, match.start()), follows)
        end = match.end()
    return found


def _python_texts(text, strings):
    found = []
    previous = last = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            docstring = token.type == tokenize.STRING and previous in (None, tokenize.INDENT, tokenize.NEWLINE)
            if token.type == tokenize.COMMENT and not strings:
                found.append((token.start[0], token.string))
            elif token.type == tokenize.STRING and docstring != strings:
                prefix = len(token.string) - len(token.string.lstrip("rbfuRBFU"))
                _joined(found, token.string[prefix:], token.start[0], last == tokenize.STRING and strings)
            if token.type not in (tokenize.COMMENT, tokenize.NL):
                previous = last = token.type
    except (tokenize.TokenError, SyntaxError):
        return _lines(text, 1)
    return found


def without_code(text):
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
        return _lines(without_code(text), 1)
    if path.endswith(MANUAL_SUFFIXES):
        return [(number, line) for number, line in _lines(text, 1) if not line.startswith('.\\"')]
    if path.endswith(HASH_SUFFIXES) or text.startswith("#!/"):
        return [(number, line[line.index("#"):]) for number, line in _lines(text, 1)
                if re.search(r"(^|\s)#", line)]
    return []


def strings(path, text):
    """[(line number, text)] of the string literals of a C, C++ or Python file; the lines without comments of a script; the lines
    of a file of texts."""
    if path.endswith(C_SUFFIXES):
        return _c_texts(text, strings=True)
    if path.endswith(".py"):
        return _python_texts(text, strings=True)
    if path.endswith(TEXT_SUFFIXES):
        return _lines(text, 1)
    if path.endswith(".sh") or text.startswith("#!/"):
        return [(number, re.sub(r"(^|\s)#.*", "", line)) for number, line in _lines(text, 1)]
    return []
