"""Traces of a service that states in each record which context it must have, and what must hold for each such service.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import json
import os
import random
import subprocess
import time
import unittest

from traced_processes import BOUND_S, TestBed, program, wait_until

SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "4"))


class StatedContexts(unittest.TestCase):
    """To be derived from. A derived class names the program and its service, and has check(*arguments of ringcat, where=path),
    that each record has its context. check() returns what has one, and the number of all records."""

    PROGRAM = None
    SERVICE = None

    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def start(self, threads, records, *more, ring_bytes=1 << 16, overflow="block"):
        """0 records: until it is killed."""
        return self.bed.start_service(threads, records, self.dice.randrange(1 << 30), *more, which=self.PROGRAM,
                                      service=self.SERVICE, overflow=overflow, ring_bytes=ring_bytes)

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments], capture_output=True, timeout=BOUND_S, check=False, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def records(self, *arguments, where=None):
        """`where`: a path, or a list of paths."""
        paths = where if isinstance(where, list) else [where or self.bed.output_dir]
        lines = self.ringcat("--format", "json", *arguments, *paths).splitlines()
        return [record for record in map(json.loads, lines) if record["kind"] == "record"]

    def trace(self, *arguments, service=(3, 3000), **how):
        consumer = self.bed.start_consumer(*arguments)
        started = self.start(*service, **how)
        self.assertEqual(started.wait(), 0, started.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertNotIn("error", consumer.stderr())

    def check_some(self, *arguments, where=None):
        some, _ = self.check(*arguments, where=where)
        self.assertGreater(some if isinstance(some, int) else len(some), 0)

    def test_lost_records_leave_the_others_in_theirs(self):
        self.trace(service=(3, 8000), ring_bytes=4096, overflow="drop")
        self.check_some()

    def test_killed_consumers_lose_none(self):
        # A service for some kills each: the records of all would not fit into memory here.
        for _ in range(0, ROUNDS, 4):
            with TestBed() as bed:
                self.bed = bed
                service = self.start(3, 0)
                for _ in range(4):
                    consumer = bed.start_consumer()
                    time.sleep(self.dice.uniform(0, 0.15))
                    consumer.kill()
                service.kill()
                bed.run_consumer_once()
                self.check_some()
                self.ringcat("verify", bed.output_dir)

    def test_a_killed_service_leaves_each_with_its_own(self):
        for _ in range(ROUNDS):
            with TestBed() as bed:
                self.bed = bed
                service = self.start(2, 0)
                wait_until(bed.segments, "the segment")
                time.sleep(self.dice.uniform(0, 0.05))
                service.kill()
                bed.run_consumer_once()
                if bed.traces():  # otherwise it was killed before its first record
                    self.check()

    def test_a_recorder_that_overwrites_states_each(self):
        service = self.start(2, 20000, overflow="overwrite")
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.run_consumer_once()
        self.check_some()

    def test_a_segment_is_salvaged_with_them(self):
        service = self.start(2, 0, ring_bytes=1 << 20)
        consumer = self.bed.start_consumer()
        wait_until(self.bed.traces, "a file")
        time.sleep(0.2)
        consumer.kill()
        time.sleep(0.05)
        service.kill()
        (segment,) = self.bed.segments()
        self.assertGreater(self.check("--segment", where=os.path.join(self.bed.shm_dir, segment))[1], 100)
