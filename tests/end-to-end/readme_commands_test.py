#!/usr/bin/env python3
"""Commands in the running text of README.md do what it says, on a real service; tests/install runs those in its blocks.
Each test, suite and program that a command of tests/README.md names exists.

usage: readme_commands_test.py SOURCE_ROOT BUILD_ROOT
"""

import json
import os
import re
import shlex
import subprocess
import sys
import unittest

from traced_processes import BOUND_S, TestBed, program, wait_until

SOURCE_ROOT = BUILD_ROOT = None
SPAN = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = ("consumerd", "ringcat", "ringctl", "ringrun", "ringstat")
# A page cannot know what the machine lacks.
STATUSES = {"ringctl doctor": (0, 1)}


def spans(page):
    """The commands and options of the running text, once each, in order."""
    with open(os.path.join(SOURCE_ROOT, page), encoding="utf-8") as file:
        found = SPAN.findall(BLOCK.sub("", file.read()))
    return list(dict.fromkeys(found))


class ReadmeCommands(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        kvd = self.bed.start_service("--port", 0, which="kvd", service="kvd", overflow="overwrite")
        wait_until(lambda: "listening on" in kvd.stdout(), "kvd to listen")
        wait_until(self.bed.segments, "the segment of kvd")
        self.consumer = self.bed.start_consumer()
        wait_until(lambda: "draining" in self.consumer.stderr(), "consumerd to serve it")

    def run_command(self, command):
        words = shlex.split(command)
        segment = os.path.join(self.bed.shm_dir, self.bed.segments()[0])
        words = [{"DIR": self.bed.output_dir, "FILE": segment}.get(word, word) for word in words]
        shm_dir = self.bed.shm_dir
        if words[0] == "consumerd":
            # Once, on segments that no consumerd drains yet.
            words.append("--once")
            shm_dir = os.path.join(self.bed.work_dir, "no-segments")
            os.makedirs(shm_dir, exist_ok=True)
        if words[0] != "ringcat":
            words += ["--shm-dir", shm_dir]
        return subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, timeout=BOUND_S,
                              check=False)

    def test_commands_in_the_text_work_as_printed(self):
        found = spans("README.md")
        commands = [span for span in found if span.split()[0] in PROGRAMS and len(span.split()) > 1]
        self.assertGreaterEqual(len(commands), 6, found)
        server = next(command for command in commands if command.startswith("consumerd "))
        commands += [f"{server} {span}" for span in found if span.startswith("--") and "shm-size" not in span]
        for command in commands:
            with self.subTest(command):
                done = self.run_command(command)
                self.assertIn(done.returncode, STATUSES.get(command, (0,)), done.stdout + done.stderr)

    def test_manual_pages_in_the_text_exist(self):
        for span in spans("README.md"):
            if span.startswith("man "):
                self.assertTrue(os.path.exists(os.path.join(SOURCE_ROOT, "packaging/manual", span.split()[1] + ".txt")), span)


class TestsCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run(["meson", "introspect", BUILD_ROOT, "--tests"], capture_output=True, timeout=BOUND_S,
                              check=True)
        tests = json.loads(done.stdout)
        cls.names = {test["name"] for test in tests}
        cls.suites = {suite.split(":")[-1] for test in tests for suite in test["suite"]}

    def commands(self):
        return [shlex.split(span) for span in spans("tests/README.md") if "build" in span and " " in span]

    def test_tests_and_suites_that_meson_is_asked_for_exist(self):
        checked = 0
        for words in self.commands():
            if "meson" not in words:
                continue
            words = words[words.index("meson") + 4:]  # skips "meson test -C build"
            suites = [suite for option, suite in zip(words, words[1:]) if option == "--suite"]
            values = suites + [value for option, value in zip(words, words[1:]) if option == "--timeout-multiplier"]
            names = [word for word in words if not word.startswith("--") and word not in values]
            with self.subTest(words):
                # Fuzzers exist only in builds with clang; every build runs their inputs.
                missing = {name for name in names if name.replace("fuzz_", "fuzz_inputs_") not in self.names} - self.names
                self.assertEqual((missing, set(suites) - self.suites - {"NAME"}), (set(), set()))
                checked += 1
        self.assertGreater(checked, 20)

    def test_every_folder_is_a_suite(self):
        with open(os.path.join(SOURCE_ROOT, "tests/README.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `([\w-]+)/`(?: \(`([\w-]+)`\))? \|", file.read(), re.MULTILINE)
        self.assertGreater(len(rows), 15)
        # Benchmarks are a build option.
        wanted = {suite or folder for folder, suite in rows} - {"perf"}
        self.assertEqual(wanted - self.suites, set())

    def test_programs_and_scripts_exist(self):
        checked = 0
        for words in self.commands():
            path = next(word for word in words if "=" not in word)
            if "/" not in path or (path.startswith("build/perf/") and "perf" not in self.suites):
                continue
            if path.startswith("build/"):
                with self.subTest(path):
                    targets = subprocess.run(["meson", "introspect", BUILD_ROOT, "--targets"], capture_output=True,
                                             timeout=BOUND_S, check=True)
                    built = {os.path.relpath(name, BUILD_ROOT) for target in json.loads(targets.stdout)
                             for name in target["filename"]}
                    self.assertIn(path.removeprefix("build/"), built)
            else:
                with self.subTest(path):
                    self.assertTrue(os.access(os.path.join(SOURCE_ROOT, path), os.X_OK), path)
            checked += 1
        self.assertGreater(checked, 3)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
