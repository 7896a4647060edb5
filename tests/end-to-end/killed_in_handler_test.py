#!/usr/bin/env python3
"""A signal handler kills the process within a log call: each record of a handler whose log call returned is recovered."""

import os
import shutil
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed

PROGRAM = os.environ["RINGSIDE_TEST_KILLED_IN_HANDLER"]
RINGCAT = os.environ["RINGSIDE_TEST_RINGCAT"]


def handlers_in(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False)
    return sum(line.rstrip().endswith("handler") for line in done.stdout.splitlines())


class KilledInHandler(unittest.TestCase):
    def check(self, bed, *arguments, overflow="block"):
        environment = {**os.environ, "RINGSIDE_SHM_DIR": bed.shm_dir, "RINGSIDE_OVERFLOW": overflow,
                       "RINGSIDE_RING_BYTES": "65536", "RINGSIDE_MAX_THREADS": "1"}
        done = subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=BOUND_S,
                              check=True)
        recorded = int(done.stdout)
        if recorded < 0:
            self.skipTest("single steps need x86, and ThreadSanitizer delays handlers")
        self.assertGreater(recorded, 20)
        salvaged = 0
        for segment in bed.segments():
            copy = os.path.join(bed.work_dir, segment + ".copy")
            shutil.copyfile(os.path.join(bed.shm_dir, segment), copy)
            salvaged += handlers_in(RINGCAT, "--segment", copy)
            os.unlink(copy)
        self.assertEqual(salvaged, recorded)
        bed.run_consumer_once()
        self.assertEqual(handlers_in(RINGCAT, *bed.traces()), recorded)

    def test_its_record_is_recovered(self):
        with TestBed() as bed:
            self.check(bed)

    def test_records_of_handlers_within_each_other_are_recovered(self):
        with TestBed() as bed:
            self.check(bed, "--twice")

    def test_a_flight_recorder_keeps_it_too(self):
        with TestBed() as bed:
            self.check(bed, overflow="overwrite")


if __name__ == "__main__":
    unittest.main(verbosity=2)
