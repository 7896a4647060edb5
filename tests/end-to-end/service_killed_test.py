#!/usr/bin/env python3
"""SIGKILL of a logging process at random moments: every record whose call had returned is in the trace, at most one
unfinished record besides, nothing torn, nothing invented.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import concurrent.futures
import os
import random
import signal
import time
import unittest

from checked_output import print_and_check
from progress_file import ProgressFile
from traced_processes import TestBed, wait_until

# A sanitizer checks what every round does; other builds cover many moments.
ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "60" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "200"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
PARALLEL = 3
# Reached only by a hang.
LIVE = {"RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS": "100000"}


def run_and_kill(bed, number, dice):
    """Starts a workload and kills it. Returns its process, threads and progress."""
    threads = dice.choice((2, 3))
    progress = ProgressFile(os.path.join(bed.work_dir, f"progress-{number}"))
    arguments = ["--threads", threads, "--records", 0, "--progress", progress.path]
    if dice.random() < 0.3:
        arguments += ["--burst", dice.randrange(1, 400), "--pause-us", dice.randrange(1, 2000)]
    service = bed.start_service(
        *arguments, service=f"victim{number}", piped=True,
        overflow=dice.choice(("block", "block", "drop")),
        ring_bytes=dice.choice((1 << 16, 1 << 20, 1 << 24)))
    wait_until(progress.total, "the first record")
    time.sleep(dice.uniform(0.0001, 0.02))
    service.kill()
    return threads, progress


class KilledService(unittest.TestCase):
    def check(self, bed, number, threads, progress):
        files = [path for path in bed.traces()
                 if os.path.basename(path).startswith(f"victim{number}.")]
        self.assertEqual(len(files), 1, files)
        output = print_and_check(*files)
        for thread in range(threads):
            returned = progress.returned(thread)
            self.assertIn(output.accounted_for(thread), (returned, returned + 1), f"thread {thread}")
        self.assertLessEqual(set(output.records_of), set(range(threads)))

    def kill_then_drain(self, number):
        with TestBed() as bed:
            threads, progress = run_and_kill(bed, number, random.Random(SEED * 1000 + number))
            bed.run_consumer_once()
            self.check(bed, number, threads, progress)
            self.assertEqual(bed.shm_names(), [])

    def kill_while_drained(self, bed, number):
        threads, progress = run_and_kill(bed, number, random.Random(SEED * 1000 + number))
        bed.wait_until_segments_are_gone(f"victim{number}.")
        self.check(bed, number, threads, progress)

    def run_rounds(self, work, numbers):
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            rounds = {number: pool.submit(work, number) for number in numbers}
        failures = [f"round {number}: {done.exception()}" for number, done in rounds.items()
                    if done.exception()]
        self.assertFalse(failures, f"{len(failures)} rounds failed with RINGSIDE_TEST_SEED={SEED}:"
                                   "\n" + "\n".join(failures[:5]))

    def test_records_are_drained_after_the_death(self):
        self.run_rounds(self.kill_then_drain, range(ROUNDS // 2))

    def test_records_are_drained_before_and_after_the_death(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            self.run_rounds(lambda number: self.kill_while_drained(bed, number),
                            range(ROUNDS // 2, ROUNDS))
            bed.stop_consumer(consumer)
            self.assertEqual(bed.shm_names(), [])

    def test_one_that_dies_while_it_starts_leaves_nothing_behind(self):
        dice = random.Random(f"{SEED} startup")
        with TestBed() as bed:
            consumer = bed.start_consumer()
            progress = {}

            def start(number):
                progress[number] = ProgressFile(os.path.join(bed.work_dir, f"progress-{number}"))
                return bed.start_service("--records", 0, "--first", number, "--progress",
                                         progress[number].path, ring_bytes=1 << 16, piped=True)

            # The time of a start differs by a factor of ten between builds and machines.
            begin = time.monotonic()
            service = start(0)
            wait_until(lambda: progress[0].returned(0) > 0, "the first record")
            start_s = time.monotonic() - begin
            service.kill()
            for number in range(1, max(10, ROUNDS // 4)):
                service = start(number)
                time.sleep(dice.uniform(0, 1.5 * start_s))
                service.kill()
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.assertEqual(bed.shm_names(), [])
            self.assertNotIn("error", consumer.stderr())
            output = print_and_check(*bed.traces())
            for number, page in progress.items():
                self.assertIn(output.accounted_for(number), (page.returned(0), page.returned(0) + 1))

    def wait_until_stuck(self, progress):
        """Until its threads wait for space. No check depends on that: a service that is killed earlier loses nothing either."""
        def has_stopped():
            before = progress.total()
            time.sleep(0.05)
            return before > 0 and progress.total() == before
        wait_until(has_stopped, "the service to wait")

    def kill_while_waiting(self, adopted):
        dice = random.Random(f"{SEED} waiting {adopted}")
        with TestBed() as bed:
            consumer = bed.start_consumer()
            wait_until(lambda: "watching" in consumer.stderr(), "consumerd")
            if not adopted:
                consumer.send(signal.SIGSTOP)
            services = []
            for number in range(5):
                progress = ProgressFile(os.path.join(bed.work_dir, f"progress-{number}"))
                service = bed.start_service("--threads", 2, "--records", 0, "--progress", progress.path,
                                            service=f"victim{number}", piped=True, ring_bytes=1 << 16,
                                            timeout_ms=1, environment=LIVE)
                services.append((number, service, progress))
            for number, _, progress in services:
                wait_until(progress.total, "the first record")
                if adopted:
                    wait_until(lambda name=f"draining ringside.victim{number}.": name in consumer.stderr(), "it to drain")
            if adopted:
                consumer.send(signal.SIGSTOP)
            for _, service, progress in services:
                self.wait_until_stuck(progress)
                time.sleep(dice.uniform(0, 0.02))
                service.kill()
            # A killed service that waited must not be in the way of the next one.
            next_one = bed.start_service("--records", 5000, "--first", 2, service="next", ring_bytes=1 << 16,
                                         timeout_ms=1, environment=LIVE)
            consumer.send(signal.SIGCONT)
            self.assertEqual(next_one.wait(), 0)
            self.assertEqual(next_one.values()["dropped"], "0")
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.assertEqual(bed.shm_names(), [])
            self.assertNotIn("error", consumer.stderr())
            for number, _, progress in services:
                # Not even the record that waited for space is half there.
                output = print_and_check(*[path for path in bed.traces()
                                           if os.path.basename(path).startswith(f"victim{number}.")])
                self.assertEqual(output.lost, 0)
                for thread in range(2):
                    self.assertIn(output.records_of.get(thread, 0),
                                  (progress.returned(thread), progress.returned(thread) + 1))

    def test_one_that_waits_for_a_busy_consumer_loses_nothing_when_killed(self):
        self.kill_while_waiting(adopted=True)

    def test_one_that_waits_to_be_adopted_loses_nothing_when_killed(self):
        self.kill_while_waiting(adopted=False)


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
