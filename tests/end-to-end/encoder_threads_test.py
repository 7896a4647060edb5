#!/usr/bin/env python3
"""consumerd --threads: rings of a busy service are divided among threads with files of their own. Whatever is killed, and
however many threads the next consumerd has, every record is in one file, once and in order.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import os
import random
import re
import signal
import subprocess
import time
import unittest

from checked_output import print_and_check, verify
from progress_file import ProgressFile
from steady_load import Load
from trace_blocks import check_indexes
from traced_processes import BOUND_S, TestBed, program, wait_until

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "8" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "20"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
THREADS = 6  # of the service, enough to fill rings faster than one thread drains them


def run(name, *arguments):
    return subprocess.run([program(name), *arguments], capture_output=True, timeout=BOUND_S, check=False)


def errors_of(consumer):
    """Without those of a busy machine, whose disk can take seconds for a sync."""
    return [line for line in consumer.stderr().splitlines()
            if "error" in line and "the disk does not respond" not in line]


class EncoderThreads(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.divisions = 0

    def start_consumer(self, threads, *arguments):
        return self.bed.start_consumer("--threads", threads, *arguments)

    def end(self, consumer, signal_number=signal.SIGKILL):
        if signal_number == signal.SIGKILL:
            consumer.kill()
        else:
            self.bed.stop_consumer(consumer, signal_number)
        self.assertEqual(errors_of(consumer), [])
        self.divisions += consumer.stderr().count("also writing")

    def finish(self, load, threads, *arguments):
        consumer = self.start_consumer(threads, *arguments)
        load.advance()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.end(consumer, signal.SIGTERM)

    def check(self, expected):
        traces = self.bed.traces()
        output = print_and_check(self.bed.output_dir, bound_s=400)
        self.assertEqual(output.records_of, expected, f"RINGSIDE_TEST_SEED={SEED}")
        self.assertEqual(output.lost, 0)
        verify(*traces)
        for path in traces:
            check_indexes(path)
        self.assertEqual(self.bed.shm_names(), [])
        return traces

    def test_kills_and_successors_with_other_numbers_of_threads(self):
        load = Load(self.bed, 0, THREADS, ring_bytes=1 << 18)
        counts = [2, 3, 1, 3, 2]
        for number in range(ROUNDS):
            consumer = self.start_consumer(counts[number % len(counts)], "--io", self.dice.choice(("auto", "pwrite")))
            time.sleep(self.dice.uniform(0, 0.25))
            self.end(consumer)
        self.finish(load, self.dice.choice((1, 2, 3)))
        self.check(load.expected())
        self.assertGreater(self.divisions, 0)

    def test_kills_while_files_rotate(self):
        load = Load(self.bed, 0, THREADS, ring_bytes=1 << 18)
        for _ in range(ROUNDS // 2):
            consumer = self.start_consumer(self.dice.choice((2, 3)), "--rotate-bytes", "512K")
            for _ in range(3):
                time.sleep(self.dice.uniform(0, 0.06))
                consumer.send(signal.SIGHUP)
            self.end(consumer)
        self.finish(load, 2, "--rotate-bytes", "512K")
        traces = self.check(load.expected())
        self.assertGreater(self.divisions, 0)
        numbers = sorted(int(re.search(r"\.(\d+)\.ringtrace$", path).group(1)) for path in traces)
        self.assertEqual(numbers, list(range(len(numbers))))

    def test_orderly_ends_and_other_numbers_of_threads(self):
        load = Load(self.bed, 0, THREADS, ring_bytes=1 << 18)
        for threads in (3, 1, 2, 3, 2):
            consumer = self.start_consumer(threads)
            load.advance()
            time.sleep(self.dice.uniform(0.05, 0.2))
            self.end(consumer, signal.SIGTERM)
        self.finish(load, 3)
        self.check(load.expected())
        self.assertGreater(self.divisions, 0)

    def test_the_service_is_killed(self):
        for number in range(max(2, ROUNDS // 5)):
            with TestBed() as bed:
                load = Load(bed, 0, THREADS, ring_bytes=1 << 20)
                consumer = bed.start_consumer("--threads", 2 + number % 2)
                time.sleep(self.dice.uniform(0.05, 0.3))
                load.process.kill()
                bed.wait_until_segments_are_gone()
                bed.stop_consumer(consumer)
                self.assertEqual(errors_of(consumer), [])
                output = print_and_check(bed.output_dir)
                for thread, returned in load.expected().items():
                    self.assertIn(output.accounted_for(thread), (returned, returned + 1),
                                  f"round {number}, RINGSIDE_TEST_SEED={SEED}")

    def test_a_flush_covers_all_files(self):
        for arguments in ((), ("--sync", "always"), ("--sync", "interval=10ms")):
            with TestBed() as bed:
                load = Load(bed, 0, THREADS, ring_bytes=1 << 18)
                # With pwrite nothing is under way between two rounds.
                consumer = bed.start_consumer("--threads", 3, "--io", "pwrite", *arguments)
                wait_until(lambda: "also writing" in consumer.stderr(), "a second file")
                for _ in range(3):
                    before = load.expected()
                    self.assertEqual(run("ringctl", "flush", "--shm-dir", bed.shm_dir, *self.dice.choice(
                        ((), ("--durable",)))).returncode, 0)
                    # What the flush covers is in the files, although no consumerd has ended.
                    consumer.send(signal.SIGSTOP)
                    output = print_and_check(bed.output_dir)
                    consumer.send(signal.SIGCONT)
                    for thread, returned in before.items():
                        self.assertGreaterEqual(output.records_of[thread], returned)
                load.stop()
                bed.wait_until_segments_are_gone()
                bed.stop_consumer(consumer)
                self.assertEqual(errors_of(consumer), [])
                self.assertEqual(print_and_check(bed.output_dir).records_of, load.expected())

    def test_64_full_rings_are_drained_at_once(self):
        for threads in ("1", "2", "3", "auto"):
            # On a busy machine a thread can wait for more than two seconds for its ring: then its first records are lost.
            done = any(self.drained_at_once(threads) for _ in range(10))
            self.assertTrue(done, "in each of ten services a thread did not get a ring in time")

    def drained_at_once(self, threads):
        """False if the service lost records before it had all rings."""
        with TestBed() as bed:
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            service = bed.start_service("--threads", 64, "--records", 20000, "--together", "--hold", "--progress",
                                        progress.path, piped=True, overflow="drop", ring_bytes=1 << 18)
            wait_until(lambda: "done" in service.stdout(), "full rings")
            if "without a ring: 0\n" not in service.stdout():
                return False
            bed.run_consumer_once("--threads", threads)
            output = print_and_check(bed.output_dir)
            for thread in range(64):
                self.assertGreater(output.records_of[thread], 1000)
            expected = {"1": (1,), "2": (2,), "3": (3,)}.get(threads, (1, 2, 3, 4))
            self.assertIn(len(bed.traces()), expected)
            service.end_input()
            service.wait()
            bed.run_consumer_once("--threads", threads)
            output = print_and_check(bed.output_dir)
            for thread in range(64):
                self.assertEqual(output.accounted_for(thread), progress.returned(thread))
            return True

    def test_a_service_with_one_busy_thread_has_one_file(self):
        load = Load(self.bed, 0, 1, ring_bytes=1 << 18)
        consumer = self.start_consumer("auto")
        time.sleep(0.3)
        self.end(consumer, signal.SIGTERM)
        self.finish(load, 4)
        self.assertEqual(len(self.check(load.expected())), 1)


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
