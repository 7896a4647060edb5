#!/usr/bin/env python3
"""Ten million records of all types from four threads at once, through consumerd into text; a part of them through the smallest
rings that there are.

RINGSIDE_TEST_RECORDS sets another number of records; sanitizer builds, which are slow, use fewer."""

import os
import unittest

from checked_output import print_and_check
from traced_processes import TestBed

THREADS = 4
RECORDS = "2000000" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "10000000"
RECORDS_PER_THREAD = int(os.environ.get("RINGSIDE_TEST_RECORDS", RECORDS)) // THREADS


class MillionsOfRecords(unittest.TestCase):
    def expect_all(self, records, **settings):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            # The bound is generous: on a slow machine consumerd may take long to return to a ring.
            service = bed.start_service("--threads", THREADS, "--records", records, timeout_ms=10_000, **settings)
            self.assertEqual(service.wait(600), 0, service.stderr())
            self.assertEqual(service.values()["dropped"], "0")
            self.assertEqual(service.values()["refused"], "0")
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            output = print_and_check(*bed.traces(), bound_s=600)
            self.assertEqual(output.lost, 0)
            self.assertEqual(output.cut, 0)
            self.assertEqual(output.records_of, dict.fromkeys(range(THREADS), records))
            self.assertEqual(bed.shm_names(), [])

    def test_none_is_lost_changed_or_out_of_order(self):
        self.expect_all(RECORDS_PER_THREAD)

    def test_rings_of_4_kib_lose_none(self):
        self.expect_all(RECORDS_PER_THREAD // 100, ring_bytes=4096)


if __name__ == "__main__":
    unittest.main(verbosity=2)
