#!/usr/bin/env python3
"""Builds for a big-endian or 32-bit processor are refused in one line, by meson and by the headers.

usage: refused_platforms_test.py SOURCE_ROOT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = None
REFUSED = ["powerpc64-linux-gnu", "aarch64_be-linux-gnu", "i386-linux-gnu", "armv7-linux-gnueabihf", "x86_64-linux-gnux32", "riscv64-linux-gnu"]
MESSAGE = "Ringside needs a 64-bit, little-endian processor: build for x86-64 or AArch64"
# Those that a service or a reader includes.
HEADERS = {
    "c": ["netlogger.h", "ringside.h", "runtime_statement.h"],
    "c++": ["activity.hpp", "adapt.hpp", "address.hpp", "burst.hpp", "context.hpp", "crash.hpp", "event.hpp", "format.hpp", "gate.h", "log.hpp",
            "ringside.h", "ringside.hpp", "runtime_format.hpp", "span.hpp", "stack.hpp", "stream.hpp", "streamed.hpp", "task.hpp", "text.hpp"],
}
READER_HEADERS = ["shm-layout/dictionary_entry.hpp", "shm-layout/field_type.hpp", "shm-layout/record_head.hpp"]
CROSS_FILE = """
[binaries]
c = 'gcc'
cpp = 'g++'
ar = 'ar'
[host_machine]
system = 'linux'
cpu_family = '{family}'
cpu = '{family}'
endian = '{endian}'
"""


def compiled(language, headers, *options):
    """It ends at the first error."""
    standard = {"c": "c11", "c++": "c++20"}[language]
    return subprocess.run(["clang", *options, "-x", language, f"-std={standard}", "-fsyntax-only", "-ferror-limit=1", f"-I{ROOT}", f"-I{ROOT}/libagent/include", "-"],
                          input="".join(f"#include <{header}>\n" for header in headers), capture_output=True, text=True, timeout=60, check=False)


def first_error(output):
    return next(iter(re.findall(r"error: .*", output)), "no error")


class Headers(unittest.TestCase):
    def setUp(self):
        if shutil.which("clang") is None:
            self.skipTest("needs clang, which compiles for all processors")

    def assert_refused(self, language, header):
        for target in REFUSED:
            with self.subTest(header=header, target=target):
                done = compiled(language, [header], "-target", target)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(MESSAGE, first_error(done.stderr), "not the first error")

    def test_headers_of_services_are_refused_in_the_first_line(self):
        for language, headers in HEADERS.items():
            for header in headers:
                self.assert_refused(language, f"ringside/{header}")

    def test_headers_of_readers_are_refused_in_the_first_line(self):
        for header in READER_HEADERS:
            self.assert_refused("c++", header)

    def test_this_processor_is_accepted(self):
        for language, headers in HEADERS.items():
            done = compiled(language, [f"ringside/{header}" for header in headers])
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_line_is_the_same_everywhere(self):
        for path in ("libagent/include/ringside/required_platform.h", "shm-layout/required_platform.hpp", "meson.build",
                     "packaging/cmake/CMakeLists.txt"):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                self.assertIn(MESSAGE, file.read(), path)


class Meson(unittest.TestCase):
    def test_other_machines_are_refused_before_any_dependency_is_sought(self):
        for family, endian in (("ppc64", "big"), ("aarch64", "big"), ("x86", "little"), ("arm", "little"), ("riscv64", "little")):
            with self.subTest(family, endian=endian), tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
                cross_file = os.path.join(folder, "machine.ini")
                with open(cross_file, "w", encoding="utf-8") as file:
                    file.write(CROSS_FILE.format(family=family, endian=endian))
                done = subprocess.run(["meson", "setup", "--cross-file", cross_file, os.path.join(folder, "build"), ROOT],
                                      capture_output=True, text=True, timeout=120, check=False)
                self.assertNotEqual(done.returncode, 0)
                errors = [line for line in done.stdout.splitlines() if "ERROR" in line]
                self.assertEqual(len(errors), 1, done.stdout)
                self.assertIn(f"{MESSAGE}, not for {family} ({endian}-endian", errors[0])
                self.assertNotIn("dependency", done.stdout)


if __name__ == "__main__":
    ROOT = sys.argv.pop()
    unittest.main(verbosity=2)
