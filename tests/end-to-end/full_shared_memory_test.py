#!/usr/bin/env python3
"""A shared-memory directory that is full, as a default container's 64 MB soon are: services go on
without their trace, and say so; consumerd refuses to start instead of crashing."""

import os
import sys
import unittest

from checked_output import print_and_check
from small_file_system import MESON_SKIP, SmallFileSystem
from traced_processes import TestBed, wait_until

KIB = 1 << 10


def full_bed(file_system):
    """A bed on the small file system; its directory must survive the bed."""
    directory = os.path.join(file_system.path, "segments")
    os.mkdir(directory)
    return TestBed(shm_dir=directory)


class FullSharedMemory(unittest.TestCase):
    def assert_one_clear_line(self, stderr, *words):
        lines = stderr.splitlines()
        self.assertEqual(len(lines), 1, stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def test_a_service_that_finds_no_room_for_a_segment_runs_to_its_end(self):
        with SmallFileSystem(64 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--threads", 3, "--records", 50_000)
            self.assertEqual(service.wait(), 0, service.stderr())
            self.assert_one_clear_line(service.stderr(), "ringside: ", "No space left", "enlarge")
            values = service.values()
            self.assertEqual(int(values["refused"]), 150_000)
            self.assertEqual(bed.shm_names(), [])

    def test_a_service_that_finds_no_room_for_a_ring_runs_to_its_end(self):
        # Between the size of a segment without rings and that with one.
        with SmallFileSystem(1024 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--threads", 3, "--records", 50_000, ring_bytes=1 << 20)
            self.assertEqual(service.wait(), 0, service.stderr())
            self.assert_one_clear_line(service.stderr(), "ringside: ", "no memory for a ring",
                                       "enlarge")
            self.assertEqual(int(service.values()["refused"]), 150_000)
            self.assertEqual(len(bed.segments()), 1)

    def test_threads_that_have_a_ring_go_on_when_another_gets_none(self):
        with SmallFileSystem(6 * 1024 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--threads", 8, "--records", 20_000, overflow="drop",
                                        ring_bytes=1 << 20)
            self.assertEqual(service.wait(), 0, service.stderr())
            values = service.values()
            self.assertEqual(int(values["logged"]), 160_000)
            refused = int(values["refused"])
            self.assertEqual(refused % 20_000, 0)
            self.assertGreater(refused, 0)
            self.assertLess(refused, 160_000)
            # No room for a staging file either: the rest of the records wait for better times.
            small_consumer = bed.start_consumer("--once")
            self.assertEqual(small_consumer.wait(), 1, small_consumer.stderr())
            small.resize(64 * 1024 * KIB)
            bed.run_consumer_once()
            output = print_and_check(*bed.traces())
            self.assertEqual(output.records + output.lost + refused, 160_000)
            self.assertEqual(output.lost_without_thread, refused)
            self.assertEqual(bed.shm_names(), [])

    def test_rings_stay_usable_when_the_file_system_fills_up_later(self):
        with SmallFileSystem(48 * 1024 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--records", 500, "--steps", ring_bytes=1 << 20,
                                        piped=True)
            bed.start_consumer()
            step(service, 500)
            small.fill()
            for steps in range(2, 60):
                step(service, 500 * steps)
            self.assertEqual(small.free_bytes(), 0)
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            self.assertEqual(print_and_check(*bed.traces()).records, 59 * 500)

    def test_consumerd_refuses_to_start_without_room(self):
        for free_kib in (0, 4, 64, 512):
            with self.subTest(free_kib=free_kib), SmallFileSystem(1024 * KIB) as small, \
                    full_bed(small) as bed:
                small.fill(free_kib * KIB)
                consumer = bed.start(bed.consumer_command())
                self.assertEqual(consumer.wait(), 1, consumer.stderr())
                self.assert_one_clear_line(consumer.stderr(), "consumerd: error: ", "No space left",
                                           "enlarge")
                self.assertEqual(bed.shm_names(), [])

    def test_consumerd_that_cannot_stage_says_so_and_goes_on_when_it_can(self):
        with SmallFileSystem(8 * 1024 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--records", 10_000, ring_bytes=1 << 20)
            self.assertEqual(service.wait(), 0)
            # Enough for the staging file's front, not for one slot.
            filler = small.fill(1500 * KIB)
            once = bed.start_consumer("--once")
            self.assertEqual(once.wait(), 1, once.stderr())
            consumer = bed.start_consumer()
            wait_until(lambda: "no memory for a further staging buffer" in consumer.stderr(),
                       "its complaint")
            self.assertTrue(consumer.running())
            os.unlink(filler)
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.assertEqual(print_and_check(*bed.traces()).records, 10_000)


def step(service, total):
    service.popen.stdin.write(b"\n")
    service.popen.stdin.flush()
    wait_until(lambda: f"flushed {total}\n" in service.stdout(), f"{total} records to be flushed")


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root may mount a small file system")
        sys.exit(MESON_SKIP)
    unittest.main()
