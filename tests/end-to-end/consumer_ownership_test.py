#!/usr/bin/env python3
"""One consumerd at a time drains a segment; a new one takes over as soon as the first has died."""

import os
import signal
import unittest

from checked_output import print_and_check
from progress_file import ProgressFile
from traced_processes import CONSUMER_EXIT_OWNED, TestBed, wait_until


class ConsumerOwnership(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def start_load(self, first=0, service="owned"):
        progress = ProgressFile(os.path.join(self.bed.work_dir, f"progress-{first}"))
        load = self.bed.start_service("--records", 0, "--burst", 200, "--first", first,
                                      "--progress", progress.path, service=service, piped=True)
        return load, progress

    def drains(self, consumer):
        wait_until(lambda: "draining ringside.owned." in consumer.stderr(), "it to drain")

    def finish(self, load, progress, consumer):
        load.end_input()
        self.assertEqual(load.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        output = print_and_check(*self.bed.traces())
        self.assertEqual(output.records, progress.returned(0))
        self.assertEqual(self.bed.shm_names(), [])

    def test_a_second_one_is_refused_by_name_of_the_first(self):
        load, progress = self.start_load()
        first = self.bed.start_consumer()
        self.drains(first)
        second = self.bed.start_consumer()
        self.assertEqual(second.wait(), CONSUMER_EXIT_OWNED)
        self.assertIn(f"pid {first.pid};", second.stderr())
        self.assertIn("--service", second.stderr())
        once = self.bed.start_consumer("--once")
        self.assertEqual(once.wait(), CONSUMER_EXIT_OWNED)
        self.assertTrue(first.running())
        self.finish(load, progress, first)

    def test_a_stopped_one_is_still_the_owner(self):
        load, progress = self.start_load()
        first = self.bed.start_consumer()
        self.drains(first)
        first.send(signal.SIGSTOP)
        second = self.bed.start_consumer()
        self.assertEqual(second.wait(), CONSUMER_EXIT_OWNED)
        self.assertIn(f"pid {first.pid};", second.stderr())
        first.send(signal.SIGCONT)
        self.finish(load, progress, first)

    def test_a_new_one_takes_over_after_the_death_of_the_first(self):
        load, progress = self.start_load()
        first = self.bed.start_consumer()
        self.drains(first)
        first.kill()
        second = self.bed.start_consumer()
        self.drains(second)
        self.finish(load, progress, second)

    def test_two_share_a_directory_by_service(self):
        loads = [self.start_load(0, "owned"), self.start_load(10, "other")]
        mine = self.bed.start_consumer("--service", "owned")
        theirs = self.bed.start_consumer("--service", "oth*")
        self.drains(mine)
        wait_until(lambda: "draining ringside.other." in theirs.stderr(), "it to drain")
        # The successor recovers the dead consumerd's segments, and leaves those of the other alone.
        mine.kill()
        mine = self.bed.start_consumer("--service", "owned")
        self.drains(mine)
        for load, _ in loads:
            load.end_input()
            self.assertEqual(load.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        for consumer in (mine, theirs):
            self.bed.stop_consumer(consumer)
        output = print_and_check(*self.bed.traces())
        self.assertEqual(output.records_of,
                         {0: loads[0][1].returned(0), 10: loads[1][1].returned(0)})
        self.assertEqual(self.bed.shm_names(), [])

    def test_many_that_start_at_once_agree_on_one_owner_each_round(self):
        load, progress = self.start_load()
        for _ in range(5):
            rivals = [self.bed.start_consumer() for _ in range(4)]
            wait_until(lambda: sum(rival.running() for rival in rivals) <= 1, "all but one to exit")
            statuses = [rival.popen.poll() for rival in rivals]
            self.assertEqual(sorted(statuses, key=str),
                             [CONSUMER_EXIT_OWNED] * 3 + [None],
                             [rival.stderr() for rival in rivals])
            rivals[statuses.index(None)].kill()
        last = self.bed.start_consumer()
        self.drains(last)
        self.finish(load, progress, last)


if __name__ == "__main__":
    unittest.main(verbosity=2)
