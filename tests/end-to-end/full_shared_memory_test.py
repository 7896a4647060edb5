#!/usr/bin/env python3
"""A full shared-memory directory, which the 64 MB of a default container soon are: services run on without their trace, and
report it; consumerd drains ended services without a free byte."""

import os
import sys
import unittest

from checked_output import print_and_check
from small_file_system import MESON_SKIP, SmallFileSystem
from traced_processes import TestBed, wait_until

KIB = 1 << 10


def full_bed(file_system):
    """A bed on the small file system, whose directory must outlive the bed."""
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
        # Between the size of a segment without rings and that of a segment with a part of one.
        with SmallFileSystem(152 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--threads", 3, "--records", 50_000, ring_bytes=1 << 20)
            self.assertEqual(service.wait(), 0, service.stderr())
            self.assert_one_clear_line(service.stderr(), "ringside: ", "no memory for a ring",
                                       "enlarge")
            self.assertEqual(int(service.values()["refused"]), 150_000)
            self.assertEqual(len(bed.segments()), 1)

    def test_threads_that_have_a_ring_go_on_when_another_gets_none(self):
        # Room for the first part of two rings, which cannot grow.
        with SmallFileSystem(180 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--threads", 8, "--records", 20_000, overflow="drop",
                                        ring_bytes=1 << 20)
            self.assertEqual(service.wait(), 0, service.stderr())
            values = service.values()
            self.assertEqual(int(values["logged"]), 160_000)
            refused = int(values["refused"])
            self.assertEqual(refused % 20_000, 0)
            self.assertGreater(refused, 0)
            self.assertLess(refused, 160_000)
            # There is no space for a staging file either, and only consumerd could free some.
            consumer = bed.run_consumer_once()
            self.assertIn("staging in " + bed.output_dir, consumer.stderr())
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

    def test_consumerd_starts_and_drains_without_a_free_byte(self):
        # Without and with space for the staging file's front, never for a slot.
        for free_kib in (0, 4, 64, 512, 1500):
            for once in (True, False):
                with self.subTest(free_kib=free_kib, once=once), \
                        SmallFileSystem(12 * 1024 * KIB) as small, full_bed(small) as bed:
                    service = bed.start_service("--records", 10_000, ring_bytes=1 << 20)
                    self.assertEqual(service.wait(), 0)
                    small.fill(free_kib * KIB)
                    if once:
                        consumer = bed.run_consumer_once()
                    else:
                        consumer = bed.start_consumer()
                        bed.wait_until_segments_are_gone()
                        bed.stop_consumer(consumer)
                    self.assertIn("staging in " + bed.output_dir, consumer.stderr())
                    self.assertEqual(print_and_check(*bed.traces()).records, 10_000)
                    self.assertEqual(bed.shm_names(), [])

    def test_it_stages_in_memory_again_when_there_is_space(self):
        with SmallFileSystem(12 * 1024 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--records", 500, "--steps", ring_bytes=1 << 20,
                                        piped=True)
            consumer = bed.start_consumer()
            step(service, 500)
            bed.stop_consumer(consumer)
            filler = small.fill()
            consumer = bed.start_consumer()
            step(service, 1000)
            self.assertEqual(len(staging_files(bed.output_dir)), 1)
            os.unlink(filler)
            wait_until(lambda: f"staging in {bed.shm_dir} again" in consumer.stderr(), "the return")
            self.assertEqual(staging_files(bed.output_dir), [])
            self.assertEqual(len(staging_files(bed.shm_dir)), 1)
            step(service, 1500)
            consumer.kill()
            consumer = bed.start_consumer()
            step(service, 2000)
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.assertEqual(print_and_check(*bed.traces()).records, 2000)

    def test_records_staged_elsewhere_arrive_exactly_once(self):
        with SmallFileSystem(12 * 1024 * KIB) as small, full_bed(small) as bed:
            service = bed.start_service("--records", 0, "--burst", 100, "--threads", 2,
                                        ring_bytes=1 << 20, piped=True)
            consumer = bed.start_consumer()
            wait_until(lambda: any(map(os.path.getsize, bed.traces())), "records")
            bed.stop_consumer(consumer)
            small.fill()
            for _ in range(12):
                (trace,) = [path for path in bed.traces() if path.endswith(".ringtrace")]
                dead = staging_files(bed.output_dir)
                consumer = bed.start_consumer()
                wait_until(lambda old=dead: set(staging_files(bed.output_dir)) - set(old),
                           "its own staging file")
                size_bytes = os.path.getsize(trace)
                wait_until(lambda path=trace, before=size_bytes: os.path.getsize(path) > before,
                           "more records")
                consumer.kill()
            # A consumerd that writes to another directory finishes what the first one has begun.
            before = bed.output_dir
            bed.output_dir = os.path.join(bed.work_dir, "other-traces")
            os.mkdir(bed.output_dir)
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.run_consumer_once()
            logged = int(service.values()["logged"])
            both = [os.path.join(place, name) for place in (before, bed.output_dir)
                    for name in os.listdir(place)]
            self.assertEqual(staging_files(before) + staging_files(bed.output_dir), [])
            output = print_and_check(*both)
            self.assertEqual(output.records + output.lost, logged)
            self.assertEqual([name for name in bed.shm_names() if name != "filler"], [])

    def test_a_full_output_too_is_a_refusal_with_the_remedies(self):
        with SmallFileSystem(1024 * KIB) as small, full_bed(small) as bed:
            output_dir = os.path.join(small.path, "traces")
            os.mkdir(output_dir)
            small.fill()
            consumer = bed.start([*bed.consumer_command(), "--output", output_dir])
            self.assertEqual(consumer.wait(), 1, consumer.stderr())
            self.assert_one_clear_line(consumer.stderr(), "consumerd: error: ", "No space left",
                                       "enlarge", "free space on the disk")
            self.assertEqual(bed.shm_names(), [])
            self.assertEqual(os.listdir(output_dir), [])


def staging_files(directory):
    return [name for name in os.listdir(directory)
            if name.startswith("ringside-staging.") and "@" not in name]


def step(service, total):
    service.popen.stdin.write(b"\n")
    service.popen.stdin.flush()
    wait_until(lambda: f"flushed {total}\n" in service.stdout(), f"{total} records to be flushed")


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root can mount a small file system")
        sys.exit(MESON_SKIP)
    unittest.main(verbosity=2)
