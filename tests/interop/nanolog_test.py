#!/usr/bin/env python3
"""NanoLog: ringcat reads a real log file as NanoLog's own decompressor prints it."""

import calendar
import json
import os
import re
import struct
import subprocess
import tempfile
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


def handmade(directory, formats, records):
    """A log of the statements `formats` and of `records`, each (statement, bytes of the arguments), one cycle apart."""
    with open(LOG, "rb") as file:
        checkpoint = file.read(33)
    statements = b"".join(struct.pack("<BIHH", 1, 42, 2, len(text) + 1) + b"f\0" + text + b"\0" for text in formats)
    fragment = struct.pack("<II", (8 + len(statements)) << 2 | 1, len(formats)) + statements
    packed = b"".join(bytes((0x11, number, 1)) + arguments for number, arguments in records)
    path = os.path.join(directory, "handmade.log")
    with open(path, "wb") as file:
        file.write(checkpoint + fragment + struct.pack("<BI", 0x3a, 5 + len(packed)) + packed)
    return path


class NanoLog(unittest.TestCase):
    maxDiff = 4000

    def test_it_is_what_the_decompressor_prints(self):
        theirs = sorted(decompressed())
        ours = sorted((e["unix_ns"], e["file"], e["line"], e["level"], e["thread"]["id"], e["msg"])
                      for e in events_of(LOG))
        self.assertEqual(len(theirs), 42)
        self.assertEqual([line[1:] for line in ours], [line[1:] for line in theirs])
        for one, other in zip(ours, theirs):
            # The decompressor computes seconds as one floating-point number.
            self.assertLessEqual(abs(one[0] - other[0]), 2, (one, other))

    def test_values_are_typed(self):
        values = next(e["fields"] for e in events_of(LOG) if e["msg"].startswith("uhh"))
        self.assertEqual(list(values.values()), [200, 60000, 4000000000, 2 ** 64 - 1, 4, 0xBEEF, 0xCAFEBABEDEAD, 8])

    def test_arguments_of_every_kind_and_length(self):
        formats = (b"%s %hhd %ls %lc %f %ld %s", b"%Lf %f", b"%hu %d", b"%.*s %x")
        wide = "z\u00fcrich".encode("utf-32-le") + bytes(4)
        arguments = (
            # The numbers' half bytes: -3 in one byte, a character, a float, -(2^40) in six.
            (0, bytes((0x29, 0xe4)) + b"\3" + struct.pack("<Hf", 0x20ac, 0.25) + (1 << 40).to_bytes(6, "little")
             + b"first\0" + wide + b"\0"),
            # A long double of 16 bytes, and another where the format expects a double.
            (1, b"\0" + 2 * (bytes(7) + b"\xc0\0\x40" + bytes(6))),
            # 0 without bytes, and a number whose upper bytes do not fit its type.
            (2, bytes((0x50,)) + bytes((1, 0, 0, 0, 9))),
            (3, bytes((0x11,)) + b"\2\xffab\0"),
        )
        with tempfile.TemporaryDirectory() as directory:
            events = events_of(handmade(directory, formats, arguments))
        self.assertEqual([list(e["fields"].values()) for e in events], [
            ["first", -3, "z\u00fcrich", "\u20ac", 0.25, -(1 << 40), ""], [3, 3], [0, 1], [2, "ab", 255]])

    def test_a_text_that_no_record_holds_is_cut(self):
        with tempfile.TemporaryDirectory() as directory:
            path = handmade(directory, (b"%d %s %d %s",), (
                (0, b"\x11\1\2" + 2_000_000 * b"x" + b"\0behind\0"), (0, b"\x11\3\4in\0front\0")))
            code, output, said = ringcat("--format", "json", path)
        self.assertEqual(code, 0)
        self.assertIn("truncated", said)
        cut, whole = (list(json.loads(line)["fields"].values()) for line in output.splitlines())
        self.assertEqual((cut[0], cut[2], whole), (1, 2, [3, "in", 4, "front"]))
        self.assertTrue(500_000 < len(cut[1]) < 1 << 20)
        self.assertEqual(cut[1], len(cut[1]) * "x")
        self.assertEqual(cut[3], "")

    def test_times_of_other_seconds_than_the_checkpoint(self):
        with open(LOG, "rb") as file:
            checkpoint = bytearray(file.read(33))
        struct.pack_into("<Qqd", checkpoint, 1, 1 << 60, 1_000_000_000, 2.5e9)
        records = b""
        steps = (-3, 0, 1, 2_499_999_999, 2_500_000_000, 2_500_000_001, -2_500_000_003, 25 * 10 ** 9 + 5)
        before = 0
        for step in steps:
            delta = (1 << 60) + step - before
            before = (1 << 60) + step
            number = abs(delta).to_bytes(8, "little").rstrip(b"\0")
            records += bytes((1 | len(number) + (0 if delta >= 0 else 8) << 4, 0)) + number
        path_bytes = bytes(checkpoint) + struct.pack("<IIBIHH", (8 + 9 + 4) << 2 | 1, 1, 1, 42, 2, 2)
        path_bytes += b"f\0a\0" + struct.pack("<BI", 0x3a, 5 + len(records)) + records
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "times.log")
            with open(path, "wb") as file:
                file.write(path_bytes)
            times = [e["unix_ns"] - 10 ** 18 for e in events_of(path)]
        self.assertEqual(times, sorted([-1, 0, 0, 10 ** 9, 10 ** 9, 10 ** 9, -10 ** 9 - 1, 10 ** 10 + 2]))

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
    unittest.main(verbosity=2)
