#!/usr/bin/env python3
"""`ringcat stats` from outside: counts that agree with ringcat's lines, exit statuses, messages.

usage: stats_command_test.py RINGCAT FOLDER_OF_GOLDEN_FILES
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
import time
import unittest

RINGCAT = GOLDEN = None
DAMAGED, USAGE, UNREADABLE = 1, 2, 3
LARGE_BYTES = 20_000_000  # far more than ringcat reads between two checks of the clock
PIPE_BYTES = 1 << 20  # as much as any pipe holds


def ringcat(*arguments):
    return subprocess.run([RINGCAT, *arguments], capture_output=True, text=True, errors="replace",
                          timeout=120, check=False)


def golden_files():
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(GOLDEN) for name in names
                  if name.endswith(".ringtrace"))


class Stats(unittest.TestCase):
    def test_counts_what_ringcat_prints(self):
        files = golden_files()
        self.assertGreater(len(files), 5)
        for path in files:
            with self.subTest(path):
                printed = ringcat("--utc", path)
                # A message can have several lines; each record's first line begins with its time.
                lost = sum(" LOST [" in line for line in printed.stdout.splitlines())
                done = ringcat("stats", "--format", "json", "--interval", "1ms", path)
                self.assertEqual(done.returncode, printed.returncode, done.stderr)
                counts = json.loads(done.stdout)
                for part in ("streams", "sites", "intervals"):
                    self.assertEqual(sum(one["records"] for one in counts[part]), counts["records"], part)
                for part in ("streams", "intervals"):
                    self.assertEqual(sum(one["lost"] for one in counts[part]), counts["lost"], part)
                self.assertEqual(counts["lost"] > 0, lost > 0)
                self.assertGreater(counts["records"] + counts["lost"], 0)

    def test_all_files_of_a_folder_count(self):
        files = golden_files()
        together = json.loads(ringcat("stats", "--format", "json", *files).stdout)
        self.assertEqual(together["files"], len(files))
        each = [json.loads(ringcat("stats", "--format", "json", path).stdout) for path in files]
        self.assertEqual(together["records"], sum(one["records"] for one in each))

    def test_tables_are_cut_at_the_top(self):
        path = os.path.join(GOLDEN, "1.0", "kinds.ringtrace")
        every = ringcat("stats", "--utc", "--top", "0", path).stdout
        one = ringcat("stats", "--utc", "--top", "1", path).stdout
        self.assertIn("further statements", one)
        self.assertNotIn("further statements", every)
        self.assertLess(len(one.splitlines()), len(every.splitlines()))

    def test_json_can_be_bounded(self):
        path = os.path.join(GOLDEN, "1.0", "kinds.ringtrace")
        options = ("stats", "--format", "json", "--interval", "1us", path)
        every, few = (json.loads(ringcat(*options, *more).stdout) for more in ((), ("--most-rows", "2")))
        self.assertNotIn("left_out", every)
        self.assertEqual(few["records"], every["records"])
        for name in ("sites", "intervals"):
            self.assertGreater(len(every[name]), 2)
            self.assertEqual((len(few[name]), few["left_out"][name]), (2, len(every[name]) - 2))
        most = sorted((one["records"] + one["lost"] for one in every["sites"]), reverse=True)
        self.assertEqual([one["records"] + one["lost"] for one in few["sites"]], most[:2])
        self.assertEqual(few["intervals"], every["intervals"][:2])
        options = ("agg", "text:*", "--interval", "1us", "--format", "json", path)
        every, few = (json.loads(ringcat(*options, *more).stdout) for more in ((), ("--most-rows", "2")))
        self.assertEqual((few["rows"], few["left_out"]["rows"]), (every["rows"][:2], len(every["rows"]) - 2))

    def test_what_lost_records_can_be_shown_alone(self):
        lossy = 0
        for path in golden_files():
            every, lost = (json.loads(ringcat("stats", "--format", "json", "--interval", "1us", path, *more).stdout) for more in ((), ("--lost-only",)))
            for name in ("streams", "sites", "intervals"):
                expected = [one for one in every[name] if {"lost_by_cause", "too_large", "late", "sampled", "not_selected"} & set(one)]
                lossy += len(expected) < len(every[name]) and len(expected) > 0
                if name != "intervals":
                    expected.sort(key=lambda one: -one["lost"])
                self.assertEqual(lost[name], expected, (path, name))
            self.assertEqual(lost["records"], every["records"])
        self.assertGreater(lossy, 0)

    def test_an_empty_value_does_not_take_the_next_word(self):
        path = golden_files()[0]
        self.assertEqual(ringcat("stats", "--grep=", path).stdout, ringcat("stats", path).stdout)
        self.assertEqual(ringcat("--level=", "--head=1", path).stdout, ringcat("--head=1", path).stdout)
        done = ringcat("--head=", path)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
        self.assertIn("''", done.stderr)
        done = ringcat("agg", "--until=", "--", "--help", path)
        self.assertNotIn("Usage", done.stdout)
        # After "--" a word is a path, whatever it ends with.
        self.assertIn("--grep=", ringcat("stats", "--", "--grep=").stderr)

    def test_wrong_usage_names_the_remedy(self):
        for arguments, words in [((), "PATH is required"), (("--interval", "1", "x"), "500ms"),
                                 (("--interval", "0s", "x"), "invalid duration"),
                                 (("--format", "xml", "x"), "xml")]:
            with self.subTest(arguments):
                done = ringcat("stats", *arguments)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                self.assertIn(words, done.stderr)

    def test_unreadable_files_are_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, "missing.ringtrace")
            for path in (missing, folder):
                done = ringcat("stats", path)
                self.assertEqual((done.returncode, done.stdout), (UNREADABLE, ""))
                self.assertIn(path, done.stderr)

    def test_a_full_device_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([RINGCAT, "stats", golden_files()[0]], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, UNREADABLE)
        self.assertIn("cannot write: No space left on device", done.stderr)

    def test_long_work_shows_its_progress_on_a_terminal_only(self):
        with tempfile.TemporaryDirectory() as folder:
            # Concatenated trace files are a valid trace file.
            large = os.path.join(folder, "large.ringtrace")
            with open(os.path.join(GOLDEN, "1.0", "random.ringtrace"), "rb") as one:
                content = one.read()
            with open(large, "wb") as file:
                for _ in range(LARGE_BYTES // len(content)):
                    file.write(content)
            terminal, other_end = pty.openpty()
            try:
                process = subprocess.Popen([RINGCAT, "stats", large, "-"], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=other_end)
                # A program that has read part of standard input and waits for more than a second for the rest runs for that
                # time, however fast the machine.
                process.stdin.write(content * (2 * PIPE_BYTES // len(content)))
                process.stdin.flush()
                time.sleep(1.2)
                output = process.communicate(timeout=120)[0]
                os.set_blocking(terminal, False)
                shown = os.read(terminal, 1 << 20)
            finally:
                os.close(other_end)
                os.close(terminal)
            self.assertEqual(process.returncode, 0, shown)
            self.assertRegex(shown, rb"\[#*-*\] +[0-9]+ %, [0-9.]+ of [0-9.]+ MB")
            self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-40:])
            self.assertIn(b"records", output)
            self.assertEqual(ringcat("stats", large).stderr, "")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    RINGCAT, GOLDEN = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
