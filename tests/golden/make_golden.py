#!/usr/bin/env python3
"""Creates the trace files of a golden folder for a new version of the format.

usage: make_golden.py FOLDER [NAME...], with the environment of the test `golden`, and
RINGSIDE_TEST_GOLDEN_SERVICE from a build in a folder of the source tree with -Dunity=off: statements
then have the same paths on every machine. NAME: only the files of these functions."""

import json
import os
import signal
import struct
import subprocess
import sys

from trace_collection import State
from trace_frames import FRAME_BYTES, Block, crc32c, frames
from trace_reader import COLLECTION, HEADER, TraceFile
from traced_processes import TestBed, program, wait_until


def kinds(bed):
    run_drained(bed, "kinds")


def run_drained(bed, what, **environment):
    consumer = bed.start_consumer()
    service = bed.start_service(what, which="golden_service", service="golden", ring_bytes=1 << 16, environment=environment)
    assert service.wait() == 0
    bed.wait_until_segments_are_gone()
    bed.stop_consumer(consumer)


def contexts(bed):
    """Contexts of two threads, each over two extents."""
    run_drained(bed, "contexts")


def spans(bed):
    """Spans, counters, histograms and marks."""
    run_drained(bed, "spans")


def stacks(bed):
    """Stacks. Paths of modules are in records: run it with a service and a library in a folder that every machine could have."""
    run_drained(bed, "stacks")


def losses(bed):
    service = bed.start_service("losses", which="golden_service", service="golden", overflow="drop",
                                ring_bytes=1 << 16)
    assert service.wait() == 0
    bed.run_consumer_once()


def no_ring(bed):
    """Two threads, of which one has no ring."""
    service = bed.start_service("kinds", which="golden_service", service="golden",
                                environment={"RINGSIDE_MAX_THREADS": "1"})
    assert service.wait() == 0
    bed.run_consumer_once()


def measured(bed):
    """The cost of all log calls of two threads."""
    run_drained(bed, "kinds", RINGSIDE_COST_SAMPLING="1")


def emptied(bed):
    """A file whose records were removed before they were shipped. Its CLOCK blocks state that the clock is not synchronised, if
    that of the machine is not."""
    run_drained(bed, "kinds")
    bed.run_consumer_once("--keep-bytes", "1", "--keep-unshipped-bytes", "1")


def killed_writers(bed):
    """Two sections, neither with an END: both consumers were killed."""
    service = bed.start_service("steps", which="golden_service", service="golden", piped=True)
    for lines in (1, 2):
        consumer = bed.start_consumer()
        service.popen.stdin.write(b"\n")
        service.popen.stdin.flush()
        wait_until(lambda: service.stdout().count("flushed") == lines, "a flush")
        consumer.kill()


def killed_service(bed):
    service = bed.start_service("steps", which="golden_service", service="golden", piped=True)
    service.end_input()
    service.wait()
    bed.run_consumer_once()


def collected(bed):
    """Every kind of content of COLLECTION: rules and what they do, changes by a tool and by the service, a time limit that is
    reached and others that are not."""
    rules = os.path.join(bed.work_dir, "rules.toml")
    write(rules, COLLECTED_RULES)
    consumer = bed.start_consumer("--config", rules)
    service = bed.start_service("collected", which="golden_service", service="golden", piped=True)

    def log(lines):
        service.popen.stdin.write(b"\n")
        service.popen.stdin.flush()
        wait_until(lambda: service.stdout().count("flushed") == lines, "a flush")

    log(1)
    changes = 0
    for lines, (change, count) in enumerate(COLLECTED_CHANGES, start=2):
        subprocess.run([program("ringctl"), *change, "--shm-dir", bed.shm_dir], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "SUDO_USER": "", "LOGNAME": "operator"})
        changes += count
        wait_until(lambda: stated_changes(bed) == changes, "the change in the file")
        log(lines)
    service.end_input()
    assert service.wait() == 0
    bed.wait_until_segments_are_gone()
    bed.stop_consumer(consumer)


COLLECTED_RULES = b"""
[[sample]]
of-level = "debug"
keep-one-in = 3

[[redact]]
field = "pass*"
text = "hidden"
"""
# With the number of changes that each makes: the end of the first one is a change too.
COLLECTED_CHANGES = (
    (("level", "error", "--for", "200ms"), 2), (("level", "info", "--for", "30d"), 1), (("disable", "retry %d"), 1),
    (("count", "retry %d", "--for", "30d"), 1), (("policy", "drop", "--block-timeout", "20ms"), 1))


