#!/usr/bin/env python3
"""A full file system for trace files: consumerd reports it, keeps what it has, and continues when there is space. No record
whose log call has returned is lost."""

import os
import signal
import sys
import time
import unittest

from checked_output import print_and_check
from progress_file import ProgressFile
from small_file_system import MESON_SKIP, SmallFileSystem
from traced_processes import TestBed, wait_until

MIB = 1 << 20


class FullOutput(unittest.TestCase):
    def fill_up(self, bed, *arguments, **how):
        """A service and a consumerd that has run out of space."""
        progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
        consumer = bed.start_consumer(*arguments)
        # The service may wait only a moment for a consumer that is not there yet.
        wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
        service = bed.start_service("--threads", 2, "--records", 0, "--progress", progress.path,
                                    piped=True, **how)
        wait_until(lambda: "cannot write" in consumer.stderr(), "the disk to be full")
        self.assertIn("No space left", consumer.stderr())
        self.assertTrue(consumer.running())
        return service, consumer, progress

    def finish(self, bed, small, service, consumer, progress):
        small.resize(512 * MIB)
        before = progress.total()
        wait_until(lambda: progress.total() > before + 10_000, "the service to continue")
        service.end_input()
        self.assertEqual(service.wait(), 0)
        self.assertEqual(service.values()["dropped"], "0")
        bed.wait_until_segments_are_gone()
        bed.stop_consumer(consumer)
        output = print_and_check(*bed.traces())
        self.assertEqual(output.records_of, {thread: progress.returned(thread)
                                             for thread in range(2)})
        self.assertEqual(output.lost, 0)
        self.assertEqual(bed.shm_names(), [])

    def on_small_disk(self, test, *arguments):
        with SmallFileSystem(3 * MIB) as small, TestBed(output_dir=small.path) as bed:
            test(bed, small, *self.fill_up(bed, *arguments))

    def test_it_continues_when_there_is_space_again(self):
        for io in ("auto", "pwrite"):
            with self.subTest(io):
                self.on_small_disk(self.finish, "--io", io)

    def test_an_unlimited_wait_loses_nothing(self):
        with SmallFileSystem(3 * MIB) as small, TestBed(output_dir=small.path) as bed:
            service, consumer, progress = self.fill_up(
                bed, timeout_ms="forever",
                environment={"RINGSIDE_ABSENT_TIMEOUT_MS": "1", "RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS": "1"})

            def has_stopped():
                before = progress.total()
                time.sleep(0.5)
                return progress.total() == before
            wait_until(has_stopped, "the service to wait")
            self.finish(bed, small, service, consumer, progress)

    def test_its_death_meanwhile_loses_nothing(self):
        def kill_and_finish(bed, small, service, consumer, progress):
            for _ in range(3):
                consumer.kill()
                consumer = bed.start_consumer()
                wait_until(lambda consumer=consumer: "cannot" in consumer.stderr(), "its complaint")
            self.finish(bed, small, service, consumer, progress)
        self.on_small_disk(kill_and_finish)

    def test_it_ends_with_an_error_and_leaves_the_rest_to_its_successor(self):
        def stop_and_finish(bed, small, service, consumer, progress):
            consumer.send(signal.SIGTERM)
            self.assertEqual(consumer.wait(), 1, consumer.stderr())
            self.assertIn("next consumerd", consumer.stderr())
            self.finish(bed, small, service, bed.start_consumer(), progress)
        self.on_small_disk(stop_and_finish)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root can mount a small file system")
        sys.exit(MESON_SKIP)
    unittest.main(verbosity=2)
