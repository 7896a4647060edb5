#!/usr/bin/env python3
"""`ringcat --segment`: the records that segments still hold, without consumerd, whatever their bytes.

RINGSIDE_TEST_SEED sets the seed of the cuts and overwritten bytes."""

import hashlib
import os
import random
import re
import resource
import shutil
import socket
import struct
import subprocess
import time
import unittest

from progress_file import ProgressFile
from traced_processes import BOUND_S, TestBed, program, wait_until

SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
OK, DAMAGED, UNREADABLE = 0, 1, 3
MEMORY_BYTES = 1 << 30
RING_METADATA, RINGS = 2, 5  # kinds of regions
REGIONS_AT, REGION_BYTES = 136, 24
SEGMENT_BYTES_AT, RING_BYTES_AT = 24, 112
HUGE = 1 << 62
# A segment of few rings is small enough to be copied.
FEW_RINGS = {"RINGSIDE_MAX_THREADS": "4"}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def salvage(path, *more):
    """Runs ringcat with bounded memory: sanitizers bound each allocation instead of the address space."""
    sanitized = os.environ.get("RINGSIDE_TEST_SANITIZED")
    environment = dict(os.environ)
    for options in ("ASAN_OPTIONS", "TSAN_OPTIONS") if sanitized else ():
        bound = f"max_allocation_size_mb={MEMORY_BYTES >> 20}"
        environment[options] = ":".join(filter(None, (os.environ.get(options), bound)))
    return subprocess.run([program("ringcat"), "--utc", "--segment", path, *more], capture_output=True,
                          timeout=BOUND_S, check=False, env=environment,
                          preexec_fn=None if sanitized else limit_memory)


