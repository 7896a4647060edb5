#!/usr/bin/env python3
"""Losses explained: for each cause, the logged records are the decoded ones and the losses in the trace, with the right
cause. The sums by thread, by statement and by interval are the same."""

import json
import os
import random
import signal
import subprocess
import unittest

from progress_file import ProgressFile
from segment_counters import (SegmentCounters, consumer_polls, drop_from_now_on,
                              scribble_on_first_ring, scribble_on_losses)
from small_file_system import SmallFileSystem
from traced_processes import BOUND_S, TestBed, program, wait_until

SMALL_RING = 1 << 16
STATUS_NOTHING_READ = 3


def stats(bed):
    """The counts of `ringcat stats` for the traces; empty while they contain nothing."""
    done = subprocess.run([program("ringcat"), "stats", "--format", "json", "--interval", "10ms",
                           *bed.traces()], capture_output=True, timeout=BOUND_S, check=False)
    if done.returncode == STATUS_NOTHING_READ:
        return {}
    assert done.returncode == 0, (done.returncode, done.stderr)
    return json.loads(done.stdout)


def sums(tables):
    """Sums of losses by cause over a list of streams, sites or intervals."""
    total = {}
    for one in tables:
        for cause, count in one.get("lost_by_cause", {}).items():
            total[cause] = total.get(cause, 0) + count
    return total


def loss_lines(bed):
    """The losses that `ringcat --format json` prints."""
    done = subprocess.run([program("ringcat"), "--format", "json", *bed.traces()],
                          capture_output=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line for line in lines if line["kind"] == "loss"]


