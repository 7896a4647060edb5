#!/usr/bin/env python3
"""The wall clock is set back by an hour, and forward again, while consumerd runs and while it does not: the times of
records do not show it."""

import os
import re
import struct
import time
import unittest

from checked_output import print_and_check, print_raw
from steady_load import Load
from trace_blocks import CLOCK, blocks
from traced_processes import TestBed, program, wait_until

HOUR_NS = 3600 * 10**9


class WallClock(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.slow_clock = os.path.join(self.bed.work_dir, "slow_clock")

    def start_consumer(self):
        return self.bed.start(
            self.bed.consumer_command("--verbose"),
            environment={"LD_PRELOAD": program("stepped_wall_clock"),
                         "RINGSIDE_TEST_CLOCK_IS_BEHIND": self.slow_clock})

    def set_back(self):
        with open(self.slow_clock, "wb"):
            pass

    def set_right(self):
        os.unlink(self.slow_clock)

    def readings(self):
        """How far the wall clock was ahead of the monotonic clock at each reading."""
        offsets = []
        for path in self.bed.traces():
            try:
                found = blocks(path)
            except AssertionError:  # while the file grows
                return []
            offsets += [struct.unpack_from("<Q", payload, 32)[0] - struct.unpack_from("<Q", payload, 24)[0]
                        for kind, _, payload in found if kind == CLOCK]
        return offsets

    def last_reading_is_behind(self):
        offsets = self.readings()
        return bool(offsets) and offsets[-1] < max(offsets) - HOUR_NS // 2

    def test_no_time_shows_it(self):
        begin = time.time()
        load = Load(self.bed, 0, 2, "--burst", 20)
        consumer = self.start_consumer()
        wait_until(self.readings, "the clocks to be read")
        self.set_back()
        wait_until(self.last_reading_is_behind, "the wall clock to be read again")
        load.advance()
        # The next consumerd knows only the changed time.
        self.bed.stop_consumer(consumer)
        consumer = self.start_consumer()
        load.advance()
        self.set_right()
        wait_until(lambda: self.readings() and not self.last_reading_is_behind(),
                   "the wall clock to be read once more")
        load.advance()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        end = time.time()
        # In the order of time, and of each thread.
        output = print_and_check(*self.bed.traces())
        self.assertEqual(output.records_of, load.expected())
        self.assertEqual(output.lost, 0)
        lines = print_raw(*self.bed.traces())
        for line in (lines[0], lines[-1]):
            hours, minutes, seconds = re.match(rb"[0-9-]+[T ]([0-9]+):([0-9]+):([0-9]+\.[0-9]+)", line).groups()
            since_begin = (int(hours) * 3600 + int(minutes) * 60 + float(seconds) - begin) % 86400
            # One clock is the kernel's, the other the tick counter: they agree to a few milliseconds.
            self.assertLess((since_begin + 0.1) % 86400, end - begin + 0.2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
