#!/usr/bin/env python3
"""Stopping consumerd: it drains, finishes its files and detaches from services that keep running. The next consumerd
continues in the same file."""

import os
import signal
import unittest

from checked_output import print_and_check
from progress_file import ProgressFile
from trace_blocks import block_types
from traced_processes import TestBed, wait_until

HEADER, END = 1, 9


class ConsumerShutdown(unittest.TestCase):
    def end_and_continue(self, signal_number):
        with TestBed() as bed:
            progress = ProgressFile(os.path.join(bed.work_dir, "progress"))
            # Slow enough for the rings to hold several seconds of it while no consumerd runs.
            load = bed.start_service("--threads", 2, "--records", 0, "--burst", 100, "--pause-us",
                                     2000, "--progress", progress.path, piped=True,
                                     ring_bytes=1 << 26)
            rounds = 4
            for number in range(1, rounds + 1):
                consumer = bed.start_consumer()
                # Both threads must have logged: a thread that is still creating its ring of 64 MiB is not in the trace yet.
                goals = [progress.returned(thread) + 5000 for thread in range(2)]
                wait_until(lambda: all(progress.returned(thread) > goals[thread] for thread in range(2)),
                           "both threads to log")
                before = [progress.returned(thread) for thread in range(2)]
                bed.stop_consumer(consumer, signal_number)
                goal = progress.total() + 1000
                wait_until(lambda: progress.total() > goal, "the service to keep logging without a consumer")
                # The file is finished: every section has its END, and ringcat has no remarks.
                (trace,) = bed.traces()
                types = block_types(trace)
                self.assertEqual(types.count(HEADER), number)
                self.assertEqual(types.count(END), number)
                self.assertEqual(types[-1], END)
                output = print_and_check(trace)
                self.assertEqual(output.lost, 0)
                for thread in range(2):
                    self.assertGreaterEqual(output.records_of[thread], before[thread])
                self.assertEqual(len(bed.segments()), 1)
                self.assertEqual(len(bed.shm_names()), 1, "the staging file is still there")
            consumer = bed.start_consumer()
            load.end_input()
            self.assertEqual(load.wait(), 0)
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer, signal_number)
            output = print_and_check(*bed.traces())
            self.assertEqual(output.records_of,
                             {thread: progress.returned(thread) for thread in range(2)})
            self.assertEqual(load.values()["dropped"], "0")
            self.assertEqual(bed.shm_names(), [])

    def test_sigterm_finishes_the_file_and_a_successor_continues_it(self):
        self.end_and_continue(signal.SIGTERM)

    def test_sigint_finishes_the_file_and_a_successor_continues_it(self):
        self.end_and_continue(signal.SIGINT)

    def test_a_service_of_the_last_moment_is_in_the_trace(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
            consumer.send(signal.SIGSTOP)
            self.assertEqual(bed.start_service("--threads", 1, "--records", 100).wait(), 0)
            self.assertEqual(len(bed.segments()), 1)
            consumer.send(signal.SIGTERM)
            consumer.send(signal.SIGCONT)
            self.assertEqual(consumer.wait(), 0, consumer.stderr())
            self.assertEqual(bed.segments(), [])
            self.assertEqual(len(bed.traces()), 1)

    def test_an_idle_consumer_ends_at_once(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            wait_until(lambda: "watching" in consumer.stderr(), "it to be ready")
            bed.stop_consumer(consumer)
            self.assertEqual(bed.shm_names(), [])
            self.assertEqual(bed.traces(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
