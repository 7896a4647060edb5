"""Message text of a record, and its line as ringcat prints it.

Python's own bytes formatting converts everything where it agrees with C; long doubles are formatted from their exact value."""

import re
import struct
from datetime import datetime, timezone
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

from trace_dictionary import FIXED_BYTES, LEVELS, SIGNED
from trace_reader import CAUSE_UNTOLD, NO_STREAM, Loss

STYLE_PRINTF = 1
SPAN = 3  # kind of a statement
CAUSES = {1: b"the ring was full", 2: b"no consumer ran",
          3: b"the ring was full, partly without a consumer", 5: b"more threads than rings",
          6: b"no shared memory was left", 7: b"their statement could not be registered",
          8: b"the ring was quarantined", 9: b"overwritten by newer records"}
CONVERSION = re.compile(rb"%([-+ #0']*)(\*|\d+)?(?:\.(\*|\d*))?(hh|h|ll|l|q|z|j|t|L)?(.)", re.DOTALL)


class Unformattable(Exception):
    """A conversion that this formatter does not support."""


def double_of(bits, kind):
    if kind == "f32":
        return struct.unpack("<f", bits.to_bytes(4, "little"))[0]
    return struct.unpack("<d", bits.to_bytes(8, "little"))[0]


def decimal_of_f80(bits):
    """The exact value of an x87 extended number."""
    mantissa, exponent = bits & (1 << 64) - 1, bits >> 64 & 0x7FFF
    sign = "-" if bits >> 79 else ""
    if exponent == 0x7FFF:
        return Decimal(f"{sign}Infinity" if mantissa << 1 & (1 << 64) - 1 == 0 else f"{sign}NaN")
    power = max(exponent, 1) - 16383 - 63
    with localcontext(Context(prec=20000, Emax=99999, Emin=-99999)):
        value = Decimal(mantissa) * (Decimal(2) ** power)
        return -value if sign else value


def _fixed(value, precision):
    return f"{value.quantize(Decimal(1).scaleb(-precision), ROUND_HALF_EVEN):f}"


def _scientific(value, precision):
    if value == 0:
        return f"{'-' if value.is_signed() else ''}{0:.{precision}f}e+00"
    exponent = value.adjusted()
    digits = value.scaleb(-exponent).quantize(Decimal(1).scaleb(-precision), ROUND_HALF_EVEN)
    if digits.adjusted() > 0:
        digits, exponent = digits.scaleb(-1).quantize(Decimal(1).scaleb(-precision)), exponent + 1
    return f"{digits:f}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _long_double(value, conversion, precision, flags):
    """Digits with sign, as C's %Lf, %Le and %Lg print them; without width."""
    if not value.is_finite():
        text = "-" if value.is_signed() else ""
        text += "nan" if value.is_nan() else "inf"
    else:
        precision = 6 if precision is None else precision
        with localcontext(Context(prec=20000, Emax=99999, Emin=-99999)):
            if conversion in "fF":
                text = _fixed(value, precision)
            elif conversion in "eE":
                text = _scientific(value, precision)
            else:
                precision = precision or 1
                exponent = int(_scientific(value, precision - 1).rpartition("e")[2])
                if -4 <= exponent < precision:
                    text, tail = _fixed(value, precision - 1 - exponent), ""
                else:
                    text, mark, tail = _scientific(value, precision - 1).partition("e")
                    tail = mark + tail
                if "#" not in flags and "." in text:
                    text = text.rstrip("0").rstrip(".")
                text += tail
    if not text.startswith("-"):
        text = "+" * ("+" in flags) + text if "+" in flags else " " * (" " in flags) + text
    return text.upper() if conversion.isupper() else text


def _padded(text, flags, width, zeros):
    if "-" in flags:
        return text.ljust(width)
    if zeros and "0" in flags:
        sign = text[:1] if text[:1] in (b"-", b"+", b" ") else b""
        return sign + text[len(sign):].rjust(width - len(sign), b"0")
    return text.rjust(width)


