#!/usr/bin/env python3
"""`ringcat --unordered` against `ringcat`: the same events, and nothing sorted."""

import json
import os
import subprocess
import tempfile
import unittest

RINGCAT = os.environ["RINGSIDE_TEST_RINGCAT"]
WRITE_TRACE = os.environ["RINGSIDE_TEST_WRITE_ORDERS_TRACE"]
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "golden")


class Unordered(unittest.TestCase):
    """--unordered: the same lines, a piece of one thread after the other."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        cls.addClassCleanup(directory.cleanup)
        cls.trace = os.path.join(directory.name, "orders.ringtrace")
        subprocess.run([WRITE_TRACE, cls.trace], check=True)

    def ringcat(self, *arguments):
        return subprocess.run([RINGCAT, *arguments], capture_output=True, timeout=60, check=False, env={**os.environ, "TZ": "UTC"})

    def events(self, *arguments):
        done = self.ringcat("--format", "json", *arguments)
        return done.returncode, done.stderr, [json.loads(line) for line in done.stdout.splitlines()]

    @staticmethod
    def changes(events, name):
        """How often consecutive events differ in this member."""
        return sum(one[name] != other[name] for one, other in zip(events, events[1:]))

    def check_same(self, *arguments):
        """Returns the events of both orders, which must be the same events."""
        status, said, ordered = self.events(*arguments)
        unordered_status, unordered_said, unordered = self.events("--unordered", *arguments)
        self.assertEqual((unordered_status, unordered_said), (status, said))
        in_order = [json.dumps(one, sort_keys=True) for one in ordered]
        self.assertEqual(sorted(json.dumps(one, sort_keys=True) for one in unordered), sorted(in_order))
        return ordered, unordered

    def test_all_events_of_every_file(self):
        files = [os.path.join(folder, name) for folder, _, names in os.walk(GOLDEN) for name in names
                 if name.endswith(".ringtrace")]
        self.assertGreater(len(files), 5)
        for path in [*files, self.trace]:
            with self.subTest(path):
                self.check_same(path)
        for selection in (["--level", "warning"], ["--since", "2025-11-20T21:35:18Z"], ["--thread", "worker-2"], ["--where", "price > 100"],
                          ["--threads", "1"], ["--no-losses"]):
            with self.subTest(selection):
                self.check_same(*selection, self.trace)

    def test_pieces_of_threads_and_files_stay_together(self):
        random = os.path.join(GOLDEN, "1.0", "random.ringtrace")
        ordered, unordered = self.check_same("--no-losses", random)
        # Four pieces of three threads, which recorded at the same time.
        self.assertGreater(self.changes(ordered, "thread"), 3)
        self.assertLessEqual(self.changes(unordered, "thread"), 3)
        _, unordered = self.check_same(random, self.trace, os.path.join(GOLDEN, "1.0", "kinds.ringtrace"))
        self.assertEqual(self.changes(unordered, "pid"), 2)

    def test_the_first_lines(self):
        done = self.ringcat("--unordered", "--head", "3", self.trace)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 3))

    def test_what_needs_an_order_is_refused(self):
        for arguments in (["--tail", "3"], ["--follow"], ["--to", "chrome"]):
            with self.subTest(arguments):
                done = self.ringcat("--unordered", *arguments, self.trace)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(b"--unordered", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
