#!/usr/bin/env python3
"""fork() in a service: parent and children are traced at the same time, each into its own file."""

import os
import unittest

from checked_output import print_and_check
from traced_processes import TestBed

RECORDS = 40_000
PARENT_THREADS = {0, 1}
CHILD_THREADS = ({10}, {20}, {30})


class ForkedService(unittest.TestCase):
    def check(self, bed):
        traces = bed.traces()
        self.assertEqual(len(traces), 1 + len(CHILD_THREADS), traces)
        self.assertEqual(len({os.path.basename(path).split(".")[1] for path in traces}), 4)
        threads = []
        for path in traces:
            output = print_and_check(path)
            self.assertEqual(output.lost, 0)
            self.assertEqual(set(output.records_of.values()), {RECORDS})
            threads.append(set(output.records_of))
        self.assertCountEqual(threads, [PARENT_THREADS, *CHILD_THREADS])
        self.assertEqual(print_and_check(*traces).records, 5 * RECORDS)
        self.assertEqual(bed.shm_names(), [])

    def test_all_are_drained_as_they_run(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            service = bed.start_service(RECORDS, which="forking_service", service="forking")
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.check(bed)

    def test_all_are_drained_after_their_end(self):
        with TestBed() as bed:
            service = bed.start_service(RECORDS, which="forking_service", service="forking",
                                        ring_bytes=1 << 24)
            self.assertEqual(service.wait(), 0, service.stderr())
            self.assertEqual(len(bed.segments()), 4)
            bed.run_consumer_once()
            self.check(bed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
