#!/usr/bin/env python3
"""Real disks and directories that fail under consumerd: a file at its size limit, a frozen and a read-only file system,
files and directories that are moved, replaced or removed. consumerd reports it, loses nothing that it can still write,
and continues without a restart."""

import glob
import os
import resource
import shutil
import unittest

from checked_output import print_and_check
from loop_file_system import LoopFileSystem, NotPermitted
from steady_load import Load
from traced_processes import TestBed, wait_until

MIB = 1 << 20


class StorageFaults(unittest.TestCase):
    def bed(self, **how):
        bed = TestBed(**how)
        self.addCleanup(bed.close)
        return bed

    def wait_for_text(self, consumer, text, times=1):
        wait_until(lambda: consumer.stderr().count(text) >= times or not consumer.running(), text)
        self.assertTrue(consumer.running(), consumer.stderr())

    def finish(self, bed, consumer, *loads, traces=None):
        """Every logged record is in the traces, once."""
        for load in loads:
            load.stop()
        bed.wait_until_segments_are_gone()
        bed.stop_consumer(consumer)
        expected = {}
        for load in loads:
            expected.update(load.expected())
        output = print_and_check(*(traces() if traces else bed.traces()))
        self.assertEqual(output.records_of, expected)
        self.assertEqual(output.lost, 0)
        self.assertEqual(bed.shm_names(), [])

    def loop_file_system(self):
        try:
            disk = LoopFileSystem(64 * MIB)
        except NotPermitted as reason:
            self.skipTest(f"no loop file system here: {reason}")
        self.addCleanup(disk.close)
        return disk

    def test_a_file_that_cannot_grow_does_not_stop_the_others(self):
        for io in ("auto", "pwrite"):
            with self.subTest(io):
                bed = self.bed()
                big = Load(bed, 0, 2, "--burst", 300)
                consumer = bed.start_consumer("--io", io)
                self.wait_for_text(consumer, "draining")
                big.advance()
                limits = resource.prlimit(consumer.pid, resource.RLIMIT_FSIZE)
                resource.prlimit(consumer.pid, resource.RLIMIT_FSIZE, (256 << 10, limits[1]))
                self.wait_for_text(consumer, "File too large")
                small = Load(bed, 10, 2, "--burst", 10)
                for _ in range(20):
                    small.advance()
                small.stop()
                # Drained and written to its end while the other one still fails.
                wait_until(lambda: not bed.segments("load10."), "the small one to be finished")
                self.assertNotIn("writing again", consumer.stderr())
                resource.prlimit(consumer.pid, resource.RLIMIT_FSIZE, limits)
                self.wait_for_text(consumer, "writing again")
                big.stop()
                bed.wait_until_segments_are_gone()
                bed.stop_consumer(consumer)
                output = print_and_check(*bed.traces())
                self.assertEqual(output.records_of, {**big.expected(), **small.expected()})
                self.assertEqual(output.lost, 0)

    def test_a_frozen_disk_is_waited_for(self):
        disk = self.loop_file_system()
        bed = self.bed(output_dir=os.path.join(disk.path, "traces"))
        load = Load(bed, 0, 2, "--burst", 100)
        consumer = bed.start_consumer()
        self.wait_for_text(consumer, "draining")
        load.advance()
        disk.freeze()
        if "writing with io_uring" in consumer.stderr():
            self.wait_for_text(consumer, "the disk does not respond")
        disk.thaw()
        load.advance()
        self.finish(bed, consumer, load)

    def test_a_read_only_disk_is_waited_for(self):
        disk = self.loop_file_system()
        bed = self.bed(output_dir=os.path.join(disk.path, "traces"))
        consumer = bed.start_consumer()
        self.wait_for_text(consumer, "watching")
        disk.remount("ro")
        load = Load(bed, 0, 2, "--burst", 100)
        self.wait_for_text(consumer, "Read-only file system")
        disk.remount("rw")
        self.wait_for_text(consumer, "draining")
        load.advance()
        self.finish(bed, consumer, load)

    def test_a_directory_that_was_moved_away_is_waited_for(self):
        bed = self.bed()
        load = Load(bed, 0, 2, "--burst", 100)
        consumer = bed.start_consumer()
        self.wait_for_text(consumer, "draining")
        load.advance()
        aside = bed.output_dir + ".aside"
        os.rename(bed.output_dir, aside)
        self.wait_for_text(consumer, "are not drained until this succeeds")
        os.mkdir(bed.output_dir)
        self.wait_for_text(consumer, "continuing in")
        load.advance()
        self.finish(bed, consumer, load,
                    traces=lambda: glob.glob(aside + "/*") + bed.traces())

    def test_a_removed_directory_is_not_recreated_but_waited_for(self):
        bed = self.bed()
        load = Load(bed, 0, 2, "--burst", 100)
        consumer = bed.start_consumer()
        self.wait_for_text(consumer, "draining")
        shutil.rmtree(bed.output_dir)
        self.wait_for_text(consumer, "are not drained until this succeeds")
        self.assertFalse(os.path.exists(bed.output_dir))
        os.mkdir(bed.output_dir)
        self.wait_for_text(consumer, "continuing in")
        load.advance()
        load.stop()
        bed.wait_until_segments_are_gone()
        bed.stop_consumer(consumer)
        self.assertEqual(len(bed.traces()), 1)

    def test_a_file_that_was_replaced_is_left_alone(self):
        bed = self.bed()
        load = Load(bed, 0, 2, "--burst", 100)
        consumer = bed.start_consumer()
        self.wait_for_text(consumer, "draining")
        load.advance()
        path = bed.traces()[0]
        os.rename(path, path + ".moved.ringtrace")
        with open(path, "w", encoding="ascii") as file:
            file.write("a foreign file")
        self.wait_for_text(consumer, "continuing in")
        load.advance()
        self.finish(bed, consumer, load,
                    traces=lambda: [trace for trace in bed.traces() if trace != path])
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), "a foreign file")

    def test_a_recreated_segment_directory_is_watched(self):
        bed = self.bed()
        consumer = bed.start_consumer()
        self.wait_for_text(consumer, "watching")
        for round_number in range(1, 3):
            shutil.rmtree(bed.shm_dir)
            self.wait_for_text(consumer, "was removed; waiting", round_number)
            os.mkdir(bed.shm_dir)
            self.wait_for_text(consumer, "using a new one", round_number)
        load = Load(bed, 0, 2, "--burst", 100)
        self.wait_for_text(consumer, "draining")
        load.advance()
        # Its successor recovers everything.
        consumer.kill()
        consumer = bed.start_consumer()
        load.advance()
        self.finish(bed, consumer, load)

    def test_a_removed_staging_file_is_recreated(self):
        bed = self.bed()
        load = Load(bed, 0, 2, "--burst", 300)
        consumer = bed.start_consumer()
        self.wait_for_text(consumer, "draining")
        for round_number in range(1, 6):
            for path in wait_until(lambda: glob.glob(bed.shm_dir + "/ringside-staging.*"), "a staging file"):
                os.unlink(path)
            self.wait_for_text(consumer, "using a new one", round_number)
        load.advance()
        consumer.kill()
        consumer = bed.start_consumer()
        load.advance()
        self.finish(bed, consumer, load)


if __name__ == "__main__":
    unittest.main(verbosity=2)