def checked(lines):
    """Checks that every line was logged; returns counts by thread."""
    done = subprocess.run([program("check_output")], input=lines, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    values = dict(word.split("=") for word in done.stdout.decode().split())
    return {int(key.split(".")[1]): int(value) for key, value in values.items()
            if re.fullmatch(r"thread\.\d+\.records", key)}


def region(data, kind):
    for at in range(REGIONS_AT, REGIONS_AT + 12 * REGION_BYTES, REGION_BYTES):
        found, _, offset, size = struct.unpack_from("<IIQQ", data, at)
        if found == kind:
            return offset, size
    raise AssertionError(f"no region of kind {kind}")


def segment_path(bed):
    return os.path.join(bed.shm_dir, bed.segments()[0])


def write_huge(path, data):
    with open(path, "wb") as file:
        file.write(data)
        file.truncate(HUGE)


def read_front(path):
    """The parts of a small segment that can hold data; the rest is zeros."""
    with open(path, "rb") as file:
        return bytearray(file.read())


class SegmentSalvage(unittest.TestCase):
    def dead_segment(self, bed, *arguments, ring_bytes=1 << 16):
        service = bed.start_service("--threads", 2, "--records", 150, *arguments,
                                    ring_bytes=ring_bytes,
                                    environment=FEW_RINGS)
        self.assertEqual(service.wait(), 0, service.stderr())
        return segment_path(bed)

    def test_a_killed_service_that_no_consumer_ever_saw(self):
        for number in range(5):
            with self.subTest(number), TestBed() as bed:
                progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
                service = bed.start_service("--threads", 2, "--records", 0, "--progress",
                                            progress.path, piped=True, ring_bytes=1 << 22,
                                            environment=FEW_RINGS)
                wait_until(progress.total, "the first record")
                time.sleep(random.uniform(0.0001, 0.01))
                service.kill()
                path = segment_path(bed)
                before = hashlib.sha256(read_front(path)).digest()
                done = salvage(path)
                self.assertEqual(done.returncode, OK, done.stderr)
                records = checked(done.stdout)
                for thread in range(2):
                    returned = progress.returned(thread)
                    self.assertIn(records.get(thread, 0), (returned, returned + 1))
                # A thread can be killed between taking its ring and its first record.
                said = [int(count) for count in re.findall(rb": (\d+) records", done.stderr)]
                self.assertEqual(sorted(filter(None, said)), sorted(records.values()))
                self.assertEqual(hashlib.sha256(read_front(path)).digest(), before)
                # A consumerd that runs afterwards finds the same.
                bed.run_consumer_once()
                printed = subprocess.run([program("ringcat"), "--utc", *bed.traces()],
                                         capture_output=True, check=True)
                messages = [line.split(b"] ", 1)[1] for line in printed.stdout.splitlines()]
                self.assertEqual(sorted(line.split(b"] ", 1)[1] for line in done.stdout.splitlines()),
                                 sorted(messages))

    def test_a_copy_is_as_good(self):
        with TestBed() as bed:
            path = self.dead_segment(bed)
            copy = os.path.join(bed.work_dir, "copy")
            with open(copy, "wb") as file:
                file.write(read_front(path))
            # Each run measures the clock anew, so that the times can differ by nanoseconds.
            def without_times(text):
                return [line.split(b" ", 2)[2] for line in text.splitlines()]
            self.assertEqual(without_times(salvage(copy).stdout), without_times(salvage(path).stdout))
            self.assertEqual(checked(salvage(copy).stdout), {0: 150, 1: 150})

    def test_losses_are_reported(self):
        with TestBed() as bed:
            service = bed.start_service("--records", 4000, overflow="drop", ring_bytes=1 << 16)
            self.assertEqual(service.wait(), 0)
            done = salvage(segment_path(bed))
            self.assertEqual(done.returncode, OK)
            lost = sum(int(count) for count in re.findall(rb" LOST .* (\d+) records", done.stdout))
            self.assertEqual(lost, int(service.values()["dropped"]))
            self.assertEqual(checked(done.stdout)[0] + lost, 4000)

    def test_a_running_service_without_a_consumer(self):
        with TestBed() as bed:
            service = bed.start_service("--records", 500, "--hold", piped=True)
            wait_until(lambda: "done" in service.stdout(), "the records")
            done = salvage(segment_path(bed))
            self.assertEqual((done.returncode, checked(done.stdout)), (OK, {0: 500}))
            service.end_input()
            self.assertEqual(service.wait(), 0)

    def test_a_service_that_is_drained_meanwhile(self):
        """The printed records have no gap and no repetition, wherever they begin."""
        with TestBed() as bed:
            consumer = bed.start_consumer()
            service = bed.start_service("--threads", 2, "--records", 0, "--burst", 200, "--pause-us",
                                        100, piped=True, ring_bytes=1 << 16)
            wait_until(bed.segments, "the segment")
            path = segment_path(bed)
            shown = 0
            for _ in range(25):
                done = salvage(path)
                if done.returncode == UNREADABLE:  # still being created
                    self.assertIn(b"incomplete segment", done.stderr)
                    continue
                self.assertEqual(done.returncode, OK, done.stderr)
                numbers = {}
                for line in done.stdout.splitlines():
                    thread, number = re.match(rb".*?\] (\d+)/(\d+)", line).groups()
                    numbers.setdefault(thread, []).append(int(number))
                for found in numbers.values():
                    self.assertEqual(found, list(range(found[0], found[0] + len(found))))
                    shown += len(found)
            print(f"{shown} records shown beside a consumer", flush=True)
            service.end_input()
            self.assertEqual(service.wait(), 0)
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)

    def test_an_unfinished_record_is_reported(self):
        with TestBed() as bed:
            data = read_front(self.dead_segment(bed))
            metadata, _ = region(data, RING_METADATA)
            rings, _ = region(data, RINGS)
            copy = os.path.join(bed.work_dir, "copy")
            with open(copy, "wb") as file:
                file.write(data)
            self.assertNotIn(b"unfinished", salvage(copy).stderr)
            producer_pos = struct.unpack_from("<Q", data, metadata)[0]
            start_tsc = struct.unpack_from("<Q", data, metadata + 192 + 24)[0]
            # The head of a record of the first site, some time after the last record.
            head = ((start_tsc + (1 << 38)) << 20 | 1) & (1 << 64) - 1
            struct.pack_into("<Q", data, rings + producer_pos, head)
            with open(copy, "wb") as file:
                file.write(data)
            done = salvage(copy)
            self.assertEqual(done.returncode, OK)
            self.assertEqual(len(re.findall(rb"unfinished record of \S+\.(?:inc|cpp):\d+", done.stderr)), 1)
            self.assertEqual(checked(done.stdout), {0: 150, 1: 150})

    def assert_survives(self, path, what):
        done = salvage(path)
        self.assertIn(done.returncode, (OK, DAMAGED, UNREADABLE), (what, done.stderr[-2000:]))
        if done.returncode == UNREADABLE:
            self.assertIn(path.encode(), done.stderr, what)
        return done

    def test_copies_that_are_cut(self):
        with TestBed() as bed:
            data = read_front(self.dead_segment(bed))
            dice = random.Random(f"{SEED} cut")
            rings, _ = region(data, RINGS)
            copy = os.path.join(bed.work_dir, "copy")
            sizes = [0, 1, 4095, 4096, 8192, 8193, rings, rings + 1, rings + 5000]
            sizes += [dice.randrange(len(data)) for _ in range(20)]
            sizes += [dice.randrange(16384) for _ in range(10)]
            for size in sizes:
                with open(copy, "wb") as file:
                    file.write(data[:size])
                done = self.assert_survives(copy, f"cut at {size}")
                if size < len(data):
                    self.assertNotEqual(done.returncode, OK, f"cut at {size}")
                if size == 0:  # as a service leaves it for a moment
                    self.assertIn(b"incomplete segment", done.stderr)
            with open(copy, "wb") as file:
                file.write(data[:rings + 5000])
            done = self.assert_survives(copy, "cut within a ring")
            self.assertGreater(done.stdout.count(b"\n"), 10)
            self.assertIn(b"cannot be decoded: the file is truncated before them", done.stderr)

    def test_copies_that_are_scribbled_on(self):
        with TestBed() as bed:
            data = read_front(self.dead_segment(bed))
            dice = random.Random(f"{SEED} scribble")
            rings, _ = region(data, RINGS)
            metadata, _ = region(data, RING_METADATA)
            dictionary, _ = region(data, 4)
            areas = [(0, 512), (4096, 4096 + 512), (metadata, metadata + 512),
                     (dictionary, dictionary + 4096), (rings, rings + 65536)]
            copy = os.path.join(bed.work_dir, "copy")
            with open(copy, "wb") as file:
                file.write(data)
            for number in range(150):
                changes = []
                for _ in range(dice.choice((1, 1, 2, 8))):
                    at = dice.randrange(*areas[number % len(areas)])
                    new = dice.choice((b"\xff" * 8, b"\0" * 8, dice.randbytes(1), dice.randbytes(4),
                                       struct.pack("<Q", 1 << dice.randrange(64))))
                    changes.append((at, new))
                with open(copy, "r+b") as file:
                    for at, new in changes:
                        file.seek(at)
                        file.write(new)
                self.assert_survives(copy, f"RINGSIDE_TEST_SEED={SEED} {changes}")
                with open(copy, "r+b") as file:
                    for at, new in changes:
                        file.seek(at)
                        file.write(data[at:at + len(new)])

    def test_a_huge_file_with_nothing_in_it(self):
        """Memory is bounded by what the file holds, not by what it claims: see MEMORY_BYTES."""
        with TestBed() as bed:
            data = read_front(self.dead_segment(bed))
            rings, _ = region(data, RINGS)
            metadata, _ = region(data, RING_METADATA)
            ring_bytes, ring_count = 1 << 32, 4
            struct.pack_into("<QI", data, RING_BYTES_AT, ring_bytes, ring_count)
            struct.pack_into("<Q", data, 24, rings + ring_bytes * ring_count)
            for at in range(REGIONS_AT, REGIONS_AT + 12 * REGION_BYTES, REGION_BYTES):
                if struct.unpack_from("<I", data, at)[0] == RINGS:
                    struct.pack_into("<Q", data, at + 16, ring_bytes * ring_count)
            for ring in range(ring_count):
                struct.pack_into("<Q", data, metadata + 256 * ring, ring_bytes)
            copy = os.path.join(bed.work_dir, "copy")
            with open(copy, "wb") as file:
                file.write(data[:rings + 65536])
                file.truncate(rings + ring_bytes * ring_count)
            self.assertEqual(self.assert_survives(copy, "huge").returncode, DAMAGED)

    def test_a_file_of_2_to_the_62_bytes(self):
        with TestBed() as bed:
            data = read_front(self.dead_segment(bed))
            struct.pack_into("<Q", data, SEGMENT_BYTES_AT, HUGE)
            copy = os.path.join(bed.shm_dir, "copy")
            write_huge(copy, data)
            done = self.assert_survives(copy, "huge")
            self.assertEqual(checked(done.stdout), {0: 150, 1: 150})

    def test_files_that_are_not_segments(self):
        with TestBed() as bed:
            def path_of(name):
                return os.path.join(bed.shm_dir, name)

            os.mkfifo(path_of("fifo"))
            os.symlink("loop", path_of("loop"))
            os.symlink("/dev/zero", path_of("device"))
            write_huge(path_of("noise"), b"\x5a" * 8192)
            write_huge(path_of("holes"), b"")
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path_of("socket"))
            named = path_of("\x1b[2J\x9b31m\r\n")
            shutil.copy(__file__, named)
            for path in (bed.work_dir, os.path.join(bed.work_dir, "none"), __file__, "/dev/null",
                         named, *map(path_of, ("fifo", "loop", "device", "noise", "holes", "socket"))):
                with self.subTest(path):
                    done = salvage(path)
                    self.assertEqual(done.returncode, UNREADABLE)
                    if path != named:
                        self.assertIn(path.encode(), done.stderr)
                    self.assertRegex(done.stderr, rb"^[ -~]+\n$")


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
