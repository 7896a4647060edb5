"""The part of SCALING.md about a machine that is larger than the measured one: the model (rate_model.hpp) with its recorded costs."""

import math

CORES, THREADS, SERVICES = 128, 10_000, 1_000
RATES = (1, 100, 1_000, 10_000, 100_000)  # of each thread, records per second
# Of consumerd (consumerd/README.md).
FRAME_BYTES = 80  # of an extent: the records of one ring in one round
LONGEST_NAP_S = 0.001
WRITE_AGE_S = 0.1
SHARED_SLOTS = 11  # of 15, 4 are reserved for traces that have none
# What ends and has no figure in the results.
DISK_MB_S = 3_000


class Costs:
    """Of one record: recorded nanoseconds and bytes of the file, and the bytes that it has in the ring."""

    def __init__(self, metrics, ring_bytes):
        self.producer, self.consumer, self.file = (metrics[name]["median"] for name in ("producer", "consumer", "file"))
        self.ring_bytes = ring_bytes

    def moved(self, file_bytes):
        """Bytes of memory read and written: ring (stored, read), private copy (stored, read), staging (stored, read), page cache
        (stored, and read by the disk)."""
        return 4 * self.ring_bytes + 4 * file_bytes


def file_bytes(costs, rate):
    """Of one record, with its part of a frame: a round collects what a thread has recorded during a nap."""
    return costs.file + FRAME_BYTES / max(1, rate * LONGEST_NAP_S)


def shown(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def demand_table(costs):
    lines = ["| records/s of a thread | of all, M/s | producers, cores | encoders | memory, GB/s | disk, MB/s |",
             "| --- | --- | --- | --- | --- | --- |"]
    for rate in RATES:
        total, size = rate * THREADS, file_bytes(costs, rate)
        producers, consumers = total * costs.producer * 1e-9, total * costs.consumer * 1e-9
        beyond = " (more than all)" if producers + consumers > CORES else ""
        lines.append(f"| {rate:,} | {total / 1e6:,g} | {shown(producers)}{beyond} | {math.ceil(consumers)} | "
                     f"{shown(total * costs.moved(size) * 1e-9)} | {shown(total * size * 1e-6)} |")
    return "\n".join(lines)


def poll_ns_of_ring(document):
    rounds = {line["rings"]: line["median"] for line in document["results"] if line["row"] == "poll_round"}
    few, many = sorted(rounds)[-2:]
    return (rounds[many] - rounds[few]) / (many - few)


def service_start_ms(points):
    """consumerd's processor time for each service beyond that for its records, and the same in records."""
    services = points["services"]
    few, many = min(services), max(services)
    first = services[few]["consumer"]["median"]
    records = 8e6  # of the load, LoadShape::records
    ms = (services[many]["consumer"]["median"] - first) * records / (many - few) * 1e-6
    return ms, ms * 1e6 / first


def prediction_text(points, document):
    small = Costs(points["threads"][max(points["threads"])], 16)
    large = Costs(points["text_bytes"][128], 144)
    poll = poll_ns_of_ring(document)
    start_ms, start_records = service_start_ms(points)
    most = CORES / (small.producer + small.consumer) * 1e9
    encoders = most * small.consumer * 1e-9
    writes = SERVICES / WRITE_AGE_S
    return f"""## A machine with {CORES} cores, {THREADS:,} threads and {SERVICES:,} services

Calculated (`scaling/prediction.py`) from the costs above, which were measured on two processors; nothing in this section was measured on such a machine. It assumes that a record costs there what it
costs here, and leaves out what two processors cannot show: distance between sockets, and a shared third-level cache. *Encoders* are the consumerd that are required. *Memory* counts each byte that is
stored or read: four times the record in the ring (ring, private copy) and four times that in the file (staging, page cache). A record that comes alone has a frame of {FRAME_BYTES} bytes in the file;
what such a frame costs consumerd is not in the results, so up to {1 / LONGEST_NAP_S:,.0f} records per second of a thread the number of encoders is a lower bound.

Records with one small integer: {small.producer:.3g} ns in the thread, {small.consumer:.3g} ns in consumerd, {small.file:.3g} bytes in the file.

{demand_table(small)}

Records with 128 bytes of text that never repeats: {large.producer:.3g} ns, {large.consumer:.3g} ns, {large.file:.3g} bytes.

{demand_table(large)}

| what ends | where | what helps |
| --- | --- | --- |
| one encoder | {1e3 / small.consumer:,.0f} M/s of small records, {1e3 / large.consumer:,.0f} M/s of 128 bytes: {1e9 / small.consumer / THREADS:,.0f} and {1e9 / large.consumer / THREADS:,.0f} from each thread | `--threads N`, or several consumerd with disjoint `--service` globs |
| all cores | {most / 1e9:.2g} G/s of small records with {math.ceil(encoders)} encoders | record less |
| memory | {most * small.moved(small.file) * 1e-9:,.0f} GB/s at that rate: most machines reach the limit of their memory before that of their cores | the same |
| the disk, {DISK_MB_S:,} MB/s | {DISK_MB_S / small.file:,.0f} M/s of small records, {DISK_MB_S / large.file:,.0f} M/s of 128 bytes | more disks, one consumerd for each |
| a round over idle rings | {poll:.2g} ns for each ring: {poll * THREADS / 1000:.0f} us for {THREADS:,}, {poll * THREADS * 1e-9 / LONGEST_NAP_S * 100:.2g} % of a core at one round in a millisecond | nothing is required |
| sleep | one call can wait for 127 services: with {SERVICES:,}, consumerd naps a millisecond at a time | several consumerd |
| staging slots | {SERVICES:,} files that all get records are written {writes:,.0f} times a second, from {SHARED_SLOTS} slots: a write must take less than {SHARED_SLOTS / writes * 1000:.2g} ms, or rings fill | several consumerd; larger rings |
| start of services | {start_ms:.2g} ms of consumerd for each, as much as {start_records:,.0f} records: {start_ms * SERVICES / 1000:.2g} s for {SERVICES:,} at once | rings that hold that time, or several consumerd |
| memory of rings | {16 * THREADS // 1024:,} MiB with 16 KiB each, {THREADS / 1024:.0f} GiB with 1 MiB each; 8 MiB for each service at most | a lower `RINGSIDE_RING_BYTES` |
| descriptors | {2 * SERVICES:,} and 64 | `ulimit -n`; otherwise services take turns |
| mappings of consumerd | {2 * THREADS:,} of 65,530 (`vm.max_map_count`): about 32,000 rings | raise it |
"""
