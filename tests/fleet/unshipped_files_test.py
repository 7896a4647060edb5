#!/usr/bin/env python3
"""A service, consumerd with --keep-unshipped-bytes, ringship and ringsink, while the NATS server is down: files stay up to the
bound, then their records are counted as lost. When the server is back, everything else arrives, and the files of ringsink show
the loss with its cause. They keep the state of the clock."""

import os
import re
import signal
import struct
import subprocess
import sys
import unittest
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from shipped_traces_test import Fleet, folders, printed  # noqa: E402
from steady_load import Load  # noqa: E402
from trace_blocks import CLOCK, EXTENT, blocks  # noqa: E402
from free_port import free_port  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

NUMBER = re.compile(r"\.(\d+)\.ringtrace(\.zst)?$")
LOST = re.compile(r" LOST .* (\d+) records: (.*)$")


class UnshippedFiles(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.fleet = Fleet(self.bed)
        subprocess.run([program("ringship"), "init", "--server", self.fleet.url], check=True, timeout=BOUND_S)
        # Marks are beside the trace, wherever the cursors are.
        self.marks = os.path.join(self.bed.output_dir, ".ringship")

    def start(self, *limits):
        self.metrics = f"127.0.0.1:{free_port()}"
        self.consumer = self.bed.start_consumer("--rotate-bytes", "64K", "--metrics", self.metrics, *limits)
        self.load = Load(self.bed, 0, 2, "--burst", 200, "--pause-us", 2000)

    def traces(self):
        return [path for path in self.bed.traces() if NUMBER.search(path)]

    def numbers(self):
        return sorted({int(NUMBER.search(path).group(1)) for path in self.traces()})

    def lost_records(self):
        """By the log."""
        return [int(count) for count in re.findall(r": (\d+) records were removed before they were shipped",
                                                   self.consumer.stderr())]

    def metric(self, name):
        with urllib.request.urlopen(f"http://{self.metrics}/metrics", timeout=BOUND_S) as page:
            return float(re.search(rf"^{name} (\S+)$", page.read().decode(), re.MULTILINE).group(1))

    def stop_server(self):
        self.fleet.server.kill()
        self.bed.processes.remove(self.fleet.server)

    def stop_load(self):
        self.load.stop()
        self.bed.wait_until_segments_are_gone()

    def next_file(self):
        """Of the only mark."""
        names = os.listdir(self.marks) if os.path.isdir(self.marks) else []
        marks = [name for name in names if name.endswith(".shipped")]
        if not marks:
            return 0
        with open(os.path.join(self.marks, marks[0]), "rb") as file:
            return struct.unpack_from("<I", file.read(), 24)[0]

    def sunk(self):
        return printed(*folders(self.fleet.sunk)) if os.path.isdir(self.fleet.sunk) else (0, "", [])

    def test_what_is_shipped_does_not_stay(self):
        self.start("--keep-files", "2", "--keep-unshipped-bytes", "1G")
        self.fleet.start_shipper()
        self.fleet.start_sink()
        wait_until(lambda: max(self.numbers(), default=0) >= 8, "nine files")
        self.stop_load()
        # All of the service's files are shipped, the last one too.
        wait_until(lambda: self.next_file() == max(self.numbers()) + 1, "the mark of the last file")
        self.bed.stop_consumer(self.consumer)
        kept = self.bed.start(self.bed.consumer_command("--once", "--keep-files", "2", "--keep-unshipped-bytes", "1G"))
        self.assertEqual(kept.wait(), 0, kept.stderr())
        self.assertEqual(len(self.numbers()), 2)
        self.assertEqual(self.lost_records(), [])
        expected = self.load.expected()
        self.fleet.finish(lambda: len(self.sunk()[2]) >= sum(expected.values()))
        status, error, lines = self.sunk()
        self.assertEqual((status, error), (0, ""))
        self.assertFalse([line for line in lines if LOST.search(line)])
        self.assertEqual(len(lines), sum(expected.values()))

    def outage(self, shipper_runs):
        self.start("--keep-files", "2", "--keep-unshipped-bytes", "1M")
        self.fleet.start_shipper()
        self.fleet.start_sink()
        wait_until(lambda: self.next_file() >= 1, "the first shipped file")
        wait_until(lambda: os.path.isdir(self.fleet.sunk) and folders(self.fleet.sunk), "a file of the sink")
        if not shipper_runs:
            self.fleet.shipper.send(signal.SIGTERM)
            self.assertEqual(self.fleet.shipper.wait(), 0)
        self.stop_server()
        first = max(self.numbers())
        # More than the limit, less than the bound.
        wait_until(lambda: max(self.numbers()) >= first + 6, "six more files")
        self.assertTrue(self.lost_records() or set(range(first + 1, first + 6)) <= set(self.numbers()))
        wait_until(lambda: len(self.lost_records()) >= 3, "three losses")
        self.stop_load()
        wait_until(lambda: self.metric("ringside_unshipped_records_total") == sum(self.lost_records()), "the metric")
        self.assertEqual(self.metric("ringside_unshipped_files_total"), len(self.lost_records()))
        self.bed.stop_consumer(self.consumer)
        self.assertLess(sum(os.path.getsize(path) for path in self.traces()), 2 << 20)
        self.fleet.start_server()
        if not shipper_runs:
            self.fleet.start_shipper()
        return self.finish()

    def finish(self):
        """What the sink has: each record, or its loss with the cause. The lines, and the number of lost records."""
        expected = sum(self.load.expected().values())

        def count():
            return sum(int(found.group(1)) if found else 1 for found in map(LOST.search, self.sunk()[2]))

        self.fleet.finish(lambda: count() >= expected)
        status, error, lines = self.sunk()
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(count(), expected)
        lost = [found for found in map(LOST.search, lines) if found]
        self.assertEqual({found.group(2) for found in lost}, {"removed before they were shipped"})
        return lines, sum(int(found.group(1)) for found in lost)

    def test_of_a_file_that_was_shipped_in_part_the_rest_is_lost(self):
        self.start()
        wait_until(lambda: max(self.numbers(), default=0) >= 3, "four files")
        self.stop_load()
        self.bed.stop_consumer(self.consumer)
        first = min(self.traces(), key=lambda path: int(NUMBER.search(path).group(1)))
        extents = [offset for kind, offset, _ in blocks(first) if kind == EXTENT]
        self.assertGreater(len(extents), 1)
        away = os.path.join(self.bed.work_dir, "away")
        os.rename(self.bed.output_dir, away)
        os.makedirs(self.bed.output_dir)
        with open(os.path.join(away, os.path.basename(first)), "rb") as whole, open(first, "wb") as part:
            part.write(whole.read(extents[len(extents) // 2]))
        shipped = self.bed.start(self.fleet.ship_command("--once"))
        self.assertEqual(shipped.wait(), 0, shipped.stderr())
        self.assertEqual(self.next_file(), 0)
        for name in os.listdir(away):
            os.replace(os.path.join(away, name), os.path.join(self.bed.output_dir, name))
        emptied = self.bed.start(self.bed.consumer_command("--once", "--keep-bytes", "1", "--keep-unshipped-bytes", "1"))
        self.assertEqual(emptied.wait(), 0, emptied.stderr())
        self.fleet.start_shipper()
        self.fleet.start_sink()
        lines, lost = self.finish()
        self.assertGreater(len(lines), 10)
        self.assertGreater(lost, 10)

    def test_what_was_removed_is_a_loss_with_its_cause(self):
        lines, lost = self.outage(shipper_runs=False)
        self.assertGreater(lost, 0)
        self.assertLessEqual(lost, sum(self.lost_records()))
        original = printed(self.bed.output_dir)
        self.assertEqual(original[:2], (0, ""))
        # Of the file that was shipped in part, more is with the sink.
        self.assertLessEqual({line for line in original[2] if not LOST.search(line)}, set(lines))

    def test_a_shipper_that_waits_for_its_server_ships_what_is_left(self):
        _, lost = self.outage(shipper_runs=True)
        self.assertGreater(lost, 0)
        self.assertLessEqual(lost, sum(self.lost_records()))

    def test_shipped_messages_keep_the_state_of_the_clock(self):
        self.start()
        self.fleet.start_shipper()
        self.fleet.start_sink()
        wait_until(lambda: max(self.numbers(), default=0) >= 3, "four files")
        self.stop_load()
        self.bed.stop_consumer(self.consumer)
        expected = sum(self.load.expected().values())
        self.fleet.finish(lambda: len(self.sunk()[2]) >= expected)

        def clocks(paths):
            return {payload for path in paths for kind, _, payload in blocks(path) if kind == CLOCK}

        sunk = [os.path.join(folder, name) for folder in folders(self.fleet.sunk) for name in os.listdir(folder)]
        original = clocks(self.traces())
        self.assertEqual(clocks(sunk), original)
        # This system tells its state, or it does not.
        self.assertEqual(len({len(clock) for clock in original}), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
