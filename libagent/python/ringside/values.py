"""Which type a field has for a value of Python, and the value that is stored."""

import operator
import struct

BOOLEAN, I64, U64, F64, TEXT, BYTES = 1, 6, 11, 14, 17, 18
# Of the word in a block (rs_block_record()): a value, or the length of a text.
WORDS = {BOOLEAN: "q", I64: "q", U64: "Q", F64: "d", TEXT: "Q", BYTES: "Q"}


class UnsignedInteger:
    """Stands for the type of an int that only an unsigned field of 64 bits can hold."""


class LongInteger:
    """Stands for the type of an int that no field of 64 bits can hold."""


class OtherValue:
    """Stands for the type of a value that is not what its type promises."""


def printable(value):
    """str(), also of an object whose __str__ raises."""
    try:
        return str(value)
    except Exception as error:  # pylint: disable=broad-except
        return f"<{type(value).__name__}: str() raised {type(error).__name__}>"


def _text_of_integer(value):
    return printable(operator.index(value))


def _index(value):
    """The number of an object with __index__."""
    try:
        return operator.index(value)
    except Exception as error:  # pylint: disable=broad-except
        raise struct.error(str(error)) from error  # then exact_type() decides


_EXACT = {bool: (BOOLEAN, None), int: (I64, None), float: (F64, None), str: (TEXT, None), bytes: (BYTES, None),
          UnsignedInteger: (U64, _index), LongInteger: (TEXT, _text_of_integer), OtherValue: (TEXT, printable)}


def exact_type(value):
    """The type of a value; of an int that needs more than 64 bits with a sign, what stands for it."""
    kind = type(value)
    if field_type(kind)[0] != I64:
        return kind
    try:
        number = operator.index(value)
    except Exception:  # pylint: disable=broad-except
        return OtherValue
    if -2**63 <= number < 2**63:
        return kind
    return UnsignedInteger if 0 <= number < 2**64 else LongInteger


def field_type(kind):
    """The type of the field for values of this type, and what converts a value; None: the value itself is stored."""
    if kind in _EXACT:
        return _EXACT[kind]
    if issubclass(kind, float):
        return F64, float
    if issubclass(kind, str):
        return TEXT, str.__str__
    if issubclass(kind, (bytes, bytearray, memoryview)):
        return BYTES, bytes
    if hasattr(kind, "__index__"):
        return I64, _index
    return TEXT, printable


def typed(value):
    """The type of the field for this value, and the value that is stored."""
    try:
        code, convert = field_type(exact_type(value))
        return code, value if convert is None else convert(value)
    except Exception:  # pylint: disable=broad-except
        return TEXT, printable(value)


def encoded(value):
    """The bytes of a text or of bytes. Surrogates, which UTF-8 does not have, become text such as \\ud800."""
    return value.encode("utf-8", "backslashreplace") if isinstance(value, str) else value
