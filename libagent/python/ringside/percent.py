"""Messages with the % conversions of Python, as brace formats of Ringside.

A conversion whose text Ringside writes as Python does becomes a field with the type of its argument. Python itself
converts all others to text when the record is written. So the decoded text equals `message % args`.
"""

import functools
import re

from .values import BOOLEAN, F64, I64, TEXT, U64, UnsignedInteger

_CONVERSION = re.compile(r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d+)?"
                         r"(?P<dot>\.(?P<precision>\*|\d*))?[hlL]?(?P<kind>.)", re.DOTALL)
_KINDS = "diouxXeEfFgGcrsa"
_INTEGERS = {int: I64, UnsignedInteger: U64}
_TYPE_OF_KIND = {"d": "", "i": "", "u": "", "s": ""}


class UnusualFormatError(ValueError):
    """A format that is left to Python as a whole."""


class Conversion:
    """One conversion of a format. `first`: the index of its first argument, that of a width of `*` included."""

    __slots__ = ("key", "flags", "width", "precision", "kind", "first", "stars")

    def __init__(self, found, first):
        self.key, self.flags, self.width, self.kind = found["key"], found["flags"], found["width"], found["kind"]
        self.precision = (found["precision"] or "0") if found["dot"] else None
        self.first = first
        self.stars = (self.width, self.precision).count("*")

    @property
    def index(self):
        return self.first + self.stars

    def text(self):
        """The conversion without its key."""
        precision = "" if self.precision is None else "." + self.precision
        return f"%{self.flags}{self.width or ''}{precision}{self.kind}"

    def native(self, kind):
        """The type of the field and the specification after the colon, for an argument of this type; None: Python
        converts it."""
        if self.stars or "#" in self.flags:
            return None
        if kind is str:
            return (TEXT, "") if self.kind == "s" and not (self.flags or self.width or self.precision) else None
        if kind is bool:
            return (BOOLEAN, "d") if self.kind == "d" and self.text() == "%d" else None
        if kind is float:
            return self._of_float()
        return self._of_integer(_INTEGERS[kind]) if kind in _INTEGERS else None

    def _of_integer(self, code):
        if self.kind not in "diuxXos" or self.precision is not None or (self.kind == "s" and self.flags.strip("-")):
            return None
        zero = "0" if "0" in self.flags and "-" not in self.flags and self.width else ""
        return code, self._layout(zero) + _TYPE_OF_KIND.get(self.kind, self.kind)

    def _of_float(self):
        # Python fills infinities with zeros, Ringside with spaces.
        if self.kind not in "eEfFgG" or "0" in self.flags:
            return None
        return F64, f"{self._layout('')}.{self.precision or '6'}{self.kind}"

    def _layout(self, zero):
        sign = "+" if "+" in self.flags else " " if " " in self.flags else ""
        if not self.width or not self.width.strip("0"):
            return sign
        align = "<" if "-" in self.flags else "" if zero else ">"
        return align + sign + zero + self.width.lstrip("0")


class Format:
    """A parsed message: texts and conversions."""

    __slots__ = ("pieces", "count", "has_keys")

    def __init__(self, message):
        self.pieces = []
        self.count = 0
        end, keys = 0, set()
        for found in _CONVERSION.finditer(message):
            self._add_text(message[end:found.start()])
            end = found.end()
            if found.group() == "%%":
                self.pieces.append("%")
                continue
            conversion = Conversion(found, self.count)
            if conversion.kind not in _KINDS or (conversion.key is not None and conversion.stars):
                raise UnusualFormatError(message)
            keys.add(conversion.key is not None)
            self.count += conversion.stars + 1
            self.pieces.append(conversion)
        self._add_text(message[end:])
        if len(keys) > 1:
            raise UnusualFormatError(message)
        self.has_keys = keys == {True}

    def _add_text(self, text):
        if "%" in text:
            raise UnusualFormatError(text)
        self.pieces.append(text)

    def conversions(self):
        return [piece for piece in self.pieces if not isinstance(piece, str)]


@functools.lru_cache(maxsize=1024)
def parsed(message):
    """The format of a message. Raises UnusualFormatError."""
    return Format(message)
