#!/usr/bin/env python3
"""Losses by cause: the library's report, the segment's counts at the place of the loss, and its counts by statement are the
same numbers. Together with the decoded records they account for everything that was logged."""

import os
import unittest

from checked_output import print_raw
from progress_file import ProgressFile
from segment_counters import losses_by_cause
from small_file_system import SmallFileSystem
from traced_processes import TestBed, wait_until

SMALL_RING = 1 << 16
ANY, NO_CONSUMER, NO_RING, NO_SHARED_MEMORY, TOO_LARGE = 0, 2, 5, 6, 10
MOUNTS = unittest.skipIf(os.geteuid() != 0, "only root can mount a small file system")


def segment_directory(file_system):
    directory = os.path.join(file_system.path, "segments")
    os.mkdir(directory)
    return directory


class LossCounts(unittest.TestCase):
    def check(self, bed, service, cause):
        """Checks a service that waits for the end of its input."""
        (name,) = bed.segments()
        where_lost, by_site = losses_by_cause(os.path.join(bed.shm_dir, name))
        self.assertEqual(list(where_lost), [cause])
        self.assertEqual(by_site, where_lost)
        service.end_input()
        self.assertEqual(service.wait(), 0, service.stderr())
        values = service.values()
        self.assertEqual(values[f"lost.{cause}"], str(where_lost[cause]))
        self.assertEqual(values[f"lost.{ANY}"], str(where_lost[cause]))
        bed.run_consumer_once()
        # Records that had no ring leave no gap for the checker of the lines.
        records = sum(b" LOST [" not in line for line in print_raw(*bed.traces()))
        self.assertEqual(records + where_lost[cause], int(values["logged"]))
        return where_lost[cause]

    def start(self, bed, *arguments, **how):
        """Starts a service and waits until it has logged everything."""
        service = bed.start_service(*arguments, "--hold", piped=True, **how)
        wait_until(lambda: "done" in service.stdout(), "the records to be logged")
        return service

    def test_no_consumer(self):
        for overflow, timeout_ms in (("drop", 0), ("block", 20)):
            with self.subTest(overflow), TestBed() as bed:
                service = self.start(bed, "--threads", 3, "--records", 20_000, overflow=overflow,
                                     timeout_ms=timeout_ms, ring_bytes=SMALL_RING)
                self.check(bed, service, NO_CONSUMER)

    def test_more_threads_than_rings(self):
        with TestBed() as bed:
            service = self.start(bed, "--threads", 6, "--records", 1000, "--together",
                                 environment={"RINGSIDE_MAX_THREADS": "2"})
            self.assertEqual(self.check(bed, service, NO_RING), 4000)

    @MOUNTS
    def test_no_shared_memory_for_a_ring(self):
        # Room for the first part of two rings, which is enough for these records.
        with SmallFileSystem(180 << 10) as small, TestBed(segment_directory(small)) as bed:
            service = self.start(bed, "--threads", 8, "--records", 100, "--together",
                                 ring_bytes=1 << 20)
            small.resize(64 << 20)
            self.assertEqual(self.check(bed, service, NO_SHARED_MEMORY), 600)

    @MOUNTS
    def test_a_segment_takes_over_what_was_lost_before_there_was_one(self):
        with SmallFileSystem(64 << 10) as small, TestBed(segment_directory(small)) as bed:
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            # Slowly: from then on no consumer drains the ring.
            service = bed.start_service("--records", 0, "--burst", 5, "--progress",
                                        progress.path, "--hold", piped=True)
            wait_until(lambda: progress.total() > 1000, "losses")
            small.resize(64 << 20)
            wait_until(bed.segments, "the segment")
            (name,) = bed.segments()
            path = os.path.join(bed.shm_dir, name)

            def taken_over():
                where_lost, by_site = losses_by_cause(path)
                return where_lost.get(NO_SHARED_MEMORY, 0) > 1000 and by_site == where_lost

            wait_until(taken_over, "the segment to count them")
            self.check(bed, service, NO_SHARED_MEMORY)

    def test_cut_records_are_counted_and_not_lost(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            service = bed.start_service(SMALL_RING, which="long_texts", ring_bytes=SMALL_RING)
            seen = {}

            def look():
                for name in bed.segments():
                    try:
                        seen["last"] = losses_by_cause(os.path.join(bed.shm_dir, name))
                    except FileNotFoundError:
                        pass  # the service has ended, and its segment is gone
                return not service.running()

            wait_until(look, "the end of the service")
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            where_lost, by_site = seen["last"]
            self.assertEqual(list(where_lost), [TOO_LARGE])
            self.assertEqual(list(by_site), [TOO_LARGE])


if __name__ == "__main__":
    unittest.main(verbosity=2)
