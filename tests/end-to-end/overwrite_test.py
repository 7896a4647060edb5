#!/usr/bin/env python3
"""Flight recorder: rings that are overwritten at full speed and read by snapshots. The records of a snapshot are whole and
as predicted, and the count of the records overwritten in between is exact.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import json
import os
import random
import subprocess
import time
import unittest

from checked_output import print_and_check
from progress_file import ProgressFile
from traced_processes import BOUND_S, TestBed, program, wait_until

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "10"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
RING_BYTES = 1 << 16


class Recorder:
    """A workload of `threads` that never pauses and never waits."""

    def __init__(self, bed, *arguments, threads=2, ring_bytes=RING_BYTES, service="recorder",
                 records=0):
        self.bed, self.threads = bed, threads
        self.progress = ProgressFile(os.path.join(bed.work_dir, "progress-" + service))
        self.process = bed.start_service(
            "--threads", threads, "--records", records, "--progress", self.progress.path,
            *arguments, service=service, overflow="overwrite", ring_bytes=ring_bytes, piped=True)
        wait_until(self.progress.total, "the first record")

    def overwrite_all(self):
        """Waits until every ring was overwritten: a record takes at least 8 bytes."""
        goal = [self.progress.returned(i) + RING_BYTES // 8 for i in range(self.threads)]
        wait_until(lambda: all(self.progress.returned(i) >= goal[i] for i in range(self.threads)),
                   "the rings to be overwritten")

    def told(self, output):
        """Every record of every thread is in the output, or counted in its place."""
        for thread in range(self.threads):
            returned = self.progress.returned(thread)
            told = output.accounted_for(thread)
            assert told in (returned, returned + 1), (SEED, thread, told, returned)


def ringctl(bed, *arguments):
    return subprocess.run([program("ringctl"), "snapshot", "--shm-dir", bed.shm_dir,
                           *map(str, arguments)], capture_output=True, text=True, timeout=BOUND_S,
                          check=False)


def snapshots(bed, *arguments):
    done = ringctl(bed, "--json", *arguments)
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def verify(*paths):
    done = subprocess.run([program("ringcat"), "verify", *paths], capture_output=True, text=True,
                          timeout=BOUND_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class FlightRecorder(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def adopted(self, consumer):
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")

    def end(self, consumer):
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertNotIn("error", consumer.stderr())
        self.assertEqual(self.bed.shm_names(), [])

    def test_snapshots_without_a_pause_of_a_producer_without_a_pause(self):
        consumer = self.bed.start_consumer()
        recorder = Recorder(self.bed)
        self.adopted(consumer)
        taken = []
        for _ in range(25):
            (one,) = snapshots(self.bed)
            self.assertGreaterEqual(one["lost"], one["overwritten"])
            taken.append(one)
        recorder.overwrite_all()
        recorder.process.kill()
        self.end(consumer)
        # One file per snapshot with records, and possibly one for what remained at the end.
        paths = {one["path"] for one in taken}
        self.assertLessEqual(paths, set(self.bed.traces()))
        self.assertLessEqual(len(self.bed.traces()), len(paths) + 1)
        self.assertGreaterEqual(len(paths), sum(1 for one in taken if one["records"]))
        output = print_and_check(*self.bed.traces())
        recorder.told(output)
        self.assertGreater(output.lost, 0)
        self.assertGreater(sum(one["records"] for one in taken), 0)
        self.assertLess(sum(one["records"] for one in taken), output.records)
        verify(*sorted(self.bed.traces(), key=lambda path: int(path.split(".")[-2])))
        print(f"snapshots: 25, records checked: {output.records}, overwritten: {output.lost}")

    def test_the_newest_records_survive_a_kill(self):
        for number in range(ROUNDS):
            with TestBed() as bed:
                ring_bytes = random.Random(SEED + number).choice((1 << 16, 1 << 20))
                recorder = Recorder(bed, ring_bytes=ring_bytes)
                recorder.overwrite_all()
                recorder.process.kill()
                bed.run_consumer_once()
                self.assertEqual(bed.shm_names(), [])
                (path,) = bed.traces()
                recorder.told(print_and_check(path))
                done = subprocess.run([program("ringcat"), "stats", "--format", "json", path],
                                      stdout=subprocess.PIPE, timeout=BOUND_S, check=True)
                stats = json.loads(done.stdout)
                if ring_bytes == RING_BYTES:
                    self.assertLessEqual({"overwritten"}, set(stats["lost_by_cause"]))
                    for stream in stats["streams"]:
                        # Of the 32 sub-buffers, two are kept free and one was released whole; each begins with 24 bytes
                        # that are not part of a record.
                        self.assertGreater(stream["ring_bytes"], ring_bytes * 28 // 32)

    def test_two_in_a_row(self):
        consumer = self.bed.start_consumer()
        recorder = Recorder(self.bed, "--hold", records=5000)
        wait_until(lambda: "done" in recorder.process.stdout(), "the records")
        self.adopted(consumer)
        (first,) = snapshots(self.bed, "--service", "rec*")
        (second,) = snapshots(self.bed, "--pid", recorder.process.pid)
        self.assertGreater(first["records"], 0)
        self.assertEqual(first["records"] + first["lost"], 2 * 5000)
        self.assertEqual((second["records"], second["lost"]), (0, 0))
        recorder.told(print_and_check(first["path"]))
        recorder.process.end_input()
        recorder.process.wait()
        self.end(consumer)
        recorder.told(print_and_check(*self.bed.traces()))

    def test_a_consumerd_killed_during_a_snapshot(self):
        dice = random.Random(f"{SEED} consumerd")
        recorder = Recorder(self.bed)
        consumer = self.bed.start_consumer()
        kills = 0
        for _ in range(ROUNDS):
            self.adopted(consumer)
            tool = self.bed.start([program("ringctl"), "snapshot", "--json", "--timeout", "100s",
                                   "--shm-dir", self.bed.shm_dir])
            time.sleep(dice.uniform(0, 0.02))
            consumer.kill()
            kills += 1
            consumer = self.bed.start_consumer()
            self.assertIn(tool.wait(), (0, 1))
            if tool.wait() == 1:
                self.assertIn("no consumerd serves", tool.stderr())
        self.adopted(consumer)
        snapshots(self.bed)
        recorder.process.kill()
        self.end(consumer)
        output = print_and_check(*self.bed.traces())
        recorder.told(output)
        print(f"kills: {kills}, records checked: {output.records}, lost: {output.lost}")

    def test_both_killed(self):
        dice = random.Random(f"{SEED} both")
        for _ in range(ROUNDS):
            with TestBed() as bed:
                recorder = Recorder(bed)
                consumer = bed.start_consumer()
                self.adopted(consumer)
                recorder.process.kill()
                time.sleep(dice.uniform(0, 0.08))  # consumerd finds the service dead within 50 ms
                consumer.kill()
                bed.run_consumer_once()
                self.assertEqual(bed.shm_names(), [])
                recorder.told(print_and_check(*bed.traces()))

    def test_a_consumerd_that_is_on_its_way(self):
        recorder = Recorder(self.bed)
        recorder.overwrite_all()
        for _ in range(20):  # it waits for a second, in which a busy machine may not start a consumerd
            tool = self.bed.start([program("ringctl"), "snapshot", "--json", "--shm-dir", self.bed.shm_dir])
            time.sleep(0.2)
            consumer = self.bed.start_consumer()
            if tool.wait() == 0:
                break
            self.assertIn("no consumerd serves", tool.stderr())
            consumer.kill()
        self.assertEqual(tool.wait(), 0, tool.stderr())
        recorder.process.kill()
        self.end(consumer)
        recorder.told(print_and_check(*self.bed.traces()))

    def test_a_segment_without_a_consumerd(self):
        recorder = Recorder(self.bed)
        recorder.overwrite_all()
        done = ringctl(self.bed)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no consumerd serves", done.stderr)
        (name,) = self.bed.segments()
        path = os.path.join(self.bed.shm_dir, name)
        for _ in range(5):
            # Read while it is overwritten: the number of the last record is unknown here.
            self.assertGreater(print_and_check("--segment", path, ringcat_notes=True).lost, 0)
        recorder.process.kill()
        output = print_and_check("--segment", path, ringcat_notes=True)
        recorder.told(output)

    def test_requests_that_ringctl_refuses(self):
        done = ringctl(self.bed)
        self.assertEqual(done.returncode, 3, done.stderr)
        drained = self.bed.start_service("--records", "0", piped=True, service="drained")
        wait_until(lambda: self.bed.segments("drained"), "its segment")
        self.assertEqual(ringctl(self.bed, "--service", "drained").returncode, 3)
        drained.kill()
        self.assertEqual(ringctl(self.bed, "--timeout", "soon").returncode, 2)
        self.assertEqual(ringctl(self.bed, "--nonsense").returncode, 2)
        for arguments, status in (([], 2), (["nonsense"], 2), (["--help"], 0), (["--version"], 0)):
            done = subprocess.run([program("ringctl"), *arguments], capture_output=True,
                                  timeout=BOUND_S, check=False)
            self.assertEqual(done.returncode, status, arguments)
        with open(os.path.join(self.bed.shm_dir, "ringside.x.1." + "0" * 16), "wb") as file:
            file.write(b"\xa5" * 8192)
        done = ringctl(self.bed, "--service", "x")
        self.assertEqual(done.returncode, 3)
        self.assertIn("ringctl: ", done.stderr)


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
