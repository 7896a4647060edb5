"""Python programs that use the package `ringside`, and what ringcat shows of them."""

import json
import os
import subprocess
import sys
import textwrap
import unittest

from traced_processes import BOUND_S, TestBed, program

LIBRARY = os.environ["RINGSIDE_TEST_LIBRARY"]
PACKAGE = os.environ["RINGSIDE_TEST_PYTHON_PACKAGE"]
SANITIZED = bool(os.environ.get("RINGSIDE_TEST_SANITIZED"))
SKIP_REASON = "Python cannot load a library with a sanitizer"
# The program has these names, and a logger that records everything.
PROLOGUE = """
import logging
import ringside

log = logging.getLogger("test.app")
log.setLevel(1)
log.propagate = False
log.addHandler(ringside.Handler())
"""


@unittest.skipIf(SANITIZED, SKIP_REASON)
class PythonTest(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def start(self, source, *arguments, prologue=PROLOGUE, environment=None):
        """Starts a Python program."""
        path = os.path.join(self.bed.work_dir, "service.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(prologue + textwrap.dedent(source))
        return self.bed.start([sys.executable, "-B", path, *arguments], environment={
            "RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "python", "RINGSIDE_LIBRARY": LIBRARY,
            "PYTHONPATH": PACKAGE, "PYTHONIOENCODING": "utf-8", "RINGSIDE_BLOCK_TIMEOUT_MS": "60000",
            **(environment or {})})

    def output_of(self, source, *arguments, **how):
        """What a program printed, which must succeed and write nothing to standard error."""
        process = self.start(source, *arguments, **how)
        self.assertEqual(process.wait(), 0, process.stderr())
        self.assertEqual(process.stderr(), "")
        return process.stdout()

    def records(self):
        """All records as ringcat writes them in JSON, in the order of their times."""
        self.bed.run_consumer_once()
        done = subprocess.run([program("ringcat"), "--format", "json", self.bed.output_dir], capture_output=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        found = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertEqual([record for record in found if record["kind"] != "record"], [])
        return found

    def run_traced(self, source, *arguments, **how):
        """The records of a program that succeeds."""
        self.output_of(source, *arguments, **how)
        return self.records()
