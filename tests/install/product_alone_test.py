#!/usr/bin/env python3
"""The product without its tests and benchmarks needs none of their packages.

usage: product_alone_test.py SOURCE_ROOT
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = None


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class ProductAlone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.build = os.path.join(folder.name, "build")
        run("meson", "setup", "-Dtests=false", "-Dperf=false", cls.build, ROOT)

    def test_no_library_of_the_tests_is_required(self):
        found = {each["name"] for each in json.loads(run("meson", "introspect", "--dependencies", self.build))}
        self.assertIn("liburing", found)
        self.assertEqual(found & {"gtest", "gtest_main", "gmock", "benchmark", "valgrind"}, set())

    def test_no_test_is_built_or_registered(self):
        targets = json.loads(run("meson", "introspect", "--targets", self.build))
        names = {target["name"] for target in targets}
        self.assertLessEqual({"consumerd", "ringcat", "ringctl", "ringrun", "ringstat", "ringview", "kvd"}, names)
        self.assertEqual([t["defined_in"] for t in targets if re.search("/(tests|perf)/", t["defined_in"])], [])
        self.assertEqual(json.loads(run("meson", "introspect", "--tests", self.build)), [])

    def test_unknown_arguments_of_the_installer_are_refused(self):
        done = subprocess.run([os.path.join(ROOT, "packaging/install-build-deps.sh"), "--product"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("unknown argument '--product'", done.stderr)


if __name__ == "__main__":
    ROOT = sys.argv.pop()
    unittest.main(verbosity=2)
