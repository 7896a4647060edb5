"""Words of a segment, above all its counters, read from its file as a salvage tool would (shm-layout/)."""

import struct

RING_METADATA_KIND = 2
REGION_TABLE_OFFSET = 136
REGION_SLOTS = 12
TSC_HZ_OFFSET = 64
COUNTERS = ("dropped_total", "dropped_ring_full", "dropped_consumer_absent", "cut_records",
            "blocked_count", "blocked_ticks")


def read_tick_hz(file):
    file.seek(TSC_HZ_OFFSET)
    return struct.unpack("<Q", file.read(8))[0]


def write_tick_hz(file, tick_hz):
    """What the service believes its clock's frequency to be."""
    file.seek(TSC_HZ_OFFSET)
    file.write(struct.pack("<Q", tick_hz))


class SegmentCounters:
    """Sums over all rings that were ever taken; `tick_hz` of the clock that stamps."""

    def __init__(self, path):
        with open(path, "rb") as file:
            front = file.read(4096)
            self.tick_hz = struct.unpack_from("<Q", front, TSC_HZ_OFFSET)[0]
            regions = [struct.unpack_from("<IIQQ", front, REGION_TABLE_OFFSET + 24 * slot)
                       for slot in range(REGION_SLOTS)]
            _, stride, offset, size = next(r for r in regions if r[0] == RING_METADATA_KIND)
            file.seek(offset)
            rings = file.read(size)
        self.sums = dict.fromkeys(COUNTERS, 0)
        for at in range(0, size, stride):
            for name, value in zip(COUNTERS, struct.unpack_from("<6Q", rings, at + 64)):
                self.sums[name] += value

    def __getitem__(self, name):
        return self.sums[name]
