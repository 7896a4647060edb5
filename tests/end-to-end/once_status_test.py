#!/usr/bin/env python3
"""The exit status of `consumerd --once`: 0 only if no segment is left; those that are left are listed."""

import os
import struct
import unittest

from checked_output import print_and_check
from traced_processes import TestBed, wait_until

VERSION_OFFSET = 8  # offset of the version word in the segment header: shm-layout/segment_header.hpp
FOREIGN_USER = 54321


class OnceStatus(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def run_service(self, service, first=0, records=500):
        process = self.bed.start_service("--records", records, "--first", first, service=service,
                                         ring_bytes=1 << 16)
        self.assertEqual(process.wait(), 0, process.stderr())

    def segment(self, service):
        (name,) = self.bed.segments(service + ".")
        return os.path.join(self.bed.shm_dir, name)

    def run_once(self, *arguments, before=()):
        consumer = self.bed.start([*before, *self.bed.consumer_command("--once", *arguments)])
        return consumer.wait(), consumer.stderr()

    def test_few_descriptors_drain_many_segments_in_turns(self):
        for number in range(30):
            self.run_service(f"many{number}", number)
        limited = ("sh", "-c", 'ulimit -n 24 && exec "$@"', "sh")
        status, said = self.run_once(before=limited)
        self.assertEqual((status, said), (0, ""))
        self.assertEqual(self.bed.shm_names(), [])
        self.assertEqual(print_and_check(*self.bed.traces()).records_of,
                         dict.fromkeys(range(30), 500))

    def test_a_segment_of_another_version_is_listed(self):
        self.run_service("old", 0)
        self.run_service("sound", 1)
        path = self.segment("old")
        with open(path, "r+b") as file:
            file.seek(VERSION_OFFSET)
            (version,) = struct.unpack("<I", file.read(4))
            file.seek(VERSION_OFFSET)
            file.write(struct.pack("<I", version + (100 << 16)))
        status, said = self.run_once()
        self.assertEqual(status, 1, said)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertIn("not drained: " + path, said)
        self.assertIn("ABI version", said)
        self.assertEqual(print_and_check(*self.bed.traces()).records_of, {1: 500})
        with open(path, "r+b") as file:
            file.seek(VERSION_OFFSET)
            file.write(struct.pack("<I", version))
        self.assertEqual(self.run_once(), (0, ""))
        self.assertEqual(print_and_check(*self.bed.traces()).records_of, {0: 500, 1: 500})

    def test_a_segment_that_cannot_be_opened_is_listed_if_its_user_is_served(self):
        self.run_service("locked", 0)
        self.run_service("sound", 1)
        path = self.segment("locked")
        # Even for root: the sandbox drops the capability to open it.
        os.chmod(path, 0)
        arguments = ("--sandbox", "on")
        if os.geteuid() == 0:
            os.chown(path, FOREIGN_USER, FOREIGN_USER)
            status, said = self.run_once(*arguments)
            self.assertEqual(status, 0, "a segment of an unserved user is not a failure: " + said)
            self.assertIn(f"--allow-uid {FOREIGN_USER}", said)
            arguments += ("--allow-uid", FOREIGN_USER)
        status, said = self.run_once(*arguments)
        self.assertEqual(status, 1, said)
        self.assertIn("not drained: cannot open " + path, said)
        self.assertEqual(print_and_check(*self.bed.traces()).records_of, {1: 500})

    def test_a_living_service_is_left_without_a_failure(self):
        service = self.bed.start_service("--records", 500, "--hold", service="held", piped=True)
        wait_until(lambda: "done" in service.stdout(), "the records")
        self.assertEqual(self.run_once(), (0, ""))
        self.assertEqual(print_and_check(*self.bed.traces()).records, 500)
        service.end_input()
        self.assertEqual(service.wait(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
