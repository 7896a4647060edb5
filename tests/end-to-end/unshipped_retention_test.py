#!/usr/bin/env python3
"""Retention with --keep-unshipped-bytes: files that no mark calls shipped stay up to the bound; then their records are removed, and
readers show them as lost, in their place, with the cause."""

import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../independent-reader"))
from steady_load import Load  # noqa: E402
from trace_frames import crc32c  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

NUMBER = re.compile(r"\.(\d+)\.ringtrace(\.zst)?$")
LOST = re.compile(r" LOST .* (\d+) records: removed before they were shipped$")


def number_of(path):
    return int(NUMBER.search(path).group(1))


def uuid_of(path):
    with open(path, "rb") as file:
        return file.read(40)[24:]


def mark(uuid, next_file, magic=b"RSSM", version=1):
    head = struct.pack("<4sHH16sI", magic, version, 0, uuid, next_file)
    return head + struct.pack("<I", crc32c(head))


class UnshippedRetention(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        load = Load(self.bed, 0, 2, "--burst", 200, "--pause-us", 1000)
        consumer = self.bed.start_consumer("--rotate-bytes", "64K")
        wait_until(lambda: len(self.traces()) >= 8, "eight files")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.files = sorted(self.traces(), key=number_of)
        self.original = self.lines()
        self.uuid = uuid_of(self.files[0])
        self.folder = os.path.join(self.bed.output_dir, ".ringship")

    def traces(self):
        return [path for path in self.bed.traces() if NUMBER.search(path)]

    def lines(self, *paths):
        done = subprocess.run([program("ringcat"), "--utc", *(paths or [self.bed.output_dir])], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def write_mark(self, contents):
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, self.uuid.hex() + ".shipped"), "wb") as file:
            file.write(contents)

    def retain(self, *arguments):
        """What consumerd logs, and the numbers of the files that stay."""
        consumer = self.bed.start(self.bed.consumer_command("--once", *arguments))
        self.assertEqual(consumer.wait(), 0, consumer.stderr())
        return consumer.stderr(), sorted(number_of(path) for path in self.traces())

    def numbers(self):
        return [number_of(path) for path in self.files]

    def test_unshipped_files_stay_up_to_the_bound(self):
        log, left = self.retain("--keep-files", "2", "--keep-unshipped-bytes", "1G")
        self.assertEqual(left, self.numbers())
        self.assertNotIn("shipped", log)
        self.assertEqual(self.lines(), self.original)

    def test_shipped_files_do_not_stay(self):
        self.write_mark(mark(self.uuid, self.numbers()[3]))
        _, left = self.retain("--keep-files", "2", "--keep-unshipped-bytes", "1G")
        self.assertEqual(left, self.numbers()[3:])
        self.write_mark(mark(self.uuid, self.numbers()[-1] + 1))
        log, left = self.retain("--keep-files", "2", "--keep-unshipped-bytes", "1G")
        self.assertEqual(left, self.numbers()[-2:])
        self.assertNotIn("before they were shipped", log)

    def test_packed_files_are_told_apart_too(self):
        self.retain("--pack")
        self.assertEqual({path[-4:] for path in self.traces()}, {".zst"})
        self.write_mark(mark(self.uuid, self.numbers()[4]))
        _, left = self.retain("--pack", "--keep-files", "2", "--keep-unshipped-bytes", "1G")
        self.assertEqual(left, self.numbers()[4:])

    def test_invalid_marks_ship_nothing(self):
        uuid, number = self.uuid, self.numbers()[-1] + 1
        good = mark(uuid, number)
        for what, contents in (("empty", b""), ("cut", good[:-1]), ("long", good + b"\0"), ("sum", good[:-1] + b"\0"),
                               ("other segment", mark(bytes(16), number)), ("magic", mark(uuid, number, magic=b"RSSN")),
                               ("version", mark(uuid, number, version=2))):
            with self.subTest(what):
                self.write_mark(contents)
                _, left = self.retain("--keep-files", "2", "--keep-unshipped-bytes", "1G")
                self.assertEqual(left, self.numbers())
        shutil.rmtree(self.folder)
        elsewhere = os.path.join(self.bed.work_dir, "elsewhere")
        os.makedirs(elsewhere)
        with open(os.path.join(elsewhere, uuid.hex() + ".shipped"), "wb") as file:
            file.write(good)
        os.symlink(elsewhere, self.folder)
        with self.subTest("a link"):
            _, left = self.retain("--keep-files", "2", "--keep-unshipped-bytes", "1G")
            self.assertEqual(left, self.numbers())

    def check_emptied(self, log, kept):
        """The records of all files but the last `kept` are lost, and nothing else changed."""
        lost = [LOST.search(line) for line in self.lines()]
        records = [line for line, loss in zip(self.lines(), lost) if not loss]
        kept_lines = self.lines(*[path for path in self.traces() if number_of(path) in self.numbers()[-kept:]])
        self.assertEqual(sorted(records), sorted(kept_lines))
        count = sum(int(loss.group(1)) for loss in lost if loss)
        self.assertEqual(count, len(self.original) - len(records))
        logged = [int(found) for found in re.findall(r": (\d+) records were removed before they were shipped", log)]
        self.assertEqual((len(logged), sum(logged)), (len(self.files) - kept, count))
        done = subprocess.run([program("ringcat"), "verify", self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_over_the_bound_the_records_are_lost_with_their_cause(self):
        log, left = self.retain("--keep-files", "3", "--keep-unshipped-bytes", "1K")
        self.assertEqual(left, self.numbers())
        self.check_emptied(log, 3)
        for path in self.files[:-3]:
            self.assertLess(os.path.getsize(path), 16384)
        stats = subprocess.run([program("ringcat"), "stats", "--format", "json", self.bed.output_dir], capture_output=True,
                               text=True, check=True)
        self.assertEqual(list(json.loads(stats.stdout)["lost_by_cause"]), ["unshipped"])
        # Nothing is lost again, and emptied files are not packed.
        log, left = self.retain("--pack", "--keep-files", "3", "--keep-unshipped-bytes", "1K")
        self.assertNotIn("before they were shipped", log)
        self.assertEqual(left, self.numbers())
        self.assertEqual(len(glob.glob(os.path.join(self.bed.output_dir, "*.zst"))), 3)

    def test_packed_files_are_emptied_too(self):
        self.retain("--pack")
        log, left = self.retain("--keep-files", "3", "--keep-unshipped-bytes", "1K")
        self.assertEqual(left, self.numbers())
        self.assertEqual(len(glob.glob(os.path.join(self.bed.output_dir, "*.zst"))), 3)
        self.check_emptied(log, 3)

    def test_emptied_files_go_when_they_are_shipped(self):
        self.retain("--keep-files", "3", "--keep-unshipped-bytes", "1K")
        self.write_mark(mark(self.uuid, self.numbers()[2]))
        _, left = self.retain("--keep-files", "3", "--keep-unshipped-bytes", "1K")
        self.assertEqual(left, self.numbers()[2:])

    def test_the_option_requires_a_limit(self):
        consumer = self.bed.start(self.bed.consumer_command("--once", "--keep-unshipped-bytes", "1G"))
        self.assertEqual(consumer.wait(), 2)
        self.assertIn("requires --keep-files or --keep-bytes", consumer.stderr())


if __name__ == "__main__":
    unittest.main(verbosity=2)
