#!/usr/bin/env python3
"""packaging/allowed_skips.py with artificial meson logs: a skip that is not on the list is found, whatever skipped it.

usage: allowed_skips_test.py SOURCE_ROOT
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from tracked_files import read_tree

ROOT = None
BOUND_S = 60
SILENT = re.compile(r"\bunittest\.main\((?!.*verbosity=2)")

GTEST = """\
[ RUN      ] Disk.IsFull
small_test.cpp:3: Skipped
no disk here
[  SKIPPED ] Disk.IsFull (0 ms)
[ RUN      ] Sizes/Disk.IsSlow/0
[  SKIPPED ] Sizes/Disk.IsSlow/0, where GetParam() = 4-byte object <04-00 00-00> (0 ms)
[       OK ] Disk.IsFast (0 ms)
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] Disk.IsFull
[  SKIPPED ] Sizes/Disk.IsSlow/0
"""
UNITTEST = """\
test_a_disk (__main__.Disks.test_a_disk) ... ok
test_full (__main__.Disks.test_full) ... skipped 'no "disk" here'
test_of_old (__main__.Disks) ... skipped "it isn't there"
test_slow (__main__.Disks.test_slow)
What it shows. ... a message of a program
skipped 'not today'
----------------------------------------------------------------------
OK (skipped=3)
"""


def test_of_log(name, result="OK", stdout="", stderr=None):
    return {"name": name, "result": result, "stdout": stdout, **({"stderr": stderr} if stderr else {})}


class AllowedSkips(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_checker(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(ROOT, "packaging/allowed_skips.py"), *arguments],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)

    def check(self, entries, *tests, step="g++"):
        """Returns the exit status and the names that were found."""
        done = self.run_checker(self.write("list", "# A comment\n\n" + "".join(e + "\n" for e in entries)), step,
                                self.write("log", "".join(json.dumps(test) + "\n" for test in tests)))
        names = [line.split("not allowed to: ")[1].split(";")[0] for line in done.stdout.splitlines()]
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if names else 0)
        return names

    def test_nothing_skipped_passes(self):
        self.assertEqual(self.check([], test_of_log("disk", stdout="[       OK ] Disk.IsFast\n"),
                                    test_of_log("faults", stderr="test_a (__main__.A.test_a) ... ok\nOK\n")), [])

    def test_skipped_test_is_found(self):
        self.assertEqual(self.check([], test_of_log("ringside:perf / peer_glog", "SKIP")), ["peer_glog"])

    def test_skipped_googletest_cases_are_found(self):
        self.assertEqual(self.check([], test_of_log("disk", stdout=GTEST)),
                         ["disk:Disk.IsFull", "disk:Sizes/Disk.IsSlow/0"])

    def test_skipped_unittest_cases_are_found(self):
        self.assertEqual(self.check([], test_of_log("faults", stderr=UNITTEST)),
                         ["faults:Disks.test_full", "faults:Disks.test_of_old", "faults:Disks.test_slow"])

    def test_skips_of_a_failed_test_are_found(self):
        self.assertEqual(self.check([], test_of_log("disk", "FAIL", stdout=GTEST.splitlines()[3])), ["disk:Disk.IsFull"])

    def test_skips_that_no_line_names_are_found(self):
        self.assertEqual(self.check([], test_of_log("faults", stderr="s\nOK (skipped=1)\n")), ["faults:unnamed"])
        self.assertEqual(self.check([], test_of_log("faults", stderr="FAILED (failures=1, skipped=2)\n")), ["faults:unnamed"])

    def test_skips_named_by_real_unittest_are_found(self):
        done = subprocess.run([sys.executable, "-c", """
import unittest
class Real(unittest.TestCase):
    @unittest.skip("why")
    def test_decorated(self): pass
    def test_inside(self):
        "A text."
        self.skipTest("it isn't \\"here\\"")
unittest.main(verbosity=2)"""], capture_output=True, text=True, timeout=BOUND_S, check=True)
        self.assertEqual(self.check([], test_of_log("real", stderr=done.stderr)),
                         ["real:Real.test_decorated", "real:Real.test_inside"])

    def test_listed_skips_pass(self):
        self.assertEqual(self.check(["disk:*Disk.*\t*\tno disk", "faults:Disks.test_full\tg++,clang\tno disk"],
                                    test_of_log("disk", stdout=GTEST), test_of_log("faults", stderr=UNITTEST)),
                         ["faults:Disks.test_of_old", "faults:Disks.test_slow"])

    def test_entry_holds_for_its_steps_and_names_alone(self):
        entry = "disk:Disk.IsFull\tclang,ThreadSanitizer\tthe sanitizer"
        log = test_of_log("disk", stdout="[  SKIPPED ] Disk.IsFull (0 ms)\n")
        self.assertEqual(self.check([entry], log, step="clang"), [])
        self.assertEqual(self.check([entry], log, step="g++,clang"), [])
        self.assertEqual(self.check([entry], log, step="g++"), ["disk:Disk.IsFull"])
        self.assertEqual(self.check(["Disk.IsFull\t*\tany"], log), ["disk:Disk.IsFull"])

    def test_invalid_list_is_refused(self):
        for line in ("peer_glog", "peer_glog\t*", "peer_glog\t*\t", "peer_glog * not installed"):
            with self.subTest(line):
                done = self.run_checker(self.write("list", line + "\n"), "g++", self.write("log", ""))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("line 1 of the list of allowed skips is invalid", done.stderr)

    def test_list_of_the_tree_is_valid_and_every_python_test_names_its_skips(self):
        done = self.run_checker(os.path.join(ROOT, "packaging/allowed-skips.txt"), "g++", self.write("log", ""))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([path for path, text in read_tree(ROOT).items() if path.endswith(".py")
                          for line in text.splitlines() if SILENT.search(line) and "SILENT" not in line], [])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ROOT = sys.argv.pop(1)
    unittest.main(verbosity=2)
