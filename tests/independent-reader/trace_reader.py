"""Sections of a trace file, their records in the order of time, and their losses."""

import bisect
import struct
from dataclasses import dataclass, field

from trace_collection import Effects, State, parse_collection
from trace_dictionary import Dictionary, Unsound
from trace_extent import decode_records, parse_extent
from trace_frames import CRITICAL, Damage, frames

HEADER, DICTIONARY, EXTENT, CLOCK, SEQUENCE_POINT, INDEX, END, STREAM = 1, 2, 3, 4, 5, 8, 9, 10
LOSSES, COLLECTION, CALL_COSTS = 11, 12, 15
KNOWN_TYPES = {HEADER, DICTIONARY, EXTENT, CLOCK, SEQUENCE_POINT, INDEX, END, STREAM, LOSSES, COLLECTION, CALL_COSTS}
FORMAT_MAJOR, FORMAT_MINOR = 1, 3
KNOWN_CAUSES, CAUSES_OF_CUT_OR_LATE = {*range(10), 13, 14}, (10, 11)
NO_STREAM = 0
CAUSE_UNTOLD = -1


class Unreadable(Exception):
    """A file that this reader cannot read, or must not."""


@dataclass
class Header:
    major: int
    minor: int
    oldest_reader: tuple
    uuid: bytes
    pid: int
    uid: int
    tick_hz: int
    start_ticks: int
    start_monotonic_ns: int
    start_realtime_ns: int
    boot_id: bytes
    clock_source: int
    file_sequence: int
    writer_version: int
    service: str
    executable: str
    host: str


@dataclass
class Stream:
    id: int
    start_ticks: int
    thread_id: int
    ring_index: int
    name: str


@dataclass
class Loss:
    """Missing records of a stream: reported as dropped, or an unreported gap."""

    stream_id: int
    sequence: int  # of the first missing record
    count: int
    cause: int
    ticks: int


@dataclass
class Count:
    """A counter of losses went from `before` to `after`."""

    site_id: int
    cause: int
    before: int
    after: int


@dataclass
class Losses:
    """Losses that no extent reports: losses without a stream, and all losses by statement."""

    since: int
    until: int
    stray: list
    by_site: list


@dataclass
class CallCosts:
    """What the measured log calls took until a time, since the start of the service."""

    until: int
    ticks: int
    waited: int
    one_in: int
    calls: dict  # by bucket


@dataclass
class SequencePoint:
    watermark: int
    next_sequences: dict


@dataclass
class Index:
    own_offset: int
    smallest: int
    largest: int
    metadata_offsets: list
    late: list  # (smallest time stamp, offset)
    points: list  # (offset, watermark, largest time stamp before)


@dataclass
class End:
    records: int
    dropped: int
    reason: int
    index_distance: int


@dataclass
class Section:
    offset: int
    header: Header
    clocks: list = field(default_factory=list)
    dictionary: Dictionary = field(default_factory=Dictionary)
    streams: dict = field(default_factory=dict)
    # Record, Loss, Losses and SequencePoint, in the order of the file.
    told: list = field(default_factory=list)
    index: Index = None
    end: End = None
    collected: list = field(default_factory=list)  # State and Effects, in the order of the file
    call_costs: list = field(default_factory=list)
    blocks: list = field(default_factory=list)  # (offset in the section, type)
    extents: list = field(default_factory=list)  # (offset in the section, Extent)

    @property
    def events(self):
        return [event for event in self.told if not isinstance(event, (SequencePoint, Losses))]

    @property
    def points(self):
        return [event for event in self.told if isinstance(event, SequencePoint)]

    def unix_ns(self, ticks):
        """The time of a time stamp, from the CLOCK blocks of the section."""
        if not self.clocks:
            raise Unsound("a section without a clock")
        clocks = sorted(self.clocks, key=lambda clock: clock[0])
        place = bisect.bisect_right([clock[0] for clock in clocks], ticks)
        tsc0, unix_ns0, ns_per_tick = clocks[max(place - 1, 0)]
        return unix_ns0 + ((ticks - tsc0) * ns_per_tick >> 40)


