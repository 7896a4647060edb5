#!/usr/bin/env python3
"""A source written for glog: its messages are in the trace, and a failed check ends the process after its record."""

import signal
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

EXPECTED = """\
INFO plain 1 P2 buy, end
WARNING hex ff      P3
ERROR then
ERROR cannot open file: No such file or directory [2]
INFO every 0 counter 11
INFO first 0
INFO even 0
INFO time 0
INFO first 1
INFO every 4 counter 52
INFO even 4
INFO every 8 counter 93
INFO even 8
INFO evaluated 3
INFO verbose
INFO evaluated 3
INFO debugging
CRITICAL Check failed: positive(7) <= 6 (7 vs. 6) last words of P9
"""


class GlogSource(unittest.TestCase):
    def check(self, which):
        bed = TestBed()
        self.addCleanup(bed.close)
        service = bed.start_service(which=which, service="glog")
        self.assertEqual(service.wait(), -signal.SIGABRT, service.stderr())
        self.assertEqual(service.stderr().count("have no effect"), 1, service.stderr())
        bed.run_consumer_once()
        done = subprocess.run([program("ringcat"), "--template", "{level} {msg}", bed.output_dir], capture_output=True,
                              text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, EXPECTED)

    def test_messages_in_cpp17(self):
        self.check("glog_source_17")

    def test_messages_in_cpp20(self):
        self.check("glog_source_20")


if __name__ == "__main__":
    unittest.main(verbosity=2)