class Losses(unittest.TestCase):
    def check(self, bed, logged, cause, by_site=True):
        """Every record is accounted for, `cause` is the only cause, and every table has the same sum."""
        told = stats(bed)
        self.assertEqual(told["records"] + told["lost"], logged)
        self.assertGreater(told["lost"], 0)
        self.assertEqual(told["lost_by_cause"], {cause: told["lost"]})
        self.assertEqual(sums(told["streams"]), told["lost_by_cause"])
        self.assertEqual(sums(told["intervals"]), told["lost_by_cause"])
        if by_site:
            self.assertEqual(sums(told["sites"]), told["lost_by_cause"])
        lines = loss_lines(bed)
        self.assertEqual(sum(line["count"] for line in lines), told["lost"])
        for line in lines:
            self.assertEqual(line["cause"], cause)
            self.assertLessEqual(line["since_unix_ns"], line["unix_ns"])
        return told

    def run_service(self, bed, *arguments, environment=None, **how):
        service = bed.start_service(*arguments, environment=environment, **how)
        self.assertEqual(service.wait(), 0, service.stderr())
        return service.values()

    def test_no_consumer(self):
        with TestBed() as bed:
            values = self.run_service(bed, "--threads", 2, "--records", 20_000, overflow="drop",
                                      ring_bytes=SMALL_RING)
            (name,) = bed.segments()
            counters = SegmentCounters(os.path.join(bed.shm_dir, name))
            bed.run_consumer_once()
            told = self.check(bed, 40_000, "no_consumer")
            self.assertEqual(told["lost"], counters["dropped_consumer_absent"])
            self.assertEqual(str(told["lost"]), values["lost.2"])
            self.assertEqual(str(told["lost"]), values["lost.0"])

    def test_ring_full(self):
        with TestBed() as bed:
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            service = bed.start_service("--records", 0, "--burst", 100, "--progress",
                                        progress.path, ring_bytes=SMALL_RING, piped=True)
            consumer = bed.start_consumer()
            wait_until(lambda: progress.total() > 2000, "records")
            path = os.path.join(bed.shm_dir, bed.segments()[0])
            self.assertTrue(consumer_polls(path))
            # A stopped consumer is slow, not absent: its state says that it polls.
            consumer.send(signal.SIGSTOP)
            drop_from_now_on(path)
            goal = progress.total() + 5000
            wait_until(lambda: progress.total() > goal, "losses")
            consumer.send(signal.SIGCONT)
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.check(bed, int(service.values()["logged"]), "ring_full")

    def test_a_consumer_that_was_killed(self):
        with TestBed() as bed:
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            service = bed.start_service("--threads", 2, "--records", 0, "--burst", 200,
                                        "--progress", progress.path, overflow="block",
                                        timeout_ms=20, ring_bytes=SMALL_RING, piped=True)
            consumer = bed.start_consumer()
            wait_until(lambda: progress.total() > 10_000, "records")
            consumer.kill()
            goal = progress.total() + 20_000
            wait_until(lambda: progress.total() > goal, "losses")
            consumer = bed.start_consumer()
            goal = progress.total() + 10_000
            wait_until(lambda: progress.total() > goal, "records after them")
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            told = stats(bed)
            self.assertEqual(told["records"] + told["lost"], int(service.values()["logged"]))
            self.assertGreater(told["lost_by_cause"]["no_consumer"], 0)
            self.assertEqual(sums(told["streams"]), told["lost_by_cause"])
            self.assertEqual(sums(told["sites"]), told["lost_by_cause"])

    def test_more_threads_than_rings(self):
        with TestBed() as bed:
            values = self.run_service(bed, "--threads", 6, "--records", 3000, "--together",
                                      environment={"RINGSIDE_MAX_THREADS": "2"})
            bed.run_consumer_once()
            told = self.check(bed, 18_000, "no_ring")
            self.assertEqual(told["lost"], 12_000)
            self.assertEqual(values["lost.5"], "12000")
            self.assertIn("threads without a ring", self.text(bed))

    def test_consumers_that_were_killed_after_reporting_losses(self):
        with TestBed() as bed:
            service = bed.start_service("--threads", 6, "--records", 1000, "--together", "--hold",
                                        piped=True, environment={"RINGSIDE_MAX_THREADS": "2"})
            sections = 0
            for _ in range(3):
                consumer = bed.start_consumer()

                # Each consumerd begins a section, and repeats the losses that the earlier ones reported.
                def has_told():
                    told = stats(bed) if bed.traces() else {}
                    return (told.get("sections", 0) > sections
                            and told.get("lost_by_cause") == {"no_ring": 4000})

                wait_until(has_told, "losses")
                sections = stats(bed)["sections"]
                consumer.kill()
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.run_consumer_once()
            self.check(bed, 6000, "no_ring")

    def test_counters_that_another_process_writes_to(self):
        seed = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
        print(f"RINGSIDE_TEST_SEED={seed}")
        noise = random.Random(seed)
        with TestBed() as bed:
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            service = bed.start_service("--records", 0, "--burst", 100, "--progress",
                                        progress.path, piped=True)
            consumer = bed.start_consumer()
            wait_until(bed.traces, "a trace")
            (name,) = bed.segments()
            for _ in range(200):
                scribble_on_losses(os.path.join(bed.shm_dir, name), noise)
                goal = progress.total() + 100
                wait_until(lambda: progress.total() > goal, "records")
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.assertEqual(stats(bed)["records"], int(service.values()["logged"]))

    def text(self, bed):
        return subprocess.run([program("ringcat"), "stats", *bed.traces()], capture_output=True,
                              timeout=BOUND_S, check=True, text=True).stdout

    @unittest.skipIf(os.geteuid() != 0, "only root can mount a small file system")
    def test_no_shared_memory(self):
        # Room for the first part of two rings, which is enough for these records.
        with SmallFileSystem(180 << 10) as small:
            directory = os.path.join(small.path, "segments")
            os.mkdir(directory)
            with TestBed(shm_dir=directory) as bed:
                values = self.run_service(bed, "--threads", 8, "--records", 100, "--together",
                                          ring_bytes=1 << 20)
                small.resize(64 << 20)
                bed.run_consumer_once()
                told = self.check(bed, 800, "no_shared_memory")
                self.assertEqual(told["lost"], 600)
                self.assertEqual(str(told["lost"]), values["lost.6"])

    @unittest.skipIf(os.geteuid() != 0, "only root can mount a small file system")
    def test_what_was_lost_before_there_was_a_segment(self):
        with SmallFileSystem(64 << 10) as small:
            directory = os.path.join(small.path, "segments")
            os.mkdir(directory)
            with TestBed(shm_dir=directory) as bed:
                progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
                service = bed.start_service("--records", 0, "--burst", 50, "--progress",
                                            progress.path, piped=True)
                wait_until(lambda: progress.total() > 1000, "losses")
                small.resize(64 << 20)
                wait_until(bed.segments, "the segment")
                goal = progress.total() + 1000
                wait_until(lambda: progress.total() > goal, "records")
                service.end_input()
                self.assertEqual(service.wait(), 0, service.stderr())
                bed.run_consumer_once()
                told = self.check(bed, int(service.values()["logged"]), "no_shared_memory")
                self.assertGreater(told["lost"], 1000)
                self.assertEqual(str(told["lost"]), service.values()["lost.6"])

    def test_too_large(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            self.run_service(bed, SMALL_RING, which="long_texts", ring_bytes=SMALL_RING)
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            told = stats(bed)
            self.assertGreater(told["too_large"], 0)
            self.assertEqual(told["lost"], 0, "cut records are present")
            self.assertEqual(sum(s.get("too_large", 0) for s in told["sites"]), told["too_large"])
            self.assertEqual(sums(told["sites"]), {})

    def test_a_quarantined_ring(self):
        with TestBed() as bed:
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            # All of one size, so that their number follows from their bytes.
            service = bed.start_service("--records", 1000, "--steps", "--uniform", "--progress",
                                        progress.path, overflow="drop", ring_bytes=SMALL_RING,
                                        piped=True)

            def log(steps):
                service.popen.stdin.write(b"\n" * steps)
                service.popen.stdin.flush()

            consumer = bed.start_consumer()
            log(1)
            wait_until(lambda: "flushed 1000\n" in service.stdout(), "the first records")
            consumer.send(signal.SIGSTOP)
            log(1)
            wait_until(lambda: progress.total() == 2000, "records in the ring")
            scribble_on_first_ring(os.path.join(bed.shm_dir, bed.segments()[0]))
            consumer.send(signal.SIGCONT)
            wait_until(lambda: "quarantined" in consumer.stderr(), "the damage to be seen")
            log(10)
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            told = stats(bed)
            self.assertEqual(set(told["lost_by_cause"]), {"quarantined"})
            self.assertGreater(told["records"], 1000)
            # The number of records in a damaged ring is an estimate from the size of the earlier ones.
            self.assertAlmostEqual(told["records"] + told["lost"],
                                   int(service.values()["logged"]), delta=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
