#!/usr/bin/env python3
"""`ringcat pack` and `unpack`: the same bytes, complete or not at all, and nothing lost."""

import os
import shutil
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

OK, DAMAGED, USAGE, UNREADABLE = 0, 1, 2, 3


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, timeout=BOUND_S,
                          check=False)
    return done.returncode, done.stdout, done.stderr.decode()


class PackingCommands(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.path = os.path.join(self.bed.output_dir, "x.ringtrace")
        self.packed = self.path + ".zst"
        subprocess.run([program("random_trace"), "3", self.path, "20000"], check=True)
        with open(self.path, "rb") as file:
            self.data = file.read()
        self.assertGreater(len(self.data), 1 << 20, "more than one frame")

    def names(self):
        return sorted(os.listdir(self.bed.output_dir))

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def test_there_and_back(self):
        os.chmod(self.path, 0o600)
        lines = ringcat(self.path)[1]
        self.assertEqual(ringcat("pack", self.path), (OK, b"", ""))
        self.assertEqual(self.names(), ["x.ringtrace.zst"])
        self.assertEqual(os.stat(self.packed).st_mode & 0o777, 0o600)
        self.assertLess(os.path.getsize(self.packed), len(self.data))
        self.assertEqual(ringcat(self.packed)[1], lines)
        self.assertEqual(ringcat("unpack", self.packed), (OK, b"", ""))
        self.assertEqual(self.names(), ["x.ringtrace"])
        self.assertEqual(self.content(self.path), self.data)

    @unittest.skipUnless(shutil.which("zstd"), "zstd is not installed (apt-get install zstd)")
    def test_zstd_restores_one_packed_as_bytes(self):
        self.assertEqual(ringcat("pack", "--keep", "--bytes", "--level", "9", self.path)[0], OK)
        restored = subprocess.run(["zstd", "-dc", self.packed], capture_output=True, check=True)
        self.assertEqual(restored.stdout, self.data)

    def test_keeps_and_replaces_only_on_request(self):
        self.assertEqual(ringcat("pack", "--keep", self.path)[0], OK)
        self.assertEqual(self.names(), ["x.ringtrace", "x.ringtrace.zst"])
        for command, file in (("pack", self.path), ("unpack", self.packed)):
            status, _, complaint = ringcat(command, file)
            self.assertEqual(status, UNREADABLE)
            self.assertIn("already exists; --force replaces it", complaint)
            self.assertEqual(self.names(), ["x.ringtrace", "x.ringtrace.zst"])
        with open(self.path, "wb") as file:
            file.write(b"something else")
        self.assertEqual(ringcat("unpack", "--force", "--keep", self.packed)[0], OK)
        self.assertEqual(self.content(self.path), self.data)
        self.assertEqual(self.names(), ["x.ringtrace", "x.ringtrace.zst"])

    def test_an_empty_file(self):
        with open(self.path, "wb"):
            pass
        self.assertEqual(ringcat("pack", self.path)[0], OK)
        self.assertEqual(self.names(), ["x.ringtrace.zst"])

    def test_a_damaged_frame_stays_packed(self):
        self.assertEqual(ringcat("pack", self.path)[0], OK)
        with open(self.packed, "r+b") as file:
            file.seek(os.path.getsize(self.packed) // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 0x55]))
        status, _, complaint = ringcat("unpack", self.packed)
        self.assertEqual(status, UNREADABLE)
        self.assertIn("a frame is damaged", complaint)
        self.assertEqual(self.names(), ["x.ringtrace.zst"])

    def test_impossible_requests_are_refused(self):
        self.assertEqual(ringcat("pack")[0], USAGE)
        self.assertEqual(ringcat("pack", "--level", "99", self.path)[0], USAGE)
        self.assertEqual(ringcat("unpack", self.path)[0], UNREADABLE)
        self.assertEqual(ringcat("pack", self.path + ".none")[0], UNREADABLE)
        self.assertEqual(ringcat("pack", self.bed.output_dir)[0], UNREADABLE)
        self.assertEqual(ringcat("pack", "--keep", self.path)[0], OK)
        self.assertIn("is already packed", ringcat("pack", self.packed)[2])
        self.assertEqual(self.names(), ["x.ringtrace", "x.ringtrace.zst"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
