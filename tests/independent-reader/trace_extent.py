"""The records of one EXTENT block."""

import struct
from dataclasses import dataclass, field

from trace_dictionary import FIXED_BYTES, SIGNED, Unsound

HEAD = struct.Struct("<QQQQQIIQII")
M64 = (1 << 64) - 1
HISTORY_FACTOR = 0x9E3779B97F4A7C15
HISTORY_MIX = 0xBF58476D1CE4E5B9
FLAG_LATE = 2
FLAG_CONTEXT = 4
KIND_CONTEXT = 6
PROCESSOR_SHIFT = 16
MAX_SITES = 65536
VARIABLE = {"string", "bytes"}


@dataclass
class Record:
    stream_id: int
    sequence: int
    ticks: int
    site: object
    values: list  # one for each field of the site, including constant ones; see value_of_bytes
    substream: int = None
    activity: bytes = None
    related_activity: bytes = None
    stack_id: int = None
    duration: int = None
    cut: bool = False
    is_stamped_at_end: bool = False
    processor: int = None
    context: object = None  # the record of the context in force


@dataclass
class Extent:
    stream_id: int
    first_sequence: int
    base: int
    smallest: int
    largest: int
    record_count: int
    flags: int
    dropped: int
    cause: int
    site_ids: list
    records_part: bytes = field(repr=False)


