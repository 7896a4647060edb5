#!/usr/bin/env python3
"""Files, functions, tests and targets that ARCHITECTURE.md and CONTRIBUTING.md name exist.

Text in backticks is checked by its form: a path, a command, a name in the code. In a table row or list item that names
files, each name in the code must occur in one of these files (or in the header or source of the same stem). In a column or
row of tests, each name must be a test.

README.md is short, and its program is one that a test runs.

usage: documents_test.py SOURCE_ROOT BUILD_ROOT
"""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from tracked_files import SOURCE_SUFFIXES, read_tree

ROOT = BUILD = None
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")
BOUND_S = 60
README_LINES_LIMIT = 120
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"~?[A-Za-z_]\w*(?:::~?\w+)*(?:\(\))?")
PATH = re.compile(r"[\w.-]*/[\w./-]*|[\w-]+\.(?:cpp|hpp|h|c|py|sh|md|toml|build|txt|json|pml)")
PROGRAMS = ("meson", "ninja", "git", "clang-format", "consumerd", "ringcat", "ringctl", "ringrun", "ringstat")
CASE = re.compile(r"^\w*TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
# General terms, which no source defines.
PLAIN_WORDS = {"snprintf", "inotify", "fsync", "xadd", "pwrite", "git", "main", "clang-format", "clang-tidy", "ccache"}


def without_blocks(text):
    return FENCE.sub("", text)


def rows(text):
    """The rows and items of a page, each with the header of its table (None outside of tables)."""
    header = None
    for line in without_blocks(text).splitlines():
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = [cell.strip() for cell in line.strip("| ").split("|")]
            continue
        if line.strip():
            yield header, line


class Names:
    """The names that exist in the tree and in the build."""

    def __init__(self, tree, tests, suites, targets):
        self.tree, self.tests, self.suites, self.targets = tree, tests, suites, targets
        self.folders = {path.rsplit("/", depth)[0] for path in tree for depth in range(1, path.count("/") + 1)}
        self.sources = {path: text for path, text in tree.items() if path.endswith(SOURCE_SUFFIXES)}
        self.words = {word for text in self.sources.values() for word in re.findall(r"\w+", text)}
        self.cases = [f"{suite}.{case}" for text in self.sources.values() for suite, case in CASE.findall(text)]

    def is_path(self, path):
        if path.startswith("build/"):
            return os.path.exists(os.path.join(BUILD, path.removeprefix("build/")))
        # The tree has texts only.
        is_picture = path.endswith(".png") and os.path.isfile(os.path.join(ROOT, path))
        return is_picture or path in self.tree or path.rstrip("/") in self.folders

    def group(self, paths):
        """The words of these files and of files of the same stem beside them."""
        stems = {os.path.splitext(path)[0] for path in paths}
        return {word for path, text in self.sources.items() if os.path.splitext(path)[0] in stems
                for word in re.findall(r"\w+", text)}


def faults_of_row(line, header, names):
    """What a row or item names that does not exist."""
    spans = SPAN.findall(line)
    paths = [span for span in spans if PATH.fullmatch(span)]
    found = [f"no such file: {path}" for path in paths if not names.is_path(path)]
    words = names.group(paths) if any(path.endswith(SOURCE_SUFFIXES) for path in paths) else names.words
    of_tests = header is not None and header[-1] == "tests"
    for span in spans:
        if span in paths or " " in span or span in PLAIN_WORDS:
            continue
        if of_tests:
            if span not in names.tests:
                found.append(f"no such test: {span}")
        elif NAME.fullmatch(span):
            parts = set(re.findall(r"\w+", span))
            if not parts <= words and span not in names.tests | names.suites | names.targets:
                found.append(f"no such name in {', '.join(paths) or 'the sources'}: {span}")
    return found


def faults_of_links(text, names):
    return [f"no such file: {link}" for link in LINK.findall(without_blocks(text))
            if "://" not in link and not names.is_path(link)]


def commands(text):
    """The commands in blocks of shell, and in the running text."""
    lines = [line for language, block in FENCE.findall(text) if language == "sh" for line in block.splitlines()]
    spans = [span for span in SPAN.findall(without_blocks(text)) if " " in span]
    lines += [span for span in spans if span.split()[0] in PROGRAMS or "/" in span.split()[0]]
    return [line.split(" #")[0].strip() for line in lines if line.strip() and not line.startswith("#")]


def faults_of_command(line, names, options):
    """What one command names that does not exist."""
    found = []
    for part in re.split(r" && | \| ", line):
        words = [word for word in shlex.split(part) if not re.match(r"[A-Z_]+=", word)]
        program, arguments = words[0], words[1:]
        values = [word for word in arguments if not word.startswith("-")]
        if program == "meson" and arguments[0] == "setup":
            given = [word[2:].split("=")[0] for word in arguments if word.startswith("-D")]
            found += [f"no such option of the build: {option}" for option in given if option not in options]
        elif program == "meson" and arguments[0] == "test":
            suites = [value for option, value in zip(arguments, arguments[1:]) if option == "--suite"]
            found += [f"no such suite: {suite}" for suite in suites if suite not in names.suites]
            found += [f"no such test: {test}" for test in values[2:] if test not in names.tests | set(suites)]
        elif program == "ninja":
            targets = values[1:] if "-C" in arguments else values
            found += [f"no such target: {target}" for target in targets if target not in names.targets]
        elif program.startswith("build"):
            target = program.split("/", 1)[1]
            if target not in names.targets:
                found.append(f"no such target: {target}")
            for word in arguments:
                if word.startswith("--gtest_filter="):
                    patterns = word.split("=", 1)[1].split(":")
                    found += [f"no such case: {pattern}" for pattern in patterns if not fnmatch.filter(names.cases, pattern.lstrip("-"))]
        elif "/" in program:
            if not os.access(os.path.join(ROOT, program), os.X_OK):
                found.append(f"cannot be run: {program}")
        elif program not in PROGRAMS and shutil.which(program) is None:
            found.append(f"no such program: {program}")
    return [f"{line}: {fault}" for fault in found]


def introspected(what):
    done = subprocess.run(["meson", "introspect", BUILD, f"--{what}"], capture_output=True, timeout=BOUND_S, check=True)
    return json.loads(done.stdout)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tests = introspected("tests")
        targets = {os.path.relpath(name, BUILD) for target in introspected("targets") for name in target["filename"]}
        cls.names = Names(read_tree(ROOT), {test["name"] for test in tests},
                          {suite.split(":")[-1] for test in tests for suite in test["suite"]}, targets)
        cls.options = {option["name"] for option in introspected("buildoptions")}
        # Benchmarks are a build option.
        cls.has_perf = any(target.startswith("perf/") for target in targets)
        cls.pages = {page: cls.names.tree[page] for page in PAGES if page in cls.names.tree}

    def command_faults(self, line):
        faults = faults_of_command(line, self.names, self.options)
        return [fault for fault in faults if self.has_perf or "no such target: perf/" not in fault]

    def test_files_functions_and_tests_exist(self):
        self.assertIn("ARCHITECTURE.md", self.pages)
        for page, text in self.pages.items():
            with self.subTest(page):
                found = [fault for header, line in rows(text) for fault in faults_of_row(line, header, self.names)]
                self.assertEqual(found + faults_of_links(text, self.names), [])

    def test_commands_name_what_exists(self):
        for page, text in self.pages.items():
            with self.subTest(page):
                self.assertEqual([fault for line in commands(text) for fault in self.command_faults(line)], [])

    def test_program_of_the_readme_is_an_example_that_runs(self):
        readme = self.names.tree["README.md"]
        programs = [block for language, block in FENCE.findall(readme) if language == "cpp"]
        self.assertEqual(programs, [self.names.tree["libagent/examples/hello.cpp"]])

    def test_readme_is_short_and_its_links_lead_somewhere(self):
        readme = self.names.tree["README.md"]
        self.assertLess(len(readme.splitlines()), README_LINES_LIMIT)
        self.assertEqual(faults_of_links(readme, self.names), [])

    def test_missing_names_are_reported(self):
        for line in ("| 1 | it drains | `RingDrain::drain_all_at_once()` | `consumerd/drain/ring_drain.cpp` |",
                     "| 1 | it drains | `TraceSet::open()` | `consumerd/drain/ring_drain.cpp` |",
                     "- see `consumerd/no_such_file.cpp`", "the class `NoSuchClassAnywhere`"):
            with self.subTest(line):
                self.assertEqual(len(faults_of_row(line, None, self.names)), 1)
        self.assertEqual(len(faults_of_row("| kept | `no_such_test` |", ["invariant", "tests"], self.names)), 1)
        self.assertEqual(len(faults_of_links("[x](no/such/page.md)", self.names)), 1)
        for line in ("| 1 | it drains | `RingDrain::drain()` | `consumerd/drain/ring_drain.cpp` |",
                     "the class `RingDrain`, the test `file_rules`, the folder `tools/interop/`"):
            with self.subTest(line):
                self.assertEqual(faults_of_row(line, None, self.names), [])

    def test_missing_targets_of_commands_are_reported(self):
        for line in ("meson test -C build no_such_test", "meson test -C build --suite no_such_suite",
                     "ninja -C build no/such/target", "meson setup build -Dno_such_option=1", "packaging/no_such.sh",
                     "build/tests/no_such_program", "no_such_program_at_all x",
                     "build/tests/printf/test_printf --gtest_filter=RingDrain*"):
            with self.subTest(line):
                self.assertEqual(len(self.command_faults(line)), 1)
        for line in ("meson test -C build --no-rebuild file_rules", "meson setup build -Dperf=false",
                     "ninja -C build consumerd/consumerd && meson test -C build file_rules",
                     "build/tests/printf/test_printf --gtest_filter=FloatEdge.*:Value.*"):
            with self.subTest(line):
                self.assertEqual(self.command_faults(line), [])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
