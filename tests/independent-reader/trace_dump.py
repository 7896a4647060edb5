"""Events as tests/independent-reader/dump_trace prints them."""

from trace_dictionary import FIXED_BYTES, SIGNED
from trace_reader import CAUSE_UNTOLD, KNOWN_CAUSES, Loss

UNTOLD_NUMBER = 4


def _hex(raw):
    return raw.hex() or "-"


def _bytes_of(kind, value, with_length):
    if isinstance(value, bytes):
        return len(value).to_bytes(4, "little") * with_length + value
    return value.to_bytes(FIXED_BYTES[kind], "little", signed=kind in SIGNED)


def _value(description, value):
    if isinstance(value, list):
        return _hex(b"".join(_bytes_of(description.type, item, True) for item in value))
    return _hex(_bytes_of(description.type, value, False))


def _extension(record):
    flags, parts = 32 * record.cut + 64 * record.is_stamped_at_end, b""
    for bit, part in ((1, record.substream), (2, record.activity), (4, record.related_activity),
                      (8, record.stack_id), (16, record.duration)):
        if part is not None:
            flags |= bit
            size = 4 if bit == 8 else 8
            parts += part if isinstance(part, bytes) else part.to_bytes(size, "little")
    return f"{flags} {_hex(parts)}"


def _values(record):
    return [_value(f, v) for f, v in zip(record.site.fields, record.values)]


def dump_line(unix_ns, section, event):
    head = f"{unix_ns} {section.header.pid} {event.stream_id} {event.sequence}"
    if isinstance(event, Loss):
        cause = UNTOLD_NUMBER if event.cause == CAUSE_UNTOLD else event.cause
        cause = cause if cause in KNOWN_CAUSES else 0
        return f"L {head} {event.count} {cause}"
    line = f"R {head} {event.ticks} {event.site.id} {_extension(event)}"
    if event.processor is not None:
        line += f" @{event.processor}"
    if event.context is not None:
        line += f" #{event.context.site.id}" + "".join(f":{value}" for value in _values(event.context))
    return " ".join([line] + _values(event))