@dataclass
class Problem:
    offset: int
    bytes: int
    what: str


class TraceFile:
    """All sections of a file's bytes, decoded. `problems` are what a reader must report."""

    def __init__(self, data):
        self.sections, self.problems = [], []
        self.unfinished_bytes = 0
        for found in frames(data):
            if isinstance(found, Damage):
                if found.unfinished:
                    self.unfinished_bytes = found.bytes
                else:
                    self.problems.append(Problem(found.offset, found.bytes, "damage"))
                continue
            try:
                self._block(found)
            except (Unsound, struct.error) as error:
                self.problems.append(Problem(found.offset, found.end() - found.offset, str(error)))

    def _block(self, block):
        if block.type not in KNOWN_TYPES:
            if block.flags & CRITICAL:
                raise Unreadable(f"block type {block.type} at {block.offset}, without which the "
                                 "file cannot be read")
            return
        if block.type == HEADER:
            self.sections.append(Section(block.offset, _header(block.payload)))
        if not self.sections:
            raise Unsound("a block before the first header")
        section = self.sections[-1]
        offset = block.offset - section.offset
        section.blocks.append((offset, block.type))
        payload = block.payload
        if block.type == CLOCK:
            section.clocks.append(struct.unpack_from("<QQQ", payload))
        elif block.type == DICTIONARY:
            section.dictionary.add_block(payload)
        elif block.type == STREAM:
            stream = _stream(payload)
            section.streams[stream.id] = stream
        elif block.type == SEQUENCE_POINT:
            section.told.append(_sequence_point(payload))
        elif block.type == LOSSES:
            section.told.append(_losses(payload))
        elif block.type == COLLECTION:
            stated = parse_collection(payload)
            if isinstance(stated, (State, Effects)):
                section.collected.append(stated)
        elif block.type == CALL_COSTS:
            section.call_costs.append(_call_costs(payload))
        elif block.type == INDEX:
            section.index = _index(payload)
        elif block.type == END:
            end = struct.unpack_from("<QQII", payload)
            distance = struct.unpack_from("<Q", payload, 24)[0] if len(payload) >= 32 else 0
            section.end = End(*end[:3], distance)
        elif block.type == EXTENT:
            extent = parse_extent(payload)
            section.extents.append((offset, extent))
            if extent.dropped:
                section.told.append(Loss(extent.stream_id, extent.first_sequence - extent.dropped,
                                           extent.dropped, extent.cause, extent.base))
            for record in decode_records(extent, section.dictionary.sites):
                section.told.append(record)


def _texts(payload, at, count):
    texts = []
    for _ in range(count):
        length = struct.unpack_from("<H", payload, at)[0]
        if length > len(payload) - at - 2:
            raise Unsound("a text that ends after its block")
        texts.append(payload[at + 2:at + 2 + length].decode("utf-8", "surrogateescape"))
        at += 2 + length
    return texts


def _header(payload):
    major, minor, oldest_major, oldest_minor = struct.unpack_from("<4H", payload)
    if major != FORMAT_MAJOR or (oldest_major, oldest_minor) > (FORMAT_MAJOR, FORMAT_MINOR):
        raise Unreadable(f"format {major}.{minor}, for readers of {oldest_major}.{oldest_minor}")
    uuid, pid, uid, hz, ticks, monotonic, realtime, boot_id, source, sequence, version = (
        struct.unpack_from("<16sIIQQQQ16sIII", payload, 8))
    return Header(major, minor, (oldest_major, oldest_minor), uuid, pid, uid, hz, ticks, monotonic,
                  realtime, boot_id, source, sequence, version, *_texts(payload, 96, 3))


def _stream(payload):
    return Stream(*struct.unpack_from("<QQII", payload), *_texts(payload, 24, 1))


def _sequence_point(payload):
    watermark, count = struct.unpack_from("<QI", payload)
    if count > (len(payload) - 16) // 16:
        raise Unsound("a sequence point with more streams than it has bytes for")
    return SequencePoint(watermark, dict(struct.unpack_from("<QQ", payload, 16 + 16 * i)
                                         for i in range(count)))


