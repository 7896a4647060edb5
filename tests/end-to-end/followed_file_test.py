#!/usr/bin/env python3
"""A follower shows itself by a lock on the file; consumerd then writes sooner and does not sleep, until the follower ends."""

import fcntl
import os
import signal
import struct
import time
import unittest

from sleep_words import NUMBER_OFFSET, wait_for_sleep, word
from traced_processes import TestBed, program, wait_until

F_OFD_GETLK = 36  # linux/fcntl.h
FOLLOWER_LOCK_BYTE = 1
AWAKE_S = 1.0
# Such a service is not busy: consumerd would sleep between two of its records.
PAUSE_US = 20_000
RECORDS = 50


def is_followed(path):
    with open(path, "rb") as file:
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, FOLLOWER_LOCK_BYTE, 1, 0)
        return struct.unpack_from("h", fcntl.fcntl(file, F_OFD_GETLK, lock))[0] != fcntl.F_UNLCK


class FollowedFile(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.bed.start_consumer()
        self.bed.start_service("--records", 0, "--burst", 1, "--pause-us", PAUSE_US, "--uniform", piped=True)
        self.trace = wait_until(self.bed.traces, "a trace")[0]
        self.segment = os.path.join(self.bed.shm_dir, self.bed.segments()[0])

    def follow(self, *arguments):
        return self.bed.start([program("ringcat"), "-f", *arguments, self.bed.output_dir])

    def stays_awake(self):
        before = word(self.segment, NUMBER_OFFSET)
        time.sleep(AWAKE_S)
        return before % 2 == 0 and word(self.segment, NUMBER_OFFSET) == before

    def test_the_lock_is_there_as_long_as_the_follower(self):
        self.assertFalse(is_followed(self.trace))
        first, second = self.follow(), self.follow()
        wait_until(lambda: first.stdout() and second.stdout(), "both followers")
        self.assertTrue(is_followed(self.trace))
        first.send(signal.SIGKILL)
        first.wait()
        self.assertTrue(is_followed(self.trace))
        second.send(signal.SIGTERM)
        second.wait()
        self.assertFalse(is_followed(self.trace))

    def test_consumerd_is_awake_while_the_file_is_followed(self):
        wait_for_sleep(self.segment)
        follower = self.follow()
        wait_until(self.stays_awake, "consumerd to stay awake")
        follower.send(signal.SIGKILL)
        wait_for_sleep(self.segment)

    def test_the_follower_shows_every_record(self):
        follower = self.follow("--head", RECORDS)
        self.assertEqual(follower.wait(), 0)
        shown = [line.rsplit("0/", 1)[1] for line in follower.stdout().splitlines() if "0/" in line]
        self.assertEqual(shown, [str(number) for number in range(RECORDS)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
