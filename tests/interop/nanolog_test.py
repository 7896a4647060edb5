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


# A conversion of printf: its width and precision ("*" if they are arguments), and its letter.
CONVERSION = re.compile(rb"%[-+ #0]*(\*|\d*)(?:\.(\*|\d*))?(?:hh|h|ll|l|j|z|t|L)?([diuoxXfFeEgGaAcsp%])")


def generated_statement(severity, line, name, text):
    """An entry of the dictionary that NanoLog's preprocessor generates: the format in pieces of one conversion."""
    pieces, begin, numbers = [], 0, 0
    for match in CONVERSION.finditer(text):
        if match[3] == b"%":
            continue
        dynamic = [match[1] == b"*", match[2] == b"*"]
        numbers += sum(dynamic) + (match[3] != b"s")
        # The type of the argument is a number of five bits; its value is that of the format.
        pieces.append([5 | dynamic[0] << 5 | dynamic[1] << 6, text[begin:match.end()]])
        begin = match.end()
    if not pieces:
        pieces.append([0, b""])
    pieces[-1][1] += text[begin:]
    entry = struct.pack("<BBBIH", numbers, len(pieces), severity, line, len(name) + 1) + name + b"\0"
    return entry + b"".join(struct.pack("<BH", kind, len(piece) + 1) + piece + b"\0" for kind, piece in pieces)


def packed_number(value):
    """The half byte of a number's length, and its bytes."""
    if isinstance(value, float):
        return 8, struct.pack("<d", value)
    one = abs(value).to_bytes(8, "little").rstrip(b"\0") or b"\0"
    return len(one) + (8 if value < 0 else 0), one


def generated_record(number, cycles, values):
    """A record as the generated functions write it: half bytes of the numbers, numbers, strings."""
    packed = [packed_number(value) for value in values if not isinstance(value, bytes)]
    halves = [half for half, _ in packed] + [0] * (len(packed) % 2)
    delta = packed_number(cycles)
    head = bytes((1 | delta[0] << 4, number)) + delta[1]
    return (head + bytes(low | high << 4 for low, high in zip(halves[::2], halves[1::2])) + b"".join(one for _, one in packed)
            + b"".join(value + b"\0" for value in values if isinstance(value, bytes)))


def generated_log(statements, threads, announced=None, cycles=1 << 50, unix_s=1_800_000_000):
    """A run of a program of NanoLog's preprocessor, a cycle per nanosecond. `threads`: for each buffer a list of
    (statement, cycles since the record before, values)."""
    dictionary = b"".join(generated_statement(*one) for one in statements)
    count = len(statements) if announced is None else announced
    log = struct.pack("<BQqdII", 3 | 0x54, cycles, unix_s, 1e9, len(dictionary), count) + dictionary
    for thread, records in threads.items():
        packed = b""
        for which, (number, delta, values) in enumerate(records):
            packed += generated_record(number, delta + (cycles if which == 0 else 0), values)
        log += struct.pack("<BI", 2 | 4 | 8 | thread << 4, 5 + len(packed)) + packed
    # The runtime fills blocks with zeros.
    return log + bytes(-len(log) % 512)


STATEMENTS = (
    (3, 17, b"app.cc", b"Simple log message, 100%% sure"),
    (4, 18, b"app.cc", b"string '%s' and %.3s then %d"),
    (2, 19, b"src/other.cc", b"%c %hhd %ld %#lX|%*d|%-*.*lf| in %s\n"),
    (1, 20, b"app.cc", b"never executed %d"),
    (1, 21, b"app.cc", b"%e of %p"),
)
THREADS = {
    0: [(0, 5, ()), (1, 10, (b"text", b"abc", -7)), (1, 10, (b"", b"", 0))],
    3: [(2, 1, (120, -3, -70_000_000_000, 2 ** 64 - 1, 7, 2, 9, 2, 1.5, b"place")), (4, 30, (1.25, 0xdeadbeef))],
}
MESSAGES = {
    (5, 0): ("app.cc", 17, "NOTICE", "Simple log message, 100% sure"),
    (15, 0): ("app.cc", 18, "DEBUG", "string 'text' and abc then -7"),
    (25, 0): ("app.cc", 18, "DEBUG", "string '' and  then 0"),
    (1, 3): ("src/other.cc", 19, "WARNING", "x -3 -70000000000 0XFFFFFFFFFFFFFFFF|      2|1.50     | in place\n"),
    (31, 3): ("app.cc", 21, "ERROR", "1.250000e+00 of 0xdeadbeef"),
}


