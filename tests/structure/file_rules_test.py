#!/usr/bin/env python3
"""Names and sizes of files, and that no file depends on the machine where it was written.

usage: file_rules_test.py SOURCE_ROOT
"""

import re
import sys
import unittest

from tracked_files import SOURCE_SUFFIXES, read_tree

ROOT = None
LINES_LIMIT = 400
SIZED_SUFFIXES = SOURCE_SUFFIXES + (".py", ".sh")
EMPTY_NAMES = {"util", "utils", "helper", "helpers", "common", "misc"}
# A home directory or workspace on a developer's machine; not the end of a relative path or of a URL.
MACHINE_PATH = re.compile(r"(?:(?<![\w.~$})*-])|(?<=-[IL]))/(?:work|root|home|Users|mnt)/")


# Headers with the names that other libraries give theirs.
NAMES_OF_OTHERS = "libagent/include/ringside/compat/"


def bad_names(path):
    if path.startswith(NAMES_OF_OTHERS):
        return []
    words = set(re.split(r"[/._-]", path.lower()))
    return [f"{path}: the name does not describe the content ({word})" for word in sorted(words & EMPTY_NAMES)]


def too_long(path, text):
    lines = len(text.splitlines())
    if not path.endswith(SIZED_SUFFIXES) or lines < LINES_LIMIT:
        return []
    return [f"{path}: {lines} lines; the limit is {LINES_LIMIT}, divide the file by concept"]


def machine_paths(path, text):
    return [f"{path}:{number}: a path of a developer's machine: {line.strip()}"
            for number, line in enumerate(text.splitlines(), 1) if MACHINE_PATH.search(line)]


def of_tree(rule):
    return [violation for path, text in read_tree(ROOT).items() for violation in rule(path, text)]


class FileRules(unittest.TestCase):
    def test_the_tree_is_found(self):
        self.assertIn("meson.build", read_tree(ROOT))

    def test_names_say_what_a_file_is_about(self):
        self.assertEqual(of_tree(lambda path, _: bad_names(path)), [])

    def test_source_files_are_short(self):
        self.assertEqual(of_tree(too_long), [])

    def test_no_path_of_a_developers_machine(self):
        self.assertEqual(of_tree(machine_paths), [])

    def test_empty_names_are_rejected(self):
        for path in ("tools/util.hpp", "tools/string_utils.cpp", "common/ring.hpp", "tests/helper.py",
                     "perf/Misc.cpp", "consumerd/test-helpers.hpp"):
            with self.subTest(path=path):
                self.assertEqual(len(bad_names(path)), 1)
        for path in ("tools/utility_model.hpp", "trace-format/commonmark.md", "libagent/utf8.cpp"):
            with self.subTest(path=path):
                self.assertEqual(bad_names(path), [])

    def test_long_files_are_rejected(self):
        for path in ("a.cpp", "a.hpp", "a.c", "a.h", "a.py", "a.sh"):
            with self.subTest(path=path):
                self.assertEqual(len(too_long(path, "x\n" * LINES_LIMIT)), 1)
                self.assertEqual(too_long(path, "x\n" * (LINES_LIMIT - 1)), [])
        self.assertEqual(too_long("README.md", "x\n" * LINES_LIMIT), [])

    def test_paths_of_a_machine_are_rejected(self):
        for folder in ("work", "root", "home", "Users", "mnt"):
            for text in (f"cd /{folder}/tree", f'"/{folder}/x"', f"-I/{folder}/x", f"A=/{folder}/x"):
                with self.subTest(text=text):
                    self.assertEqual(len(machine_paths("a.md", "one\n" + text + "\n")), 1)
        for text in ("see tests/work/x", "https://example.org/root/x", "the work/root division", "$TOP/work/x",
                     "/dev/shm/ringside", "/usr/bin/env"):
            with self.subTest(text=text):
                self.assertEqual(machine_paths("a.md", text), [])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ROOT = sys.argv.pop(1)
    unittest.main(verbosity=2)
