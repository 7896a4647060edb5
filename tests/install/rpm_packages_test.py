#!/usr/bin/env python3
"""The RPMs, built by packaging/rpm/build.sh with the rpmbuild of this machine: their files are those of an installation, and the
programs in them run.

usage: rpm_packages_test.py SOURCE_ROOT BUILD_ROOT
RINGSIDE_TEST_RPMS=DIR  packages that are built already
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from installation import Installation, run

SOURCE_ROOT = BUILD_ROOT = None
COMPILE_BOUND_S = 5400
BINARY = ["libringside", "libringside-devel", "libringside-interop", "libringside-interop-devel", "libringside-trace",
          "libringside-trace-devel", "python3-ringside", "ringside-consumerd", "ringside-fleet", "ringside-tools"]
PYTHON = re.compile(r"/usr/lib/python3[.0-9]*/site-packages/")

folder = None


def setUpModule():
    global folder
    if shutil.which("rpmbuild") is None:
        raise unittest.SkipTest("needs rpmbuild (packaging/install-build-deps.sh)")
    if ready := os.environ.get("RINGSIDE_TEST_RPMS"):
        folder = ready
        return
    scratch = tempfile.TemporaryDirectory(prefix="ringside-rpms.")
    unittest.addModuleCleanup(scratch.cleanup)
    folder = scratch.name
    # Debian's names of the required packages are others.
    run([os.path.join(SOURCE_ROOT, "packaging/rpm/build.sh"), "--output", folder, "--nodeps"], bound_s=COMPILE_BOUND_S)


def query(path, *options):
    return run(["rpm", "--query", "--package", *options, path])


def binary_packages():
    """{name: path}."""
    return {query(path, "--queryformat", "%{NAME}"): path for path in glob.glob(folder + "/*.rpm") if not path.endswith(".src.rpm")}


class RpmPackages(unittest.TestCase):
    def test_all_packages_are_built(self):
        names = set(binary_packages())
        self.assertEqual({name for name in names if not re.search("-debug(info|source)$", name)}, set(BINARY))
        source, = glob.glob(folder + "/*.src.rpm")
        self.assertEqual(sorted(query(source, "--list").split()), ["ringside-0.1.0.tar.xz", "ringside.spec"])

    def test_their_files_are_those_of_an_installation(self):
        packed = []
        for name in BINARY:
            listed = query(binary_packages()[name], "--queryformat", "[%{FILEMODES:perms} %{FILENAMES}\n]").splitlines()
            packed += [line.split(None, 1)[1] for line in listed if not line.startswith("d")]
        self.assertEqual(len(packed) - len(set(packed)), 0, "a file is in two packages")
        packed = {re.sub(r"\.gz$", "", path.replace("/lib64/", "/lib/")) for path in packed
                  if not path.startswith(("/usr/share/doc/", "/usr/share/licenses/", "/usr/lib/.build-id/")) and not PYTHON.match(path)}
        with tempfile.TemporaryDirectory(prefix="ringside-files.") as root:
            installation = Installation(root, BUILD_ROOT)
            installed = {re.sub("^/usr/lib/[^/]*-linux-gnu/", "/usr/lib/", "/usr/" + os.path.relpath(os.path.join(top, name), installation.prefix))
                         for top, _, names in os.walk(installation.prefix) for name in names}
        installed = {path for path in installed if not path.startswith("/usr/share/ringside/python/")}
        self.assertEqual(packed, installed | {"/etc/ringside/consumerd.toml"})

    def test_python_and_examples_are_in_their_packages(self):
        self.assertRegex(query(binary_packages()["python3-ringside"], "--list"), r"/site-packages/ringside/__init__\.py\n")
        self.assertIn("/examples/hello.cpp\n", query(binary_packages()["libringside-devel"], "--list"))

    def test_settings_are_kept_and_the_units_are_handled(self):
        path = binary_packages()["ringside-consumerd"]
        self.assertEqual(query(path, "--configfiles").split(), ["/etc/ringside/consumerd.toml"])
        scripts = query(path, "--scripts")
        self.assertIn("try-restart 'ringside-consumerd*.service'", scripts)
        self.assertNotRegex(re.sub("(?m)^#.*$", "", scripts), r"run-ringside\.mount")

    def test_programs_run_and_libraries_provide_their_sonames(self):
        packages = binary_packages()
        for name, soname in (("libringside", "libringside.so.1"), ("libringside-trace", "libringside-trace.so.0"),
                             ("libringside-interop", "libringside-interop.so.0")):
            self.assertIn(soname + "()(64bit)", query(packages[name], "--provides"))
        with tempfile.TemporaryDirectory(prefix="ringside-rpms.") as root:
            for name in ("ringside-consumerd", "ringside-fleet", "ringside-tools"):
                with open(packages[name], "rb") as package:
                    archive = subprocess.run(["rpm2archive", "-"], stdin=package, stdout=subprocess.PIPE, check=True, timeout=120).stdout
                subprocess.run(["tar", "-C", root, "-xzf", "-"], input=archive, check=True, timeout=120)
            for name in ("consumerd", "ringcat", "ringctl", "ringrun", "ringstat", "ringview", "ringship", "ringsink"):
                self.assertIn("0.1.0", run([os.path.join(root, "usr/bin", name), "--version"]))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
