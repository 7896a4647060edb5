#!/usr/bin/env python3
"""Files of every version of the format that there has been read the same for ever: lines, events,
exit status; by ringcat, by the reader library, and by the independent reader."""

import os
import subprocess
import unittest

from trace_dump import dump_line
from trace_reader import TraceFile, in_order
from traced_processes import BOUND_S, program

FOLDER = os.path.dirname(os.path.abspath(__file__))
STATUS_DAMAGED = 1


def golden_files():
    for version in sorted(os.listdir(FOLDER)):
        if os.path.isdir(os.path.join(FOLDER, version)):
            for name in sorted(os.listdir(os.path.join(FOLDER, version))):
                if name.endswith(".ringtrace"):
                    yield os.path.join(FOLDER, version, name)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=BOUND_S, check=False)


class GoldenFiles(unittest.TestCase):
    def test_there_are_some_of_the_first_version(self):
        names = [os.path.relpath(path, FOLDER) for path in golden_files()]
        self.assertGreater(len([name for name in names if name.startswith("1.0")]), 5)

    def test_lines(self):
        for path in golden_files():
            with self.subTest(path):
                done = run(program("ringcat"), "--utc", "--raw", path)
                self.assertEqual(done.stdout, read(path.replace(".ringtrace", ".txt")))
                damaged = os.path.basename(path).startswith("damaged")
                self.assertEqual(done.returncode, STATUS_DAMAGED if damaged else 0, done.stderr)

    def test_events(self):
        for path in golden_files():
            with self.subTest(path):
                dump = run(program("dump_trace"), path).stdout
                independent = [dump_line(*event) for event in in_order([TraceFile(read(path))])]
                self.assertEqual(dump.decode().splitlines(), independent)
                expected = path.replace(".ringtrace", ".events")
                if os.path.exists(expected):
                    self.assertEqual(dump, read(expected))


if __name__ == "__main__":
    unittest.main()
