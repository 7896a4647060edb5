#!/usr/bin/env python3
"""The ctypes program of docs/how-to/ffi.md: a python3 process loads the library and logs; consumerd and ringcat show its
records, also after the process was killed."""

import json
import os
import re
import subprocess
import sys
import unittest

from traced_processes import BOUND_S, TestBed, program

LIBRARY = os.environ["RINGSIDE_TEST_LIBRARY"]
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "how-to", "ffi.md")
KILLED = """
import os, signal
for number in range(1000):
    record(fill, number / 4, number, "x" * (number % 50))
os.kill(os.getpid(), signal.SIGKILL)
"""
REFUSED = """
def refused(call, *arguments):
    try:
        call(*arguments)
    except ValueError as error:
        print(error)

refused(register, INFO, PRINTF, "%d", "x", [TEXT])
refused(register, 99, EVENT, "e", "", [])
refused(record, fill, 1.5)
refused(record, fill, 1, 2, 3)
refused(record, 12345)
assert register(INFO, EVENT, "order.fill", "px,qty,venue", [F64, I64, TEXT]) == fill
assert ringside.rs_statement_enabled(fill) == 1
"""
REFUSALS = [
    "a type is unknown, or the format requires other types or another number of them",
    "invalid level: use 1 (trace) to 7 (critical)",
    "not as many values as the statement has fields",
    "a value has another type than its field, or is out of range",
    "invalid handle: use one that rs_statement_register returned",
]


def block(language):
    with open(PAGE, encoding="utf-8") as file:
        found = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    return next(text for tag, text in found if tag == language)


@unittest.skipIf(os.environ.get("RINGSIDE_TEST_SANITIZED"), "Python cannot load a library with a sanitizer")
class ForeignCalls(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def start(self, added=""):
        path = os.path.join(self.bed.work_dir, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(block("python") + added)
        return self.bed.start([sys.executable, "-B", path], environment={
            "RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "foreign", "LD_LIBRARY_PATH": os.path.dirname(LIBRARY)})

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments, self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_the_page_shows_what_ringcat_prints(self):
        consumer = self.bed.start_consumer()
        process = self.start()
        self.assertEqual(process.wait(), 0, process.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.ringcat("--template", "{msg}"), block("").splitlines())

    def test_all_records_of_a_killed_process_are_kept(self):
        process = self.start(KILLED)
        self.assertEqual(process.wait(), -9, process.stderr())
        self.bed.run_consumer_once()
        events = [json.loads(line) for line in self.ringcat("--format", "json")]
        self.assertEqual([event["fields"] for event in events[3:]],
                         [{"px": number / 4, "qty": number, "venue": "x" * (number % 50)} for number in range(1000)])
        self.assertEqual({event["name"] for event in events[3:]}, {"order.fill"})

    def test_refusals_are_exceptions_with_a_text(self):
        process = self.start(REFUSED)
        self.assertEqual(process.wait(), 0, process.stderr())
        self.assertEqual(process.stdout().splitlines(), REFUSALS)
        self.bed.run_consumer_once()
        self.assertEqual(len(self.ringcat("--template", "{msg}")), 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
