#!/usr/bin/env python3
"""SIGKILL of consumerd at random moments under load, followed by a new one each time: nothing is lost, nothing is written
twice.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the total number of kills."""

import os
import random
import signal
import time
import unittest

from checked_output import print_and_check, verify
from segment_counters import read_tick_hz, write_tick_hz
from steady_load import Load
from traced_processes import TestBed, wait_until

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "20" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "50"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))


class KilledConsumer(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def kill_repeatedly(self, rounds, longest_s, *arguments):
        for _ in range(rounds):
            consumer = self.bed.start_consumer(*arguments)
            time.sleep(self.dice.uniform(0, longest_s))
            consumer.kill()
            self.assertNotIn("error", consumer.stderr())

    def finish_and_check(self, *loads, arguments=()):
        consumer = self.bed.start_consumer(*arguments)
        for load in loads:
            load.advance()
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertNotIn("error", consumer.stderr())
        traces = self.bed.traces()
        self.assertEqual(len(traces), len(loads), traces)
        # Killed consumers left sections without END; ringcat does not remark on that.
        output = print_and_check(*traces, bound_s=400)
        expected = {}
        for load in loads:
            expected.update(load.expected())
        self.assertEqual(output.records_of, expected, f"RINGSIDE_TEST_SEED={SEED}")
        self.assertEqual(output.lost, 0)
        self.assertEqual(self.bed.shm_names(), [])

    def test_nothing_is_lost_or_doubled_at_any_moment(self):
        load = Load(self.bed, 0, 3, "--burst", 300)
        self.kill_repeatedly(ROUNDS * 3 // 10, 0.2)
        self.finish_and_check(load)

    def test_nothing_is_lost_or_doubled_with_rings_that_are_always_full(self):
        load = Load(self.bed, 0, 3, ring_bytes=1 << 16)
        self.kill_repeatedly(ROUNDS // 10, 0.1)
        self.finish_and_check(load)

    def test_nothing_is_lost_or_doubled_during_startup_and_recovery(self):
        load = Load(self.bed, 0, 3, "--burst", 300)
        for _ in range(max(1, ROUNDS // 20)):
            # A consumer that has taken records, followed by some that die while they take over.
            self.kill_repeatedly(1, 0.2)
            self.kill_repeatedly(6, 0.012)
        self.finish_and_check(load)

    def test_nothing_is_lost_or_doubled_while_it_ends(self):
        load = Load(self.bed, 0, 3, "--burst", 300)
        for _ in range(ROUNDS // 5):
            consumer = self.bed.start_consumer()
            load.advance()
            consumer.send(signal.SIGTERM)
            time.sleep(self.dice.uniform(0, 0.005))
            consumer.kill()
        self.finish_and_check(load)

    def test_nothing_is_lost_or_doubled_when_the_service_dies_too(self):
        for number in range(ROUNDS // 5):
            with TestBed() as bed:
                load = Load(bed, 0, 2, ring_bytes=self.dice.choice((1 << 16, 1 << 20)))
                consumer = bed.start_consumer()
                time.sleep(self.dice.uniform(0, 0.05))
                deaths = [load.process, consumer]
                self.dice.shuffle(deaths)
                deaths[0].kill()
                time.sleep(self.dice.uniform(0, 0.01))
                deaths[1].kill()
                bed.run_consumer_once()
                output = print_and_check(*bed.traces())
                for thread, returned in load.expected().items():
                    self.assertIn(output.accounted_for(thread), (returned, returned + 1),
                                  f"round {number}, RINGSIDE_TEST_SEED={SEED}")
                self.assertEqual(bed.shm_names(), [])

    def test_nothing_is_lost_or_doubled_when_the_output_directory_changes(self):
        outputs = [os.path.join(self.bed.work_dir, name) for name in ("first", "second", "third")]
        for output in outputs:
            os.mkdir(output)
        load = Load(self.bed, 0, 2, "--burst", 300)
        for number, output in enumerate((0, 1, 0, 2, 1, 1)):
            consumer = self.bed.start_consumer("--output", outputs[output])
            wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
            load.advance()
            time.sleep(self.dice.uniform(0, 0.1))
            if number != 5:
                consumer.kill()
        # The last one drains while the service ends: the service would wait for a full ring, and then lose records.
        load.stop()
        consumer.kill()
        self.bed.run_consumer_once("--output", outputs[0])
        self.assertEqual(self.bed.traces(), [])
        for order in (outputs, outputs[::-1]):
            output = print_and_check(*order)
            self.assertEqual(output.records_of, load.expected(), f"RINGSIDE_TEST_SEED={SEED}")
            self.assertEqual(output.lost, 0)
            verify(*order)

    def test_nothing_is_lost_or_doubled_with_pwrite(self):
        load = Load(self.bed, 0, 2, "--burst", 300)
        self.kill_repeatedly(ROUNDS // 5, 0.15, "--io", "pwrite")
        self.finish_and_check(load, arguments=("--io", "pwrite"))

    def test_nothing_is_lost_or_doubled_with_io_uring(self):
        if "cannot" in self.why_no_uring():
            self.skipTest(self.why_no_uring())
        load = Load(self.bed, 0, 2, "--burst", 300)
        self.kill_repeatedly(ROUNDS // 5, 0.15, "--io", "uring")
        self.finish_and_check(load, arguments=("--io", "uring"))

    def why_no_uring(self):
        with TestBed() as bed:
            consumer = bed.start_consumer("--io", "uring", "--once")
            return "" if consumer.wait() == 0 else "cannot use io_uring: " + consumer.stderr()

    def test_nothing_is_lost_or_doubled_with_two_services(self):
        loads = [Load(self.bed, 0, 2, "--burst", 300), Load(self.bed, 10, 3, "--burst", 100)]
        self.kill_repeatedly(ROUNDS // 5, 0.2)
        self.finish_and_check(*loads)

    def test_times_continue_where_the_predecessor_stopped(self):
        # A service that has measured its clock badly. The consumer corrects the times step by step, and its successor
        # continues from that point, not from the beginning.
        load = Load(self.bed, 0, 2, "--burst", 20, ring_bytes=1 << 24)
        (segment,) = self.bed.segments()
        with open(os.path.join(self.bed.shm_dir, segment), "r+b") as file:
            hz = read_tick_hz(file)
            write_tick_hz(file, hz + hz // 200)
        for end in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
            consumer = self.bed.start_consumer()
            goal = time.monotonic() + 1.5  # the rate is measured over at least a second
            wait_until(lambda: time.monotonic() > goal, "the clock to be corrected")
            load.advance()
            consumer.send(end)
            consumer.wait()
        self.finish_and_check(load)

    def test_a_stopped_consumer_loses_nothing(self):
        load = Load(self.bed, 0, 3, ring_bytes=1 << 16)
        consumer = self.bed.start_consumer()
        for _ in range(3):
            load.advance()
            consumer.send(signal.SIGSTOP)
            # The rings fill up and the threads wait, until nothing changes any more.
            wait_until(lambda: self.stands_still(load), "the service to wait for space")
            consumer.send(signal.SIGCONT)
            load.advance()
        self.bed.stop_consumer(consumer)
        self.finish_and_check(load)

    @staticmethod
    def stands_still(load):
        before = load.progress.total()
        time.sleep(0.05)
        return load.progress.total() == before


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
