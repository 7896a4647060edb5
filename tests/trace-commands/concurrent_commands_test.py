#!/usr/bin/env python3
"""Several processes of `ringcat` write the same files at once: each result is complete, one of those that must not
replace a file wins, and nothing is lost, whatever their order."""

import os
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

OK, UNREADABLE = 0, 3
AT_ONCE = 4
ROUNDS = 8


def start(*arguments):
    return subprocess.Popen([program("ringcat"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def results(processes):
    """(exit status, messages) of each."""
    found = []
    for process in processes:
        _, complaint = process.communicate(timeout=BOUND_S)
        found.append((process.returncode, complaint))
    return found


class AtOnce(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.path = os.path.join(self.bed.output_dir, "x.ringtrace")
        self.packed = self.path + ".zst"
        self.out = os.path.join(self.bed.output_dir, "out.ringtrace")
        subprocess.run([program("random_trace"), "5", self.path, "3000"], check=True)
        self.data = self.content(self.path)

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def names(self):
        return sorted(os.listdir(self.bed.output_dir))

    def restore(self, *names):
        """Only these files exist, whole."""
        for name in self.names():
            os.unlink(os.path.join(self.bed.output_dir, name))
        with open(self.path, "wb") as file:
            file.write(self.data)
        self.assertEqual(results([start("pack", "--keep", self.path)]), [(OK, "")])
        for path in (self.path, self.packed):
            if path not in names:
                os.unlink(path)

    def unpacked(self):
        """What the packed file holds."""
        copy = os.path.join(self.bed.work_dir, "copy.ringtrace.zst")
        with open(copy, "wb") as file:
            file.write(self.content(self.packed))
        self.assertEqual(results([start("unpack", "--force", copy)]), [(OK, "")])
        return self.content(copy.removesuffix(".zst"))

    def run_at_once(self, *commands):
        found = results([start(*command) for command in commands])
        for status, complaint in found:
            self.assertIn(status, (OK, UNREADABLE), complaint)
            if status != OK:
                self.assertIn(self.bed.output_dir, complaint)
        self.assertEqual([name for name in self.names() if "ringtrace." in name and not name.endswith(".zst")], [],
                         "no temporary file is left")
        return found

    def test_pack(self):
        for force in ((), ("--force",)):
            for _ in range(ROUNDS):
                self.restore(self.path)
                found = self.run_at_once(*[("pack", *force, self.path)] * AT_ONCE)
                self.assertGreaterEqual([status for status, _ in found].count(OK), 1, found)
                self.assertEqual(self.names(), ["x.ringtrace.zst"], found)
                self.assertEqual(self.unpacked(), self.data)

    def test_unpack(self):
        for force in ((), ("--force",)):
            for _ in range(ROUNDS):
                self.restore(self.packed)
                found = self.run_at_once(*[("unpack", *force, self.packed)] * AT_ONCE)
                self.assertGreaterEqual([status for status, _ in found].count(OK), 1, found)
                self.assertEqual(self.names(), ["x.ringtrace"], found)
                self.assertEqual(self.content(self.path), self.data)

    def test_pack_and_unpack_never_remove_both(self):
        for _ in range(3 * ROUNDS):
            self.restore(self.path, self.packed)
            found = self.run_at_once(("pack", "--force", self.path), ("unpack", "--force", self.packed),
                                     ("pack", "--force", self.path), ("unpack", "--force", self.packed))
            self.assertTrue(self.names(), found)
            for name in self.names():
                self.assertEqual(self.content(self.path) if name == "x.ringtrace" else self.unpacked(), self.data)

    def test_one_of_those_that_must_not_replace_a_file_wins(self):
        for command in (("repair", self.path, self.out), ("merge", self.path, "-o", self.out),
                        ("slice", "--since", "2000-01-01", self.path, "-o", self.out),
                        ("--to", "ndjson", self.path, "-o", self.out)):
            expected = None
            for _ in range(ROUNDS):
                found = self.run_at_once(*[command] * AT_ONCE)
                self.assertEqual([status for status, _ in found].count(OK), 1, found)
                for status, complaint in found:
                    if status != OK:
                        self.assertIn(self.out + " already exists", complaint)
                expected = expected or self.content(self.out)
                self.assertEqual(self.content(self.out), expected)
                os.unlink(self.out)

    def test_those_that_may_replace_a_file_all_succeed(self):
        for command in (("repair", self.path, self.out), ("merge", self.path, "-o", self.out)):
            self.assertEqual(results([start(*command)]), [(OK, "")])
            expected = self.content(self.out)
            for _ in range(ROUNDS):
                found = self.run_at_once(*[(*command, "--force")] * AT_ONCE)
                self.assertEqual(found, [(OK, "")] * AT_ONCE)
                self.assertEqual(self.content(self.out), expected)
            os.unlink(self.out)

    def test_pack_of_what_repair_writes(self):
        """A file whose name exists is complete: the packed one always holds all of it."""
        for _ in range(ROUNDS):
            found = results([start("repair", self.path, self.out), start("pack", self.out)])
            self.assertEqual(found[0], (OK, ""))
            if found[1][0] == OK:
                self.assertEqual(results([start("unpack", self.out + ".zst")]), [(OK, "")])
            self.assertEqual(results([start("verify", self.out)])[0][0], OK)
            self.assertEqual(self.names(), ["out.ringtrace", "x.ringtrace"])
            os.unlink(self.out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
