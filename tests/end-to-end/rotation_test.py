#!/usr/bin/env python3
"""Rotation: a trace continues in the next file, by size, time and signal, under load and with a consumer that is killed. In
all files together nothing is lost or repeated, and each file can be decoded alone.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import os
import random
import re
import signal
import time
import unittest

from checked_output import print_and_check, print_raw, verify
from steady_load import Load
from traced_processes import TestBed, wait_until
from trace_blocks import (CLOCK, DICTIONARY, END, EXTENT, HEADER, INDEX, STREAM, block_types, blocks,
                          check_indexes)

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "10" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "24"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))


def sequence_of(path):
    return int(re.search(r"\.(\d+)\.ringtrace$", path).group(1))


class Rotation(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def finish(self, consumer, *loads):
        for load in loads:
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertNotIn("error", consumer.stderr())

    def check(self, *loads):
        """All files together hold every record once; each file alone is a trace; ringcat verify finds no fault in them."""
        traces = sorted(self.bed.traces(), key=sequence_of)
        self.assertTrue(all(path.endswith(".ringtrace") for path in traces), traces)
        output = print_and_check(*traces)
        expected = {}
        for load in loads:
            expected.update(load.expected())
        self.assertEqual(output.records_of, expected, f"RINGSIDE_TEST_SEED={SEED}")
        self.assertEqual(output.lost, 0)
        verify(*self.bed.traces())
        for path in traces:
            check_indexes(path)
        lines = sum(len(print_raw(path)) for path in traces)
        self.assertEqual(lines, output.records)
        self.assertEqual(self.bed.shm_names(), [])
        return traces

    def check_closed(self, path):
        types = block_types(path)
        self.assertEqual(types[:2], [HEADER, CLOCK])
        self.assertEqual(types[-2:], [INDEX, END])
        told = set()
        for kind, _, payload in blocks(path):
            if kind == STREAM:
                told.add(payload[:8])
            if kind == EXTENT:
                self.assertIn(payload[:8], told, "a stream's STREAM comes first in each file")
        return types

    def wait_for_files(self, count):
        wait_until(lambda: len(self.bed.traces()) >= count, f"{count} files")

    def test_by_size_under_load(self):
        loads = [Load(self.bed, 0, 4, "--burst", 300)]
        consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        self.wait_for_files(8)
        self.finish(consumer, *loads)
        traces = self.check(*loads)
        self.assertEqual([sequence_of(path) for path in traces], list(range(len(traces))))
        for path in traces[:-1]:
            types = self.check_closed(path)
            self.assertGreaterEqual(os.path.getsize(path), 256 << 10)
            if path != traces[0]:
                self.assertLess(types.index(DICTIONARY), types.index(EXTENT))
        self.check_closed(traces[-1])

    def test_by_time(self):
        load = Load(self.bed, 0, 2, "--burst", 20)
        consumer = self.bed.start_consumer("--rotate-after", "1s")
        self.wait_for_files(3)
        self.finish(consumer, load)
        for path in self.check(load):
            self.check_closed(path)

    def test_by_signal_all_services(self):
        loads = [Load(self.bed, 0, 2, "--burst", 50), Load(self.bed, 10, 2, "--burst", 50)]
        consumer = self.bed.start_consumer()
        self.wait_for_files(2)
        for round_number in range(1, 4):
            for load in loads:
                load.advance()
            consumer.send(signal.SIGHUP)
            self.wait_for_files(2 * (round_number + 1))
        self.finish(consumer, *loads)
        traces = self.check(*loads)
        self.assertEqual(len(traces), 8)

    def test_other_files_under_the_next_names_stay(self):
        """Whatever is under a name that comes next, in rotation and for a successor, stays, and the trace goes on."""
        load = Load(self.bed, 0, 2, "--burst", 50)
        consumer = self.bed.start_consumer()
        self.wait_for_files(1)
        (first,) = self.bed.traces()
        others = {}

        def put(number, content):
            path = first.removesuffix("0.ringtrace") + f"{number}.ringtrace"
            with open(path, "xb") as file:
                file.write(content)
            others[path] = content
        put(1, b"")
        put(2, b"something else")
        put(3, bytes(range(256)) * 1000)
        consumer.send(signal.SIGHUP)
        # With content: a file that is still empty when its consumerd is killed is removed by the next one.
        own = first.removesuffix("0.ringtrace") + "4.ringtrace"
        wait_until(lambda: os.path.exists(own) and os.path.getsize(own) > 0, "the own file")
        load.advance()
        consumer.send(signal.SIGKILL)
        consumer.wait()
        put(5, b"RSBK, but not a block")
        consumer = self.bed.start_consumer()
        self.wait_for_files(7)
        load.advance()
        self.finish(consumer, load)
        own_files = [path for path in self.bed.traces() if path not in others]
        self.assertEqual(sorted(map(sequence_of, own_files)), [0, 4, 6])
        # The numbers of the other files are missing.
        output = print_and_check(*own_files, ringcat_notes=True)
        self.assertEqual((output.records_of, output.lost), (load.expected(), 0))
        for path, content in others.items():
            with open(path, "rb") as file:
                self.assertEqual(file.read(), content, path)

    def test_a_successor_continues_the_newest_file(self):
        load = Load(self.bed, 0, 2, "--burst", 50)
        consumer = self.bed.start_consumer()
        self.wait_for_files(1)
        consumer.send(signal.SIGHUP)
        self.wait_for_files(2)
        load.advance()
        self.bed.stop_consumer(consumer)
        consumer = self.bed.start_consumer()
        load.advance()
        self.finish(consumer, load)
        traces = self.check(load)
        self.assertEqual(len(traces), 2)
        self.assertEqual(block_types(traces[1]).count(HEADER), 2)
        self.assertEqual(block_types(traces[1]).count(INDEX), 2)

    def test_nothing_is_lost_or_doubled_when_the_consumer_is_killed(self):
        load = Load(self.bed, 0, 3, "--burst", 300)
        for number in range(ROUNDS):
            files = len(self.bed.traces())
            consumer = self.bed.start_consumer("--rotate-bytes", "16K",
                                               "--io", self.dice.choice(("auto", "pwrite")))
            # Some are killed while they start, others later, however long a start takes.
            if number % 2 == 0:
                self.wait_for_files(files + 1)
            time.sleep(self.dice.uniform(0, 0.15))
            consumer.kill()
            self.assertNotIn("error", consumer.stderr())
        consumer = self.bed.start_consumer("--rotate-bytes", "1M")
        load.advance()
        self.finish(consumer, load)
        traces = self.check(load)
        self.assertGreaterEqual(len(traces), ROUNDS // 2)

    def test_nothing_is_lost_or_doubled_when_it_is_killed_while_it_ends(self):
        load = Load(self.bed, 0, 3, "--burst", 300)
        for _ in range(ROUNDS // 3):
            consumer = self.bed.start_consumer("--rotate-bytes", "64K")
            wait_until(lambda: "draining" in consumer.stderr(), "the segment to be taken")
            load.advance()
            consumer.send(self.dice.choice((signal.SIGTERM, signal.SIGHUP)))
            time.sleep(self.dice.uniform(0, 0.005))
            consumer.kill()
        consumer = self.bed.start_consumer()
        load.advance()
        self.finish(consumer, load)
        self.check(load)


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
