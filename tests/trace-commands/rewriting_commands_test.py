#!/usr/bin/env python3
"""`ringcat slice`, `merge` and `repair`: their output passes verify, and both readers read the expected events."""

import os
import re
import shutil
import subprocess
import unittest

from trace_message import line_of
from trace_reader import TraceFile, in_order
from traced_processes import BOUND_S, TestBed, program

OK, DAMAGED, USAGE, UNREADABLE = 0, 1, 2, 3
BYTES_APART = int(os.environ.get("RINGSIDE_TEST_BYTES_APART", "1"))


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, timeout=BOUND_S,
                          check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def golden(name):
    return os.path.join(os.environ["RINGSIDE_TEST_GOLDEN"], "1.0", name + ".ringtrace")


def lines_of_the_other_reader(path):
    return [line_of(*event) for event in in_order([TraceFile(read(path))])]


class Rewriting(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.out = os.path.join(self.bed.work_dir, "out.ringtrace")

    def path(self, name):
        return os.path.join(self.bed.work_dir, name + ".ringtrace")

    def trace(self, service, threads=3, records=1500):
        """A trace of a service that lost some of its records, drained by a consumer in several steps."""
        process = self.bed.start_service("--threads", threads, "--records", records,
                                         service=service, overflow="drop", ring_bytes=1 << 16)
        self.assertEqual(process.wait(), 0)
        self.bed.run_consumer_once()
        return [path for path in self.bed.traces() if f"{service}" in os.path.basename(path)]

    def lines(self, *arguments, status=OK):
        got, lines, complaint = ringcat("--utc", *arguments)
        self.assertEqual(got, status, complaint)
        return lines.splitlines()

    def assert_same(self, lines, path):
        self.assertEqual(self.lines(path), lines)
        self.assertEqual(lines_of_the_other_reader(path), lines)
        status, told, _ = ringcat("verify", path)
        self.assertEqual(status, OK, told.decode())
        self.assertIn(b"(0 without END)", told)


class Slice(Rewriting):
    def windows(self, lines):
        """Pairs of times that bound windows, by tenths of the records."""
        times = [line[:29].decode().replace(" ", "T") + "Z" for line in lines]
        marks = [times[len(times) * i // 10] for i in range(10)]
        return ([(marks[a], marks[b]) for a in range(10) for b in range(a + 1, 10)
                 if marks[a] < marks[b]])

    def assert_slices(self, path, *also):
        lines = self.lines(*also, path)
        windows = self.windows(lines)
        self.assertGreater(len(windows), 10)
        for since, until in windows[::7]:
            wish = ["--since", since, "--until", until, *also]
            expected = self.lines(*wish, path)
            if not expected:
                continue
            self.assertEqual(ringcat("slice", *wish, path, "-o", self.out, "--force"), (OK, b"", ""))
            self.assert_same(expected, self.out)
            self.assertLess(os.path.getsize(self.out), os.path.getsize(path) + 1000)

    def test_a_service_with_losses(self):
        for path in self.trace("orders"):
            self.assert_slices(path)

    def test_all_types_and_extensions(self):
        path = self.path("random")
        subprocess.run([program("random_trace"), "11", path, "400"], check=True)
        # Times go back in this file, so a window can hold records with others between them, which show as missing.
        lines = self.lines(path)
        for since, until in self.windows(lines)[::7]:
            wish = ["--since", since, "--until", until]
            self.assertEqual(ringcat("slice", *wish, path, "-o", self.out, "--force")[0], OK)
            got = [line for line in ringcat("--utc", self.out)[1].splitlines()
                   if b"LOST" not in line]
            self.assertEqual(got, [line for line in self.lines(*wish, path)
                                   if b"LOST" not in line])

    def test_golden_files(self):
        for name in ("kinds", "losses", "killed_service"):
            lines = self.lines(golden(name))
            self.assertEqual(ringcat("slice", golden(name), "-o", self.out, "--force"), (OK, b"", ""))
            self.assert_same(lines, self.out)

    def test_services_and_threads(self):
        first = self.trace("first")[0]
        second = self.trace("second")[0]
        wish = ["--service", "f*st"]
        self.assertEqual(ringcat("slice", *wish, first, second, "-o", self.out)[0], OK)
        self.assert_same(self.lines(first), self.out)
        thread = re.search(rb"\[(\d+) ", self.lines(first)[0])[1].decode()
        wish = ["--thread", thread]
        self.assertEqual(ringcat("slice", *wish, first, "-o", self.out, "--force")[0], OK)
        self.assert_same(self.lines(*wish, first), self.out)

    def test_empty_selections_are_refused(self):
        status, _, complaint = ringcat("slice", "--until", "@1", golden("kinds"), "-o", self.out)
        self.assertEqual(status, UNREADABLE)
        self.assertIn("no records match the time", complaint)
        self.assertFalse(os.path.exists(self.out))
        self.assertEqual(ringcat("slice", "--until", "soon", golden("kinds"), "-o", self.out)[0],
                         USAGE)


class Merge(Rewriting):
    def test_services(self):
        paths = self.trace("first") + self.trace("second")
        lines = self.lines(*paths)
        self.assertEqual(ringcat("merge", *reversed(paths), "-o", self.out), (OK, b"", ""))
        self.assert_same(lines, self.out)

    def test_packed_files_and_directories(self):
        paths = self.trace("first") + self.trace("second")
        lines = self.lines(*paths)
        self.assertEqual(ringcat("pack", paths[0])[0], OK)
        self.assertEqual(ringcat("merge", self.bed.output_dir, "-o", self.out), (OK, b"", ""))
        self.assert_same(lines, self.out)

    def test_sections_of_a_segment_in_any_order(self):
        data = read(golden("killed_writers"))
        second = data.index(b"RSBK\x01", 16)
        write(self.path("a"), data[:second])
        write(self.path("b"), data[second:])
        self.assertEqual(ringcat("merge", self.path("a"), self.path("b"), "-o", self.out)[0], OK)
        self.assert_same(self.lines(golden("killed_writers")), self.out)

    def test_existing_output_is_kept(self):
        write(self.out, b"precious")
        status, _, complaint = ringcat("merge", golden("kinds"), "-o", self.out)
        self.assertEqual(status, UNREADABLE)
        self.assertIn("already exists; --force replaces it", complaint)
        self.assertEqual(read(self.out), b"precious")
        self.assertEqual(ringcat("merge", golden("kinds"), self.path("none"), "-o", self.out,
                                 "--force")[0], UNREADABLE)
        self.assertEqual(read(self.out), b"precious")
        self.assertEqual(ringcat("merge", golden("kinds"), "-o", self.out, "--force")[0], OK)
        self.assert_same(self.lines(golden("kinds")), self.out)
        self.assertEqual([name for name in os.listdir(self.bed.work_dir) if "ringtrace." in name], [])


class Repair(Rewriting):
    def assert_repairs(self, data, what):
        """The repaired file has the records that can be read from this one."""
        path = self.path("damaged")
        write(path, data)
        status, lines, _ = ringcat("--utc", path)
        repaired, _, complaint = ringcat("repair", path, self.out, "--force")
        if status == UNREADABLE:
            self.assertEqual(repaired, UNREADABLE, what)
            return
        self.assertIn(repaired, (OK, DAMAGED), f"{what}: {complaint}")
        self.assertEqual(ringcat("--utc", self.out)[1], lines, what)
        told = ringcat("verify", self.out)[1].decode()
        findings = [line for line in told.splitlines()[:-1] if "are missing" not in line]
        self.assertEqual(findings, [], what)
        self.assertIn(" 0 bytes damaged, 0 bytes unfinished", told)
        self.assertRegex(told.splitlines()[-1], r": intact(, but \d+ records are missing)?; ", what)

    def test_sound_files(self):
        for name in ("kinds", "losses", "killed_service", "killed_writers", "worked_example"):
            self.assertEqual(ringcat("repair", golden(name), self.out, "--force"), (OK, b"", ""))
            self.assert_same(self.lines(golden(name)), self.out)

    def test_a_damaged_file(self):
        self.assertEqual(ringcat("repair", golden("damaged"), self.out)[0], DAMAGED)
        self.assertEqual(ringcat("--utc", self.out)[1], ringcat("--utc", golden("damaged"))[1])
        status, told, _ = ringcat("verify", self.out)
        self.assertIn(b" 0 bytes damaged, 0 bytes unfinished", told)

    def test_every_byte_flipped_and_every_cut(self):
        data = read(golden("worked_example"))
        for place in range(0, len(data), BYTES_APART):
            flipped = bytearray(data)
            flipped[place] ^= 0xFF
            self.assert_repairs(flipped, f"byte {place}")
        for place in range(0, len(data), 3 * BYTES_APART):
            self.assert_repairs(data[:place], f"cut at {place}")

    def test_bytes_flipped_in_a_service_s_file(self):
        data = read(self.trace("orders")[0])
        for place in range(5, len(data), len(data) // 25):
            flipped = bytearray(data)
            flipped[place] ^= 0x10
            self.assert_repairs(flipped, f"byte {place}")

    def test_a_hole_of_zeros(self):
        path = self.path("sparse")
        shutil.copy(golden("kinds"), path)
        os.truncate(path, 1 << 28)
        self.assertEqual(ringcat("repair", path, self.out)[0], OK)
        self.assert_same(self.lines(golden("kinds")), self.out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
