"""Registers statements."""

import ctypes

from . import library

EVENT, BRACE, SPAN, COUNTER = 0, 2, 3, 4
_REFUSED_CAPACITY = -9
# Of the 4,096 that a process can have. The others are for records that come when these are used up.
_MOST_STATEMENTS = 4096 - 64
_NAME_BYTES = 200


class RefusedError(ValueError):
    """The library refused a statement."""


class ExhaustedError(RefusedError):
    """The process has as many statements as it can have."""


class _Handles:
    """The highest handle, which is also the number of statements of the process."""

    highest = 0


class _Description(ctypes.Structure):
    """struct rs_runtime_statement"""

    _fields_ = [(name, ctypes.c_uint32) for name in ("struct_bytes", "level", "style", "line")] + [
        ("keywords", ctypes.c_uint64),
        ("format", ctypes.c_char_p), ("format_bytes", ctypes.c_uint64),
        ("names", ctypes.c_char_p), ("names_bytes", ctypes.c_uint64),
        ("types", ctypes.c_char_p), ("type_count", ctypes.c_uint64),
        ("category", ctypes.c_char_p), ("category_bytes", ctypes.c_uint64),
        ("file", ctypes.c_char_p), ("file_bytes", ctypes.c_uint64),
        ("function", ctypes.c_char_p), ("function_bytes", ctypes.c_uint64)]


class Place:
    """Where a statement is in the program."""

    __slots__ = ("file", "line", "function", "category")

    def __init__(self, file="", line=0, function="", category=""):
        self.file = file or ""
        self.line = line if isinstance(line, int) and 0 <= line < 2**32 else 0
        self.function = function or ""
        self.category = category or ""


def _utf8(text):
    return str(text).encode("utf-8", "backslashreplace")


def valid_names(names):
    """The same names with "_" for characters that a name cannot have, each different from those before it."""
    taken = []
    for name in names:
        clean = "".join("_" if c in ',"\\' or not c.isprintable() else c for c in str(name)).strip()
        clean = _utf8(clean)[:_NAME_BYTES].decode("utf-8", "ignore") or "_"
        number, unique = 2, clean
        while unique in taken:
            unique, number = f"{clean}_{number}", number + 1
        taken.append(unique)
    return taken


def register(style, level, text, names, codes, place, most=_MOST_STATEMENTS):
    """The handle of a statement. `text`: a format, or a name. Raises RefusedError."""
    if _Handles.highest >= most:
        raise ExhaustedError(f"the process has {most} statements already: put what varies into values, not into names")
    texts = {"format": _utf8(text), "names": _utf8(",".join(valid_names(names))), "types": bytes(codes),
             "category": _utf8(place.category), "file": _utf8(place.file), "function": _utf8(place.function)}
    lengths = {name + "_bytes": len(data) for name, data in texts.items() if name != "types"}
    description = _Description(struct_bytes=ctypes.sizeof(_Description), level=level, style=style, line=place.line,
                               type_count=len(codes), **texts, **lengths)
    result = library.statement_register(ctypes.byref(description))
    if result < 0:
        kind = ExhaustedError if result == _REFUSED_CAPACITY else RefusedError
        raise kind(f'the statement "{text}" is refused: {library.refusal_text(result).decode()}')
    _Handles.highest = max(_Handles.highest, result)
    return result


def register_in_scope(style, level, text, names, codes, place, scope):
    """The handle of a statement with these fields and those of the scope that it does not have itself; and the names of
    the others."""
    hidden = tuple(name for name in scope.signature.names if name in names)
    if hidden:
        scope = scope.without(hidden)
    signature = scope.signature
    return register(style, level, text, [*names, *signature.names], [*codes, *signature.codes], place), hidden
