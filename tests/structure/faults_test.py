#!/usr/bin/env python3
"""The faults of tests/mutants still match the code: each occurs at exactly one place of its file, names tests that exist,
and has a unique name."""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "mutants"))

from faults import Fault, read_faults, with_faults  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1))


class Faults(unittest.TestCase):
    def test_each_matches_its_file(self):
        by_file = {}
        for fault in read_faults():
            self.assertNotEqual(fault.old, fault.new, fault.name)
            by_file.setdefault(fault.file, []).append(fault)
        self.assertTrue(by_file)
        for file, faults in by_file.items():
            with_faults((ROOT / file).read_text(), faults)

    def test_each_names_tests_that_exist(self):
        listed = subprocess.run(["meson", "introspect", "--tests", BUILD], check=True,
                                capture_output=True, text=True).stdout
        known = {test["name"] for test in json.loads(listed)}
        for fault in read_faults():
            unknown = {test.partition(" ")[0] for test in fault.tests} - known
            self.assertFalse(unknown, f"{fault.area}.{fault.name} names {unknown}")
            self.assertTrue(fault.tests or fault.survives, f"{fault.area}.{fault.name}")

    def test_a_fault_that_no_longer_matches_is_reported(self):
        fault = Fault(1, "area", "name", {"file": "f", "old": "a + b", "new": "a - b"})
        with self.assertRaisesRegex(ValueError, "has no 'a \\+ b'"):
            with_faults("c + d", [fault])
        with self.assertRaisesRegex(ValueError, "more than once"):
            with_faults("a + b; a + b;", [fault])

    def test_the_switched_text_has_both(self):
        expression = Fault(7, "area", "name", {"file": "f", "old": "a + b", "new": "a - b"})
        self.assertEqual(with_faults("x = a + b;", [expression]),
                         "x = (RINGSIDE_FAULT(7) ? (a - b) : (a + b));")
        statement = Fault(8, "area", "name", {"file": "f", "old": "go();", "new": "stop();"})
        self.assertEqual(with_faults("go();", [statement]),
                         "if (RINGSIDE_FAULT(8)) { stop(); } else { go(); }")

    def test_overlapping_faults_are_refused(self):
        one = Fault(1, "area", "one", {"file": "f", "old": "a + b", "new": "a - b"})
        two = Fault(2, "area", "two", {"file": "f", "old": "b + c", "new": "b - c"})
        with self.assertRaisesRegex(ValueError, "overlaps"):
            with_faults("a + b + c", [one, two])


if __name__ == "__main__":
    unittest.main(verbosity=2)
