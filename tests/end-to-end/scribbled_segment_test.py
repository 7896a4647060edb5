#!/usr/bin/env python3
"""Another process overwrites the segments of real services, and truncates them, while consumerd drains them, ringctl steers
them, and ringstat and ringcat --segment read them. All of these keep working, and every record of a healthy service
beside them arrives, exactly.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of victims."""

import contextlib
import mmap
import os
import random
import struct
import subprocess
import threading
import unicodedata
import unittest

from checked_output import print_and_check
from progress_file import ProgressFile
from traced_processes import TestBed, program, wait_until

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "6"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
SCRIBBLES = 20_000
RING_BYTES = 1 << 16
PAGE = 4096
# Of the header, as described in shm-layout/README.md.
VERSION_OFFSET = 8
REGIONS_OFFSET, REGION_SLOTS = 136, 12
REGION = struct.Struct("<IIQQ")  # kind, stride, offset, bytes
# The used part of each kind of region: control page, ring metadata, switches, dictionary, rings, losses by site, executions.
MOST_BYTES = {1: 4096, 2: 8 * 256, 3: 4096, 4: 1 << 16, 5: 2 * RING_BYTES, 6: 4096, 9: 32768}

# The damage can end a victim; a sanitizer's report about the victim is not a finding.
VICTIM = {"TSAN_OPTIONS": ":".join(filter(None, (
    os.environ.get("TSAN_OPTIONS"), "handle_segv=0", "handle_sigbus=0", "handle_sigill=0",
    "handle_sigfpe=0", "handle_abort=0")))}


def regions(memory):
    """The places to overwrite, as (offset, bytes)."""
    found = [(0, 4096)]
    for slot in range(REGION_SLOTS):
        kind, _, offset, size = REGION.unpack_from(memory, REGIONS_OFFSET + slot * REGION.size)
        if kind in MOST_BYTES:
            found.append((offset, min(size, MOST_BYTES[kind])))
    assert len(found) == 1 + len(MOST_BYTES), found
    return found


def version(file):
    return struct.unpack("<I", os.pread(file.fileno(), 4, VERSION_OFFSET).ljust(4, b"\0"))[0]


def producer_pos(memory, places):
    return struct.unpack_from("<Q", memory, places[2][0])[0]


def scribble(path, dice, count):
    """Writes random words at random places, plausible ones among them. Returns how many."""
    with open(path, "r+b") as file:
        wait_until(lambda: version(file), "a whole segment")
        memory = mmap.mmap(file.fileno(), 0)
    with memory:
        places = regions(memory)
        for _ in range(count):
            start, size = dice.choice(places)
            value = dice.getrandbits(64) >> dice.choice((0, 0, 32, 48, dice.randrange(64)))
            if dice.random() < 0.25:
                value = producer_pos(memory, places) + dice.randrange(-4096, 4096)
            struct.pack_into("<Q", memory, start + dice.randrange(size // 8) * 8,
                             value & 0xFFFF_FFFF_FFFF_FFFF)
    return count


class Readers:
    """Every program that reads or steers live segments, run repeatedly. A context manager; at its end no program may have
    complained."""

    def __init__(self, test, path):
        self.test, self.count, self.faults = test, 0, []
        of_victims = ["--shm-dir", os.path.dirname(path), "--service", "victim*"]
        self.commands = ([program("ringcat"), "--segment", path],
                         [program("ringctl"), "snapshot", *of_victims, "--timeout", "100ms"],
                         [program("ringstat"), "--once", "--interval", "50ms", *of_victims],
                         [program("ringctl"), "list", "--statements", *of_victims],
                         [program("ringctl"), "level", "info", "--for", "1s", *of_victims],
                         [program("ringctl"), "count", "*", "--for", "1s", *of_victims],
                         [program("ringctl"), "list", "--threads", "--json", *of_victims])
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.read)

    def read(self):
        while not self.over.is_set():
            done = subprocess.run(self.commands[self.count % len(self.commands)], check=False, capture_output=True,
                                  timeout=100)
            said = (done.stdout + done.stderr).decode(errors="replace")
            if done.returncode not in (0, 1, 2, 3) or any(
                    unicodedata.category(c) == "Cc" and c not in "\n\t" for c in said):
                self.faults.append((done.returncode, said[-1000:]))
            self.count += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.test.assertEqual(self.faults, [], f"RINGSIDE_TEST_SEED={SEED}")


class ScribbledSegment(unittest.TestCase):
    def test_a_healthy_neighbour_loses_nothing(self):
        dice = random.Random(SEED)
        scribbles = salvaged = 0
        with TestBed() as bed:
            consumer = bed.start_consumer()
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            healthy = bed.start_service("--records", 0, "--burst", 200, "--pause-us", 200,
                                        "--progress", progress.path, service="healthy",
                                        piped=True)
            wait_until(lambda: "draining ringside.healthy." in consumer.stderr(), "it to drain")
            for number in range(ROUNDS):
                service = f"victim{number}"
                victim = bed.start_service("--threads", 3, "--records", 0, "--burst", 100,
                                           "--pause-us", 100, service=service, piped=True,
                                           overflow="overwrite" if number % 2 else "drop",
                                           ring_bytes=RING_BYTES, environment=VICTIM)
                name = wait_until(lambda: bed.segments(service), "the victim")[0]
                if number % 3 != 0:
                    wait_until(lambda: f"draining {name} " in consumer.stderr(), "it to be drained")
                path = os.path.join(bed.shm_dir, name)
                with Readers(self, path) as readers:
                    scribbles += scribble(path, dice, SCRIBBLES)
                    if number % 3 == 2:
                        # If the damage ended the victim, its segment is removed with all its records.
                        with contextlib.suppress(FileNotFoundError):
                            os.truncate(path, dice.randrange(0, 4 << 20))
                    wait_until(lambda: readers.count > len(readers.commands), "all to have read it")
                salvaged += readers.count
                victim.kill()
                self.assertTrue(consumer.running(), f"seed {SEED}: {consumer.stderr()}")
                before = progress.total()
                wait_until(lambda: progress.total() > before + 1000, "the neighbour to continue")
            healthy.end_input()
            self.assertEqual(healthy.wait(), 0)
            bed.wait_until_segments_are_gone("healthy")
            bed.stop_consumer(consumer)
            output = print_and_check(*(path for path in bed.traces()
                                       if os.path.basename(path).startswith("healthy.")))
            self.assertEqual(output.records, progress.returned(0), f"RINGSIDE_TEST_SEED={SEED}")
        print(f"RINGSIDE_TEST_SEED={SEED}: {scribbles} words scribbled over {ROUNDS} services, "
              f"read {salvaged} times meanwhile; "
              f"{output.records} records of the neighbour arrived")


if __name__ == "__main__":
    unittest.main(verbosity=2)
