"""Words of a segment, mainly its counters, read from its file as a salvage tool does (shm-layout/)."""

import struct

RING_METADATA_KIND = 2
RINGS_KIND = 5
SITE_LOSSES_KIND = 6
SITE_EXECUTIONS_KIND = 9
VERSION_OFFSET = 8
CONTROL_PAGE_OFFSET = 4096
# Loss causes, numbered as in the library's reports: where a segment counts them (shm-layout/README.md).
OFFSET_IN_RING = {1: 72, 2: 80, 8: 112, 10: 88, 13: 120}
OFFSET_IN_CONTROL_PAGE = {5: 128, 6: 136, 7: 144}
PLACE_IN_SITE = {1: 0, 2: 1, 5: 2, 6: 3, 7: 4, 8: 5, 10: 7, 13: 6}
SITES_COUNTED_OFFSET = 152
CONSUMER_POLLS = 1
POLICY_DROP = 1
REGION_TABLE_OFFSET = 136
REGION_SLOTS = 12
TSC_HZ_OFFSET = 64
COUNTERS = ("dropped_total", "dropped_ring_full", "dropped_consumer_absent", "cut_records",
            "blocked_count", "blocked_ticks")


def read_tick_hz(file):
    file.seek(TSC_HZ_OFFSET)
    return struct.unpack("<Q", file.read(8))[0]


def write_tick_hz(file, tick_hz):
    """Sets the frequency that the service believes its clock to have."""
    file.seek(TSC_HZ_OFFSET)
    file.write(struct.pack("<Q", tick_hz))


def regions_of(file):
    """(kind, stride, offset, bytes) of each region."""
    file.seek(0)
    front = file.read(4096)
    return [struct.unpack_from("<IIQQ", front, REGION_TABLE_OFFSET + 24 * slot)
            for slot in range(REGION_SLOTS)]


def consumer_polls(path):
    with open(path, "rb") as file:
        file.seek(CONTROL_PAGE_OFFSET + 64 + 20)
        return struct.unpack("<I", file.read(4))[0] == CONSUMER_POLLS


def drop_from_now_on(path):
    """Changes the overflow policy of a running service to `drop`."""
    with open(path, "r+b") as file:
        file.seek(CONTROL_PAGE_OFFSET)
        file.write(struct.pack("<I", POLICY_DROP))


def scribble_on_first_ring(path):
    """Overwrites the middle of what is published and not consumed."""
    with open(path, "r+b") as file:
        regions = {region[0]: region for region in regions_of(file)}
        file.seek(regions[RING_METADATA_KIND][2])
        metadata = file.read(256)
        producer, consumer = (struct.unpack_from("<Q", metadata, at)[0] for at in (0, 128))
        ring_bytes = struct.unpack("<Q", read_at(file, 112, 8))[0]
        place = (consumer + (producer - consumer) // 2) % ring_bytes
        file.seek(regions[RINGS_KIND][2] + place)
        file.write(b"\xee" * min(64, ring_bytes - place))


def scribble_on_losses(path, noise):
    """Writes arbitrary values into the control page's losses and the first statements' counters."""
    with open(path, "r+b") as file:
        regions = {region[0]: region for region in regions_of(file)}
        for offset, size in ((CONTROL_PAGE_OFFSET + 128, 64), (regions[SITE_LOSSES_KIND][2], 1024)):
            words = [noise.choice((0, 1, noise.getrandbits(64), (1 << 64) - 1))
                     for _ in range(size // 8)]
            file.seek(offset)
            file.write(struct.pack(f"<{len(words)}Q", *words))


class SegmentCounters:
    """Sums over all rings that were ever taken, with the `tick_hz` of the segment's clock."""

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


def losses_by_cause(path):
    """The losses of a segment, as its rings and control page count them, and as its statements do; nothing while the
    segment is being created."""
    with open(path, "rb") as file:
        if not any(read_at(file, VERSION_OFFSET, 4)):
            return {}, {}
        regions = {region[0]: region for region in regions_of(file)}
        page = read_at(file, CONTROL_PAGE_OFFSET, 4096)
        _, stride, offset, size = regions[RING_METADATA_KIND]
        rings = read_at(file, offset, size)
        counted = struct.unpack_from("<I", page, SITES_COUNTED_OFFSET)[0]
        sites = read_at(file, regions[SITE_LOSSES_KIND][2], 64 * counted)
    where_lost = {cause: sum(struct.unpack_from("<Q", rings, ring + at)[0]
                             for ring in range(0, size, stride))
                  for cause, at in OFFSET_IN_RING.items()}
    for cause, at in OFFSET_IN_CONTROL_PAGE.items():
        where_lost[cause] = struct.unpack_from("<Q", page, at)[0]
    by_site = {cause: sum(struct.unpack_from("<Q", sites, site + 8 * place)[0]
                          for site in range(0, len(sites), 64))
               for cause, place in PLACE_IN_SITE.items()}
    return ({cause: count for cause, count in where_lost.items() if count},
            {cause: count for cause, count in by_site.items() if count})


def read_at(file, offset, size):
    file.seek(offset)
    return file.read(size)
