#!/usr/bin/env python3
"""Segments and staging files that a released version left are read as that version read them: by `ringcat --segment`, and by a
consumerd that takes over from the dead one."""

import os
import re
import subprocess
import unittest

from golden_memory import committed_bytes, is_staging, restore
from traced_processes import BOUND_S, TestBed, program

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory")


def cases():
    """(release, name) of each folder."""
    for release in sorted(os.listdir(FOLDER)):
        for name in sorted(os.listdir(os.path.join(FOLDER, release))):
            if os.path.isdir(os.path.join(FOLDER, release, name)):
                yield release, name


def expected(release, name, ending):
    with open(os.path.join(FOLDER, release, name + ending), "rb") as file:
        return file.read()


def without_times(lines):
    """The clock of the machine that reads is a part of the conversion of ticks to times."""
    return re.sub(rb"(?m)^\d{4}-\S+ \S+ ", b"", lines)


def ringcat(*arguments):
    return subprocess.run([program("ringcat"), "--utc", "--raw", *arguments], capture_output=True, check=False, timeout=BOUND_S)


class GoldenMemory(unittest.TestCase):
    def test_there_is_some_of_each_kind(self):
        self.assertGreaterEqual({name for _, name in cases()}, {"kinds", "losses", "spans", "killed_consumer", "killed_in_contexts"})

    def test_segments_are_salvaged_as_before(self):
        for release, name in cases():
            with self.subTest(release=release, name=name), TestBed() as bed:
                restore(os.path.join(FOLDER, release, name), bed)
                (segment,) = bed.segments()
                done = ringcat("--segment", os.path.join(bed.shm_dir, segment))
                self.assertEqual(without_times(done.stdout), without_times(expected(release, name, ".salvaged")), done.stderr)

    def test_consumerd_finishes_what_a_dead_one_left(self):
        for release, name in cases():
            with self.subTest(release=release, name=name), TestBed() as bed:
                restore(os.path.join(FOLDER, release, name), bed)
                for file in bed.shm_names():
                    if is_staging(file):
                        self.assertGreater(committed_bytes(os.path.join(bed.shm_dir, file)), 0)
                bed.run_consumer_once()
                self.assertEqual(bed.shm_names(), [])
                done = ringcat(*bed.traces())
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(without_times(done.stdout), without_times(expected(release, name, ".txt")))

    def test_the_expectations_say_something(self):
        lines = expected("0.1.0", "killed_consumer", ".txt").splitlines()
        self.assertGreater(len(lines), 10)
        self.assertEqual(len(lines), len(set(lines)), "no record twice")
        self.assertTrue(all(re.match(rb"\d{4}-", line) for line in lines), lines[:3])


if __name__ == "__main__":
    unittest.main(verbosity=2)
