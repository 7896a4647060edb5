#!/usr/bin/env python3
"""Services without a consumerd, or with a stopped one: they run to their end, and records that did not fit are counted
exactly. With an unlimited wait they wait for a consumerd that lives, and for no other."""

import os
import signal
import subprocess
import time
import unittest

from checked_output import print_and_check, print_raw
from segment_counters import SegmentCounters
from progress_file import ProgressFile
from traced_processes import BOUND_S, TestBed, program, wait_until

RECORDS = 300_000
THREADS = 2
SMALL_RING = 1 << 16


class NoConsumer(unittest.TestCase):
    def check_sum(self, bed, thread_count=THREADS, records=RECORDS, some_lost=True):
        output = print_and_check(*bed.traces())
        for thread in range(thread_count):
            self.assertEqual(output.accounted_for(thread), records)
            self.assertGreater(output.records_of[thread], 0)
        if some_lost:
            self.assertGreater(output.lost, 0)
        return output

    def run_alone(self, bed, overflow, timeout_ms):
        """A service that logs more than its rings hold while no consumer drains them."""
        service = bed.start_service("--threads", THREADS, "--records", RECORDS, overflow=overflow,
                                    timeout_ms=timeout_ms, ring_bytes=SMALL_RING)
        self.assertEqual(service.wait(), 0, service.stderr())
        self.assertEqual(service.stderr(), "")
        (segment,) = bed.segments()
        return service, SegmentCounters(os.path.join(bed.shm_dir, segment))

    def test_a_blocking_service_waits_once_per_thread_at_most(self):
        with TestBed() as bed:
            timeout_ms = 50
            service, counters = self.run_alone(bed, "block", timeout_ms)
            # A wait that finds the policy disarmed is not counted.
            self.assertGreaterEqual(counters["blocked_count"], 1)
            self.assertLessEqual(counters["blocked_count"], THREADS)
            # The whole bound, but not forever: how late a thread wakes up depends on the machine.
            blocked_s = counters["blocked_ticks"] / counters.tick_hz
            self.assertGreater(blocked_s, 0.9 * timeout_ms / 1000)
            self.assertLess(blocked_s, BOUND_S)
            self.assertEqual(str(counters["dropped_total"]), service.values()["dropped"])
            bed.run_consumer_once()
            output = self.check_sum(bed)
            self.assertEqual(output.lost, counters["dropped_total"])
            self.assertEqual(bed.shm_names(), [])

    def test_a_dropping_service_never_waits(self):
        with TestBed() as bed:
            _, counters = self.run_alone(bed, "drop", 60_000)
            self.assertEqual(counters["blocked_count"], 0)
            bed.run_consumer_once()
            output = self.check_sum(bed)
            self.assertEqual(output.lost, counters["dropped_total"])
            self.assertEqual(output.lost, counters["dropped_consumer_absent"])

    def test_the_place_and_cause_of_losses_are_reported(self):
        with TestBed() as bed:
            service = bed.start_service("--records", RECORDS, overflow="drop",
                                        ring_bytes=SMALL_RING)
            self.assertEqual(service.wait(), 0)
            bed.run_consumer_once()
            lines = print_raw(*bed.traces())
            # The ring filled up once and was never drained: one loss, after all records.
            self.assertIn(b" -:0 LOST [", lines[-1])
            lost = RECORDS - (len(lines) - 1)
            self.assertTrue(lines[-1].endswith(b"] %d records: no consumer ran" % lost), lines[-1])

    def test_a_late_consumer_takes_the_rest(self):
        for overflow, timeout_ms in (("drop", 0), ("block", 20)):
            with self.subTest(overflow), TestBed() as bed:
                progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
                service = bed.start_service(
                    "--threads", THREADS, "--records", 0, "--burst", 500, "--progress",
                    progress.path, overflow=overflow, timeout_ms=timeout_ms,
                    ring_bytes=SMALL_RING, piped=True)
                wait_until(progress.total, "the first record")
                (segment,) = bed.segments()
                path = os.path.join(bed.shm_dir, segment)
                wait_until(lambda: SegmentCounters(path)["dropped_total"] > 0, "losses")
                consumer = bed.start_consumer()
                # From here on it is drained; far more than the rings hold passes through.
                goal = progress.total() + 200_000
                wait_until(lambda: progress.total() > goal, "the service to continue")
                service.end_input()
                self.assertEqual(service.wait(), 0)
                bed.wait_until_segments_are_gone()
                bed.stop_consumer(consumer)
                output = print_and_check(*bed.traces())
                for thread in range(THREADS):
                    self.assertEqual(output.accounted_for(thread), progress.returned(thread))
                self.assertGreater(output.lost, 0)
                # More than the rings hold: a record has at least 16 bytes.
                self.assertGreater(output.records, THREADS * SMALL_RING // 16)
                self.assertEqual(str(output.lost), service.values()["dropped"])

    @staticmethod
    def blocked_s(path):
        counters = SegmentCounters(path)
        return counters["blocked_ticks"] / counters.tick_hz

    def test_a_stopped_consumer_costs_the_bound_and_what_was_lost_is_counted(self):
        with TestBed() as bed:
            timeout_ms = 300
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            service = bed.start_service(
                "--threads", THREADS, "--records", 0, "--burst", 500, "--progress", progress.path,
                overflow="block", timeout_ms=20, ring_bytes=SMALL_RING, piped=True,
                environment={"RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS": str(timeout_ms)})
            consumer = bed.start_consumer()
            wait_until(lambda: "draining" in consumer.stderr(), "the segment to be taken")
            consumer.send(signal.SIGSTOP)
            (segment,) = bed.segments()
            path = os.path.join(bed.shm_dir, segment)
            wait_until(lambda: SegmentCounters(path)["dropped_total"] > 0, "losses")
            # A thread that sees another thread's wait fail can count its loss before that thread counts its wait.
            wait_until(lambda: self.blocked_s(path) > 0.9 * timeout_ms / 1000, "a wait of the whole bound")
            # No thread waits again: with 50 ms per record this would take hours.
            goal = progress.total() + 200_000
            wait_until(lambda: progress.total() > goal, "the service to continue")
            consumer.send(signal.SIGCONT)
            service.end_input()
            self.assertEqual(service.wait(), 0)
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            output = print_and_check(*bed.traces())
            for thread in range(THREADS):
                self.assertEqual(output.accounted_for(thread), progress.returned(thread))
            self.assertGreater(output.lost, 100_000)
            self.assertEqual(str(output.lost), service.values()["dropped"])

    def test_threads_that_ended_long_ago_are_reported_too(self):
        # Every thread ends and its ring retires while the process keeps running.
        with TestBed() as bed:
            service = bed.start_service("--threads", 8, "--records", 20_000, "--hold",
                                        overflow="drop", ring_bytes=SMALL_RING, piped=True)
            wait_until(lambda: "done" in service.stdout(), "the threads to end")
            consumer = bed.start_consumer()
            bed.stop_consumer(consumer)
            self.check_sum(bed, 8, 20_000)
            service.end_input()
            self.assertEqual(service.wait(), 0)


class UnlimitedWait(unittest.TestCase):
    """RINGSIDE_BLOCK_TIMEOUT_MS=forever."""

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.progress = ProgressFile(os.path.join(self.bed.work_dir, "progress"))

    def start_logging(self, absent_timeout_ms):
        """A service that never pauses, with bounds that a limited wait exceeds at once."""
        service = self.bed.start_service(
            "--threads", THREADS, "--records", 0, "--progress", self.progress.path,
            timeout_ms="forever", ring_bytes=SMALL_RING, piped=True,
            environment={"RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS": "10",
                         "RINGSIDE_ABSENT_TIMEOUT_MS": str(absent_timeout_ms)})
        wait_until(self.progress.total, "the first record")
        (segment,) = self.bed.segments()
        return service, os.path.join(self.bed.shm_dir, segment)

    def wait_for_progress(self):
        goal = self.progress.total() + 100_000
        wait_until(lambda: self.progress.total() > goal, "the service to continue")

    def wait_for_standstill(self):
        """Until no log call has returned for half a second: all threads wait."""
        def has_stopped():
            before = self.progress.total()
            time.sleep(0.5)
            return self.progress.total() == before
        wait_until(has_stopped, "the service to wait")

    def drained_consumer(self):
        consumer = self.bed.start_consumer()
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be taken")
        self.wait_for_progress()
        return consumer

    def finish(self, service, consumer):
        service.end_input()
        self.assertEqual(service.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        output = print_and_check(*self.bed.traces())
        for thread in range(THREADS):
            self.assertEqual(output.accounted_for(thread), self.progress.returned(thread))
        self.assertEqual(str(output.lost), service.values()["dropped"])
        return output

    def test_a_stopped_consumer_is_awaited_and_nothing_is_lost(self):
        service, path = self.start_logging(absent_timeout_ms=60_000)
        consumer = self.drained_consumer()
        consumer.send(signal.SIGSTOP)
        self.wait_for_standstill()
        self.assertEqual(SegmentCounters(path)["dropped_total"], 0)
        consumer.send(signal.SIGCONT)
        self.wait_for_progress()
        self.assertEqual(self.finish(service, consumer).lost, 0)

    def test_a_killed_consumer_ends_the_wait(self):
        service, path = self.start_logging(absent_timeout_ms=60_000)
        consumer = self.drained_consumer()
        consumer.send(signal.SIGSTOP)
        self.wait_for_standstill()
        subprocess.run([program("ringctl"), "policy", "--block-timeout", "100ms", "--shm-dir", self.bed.shm_dir],
                       check=True, stdout=subprocess.DEVNULL, timeout=BOUND_S)
        # Still alive.
        self.wait_for_standstill()
        consumer.kill()
        self.wait_for_progress()
        self.assertGreater(SegmentCounters(path)["dropped_consumer_absent"], 0)
        self.assertGreater(self.finish(service, self.drained_consumer()).lost, 0)

    def test_a_successor_within_the_bound_loses_nothing(self):
        service, _ = self.start_logging(absent_timeout_ms=600_000)
        for _ in range(3):
            consumer = self.drained_consumer()
            consumer.kill()
            self.wait_for_standstill()
        self.assertEqual(self.finish(service, self.drained_consumer()).lost, 0)

    def test_without_a_consumer_the_bound_is_paid_once(self):
        service, path = self.start_logging(absent_timeout_ms=300)
        self.wait_for_progress()
        counters = SegmentCounters(path)
        self.assertGreater(counters["dropped_consumer_absent"], 0)
        wait_until(lambda: SegmentCounters(path)["blocked_ticks"] / counters.tick_hz > 0.27, "a wait of the whole bound")
        self.assertLessEqual(SegmentCounters(path)["blocked_count"], THREADS)
        self.assertGreater(self.finish(service, self.drained_consumer()).lost, 0)

    def test_an_operator_ends_the_wait_for_a_consumer_that_hangs(self):
        service, path = self.start_logging(absent_timeout_ms=600_000)
        consumer = self.drained_consumer()
        consumer.send(signal.SIGSTOP)
        self.wait_for_standstill()
        subprocess.run([program("ringctl"), "policy", "drop", "--shm-dir", self.bed.shm_dir],
                       check=True, stdout=subprocess.DEVNULL, timeout=BOUND_S)
        self.wait_for_progress()
        self.assertGreater(SegmentCounters(path)["dropped_total"], 0)
        consumer.send(signal.SIGCONT)
        self.assertGreater(self.finish(service, consumer).lost, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
