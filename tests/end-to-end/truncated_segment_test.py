#!/usr/bin/env python3
"""Another process truncates the segment of a running service: the service survives and continues in another
segment, consumerd survives, and the loss is counted and reported."""

import json
import os
import signal
import struct
import subprocess
import unittest

from progress_file import ProgressFile
from segment_counters import RINGS_KIND, consumer_polls, regions_of
from traced_processes import BOUND_S, TestBed, program, wait_until

THREADS = 4
RING = 1 << 16
NO_SHARED_MEMORY = "6"


def begin_of_ring(path, index):
    with open(path, "rb") as file:
        return next(region[2] for region in regions_of(file) if region[0] == RINGS_KIND) + index * RING


class TruncatedSegment(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.progress = ProgressFile(os.path.join(self.bed.work_dir, "progress"))

    def start_service(self, overflow, guard=None, mode="0660"):
        environment = {"RINGSIDE_MODE": mode, "RINGSIDE_MAX_THREADS": "8"}
        if guard:
            environment["RINGSIDE_TRUNCATION_GUARD"] = guard
        service = self.bed.start_service(
            "--records", 0, "--threads", THREADS, "--burst", 5, "--pause-us", 1000, "--progress",
            self.progress.path, piped=True, overflow=overflow, ring_bytes=RING, timeout_ms=1,
            environment=environment)
        self.wait_for_records(100, service)
        return service

    def wait_for_records(self, more, service):
        """Of all threads, from now on."""
        seen = [self.progress.returned(thread) for thread in range(THREADS)]
        wait_until(lambda: not service.running() or
                   all(self.progress.returned(thread) >= seen[thread] + more
                       for thread in range(THREADS)), f"{more} more records")
        self.assertTrue(service.running(), service.stderr())

    def the_segment(self):
        (name,) = self.bed.segments()
        return os.path.join(self.bed.shm_dir, name)

    def truncate(self, path, size):
        os.truncate(path, size)
        wait_until(lambda: not os.path.exists(path) and self.bed.segments(), "another segment")

    def checked_end(self, service, consumer):
        """Ends both. All records of the trace are sound, and the loss is in the counts of the service and
        in the trace. It is an estimate: the consumer may have read everything before."""
        service.end_input()
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        verified = subprocess.run([program("ringcat"), "verify", *self.bed.traces()], capture_output=True,
                                  text=True, timeout=BOUND_S, check=False)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        stats = subprocess.run([program("ringcat"), "stats", "--format", "json", *self.bed.traces()],
                               capture_output=True, timeout=BOUND_S, check=True)
        values, told = service.values(), json.loads(stats.stdout)
        self.assertGreaterEqual(int(values.get(f"lost.{NO_SHARED_MEMORY}", 0)), 1)
        self.assertGreaterEqual(told["lost_by_cause"]["no_shared_memory"], 1)
        self.assertLessEqual(told["records"], int(values["logged"]))
        return told

    def check_message(self, service, path):
        lines = [line for line in service.stderr().splitlines() if "was truncated while in use" in line]
        self.assertEqual(len([line for line in lines if f"{path} was truncated" in line]), 1, service.stderr())

    def truncate_and_check(self, overflow, size_of, with_consumer):
        service = self.start_service(overflow)
        path = self.the_segment()
        consumer = None
        if with_consumer:
            consumer = self.bed.start_consumer()
            wait_until(lambda: consumer_polls(path), "the consumer to take the segment")
        self.wait_for_records(100, service)
        self.truncate(path, size_of(path))
        self.wait_for_records(200, service)
        if not with_consumer:
            consumer = self.bed.start_consumer()
            self.wait_for_records(200, service)
        told = self.checked_end(service, consumer)
        self.check_message(service, path)
        # Each thread has logged at least that many since.
        self.assertGreaterEqual(told["records"], 200 * THREADS)

    def check_all_sizes(self, overflow):
        sizes = {"to nothing": lambda path: 0,
                 "within the head": lambda path: 4096,
                 "to half": lambda path: os.path.getsize(path) // 2,
                 "within a ring": lambda path: begin_of_ring(path, 1) + RING // 2}
        for name, size_of in sizes.items():
            for with_consumer in (True, False):
                with self.subTest(size=name, with_consumer=with_consumer):
                    bed = self.bed
                    try:
                        self.setUp()
                        self.truncate_and_check(overflow, size_of, with_consumer)
                    finally:
                        self.bed.close()
                        self.bed = bed

    def test_service_survives_with_policy_block(self):
        self.check_all_sizes("block")

    def test_service_survives_with_policy_drop(self):
        self.check_all_sizes("drop")

    def test_service_survives_with_policy_overwrite(self):
        self.check_all_sizes("overwrite")

    def test_service_survives_ten_truncations_and_the_consumer_too(self):
        service = self.start_service("drop")
        consumer = self.bed.start_consumer()
        for turn in range(10):
            path = self.the_segment()
            if turn % 2 == 0:
                wait_until(lambda path=path: consumer_polls(path), "the consumer to take the segment")
            self.truncate(path, 0)
            self.wait_for_records(50, service)
        self.checked_end(service, consumer)

    def test_service_without_the_guard_dies_of_sigbus(self):
        for guard, mode in (("off", "0660"), (None, "0600")):
            with self.subTest(guard=guard, mode=mode):
                service = self.start_service("drop", guard, mode)
                os.truncate(self.the_segment(), 0)
                status = service.wait()
                if os.environ.get("RINGSIDE_TEST_SANITIZED"):
                    self.assertNotEqual(status, 0)
                else:
                    self.assertEqual(status, -signal.SIGBUS)
                for name in self.bed.segments():
                    os.unlink(os.path.join(self.bed.shm_dir, name))

    def test_service_survives_with_the_guard_on_for_its_owner_alone(self):
        service = self.start_service("drop", guard="on", mode="0600")
        self.truncate(self.the_segment(), 0)
        self.wait_for_records(100, service)

    def start_c_service(self, guard):
        service = self.bed.start_service(guard, which="truncated_service", piped=True)
        wait_until(self.bed.segments, "the segment")
        path = self.the_segment()
        wait_until(lambda: not service.running() or read_position(path) > 0, "records")
        return service, path

    def test_service_in_c_with_its_own_handler_survives(self):
        service, path = self.start_c_service("on")
        consumer = self.bed.start_consumer()
        wait_until(lambda: consumer_polls(path), "the consumer to take the segment")
        self.truncate(path, 0)
        wait_until(lambda: read_position(self.the_segment()) > 10_000, "records in the new segment")
        self.checked_end(service, consumer)
        self.check_message(service, path)
        self.assertGreaterEqual(int(service.values()["faults"]), 1)

    def test_service_in_c_without_the_guard_dies_of_sigbus(self):
        service, path = self.start_c_service("off")
        os.truncate(path, 0)
        self.assertNotEqual(service.wait(), 0)


def read_position(path):
    """How far the first thread has published; 0 if the file has no rings yet."""
    try:
        with open(path, "rb") as file:
            rings = next((region for region in regions_of(file) if region[0] == 2), None)
            if rings is None:
                return 0
            file.seek(rings[2])
            return int.from_bytes(file.read(8), "little")
    except (OSError, ValueError, struct.error):
        return 0


if __name__ == "__main__":
    unittest.main(verbosity=2)