def _converted(value, kind, conversion, flags, width, precision):
    if width < 0:
        flags, width = flags + "-", -width
    if precision is not None and precision < 0:
        precision = None
    if conversion in "sSC" or (conversion == "c" and kind == "string"):
        return _padded(value, flags, width, False)  # already cut to its precision when it was recorded
    if conversion == "c":
        return _padded(bytes([value & 0xFF]), flags, width, False)
    if conversion == "p":
        text = f"{value:#x}" if value else "(nil)"
        if value and "+" in flags:
            text = "+" + text
        return _padded(text.encode(), flags, width, False)
    if kind == "f80":
        number = decimal_of_f80(value)
        text = _long_double(number, conversion, precision, flags).encode()
        return _padded(text, flags, width, number.is_finite())
    if conversion in "aAbB":
        raise Unformattable(conversion)
    if conversion == "o" and "#" in flags:
        digits = f"{value:o}".rjust(precision or 0, "0")
        text = digits if digits.startswith("0") else "0" + digits
        return _padded(text.encode(), flags, width, precision is None)
    if conversion in "xX" and "#" in flags and value == 0:
        flags = flags.replace("#", "")
    if conversion in "diuoxX":
        if precision is not None:
            flags = flags.replace("0", "")
        if precision == 0 and value == 0:
            return _padded(b"", flags, width, False)
    number = double_of(value, kind) if kind in ("f32", "f64") else value
    if isinstance(number, float) and (number != number or number in (float("inf"), -float("inf"))):
        flags = flags.replace("0", "")
    template = f"%{flags.replace(chr(39), '')}{width or ''}"
    template += f".{precision}" if precision is not None else ""
    return (template + conversion).encode() % number


def printf_text(site, values):
    """The message of a printf site."""
    pairs = iter(zip(site.fields, values))

    def conversion(match):
        flags, width, precision, _, letter = match.groups()
        if letter == b"%":
            return b"%"
        width = next(pairs)[1] if width == b"*" else int(width or 0)
        if precision is not None:
            precision = next(pairs)[1] if precision == b"*" else int(precision or 0)
        description, value = next(pairs)
        return _converted(value, description.type, letter.decode("latin-1"), flags.decode(), width,
                          precision)

    return CONVERSION.sub(conversion, site.format)


def value_text(description, value):
    """A field's value for a dump: unambiguous rather than readable."""
    if isinstance(value, list):
        return "[" + ", ".join(value_text(_Element(description.type), item) for item in value) + "]"
    if isinstance(value, bytes):
        return repr(value)
    if description.type in ("f32", "f64"):
        return repr(double_of(value, description.type))
    if description.type == "f80":
        return f"f80:{value:020x}"
    return str(value)


class _Element:
    def __init__(self, kind):
        self.type = kind


def _time_text(unix_ns):
    seconds, ns = divmod(unix_ns, 1_000_000_000)
    when = datetime.fromtimestamp(seconds, timezone.utc)
    return f"{when:%Y-%m-%d %H:%M:%S}.{ns:09d}".encode()


def _span_text(site, values):
    """Its name and fields: numbers, and texts that need no quotes."""
    fields = [b"%s=%s" % (description.name.encode(), value if isinstance(value, bytes) else str(value).encode())
              for description, value in zip(site.fields, values)]
    return b" ".join([site.format, *fields])


def line_of(unix_ns, section, event):
    """What `ringcat --utc --raw` prints for the event, without the line's end."""
    if event.stream_id == NO_STREAM:
        thread = b"[-]"
    else:
        stream = section.streams.get(event.stream_id)
        thread = b"[%d %s]" % (stream.thread_id, stream.name.encode("utf-8", "surrogateescape"))
    when = _time_text(unix_ns)
    if isinstance(event, Loss):
        cause = CAUSES.get(event.cause, b"unknown cause")
        if event.cause == CAUSE_UNTOLD:
            cause = b"missing without a word"
        return b"%s -:0 LOST %s %d records: %s" % (when, thread, event.count, cause)
    site = event.site
    place = site.file.rpartition("/")[2].encode("utf-8", "surrogateescape")
    if not site.file and site.line == 0:
        place = b"-"
    text = _span_text(site, event.values) if site.kind == SPAN else printf_text(site, event.values)
    if event.cut:
        text += b" [cut]"
    if event.context is not None:
        for field, value in zip(event.context.site.fields, event.context.values):
            text += b" %s=%d" % (field.name.encode(), value)  # numbers are enough for the services whose lines are compared
    if site.kind == SPAN:
        text += b" duration_ns=%d" % (event.duration * 1_000_000_000 // section.header.tick_hz)
    return b"%s %s:%d %s %s %s" % (when, place, site.line, LEVELS[site.level].encode(), thread, text)