def _losses(payload):
    since, until, stray, by_site = struct.unpack_from("<QQII", payload)
    if stray + by_site > (len(payload) - 24) // 24:
        raise Unsound("losses with more entries than there are bytes for")
    counts = [Count(*struct.unpack_from("<IIQQ", payload, 24 + 24 * i))
              for i in range(stray + by_site)]
    return Losses(since, until, counts[:stray], counts[stray:])


def _call_costs(payload):
    until, ticks, waited, one_in, count = struct.unpack_from("<QQQII", payload)
    entries = [struct.unpack_from("<IIQ", payload, 32 + 16 * i) for i in range(count)]
    buckets = [bucket for bucket, _, _ in entries]
    if one_in == 0 or buckets != sorted(set(buckets)) or any(bucket > 125 for bucket in buckets):
        raise Unsound("costs of log calls with impossible numbers")
    return CallCosts(until, ticks, waited, one_in, {bucket: calls for bucket, _, calls in entries})


def _index(payload):
    own, smallest, largest, metadata, late, points = struct.unpack_from("<QQQIII", payload)
    if 40 + 8 * metadata + 16 * late + 24 * points > len(payload):
        raise Unsound("an index with more entries than it has bytes for")
    late_at, points_at = 40 + 8 * metadata, 40 + 8 * metadata + 16 * late
    return Index(own, smallest, largest, list(struct.unpack_from(f"<{metadata}Q", payload, 40)),
                 [struct.unpack_from("<QQ", payload, late_at + 16 * i) for i in range(late)],
                 [struct.unpack_from("<QQQ", payload, points_at + 24 * i) for i in range(points)])


def _uncovered(ranges, begin, end):
    """The count of numbers in (begin, end] that none of the ranges contains; adds (begin, end] to the ranges."""
    fresh, at = 0, begin
    for low, high in sorted(ranges):
        if low > at:
            fresh += max(min(low, end) - at, 0)
        at = max(at, min(high, end))
    if end > begin:
        ranges.append((begin, end))
    return fresh + max(end - at, 0)


def in_order(files):
    """(unix_ns, section, Record or Loss) of all files: by time, ties by stream and sequence number. Gaps in the sequence
    numbers that no loss explains become losses of CAUSE_UNTOLD. Records before a stream's first event may be in a file
    that was not given."""
    events = []
    expected = {}  # by (uuid, stream): the next sequence number
    counted = {}  # by (uuid, cause): the ranges of stray counters that were reported

    def expect(section, stream_id, sequence, ticks):
        key = (section.header.uuid, stream_id)
        known = expected.setdefault(key, sequence)
        if sequence > known:
            gap = Loss(stream_id, known, sequence - known, CAUSE_UNTOLD, ticks)
            events.append((section.unix_ns(ticks), section, gap))
            expected[key] = sequence

    for section in (section for file in files for section in file.sections):
        for event in section.told:
            if isinstance(event, SequencePoint):
                for stream_id, sequence in event.next_sequences.items():
                    expect(section, stream_id, sequence, event.watermark)
                continue
            if isinstance(event, Losses):
                for count in event.stray:
                    key = (section.header.uuid, count.cause)
                    known = counted.setdefault(key, [])
                    fresh = _uncovered(known, count.before, count.after)
                    if fresh and count.cause not in CAUSES_OF_CUT_OR_LATE:
                        loss = Loss(NO_STREAM, 0, fresh, count.cause, event.until)
                        events.append((section.unix_ns(event.until), section, loss))
                continue
            expect(section, event.stream_id, event.sequence, event.ticks)
            key = (section.header.uuid, event.stream_id)
            count = event.count if isinstance(event, Loss) else 1
            expected[key] = max(expected[key], event.sequence + count)
            events.append((section.unix_ns(event.ticks), section, event))
    events.sort(key=lambda e: (e[0], e[2].stream_id, e[2].sequence))
    return events