class Preprocessor(unittest.TestCase):
    """Logs of NanoLog's preprocessor version, which has its dictionary after the checkpoint."""
    maxDiff = 4000

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "generated.log")

    def write(self, content):
        with open(self.path, "wb") as file:
            file.write(content)
        return self.path

    def lines(self, content):
        return [(e["unix_ns"], e["thread"]["id"], e["file"], e["line"], e["level"], e["msg"]) for e in events_of(self.write(content))]

    def test_records_have_the_texts_of_the_dictionary(self):
        start = 1_800_000_000 * 10 ** 9
        expected = sorted((start + after, thread, *message) for (after, thread), message in MESSAGES.items())
        self.assertEqual(self.lines(generated_log(STATEMENTS, THREADS)), expected)

    def test_values_are_typed(self):
        fields = [list(e["fields"].values()) for e in events_of(self.write(generated_log(STATEMENTS, THREADS)))]
        self.assertIn(["text", "abc", -7], fields)
        self.assertIn(["x", -3, -70_000_000_000, 2 ** 64 - 1, 7, 2, 9, 2, 1.5, "place"], fields)

    def test_statements_that_were_never_executed_are_listed(self):
        code, output, said = ringcat("statements", "--format", "json", self.write(generated_log(STATEMENTS, THREADS)))
        self.assertEqual((code, said), (0, ""))
        listed = {one["line"]: (one["format"], one["records"]) for one in map(json.loads, output.splitlines())}
        self.assertEqual(listed, {17: (STATEMENTS[0][3].decode(), 1), 18: (STATEMENTS[1][3].decode(), 2),
                                  19: (STATEMENTS[2][3].decode(), 1), 20: ("never executed %d", 0), 21: ("%e of %p", 1)})

    def test_appended_runs_have_dictionaries_of_their_own(self):
        again = generated_log(STATEMENTS[3:], {0: [(0, 4, (99,))]}, cycles=1 << 51, unix_s=1_900_000_000)
        lines = self.lines(generated_log(STATEMENTS, THREADS) + again)
        self.assertEqual(len(lines), 6)
        self.assertEqual(lines[-1], (1_900_000_000 * 10 ** 9 + 4, 0, "app.cc", 20, "ERROR", "never executed 99"))

    def test_both_kinds_of_dictionary_in_one_file(self):
        with open(LOG, "rb") as file:
            runtime = file.read()
        self.assertEqual(len(self.lines(generated_log(STATEMENTS, THREADS) + runtime)), 5 + 42)

    def test_damage_is_reported_where_it_is(self):
        whole = generated_log(STATEMENTS, THREADS)
        dictionary = sum(len(generated_statement(*one)) for one in STATEMENTS)
        longer = bytearray(whole)
        struct.pack_into("<I", longer, 25, dictionary - 1)
        pieces = bytearray(whole)
        pieces[33] = 2  # a number more than the format of the first statement has
        for content, words in ((generated_log(STATEMENTS, THREADS, announced=6), "has 5 statements; its checkpoint announces 6"),
                               (bytes(longer), "longer than its dictionary"), (whole[:33 + dictionary - 3], "ends within this dictionary"),
                               (whole[:40], "ends within this dictionary"), (bytes(pieces), "format string of a record is invalid")):
            with self.subTest(words):
                code, _, said = ringcat(self.write(content))
                self.assertEqual(code, 1)
                self.assertIn(words, said)

    def test_inspect_shows_the_dictionary(self):
        code, output, said = ringcat("inspect", "--json", self.write(generated_log(STATEMENTS, THREADS)))
        self.assertEqual((code, said), (0, ""))
        told = json.loads(output)
        self.assertEqual([entry["type"] for entry in told["entries"]], ["checkpoint", "dictionary", "extent", "extent"])
        self.assertEqual([one["format"] for one in told["entries"][1]["statements"]], [one[3].decode() for one in STATEMENTS])


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
