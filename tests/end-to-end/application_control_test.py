#!/usr/bin/env python3
"""A service controls its own trace: rotate() begins a new file of it, level() reads the level in force."""

import json
import subprocess
import unittest

from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until


class ApplicationControl(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def service(self, name="desk", **how):
        return ToldService(self.bed, "steered_service", service=name, **how)

    def answer(self, service, line):
        """What the service prints before "done"."""
        service.tell(line)
        return service.process.stdout().splitlines()[-2]

    def messages(self, *paths):
        done = subprocess.run([program("ringcat"), "--format", "json", *paths], capture_output=True,
                              text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(json.loads(line)["msg"] for line in done.stdout.splitlines())

    def files_of(self, name):
        return [path for path in self.bed.traces() if f"/{name}." in path]

    def test_a_service_rotates_its_own_file(self):
        desk, other = self.service(), self.service("other")
        consumer = self.bed.start_consumer()
        other.tell("rare 9")
        for number in (1, 2, 3):
            desk.tell(f"rare {number}")
            desk.tell("flush")
            before = self.files_of("desk")
            self.assertEqual(self.answer(desk, "rotate 60000"), "rotated 1 1")
            self.assertEqual(len(self.files_of("desk")), len(before) + 2, "one for each of the two calls")
            self.assertEqual(self.messages(*before), [f"order {n} needs a rare repair" for n in range(1, number + 1)])
        for service in (desk, other):
            service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(len(self.files_of("desk")), 7)
        self.assertEqual(len(self.files_of("other")), 1)
        self.assertEqual(self.messages(*self.bed.traces()), [f"order {n} needs a rare repair" for n in (1, 2, 3, 9)])

    def test_the_next_consumer_answers_what_none_has_answered(self):
        service = self.service()
        self.assertEqual(self.answer(service, "rotate 1"), "rotated 0 0")
        service.tell("rare 1")
        consumer = self.bed.start_consumer()
        wait_until(lambda: len(self.files_of("desk")) == 2, "the file that was requested before")
        consumer.kill()
        self.assertEqual(self.answer(service, "rotate 1"), "rotated 0 0")
        self.assertEqual(self.answer(service, "rotate 0"), "rotated 1 1")
        before = set(self.files_of("desk"))
        consumer = self.bed.start_consumer()
        wait_until(lambda: set(self.files_of("desk")) > before, "the file that was requested meanwhile")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.messages(*self.bed.traces()), ["order 1 needs a rare repair"])

    def test_flight_recorders_rotate_too(self):
        service = self.service(overflow="overwrite")
        consumer = self.bed.start_consumer()
        self.assertEqual(self.answer(service, "rotate 60000"), "rotated 1 1")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def ringctl(self, *arguments):
        subprocess.run([program("ringctl"), *arguments, "--shm-dir", self.bed.shm_dir], check=True,
                       stdout=subprocess.DEVNULL, timeout=BOUND_S)

    def test_a_service_reads_the_level_in_force(self):
        service = self.service(environment={"RINGSIDE_LEVEL": "notice"})
        self.assertEqual(self.answer(service, "get"), "level 4 4")
        for change, level in ((["error"], 6), (["debug", "--for", "1h"], 2), (["off"], 8)):
            self.ringctl("level", *change)
            self.assertEqual(self.answer(service, "get"), f"level {level} {level}")
        service.tell("level 3")
        self.ringctl("level", "trace", "--for", "1s")
        wait_until(lambda: self.answer(service, "get") == "level 3 3", "the temporary change to end")


if __name__ == "__main__":
    unittest.main(verbosity=2)
