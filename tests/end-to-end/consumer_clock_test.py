#!/usr/bin/env python3
"""Records without a time of their own: consumerd stamps them, in order and within the run."""

import re
import time
import unittest

from checked_output import print_and_check, print_raw
from traced_processes import TestBed

RECORDS = 200_000


class ConsumerClock(unittest.TestCase):
    def test_every_record_arrives_in_order_with_a_time_of_the_run(self):
        with TestBed() as bed:
            bed.start_consumer()
            begin = time.time()
            service = bed.start_service("--records", RECORDS, "--threads", 2,
                                        environment={"RINGSIDE_CLOCK": "consumer"})
            self.assertEqual(service.wait(), 0)
            bed.wait_until_segments_are_gone()
            end = time.time()
            output = print_and_check(*bed.traces())
            self.assertEqual(output.records, 2 * RECORDS)
            self.assertEqual(output.lost, 0)
            lines = print_raw(*bed.traces())
        stamps = [re.match(rb"[0-9-]+[T ]([0-9]+):([0-9]+):([0-9]+\.[0-9]+)", line).groups()
                  for line in (lines[0], lines[-1])]
        first, last = (int(h) * 3600 + int(m) * 60 + float(s) for h, m, s in stamps)
        day_s = begin % 86400
        # One clock is the kernel's, the other the tick counter: they agree to a few milliseconds.
        self.assertLess((first - day_s + 0.05) % 86400, end - begin + 0.1)
        self.assertLess((last - day_s + 0.05) % 86400, end - begin + 0.1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
