#!/usr/bin/env python3
"""The file of a live segment is removed: the service continues in another segment. The service, the new segment and the
trace report the same count of records that could not be read from the first."""

import json
import os
import signal
import subprocess
import unittest

from progress_file import ProgressFile
from segment_counters import consumer_polls
from traced_processes import BOUND_S, TestBed, program, wait_until

SMALL_RING = 1 << 16
NO_SHARED_MEMORY = "6"


def stats(bed):
    done = subprocess.run([program("ringcat"), "stats", "--format", "json", *bed.traces()],
                          capture_output=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return json.loads(done.stdout)


class RemovedSegment(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.progress = ProgressFile(os.path.join(self.bed.work_dir, "progress"))

    def start_service(self, *arguments, **how):
        service = self.bed.start_service("--records", 0, "--threads", 2, "--progress",
                                         self.progress.path, *arguments, piped=True, **how)
        self.wait_for_records(100)
        return service

    def start_steady_service(self):
        """A service that does not fill a ring and calls nothing but log statements."""
        return self.start_service("--burst", 5, "--pause-us", 2000)

    def wait_for_records(self, more):
        """Waits for `more` records of both threads, from now on."""
        seen = [self.progress.returned(thread) for thread in range(2)]
        wait_until(lambda: all(self.progress.returned(thread) >= seen[thread] + more
                               for thread in range(2)), f"{more} more records")

    def the_segment(self):
        (name,) = self.bed.segments()
        return os.path.join(self.bed.shm_dir, name)

    def start_consumer_of(self, path):
        consumer = self.bed.start_consumer()
        wait_until(lambda: consumer_polls(path), "the consumer to take the segment")
        return consumer

    def wait_for_another_segment(self):
        wait_until(self.bed.segments, "another segment")

    def end(self, service, consumer):
        """Returns what the service logged and lost, and what the trace reports."""
        service.end_input()
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        values = service.values()
        told = stats(self.bed)
        logged, lost = int(values["logged"]), int(values.get("lost.0", 0))
        self.assertEqual(told["records"] + told["lost"], logged)
        self.assertEqual(told["lost"], lost)
        self.assertEqual(told.get("lost_by_cause", {}) or {}, {"no_shared_memory": lost} if lost else {})
        self.assertEqual(int(values.get(f"lost.{NO_SHARED_MEMORY}", 0)), lost)
        return logged, lost

    def test_nothing_is_lost_while_a_consumer_has_it(self):
        service = self.start_steady_service()
        path = self.the_segment()
        consumer = self.start_consumer_of(path)
        os.unlink(path)
        self.wait_for_another_segment()
        self.wait_for_records(100)
        _, lost = self.end(service, consumer)
        self.assertEqual(lost, 0)
        self.assertIn(f"{path} was removed while in use", service.stderr())
        self.assertEqual(service.stderr().count("\n"), 1)

    def test_unread_records_are_counted_and_the_next_consumer_gets_what_follows(self):
        service = self.start_steady_service()
        path = self.the_segment()
        consumer = self.start_consumer_of(path)
        self.wait_for_records(100)
        consumer.kill()
        self.wait_for_records(100)
        os.unlink(path)
        consumer = self.bed.start_consumer()
        self.wait_for_another_segment()
        self.wait_for_records(100)
        logged, lost = self.end(service, consumer)
        self.assertGreaterEqual(lost, 200)
        self.assertGreaterEqual(logged - lost, 200)

    def test_a_full_ring_does_not_wait_for_a_consumer_that_cannot_find_it(self):
        # A thread that waited for a consumer would wait this long.
        service = self.start_service(
            "--uniform", ring_bytes=SMALL_RING, timeout_ms=100,
            environment={"RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS": "1000000"})
        path = self.the_segment()
        consumer = self.start_consumer_of(path)
        self.wait_for_records(10_000)
        service.send(signal.SIGSTOP)
        consumer.kill()
        os.unlink(path)
        consumer = self.bed.start_consumer()
        wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
        service.send(signal.SIGCONT)
        self.wait_for_another_segment()
        self.wait_for_records(10_000)
        service.end_input()
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        values, told = service.values(), stats(self.bed)
        self.assertEqual(told["records"] + told["lost"], int(values["logged"]))
        self.assertEqual(told["lost"], int(values["lost.0"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
