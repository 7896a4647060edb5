#!/usr/bin/env python3
"""Log calls make no system call and start no thread after their ring is taken."""

import os
import re
import shutil
import unittest

from traced_processes import TestBed, program, wait_until

RECORDS = (100_000, 1_000_000)
MARKER = "getppid("
# In a build with AddressSanitizer: its leak check is itself a tracer, and strace excludes a second one.
ASAN_OPTIONS = ":".join([*filter(None, [os.environ.get("ASAN_OPTIONS")]), "detect_leaks=0"])


class SystemCalls(unittest.TestCase):
    def setUp(self):
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")

    def trace(self, bed, records):
        """The system calls of a run's threads between its markers."""
        path = os.path.join(bed.work_dir, f"strace-{records}")
        service = bed.start(["strace", "-f", "-o", path, program("steady_logger"), records],
                            environment={"RINGSIDE_SHM_DIR": bed.shm_dir,
                                         "RINGSIDE_SERVICE": f"steady{records}",
                                         # With `block` the library checks the file once a second.
                                         "RINGSIDE_OVERFLOW": "drop",
                                         "ASAN_OPTIONS": ASAN_OPTIONS})
        self.assertEqual(service.wait(), 0, service.stderr())
        values = service.values()
        self.assertEqual(values["threads_before"], values["threads_after"])
        self.assertEqual(values["threads_before"], "3")
        self.assertEqual(values["dropped"], "0")
        with open(path, encoding="utf-8", errors="replace") as file:
            calls = [line.split(maxsplit=1)[1] for line in file if re.match(r"\d+ +[a-z_0-9]+\(", line)]
        markers = [at for at, call in enumerate(calls) if call.startswith(MARKER)]
        self.assertEqual(len(markers), 2)
        return calls[markers[0] + 1:markers[1]]

    def test_there_are_none_however_many_records_there_are(self):
        with TestBed() as bed:
            bed.start_consumer()
            for records in RECORDS:
                self.assertEqual(self.trace(bed, records), [])
            # The records were drained, not merely left in the rings, which are far smaller.
            bed.wait_until_segments_are_gone()
            wait_until(lambda: len(bed.traces()) == len(RECORDS), "two trace files")


if __name__ == "__main__":
    unittest.main(verbosity=2)
