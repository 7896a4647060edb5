#!/usr/bin/env python3
"""pip installs the package without a network and without a compiler."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

from python_service import PACKAGE, PythonTest
from traced_processes import BOUND_S


class InstalledPackage(PythonTest):
    @unittest.skipUnless(importlib.util.find_spec("pip"), "Python has no pip")
    def test_pip_installs_a_package_that_records(self):
        source, target = (os.path.join(self.bed.work_dir, name) for name in ("source", "target"))
        shutil.copytree(PACKAGE, source)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", target, source],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        records = self.run_traced('ringside.event("installed", path=ringside.__file__)', environment={"PYTHONPATH": target})
        self.assertEqual(records[0]["fields"]["path"], os.path.join(target, "ringside", "__init__.py"))

    def test_all_versions_are_those_of_the_project(self):
        root = os.path.join(PACKAGE, os.pardir, os.pardir)
        versions = set()
        for path, pattern in (("meson.build", r"\n  version: '([^']+)'"),
                              ("libagent/python/pyproject.toml", r'\nversion = "([^"]+)"'),
                              ("libagent/python/wheel_builder.py", r'VERSION = "ringside", "([^"]+)"')):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                versions.add(re.search(pattern, file.read()).group(1))
        self.assertEqual(len(versions), 1, versions)


if __name__ == "__main__":
    unittest.main(verbosity=2)