def stated_changes(bed):
    return sum(len(state.changes) for path in bed.traces() for section in TraceFile(read(path)).sections
               for state in section.collected if isinstance(state, State))


def rotated(bed, folder):
    """Four files of one service, which is killed while the last one is written; the first two are packed."""
    service = bed.start_service("steps", which="golden_service", service="golden", piped=True)
    consumer = bed.start_consumer()
    for files in (1, 2, 3):
        service.popen.stdin.write(b"\n")
        service.popen.stdin.flush()
        wait_until(lambda: service.stdout().count("flushed") == files, "a flush")
        consumer.send(signal.SIGHUP)
        wait_until(lambda: len(bed.traces()) == files + 1, "the next file")
    service.end_input()
    service.wait()
    bed.wait_until_segments_are_gone()
    bed.stop_consumer(consumer)
    os.makedirs(folder, exist_ok=True)
    for number, path in enumerate(bed.traces()):
        copy = os.path.join(folder, f"golden.{number}.ringtrace")
        write(copy, without_origin(read(path)))
        if number < 2:
            subprocess.run([program("ringcat"), "pack", copy], check=True)


def without_origin(data, folder=None):
    """The same bytes, with fillers of the same length instead of the program's path and the host in headers, and of the
    folder of rules where their place is stated."""
    data = bytearray(data)
    for block in frames(bytes(data)):
        if not isinstance(block, Block) or block.type not in (HEADER, COLLECTION):
            continue
        at = block.offset + FRAME_BYTES
        if block.type == HEADER:
            hide_origin(data, at + 96)
        elif folder:
            name = os.fsencode(folder)
            data[at:block.end()] = data[at:block.end()].replace(name, filler(b"/etc/golden", len(name)))
        frame = bytes(data[block.offset:block.offset + 12])
        struct.pack_into("<I", data, block.offset + 12, crc32c(frame, bytes(data[at:block.end()])))
    return bytes(data)


def filler(text, length):
    return text.ljust(length, b"-")[:length]


def hide_origin(data, at):
    for text in (None, b"/opt/golden/", b"host"):
        length = struct.unpack_from("<H", data, at)[0]
        if text is not None:
            data[at + 2:at + 2 + length] = filler(text, length)
        at += 2 + length


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make_single(make, folder):
    with TestBed() as bed:
        make(bed)
        path, = bed.traces()
        write(os.path.join(folder, make.__name__ + ".ringtrace"), without_origin(read(path), bed.work_dir))


def make_all(folder):
    for make in SINGLE_FILES:
        make_single(make, folder)
    with TestBed() as bed:
        rotated(bed, os.path.join(folder, "rotated"))
    random = os.path.join(folder, "random.ringtrace")
    subprocess.run([program("random_trace"), "8", random, "40"], check=True)
    data = bytearray(read(os.path.join(folder, "killed_writers.ringtrace")))
    data[data.index(b"RSBK\x03") + 20] ^= 0xFF  # in the first extent
    at = data.rindex(b"RSBK")
    data[at:at] = b"no block of any kind"
    write(os.path.join(folder, "damaged.ringtrace"), data)


def write_outputs(folder, name):
    """What a reader makes of it; of what was collected only where the file states a change."""
    stem, suffix = os.path.splitext(name)
    if suffix != ".ringtrace" and name != "rotated":
        return
    outputs = [(("ringcat", "--utc", "--raw"), ".txt"), (("dump_trace",), ".events")]
    if stem == "collected":
        outputs.append((("ringcat", "collected", "--format", "json"), ".states"))
    for command, ending in outputs:
        done = subprocess.run([program(command[0]), *command[1:], os.path.join(folder, name)],
                              capture_output=True, check=False)
        write(os.path.join(folder, stem + ending), done.stdout)
    if stem == "measured":
        stats = subprocess.run([program("ringcat"), "stats", "--format", "json", os.path.join(folder, name)], capture_output=True, check=True)
        write(os.path.join(folder, stem + ".costs"), json.dumps(json.loads(stats.stdout)["call_costs"], indent=2).encode() + b"\n")


SINGLE_FILES = (kinds, losses, no_ring, killed_writers, killed_service, collected, contexts, spans, stacks, emptied, measured)


def main(folder, *names):
    os.makedirs(folder, exist_ok=True)
    if names:
        for name in names:
            make_single(next(make for make in SINGLE_FILES if make.__name__ == name), folder)
            write_outputs(folder, name + ".ringtrace")
        return
    make_all(folder)
    for name in sorted(os.listdir(folder)):
        write_outputs(folder, name)
    os.remove(os.path.join(folder, "losses.events"))  # large, with little content


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
