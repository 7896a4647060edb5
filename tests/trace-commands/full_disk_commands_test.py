#!/usr/bin/env python3
"""The subcommands of `ringcat` that write files, and its conversions, on a disk that is full: a failure that names the
file, nothing under its name, and what was there before stays."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from small_file_system import MESON_SKIP, SmallFileSystem
from traced_processes import BOUND_S, TestBed, program

OK, USAGE, UNREADABLE = 0, 2, 3
MIB = 1 << 20
FREE_BYTES = (0, 128 << 10)


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S,
                          check=False)
    return done.returncode, done.stderr


def formats_of_to():
    """Those of `ringcat --to`, from its help."""
    text = subprocess.run([program("ringcat"), "--help"], capture_output=True, text=True, check=True).stdout
    (described,) = re.findall(r"--to FORMAT +write the records in another format: ([^-]*(?:-[^-]+)*?)\n +-o", text)
    return re.sub(r"\s+", " ", described).split(", ")


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.small = SmallFileSystem(96 * MIB)
        self.small.__enter__()
        self.addCleanup(self.small.__exit__)
        self.source = os.path.join(self.bed.work_dir, "x.ringtrace")
        subprocess.run([program("random_trace"), "3", self.source, "20000"], check=True)
        self.assertGreater(os.path.getsize(self.source), MIB, "much more than is free")

    def on_small(self, name):
        return os.path.join(self.small.path, name)

    def content(self):
        """Every file of the small file system, except what fills it."""
        found = {}
        for folder, _, names in os.walk(self.small.path):
            found[folder] = None
            for name in names:
                if name != "filler":
                    with open(os.path.join(folder, name), "rb") as file:
                        found[os.path.join(folder, name)] = file.read()
        return found

    def assert_fails(self, output, *arguments):
        """The command cannot write `output`, whatever is left of the disk."""
        for free in FREE_BYTES:
            with self.subTest(arguments=arguments, free=free):
                filler = self.small.fill(free)
                before = self.content()
                status, complaint = ringcat(*arguments)
                self.assertEqual(status, UNREADABLE, complaint)
                self.assertIn(output, complaint)
                self.assertIn("No space left on device", complaint)
                self.assertEqual(sorted(self.content()), sorted(before))
                self.assertEqual(self.content(), before)
                os.unlink(filler)
        # With enough room the same command succeeds.
        status, complaint = ringcat(*arguments)
        self.assertEqual(status, OK, complaint)

    def test_pack(self):
        path = shutil.copy(self.source, self.on_small("x.ringtrace"))
        self.assert_fails(path + ".zst", "pack", path)
        self.assertEqual(os.listdir(self.small.path), ["x.ringtrace.zst"])

    def test_pack_over_an_existing_file(self):
        path = shutil.copy(self.source, self.on_small("x.ringtrace"))
        with open(path + ".zst", "wb") as file:
            file.write(b"precious")
        self.assert_fails(path + ".zst", "pack", "--force", path)

    def test_unpack(self):
        self.assertEqual(ringcat("pack", "--keep", self.source)[0], OK)
        path = shutil.copy(self.source + ".zst", self.on_small("x.ringtrace.zst"))
        self.assert_fails(self.on_small("x.ringtrace"), "unpack", path)

    def test_slice_and_merge_and_repair(self):
        for name, *arguments in (("sliced", "slice", "--since", "2000-01-01", self.source, "-o"),
                                 ("merged", "merge", self.source, "-o"), ("repaired", "repair", self.source)):
            output = self.on_small(name + ".ringtrace")
            with self.subTest(name):
                self.assert_fails(output, *arguments, output)
                self.assert_fails(output, *arguments, output, "--force")
                os.unlink(output)

    def test_conversions(self):
        formats = [name for name in formats_of_to() if "schema" not in name]
        self.assertGreater(len(formats), 12, formats)
        for name in formats:
            output = self.on_small("out." + name)
            with self.subTest(name):
                status, complaint = ringcat("--to", name, self.source, "-o", output)
                self.assertIn(status, (OK, 1), complaint)
                writes = sum(os.path.getsize(os.path.join(folder, file))
                             for folder, _, files in os.walk(self.small.path) for file in files)
                shutil.rmtree(output) if os.path.isdir(output) else os.unlink(output)
                if writes == 0:
                    continue  # nothing in this trace can be written in this format
                # The file system has whole pages.
                for free in (0, writes // 2) if writes > MIB // 4 else (0,):
                    filler = self.small.fill(free)
                    status, complaint = ringcat("--to", name, self.source, "-o", output)
                    left = os.listdir(self.small.path)
                    os.unlink(filler)
                    self.assertEqual(status, UNREADABLE, complaint)
                    self.assertIn(output, complaint)
                    self.assertIn("No space left on device", complaint)
                    self.assertEqual(left, ["filler"])


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root can mount a small file system")
        sys.exit(MESON_SKIP)
    unittest.main(verbosity=2)
