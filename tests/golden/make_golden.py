#!/usr/bin/env python3
"""Creates the trace files of a golden folder for a new version of the format.

usage: make_golden.py FOLDER, with the environment of the test `golden`, and
RINGSIDE_TEST_GOLDEN_SERVICE."""

import os
import signal
import struct
import subprocess
import sys

from trace_frames import FRAME_BYTES, Block, crc32c, frames
from traced_processes import TestBed, program, wait_until


def kinds(bed):
    consumer = bed.start_consumer()
    service = bed.start_service("kinds", which="golden_service", service="golden", ring_bytes=1 << 16)
    assert service.wait() == 0
    bed.wait_until_segments_are_gone()
    bed.stop_consumer(consumer)


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


def without_origin(data):
    """The same bytes, with fillers of the same length instead of the program's path and the host in headers."""
    data = bytearray(data)
    for block in frames(bytes(data)):
        if not isinstance(block, Block) or block.type != 1:
            continue
        at = block.offset + FRAME_BYTES + 96
        for text in (None, b"/opt/golden/", b"host"):
            length = struct.unpack_from("<H", data, at)[0]
            if text is not None:
                data[at + 2:at + 2 + length] = text.ljust(length, b"-")[:length]
            at += 2 + length
        frame = bytes(data[block.offset:block.offset + 12])
        payload = bytes(data[block.offset + FRAME_BYTES:block.end()])
        struct.pack_into("<I", data, block.offset + 12, crc32c(frame, payload))
    return bytes(data)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(folder):
    for make in (kinds, losses, no_ring, killed_writers, killed_service):
        with TestBed() as bed:
            make(bed)
            path, = bed.traces()
            write(os.path.join(folder, make.__name__ + ".ringtrace"), without_origin(read(path)))
    with TestBed() as bed:
        rotated(bed, os.path.join(folder, "rotated"))
    random = os.path.join(folder, "random.ringtrace")
    subprocess.run([program("random_trace"), "8", random, "40"], check=True)
    data = bytearray(read(os.path.join(folder, "killed_writers.ringtrace")))
    data[data.index(b"RSBK\x03") + 20] ^= 0xFF  # in the first extent
    at = data.rindex(b"RSBK")
    data[at:at] = b"no block of any kind"
    write(os.path.join(folder, "damaged.ringtrace"), data)
    for name in sorted(os.listdir(folder)):
        stem, suffix = os.path.splitext(name)
        if suffix == ".ringtrace" or name == "rotated":
            for command, ending in ((("ringcat", "--utc", "--raw"), ".txt"), (("dump_trace",), ".events")):
                done = subprocess.run([program(command[0]), *command[1:], os.path.join(folder, name)],
                                      capture_output=True, check=False)
                write(os.path.join(folder, stem + ending), done.stdout)
    os.remove(os.path.join(folder, "losses.events"))  # large, with little content


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
