#!/usr/bin/env python3
"""NanoLog: what is read of a real log file is what NanoLog's own decompressor prints of it."""

import calendar
import json
import os
import re
import struct
import subprocess
import time
import unittest

from random_traces import events_of, ringcat

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nanolog")
LOG = os.path.join(HERE, "cpp17.log")
LINE = re.compile(r"(\S+ \S+)\.(\d{9}) (\S+):(\d+) (\S+)\[(\d+)\]: (.*)")


def decompressed():
    with open(os.path.join(HERE, "cpp17.txt"), encoding="utf-8", newline="") as file:
        for line in file.read().split("\r\n"):
            match = LINE.fullmatch(line)
            if match:
                date, nanos, name, number, level, thread, message = match.groups()
                seconds = calendar.timegm(time.strptime(date, "%Y-%m-%d %H:%M:%S"))
                yield seconds * 10 ** 9 + int(nanos), name, int(number), level, int(thread), message


class NanoLog(unittest.TestCase):
    maxDiff = 4000

    def test_it_is_what_the_decompressor_prints(self):
        theirs = sorted(decompressed())
        ours = sorted((e["unix_ns"], e["file"], e["line"], e["level"], e["thread"]["id"], e["msg"])
                      for e in events_of(LOG))
        self.assertEqual(len(theirs), 42)
        self.assertEqual([line[1:] for line in ours], [line[1:] for line in theirs])
        for one, other in zip(ours, theirs):
            # It computes seconds as one floating-point number.
            self.assertLessEqual(abs(one[0] - other[0]), 2, (one, other))

    def test_values_are_typed(self):
        values = next(e["fields"] for e in events_of(LOG) if e["msg"].startswith("uhh"))
        self.assertEqual(list(values.values()), [200, 60000, 4000000000, 2 ** 64 - 1, 4, 0xBEEF, 0xCAFEBABEDEAD, 8])

    def test_the_memory_of_a_dictionary_is_bounded(self):
        with open(LOG, "rb") as file:
            checkpoint = file.read(33)
        statement = struct.pack("<BIHH", 1, 42, 2, 65000) + b"f\0" + b"x" * 64999 + b"\0"
        fragment = struct.pack("<II", (8 + 100 * len(statement)) << 2 | 1, 100) + 100 * statement
        with subprocess.Popen([os.environ["RINGSIDE_TEST_RINGCAT"], "inspect", "--csv", "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            _, said = process.communicate(checkpoint + 42 * fragment)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"256 MiB", said)

    def test_inspect(self):
        code, output, said = ringcat("inspect", "--json", LOG)
        self.assertEqual((code, said), (0, ""))
        told = json.loads(output)
        self.assertEqual((told["schema"], told["records"], told["error"]), ("nanolog-1", 42, None))
        types = [entry["type"] for entry in told["entries"]]
        self.assertEqual(types.count("checkpoint"), 2)
        self.assertEqual(sum(entry.get("records", 0) for entry in told["entries"]), 42)
        for style in ("--csv", None):
            code, output, said = ringcat("inspect", *([style] if style else []), LOG)
            self.assertEqual((code, said, b"extent" in output), (0, "", True))


if __name__ == "__main__":
    unittest.main()
