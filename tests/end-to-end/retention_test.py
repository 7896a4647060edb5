#!/usr/bin/env python3
"""What happens to closed files: they are packed in the background without loss, even if consumerd is killed meanwhile, and
removed, the oldest first. A file that is being written, or that a consumer may continue, is never packed or removed.

RINGSIDE_TEST_SEED sets the seed."""

import contextlib
import os
import random
import re
import signal
import subprocess
import time
import unittest

from checked_output import print_and_check
from steady_load import Load
from traced_processes import TestBed, wait_until

SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
NAME = re.compile(r"(.*)\.(\d+)\.ringtrace(\.zst)?$")


class Retention(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def packed(self):
        return [path for path in self.bed.traces() if path.endswith(".zst")]

    def finish(self, consumer, *loads):
        for load in loads:
            load.stop()
        self.bed.wait_until_segments_are_gone()
        return consumer

    def check_all_there(self, load):
        output = print_and_check(*self.bed.traces())
        self.assertEqual(output.records_of, load.expected(), f"RINGSIDE_TEST_SEED={SEED}")
        self.assertEqual(output.lost, 0)

    def check_zstd_restores(self, path):
        self.assertEqual(subprocess.run(["zstd", "-q", "-t", path], check=False).returncode, 0)

    def test_closed_files_are_packed_and_hold_everything(self):
        # With pauses, and few files: the packer has a low priority, and takes long on a busy machine.
        load = Load(self.bed, 0, 3, "--burst", 300, "--pause-us", 2000)
        consumer = self.bed.start_consumer("--rotate-bytes", "256K", "--pack")
        # Compared by number: for a moment a file exists twice, unpacked and packed.
        wait_until(lambda: max(self.own("load0"), default=0) >= 5, "six files")
        load.advance()
        self.finish(consumer, load)
        wait_until(lambda: self.packed() == self.bed.traces(), "all files to be packed", 280)
        self.assertGreaterEqual(len(self.packed()), 6)
        self.bed.stop_consumer(consumer)
        self.assertNotIn("error", consumer.stderr())
        self.check_all_there(load)
        for path in self.packed():
            self.check_zstd_restores(path)

    def test_nothing_is_lost_or_doubled_when_the_packer_is_killed(self):
        # With pauses: each file is synced, which takes long on some disks, and all are packed in the end.
        load = Load(self.bed, 0, 2, "--burst", 300, "--pause-us", 3000)
        for _ in range(15):
            consumer = self.bed.start_consumer("--rotate-bytes", "64K", "--pack")
            # The time of a start differs by a factor of ten between builds and machines.
            wait_until(lambda c=consumer: "draining" in c.stderr(), "it to drain")
            time.sleep(self.dice.uniform(0, 0.2))
            consumer.kill()
            self.assertNotIn("error", consumer.stderr())
        # A consumer that drains while the service ends: the service would wait for a full ring.
        consumer = self.bed.start_consumer("--pack")
        self.finish(consumer, load)
        self.bed.stop_consumer(consumer)
        self.bed.run_consumer_once("--pack")
        self.assertEqual(self.packed(), self.bed.traces())
        self.check_all_there(load)

    def test_only_so_many_closed_files_of_each_service_stay(self):
        # Files of a segment that no consumerd has finished, of a service that is not drained, and of no known segment.
        start = "20250101T000000-000000"
        foreign = [f"load0.1.{start}.0.ringtrace", f"other.1.{start}.0.ringtrace.zst",
                   "load0.ringtrace", "load0.1.x.0.ringtrace"]
        for name in foreign:
            with open(os.path.join(self.bed.output_dir, name), "wb") as file:
                file.write(b"x")
        loads = [Load(self.bed, 0, 2, "--burst", 300), Load(self.bed, 10, 2, "--burst", 300)]
        consumer = self.bed.start_consumer("--rotate-bytes", "128K", "--keep-files", "3",
                                           "--service", "load*")
        for service in ("load0", "load10"):
            wait_until(lambda name=service: max(self.own(name), default=0) >= 8, "eight files")
        self.finish(consumer, *loads)
        for service in ("load0", "load10"):
            wait_until(lambda name=service: len(self.own(name)) == 3, "three files to stay")
            newest = self.own(service)
            self.assertEqual(newest, list(range(newest[0], newest[0] + 3)))
        self.bed.stop_consumer(consumer)
        for name in foreign:
            self.assertTrue(os.path.exists(os.path.join(self.bed.output_dir, name)), name)

    def own(self, service):
        return sorted(int(NAME.match(path).group(2)) for path in self.bed.traces()
                      if os.path.basename(path).startswith(service + ".")
                      and NAME.match(path) and ".1.2025" not in path and ".x." not in path)

    def bytes_of_traces(self):
        """Files that go away meanwhile have none."""
        total = 0
        for path in self.bed.traces():
            with contextlib.suppress(FileNotFoundError):
                total += os.path.getsize(path)
        return total

    def test_only_so_many_bytes_stay_packed_or_not(self):
        for arguments in ((), ("--pack",)):
            with self.subTest(arguments=arguments), TestBed() as self.bed:
                load = Load(self.bed, 0, 2, "--burst", 300)
                consumer = self.bed.start_consumer("--rotate-bytes", "128K", "--keep-bytes", "300K",
                                                   *arguments)
                wait_until(lambda: max(self.own("load0"), default=0) >= 12, "twelve files")
                self.finish(consumer, load)
                wait_until(lambda: self.bytes_of_traces() <= 300 << 10, "the surplus to go")
                self.bed.stop_consumer(consumer)
                self.assertNotIn(0, self.own("load0"))
                self.assertGreaterEqual(len(self.own("load0")), 1)

    def test_a_file_that_a_successor_goes_on_with_is_not_closed(self):
        load = Load(self.bed, 0, 2, "--burst", 300)
        for _ in range(3):
            consumer = self.bed.start_consumer("--pack", "--keep-files", "1")
            load.advance()
            self.bed.stop_consumer(consumer)
        self.assertEqual(self.packed(), [])
        consumer = self.bed.start_consumer()
        load.advance()
        self.finish(consumer, load)
        consumer.send(signal.SIGTERM)
        self.assertEqual(consumer.wait(), 0)
        self.assertEqual(self.own("load0"), [0])
        self.check_all_there(load)


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