class _Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Unsound("the records end within one")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "little")

    def leb128(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            if value > M64:
                raise Unsound("a LEB128 of over 64 bits")
            if not byte & 0x80:
                return value
            shift += 7


def parse_extent(payload):
    if len(payload) < HEAD.size:
        raise Unsound("an extent of under 64 bytes")
    (stream_id, first, base, smallest, largest, count, flags, dropped, cause,
     records_bytes) = HEAD.unpack_from(payload)
    if records_bytes > len(payload) - HEAD.size:
        raise Unsound("records_bytes is more than the block has")
    table = payload[HEAD.size + records_bytes:]
    if len(table) % 4 or len(table) > 4 * MAX_SITES:
        raise Unsound("a site table of a wrong length")
    sites = list(struct.unpack(f"<{len(table) // 4}I", table))
    if len(set(sites)) != len(sites):
        raise Unsound("a site that occurs twice in the site table")
    if flags & FLAG_CONTEXT:
        if not count or dropped:
            raise Unsound("an extent with the flag `context` and no record, or lost ones")
        first, count = first + 1, count - 1
    return Extent(stream_id, first, base, smallest, largest, count, flags, dropped, cause, sites,
                  payload[HEAD.size:HEAD.size + records_bytes])


def text_slot(text):
    """The slot of a text in the text history."""
    if len(text) < 8:
        a, b = int.from_bytes(text, "little"), 0
    else:
        a, b = int.from_bytes(text[:8], "little"), int.from_bytes(text[-8:], "little")
    x = (a ^ len(text)) * HISTORY_FACTOR & M64
    x ^= x >> 29
    x = (x ^ b) * HISTORY_MIX & M64
    return x >> 56


def number_slot(bits):
    return (bits * HISTORY_FACTOR & M64) >> 56


def value_of_bytes(description, raw):
    """The value of bytes in their natural size: int (integers, bool, char, pointer, enum; bit pattern of floats), bytes
    (string, bytes), or a list of these (arrays)."""
    if not description.array:
        return _element(description.type, raw)
    values, rest = [], _Bytes(raw)
    while rest.at < len(raw):
        count = rest.number(4) if description.type in VARIABLE else FIXED_BYTES[description.type]
        values.append(_element(description.type, rest.take(count)))
    return values


def _element(kind, raw):
    if kind in VARIABLE:
        return raw
    return int.from_bytes(raw, "little", signed=kind in SIGNED)


class _Decoder:
    def __init__(self, extent, sites):
        self.extent = extent
        self.sites = []
        for number in extent.site_ids:
            if number not in sites:
                raise Unsound(f"site {number} is not in the dictionary")
            self.sites.append(sites[number])
        self.rest = _Bytes(extent.records_part)
        self.numbers = [0] * 256
        self.texts = [b""] * 256
        self.successor = list(range(len(self.sites)))
        self.previous_index = 0
        self.time = extent.base
        # Per site: the last value of each recorded field; 64-bit patterns, or bytes.
        self.previous = [[b"" if f.array or f.type in VARIABLE else 0 for f in site.recorded_fields()]
                         for site in self.sites]

    def integer64(self, tag, previous):
        if tag == 0:
            return previous
        if tag <= 8:
            return self.rest.number(tag)
        if tag <= 12:
            return ~self.rest.number(tag - 8) & M64
        distance = self.rest.number(2 if tag == 15 else 1)
        return (previous - 1 - distance if tag == 14 else previous + 1 + distance) & M64

    def integer128(self, tag, previous):
        if tag == 0:
            return previous
        if tag <= 8:
            return self.rest.number(tag)
        if tag <= 12:
            return ~self.rest.number(tag - 8) & (1 << 128) - 1
        if tag == 13:
            return self.rest.number(16)
        raise Unsound(f"tag {tag} of a 128-bit integer")

    def floating(self, tag, previous, width):
        if tag == 0:
            return previous
        if tag <= width:
            bits = self.rest.number(tag) << 8 * (width - tag)
            if width == 8:
                self.numbers[number_slot(bits)] = bits
            return bits
        if width == 8 and tag == 9:
            return self.numbers[self.rest.number(1)]
        raise Unsound(f"tag {tag} of a floating-point number")

    def text(self, tag, previous):
        if tag == 0:
            return previous
        if tag == 4:
            return self.texts[self.rest.number(1)]
        if tag == 5:
            return b""
        if tag > 6:
            raise Unsound(f"tag {tag} of a text")
        length = len(previous) if tag == 6 else self.rest.number((1, 2, 4)[tag - 1])
        value = self.rest.take(length)
        self.texts[text_slot(value)] = value
        return value

    def argument(self, description, tag, previous):
        kind = description.type
        if description.array or kind in VARIABLE:
            return self.text(tag, previous)
        if kind in ("i128", "u128"):
            return self.integer128(tag, previous)
        if kind in ("f32", "f64"):
            return self.floating(tag, previous, FIXED_BYTES[kind])
        if kind == "f80":
            if tag > 1:
                raise Unsound(f"tag {tag} of an f80")
            return self.rest.number(10) if tag else previous
        return self.integer64(tag, previous)

    def values(self, site, patterns):
        values, recorded = [], iter(patterns)
        for description in site.fields:
            if description.is_constant:
                values.append(value_of_bytes(description, description.constant))
                continue
            pattern = next(recorded)
            if isinstance(pattern, int):
                size = FIXED_BYTES[description.type]
                pattern = (pattern & (1 << 8 * size) - 1).to_bytes(size, "little")
            values.append(value_of_bytes(description, pattern))
        return values

    def extension(self, record):
        flags = self.rest.number(1)
        if flags & ~0x7F or flags & 0x50 == 0x40:
            raise Unsound(f"flags {flags:#x} of an extension")
        if flags & 1:
            record.substream = self.rest.leb128()
        if flags & 2:
            record.activity = self.rest.take(16)
        if flags & 4:
            record.related_activity = self.rest.take(16)
        if flags & 8:
            record.stack_id = self.rest.leb128()
        if flags & 16:
            record.duration = self.rest.leb128()
        record.cut = bool(flags & 32)
        record.is_stamped_at_end = bool(flags & 64)

    def record(self, sequence):
        record = Record(self.extent.stream_id, sequence, 0, None, [])
        if code := self.extent.flags >> PROCESSOR_SHIFT:
            record.processor = code - 1
        tag = self.rest.number(1)
        if tag >> 4 == 6:
            if tag & 15:
                raise Unsound("a time code with an extension")
            self.extension(record)
            tag = self.rest.number(1)
            if tag >> 4 == 6:
                raise Unsound("two extensions of one record")
        place, code = tag >> 4, tag & 15
        if place > 5 or code > 9:
            raise Unsound(f"tag {tag:#x}")
        if code:
            self.time = self.time + self.rest.number(min(code, 8)) & M64
        index = self.rest.number(place // 2) if place > 1 else self.successor[self.previous_index]
        if index >= len(self.sites):
            raise Unsound(f"index {index} in a site table of {len(self.sites)}")
        site, previous = self.sites[index], self.previous[index]
        if place % 2 == 0:
            fields = site.recorded_fields()
            tags = [nibble for byte in self.rest.take((len(fields) + 1) // 2)
                    for nibble in (byte & 15, byte >> 4)]
            if any(tags[len(fields):]):
                raise Unsound("an unused half of an argument tag that is not 0")
            for place_of_field, description in enumerate(fields):
                previous[place_of_field] = self.argument(description, tags[place_of_field],
                                                         previous[place_of_field])
        self.successor[self.previous_index] = index
        self.previous_index = index
        record.ticks = self.time - (record.duration if record.is_stamped_at_end else 0)
        record.site, record.values = site, self.values(site, previous)
        return record


def _task_of(context):
    """The number of the task that made the records in this context, or None."""
    if context is None or len(context.site.fields) < 3:
        return None
    if [(f.name, f.type, f.array) for f in context.site.fields[1:3]] != [("task.id", "u64", False), ("task.step", "u64", False)]:
        return None
    return context.values[1] or None


def decode_records(extent, sites):
    """Yields the extent's records; `sites` is the dictionary so far. Raises Unsound after the last valid record."""
    if extent.record_count == 0 and not extent.records_part:
        return
    context = None
    decoder = _Decoder(extent, sites)
    if not decoder.sites:
        raise Unsound("records without a site table")
    if extent.flags & FLAG_CONTEXT:
        context = decoder.record(extent.first_sequence - 1)
        if context.site.kind != KIND_CONTEXT:
            raise Unsound("an extent whose first record is not a context")
    for number in range(extent.record_count):
        record = decoder.record(extent.first_sequence + number)
        if record.site.kind == KIND_CONTEXT:
            context = record if record.site.fields else None
        record.context = context
        if record.substream is None and record.site.kind != KIND_CONTEXT:
            record.substream = _task_of(context)
        yield record
    if decoder.rest.at != len(extent.records_part):
        raise Unsound("bytes after the last record")
