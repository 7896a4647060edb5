#!/usr/bin/env python3
"""flush(): after it has returned true, a reader of the file finds the records, while the service and consumerd still run."""

import unittest

from checked_output import print_and_check
from traced_processes import TestBed, wait_until

STEP_RECORDS = 777
STEPS = 25


def step(service, word, total):
    service.popen.stdin.write(b"\n")
    service.popen.stdin.flush()
    wait_until(lambda: f"{word} {total}\n" in service.stdout(), f"'{word} {total}'")


class Flush(unittest.TestCase):
    def flush_and_read(self, *arguments, restart=False):
        with TestBed() as bed:
            service = bed.start_service("--records", STEP_RECORDS, "--steps", piped=True)
            consumer = bed.start_consumer(*arguments)
            for number in range(1, STEPS + 1):
                step(service, "flushed", number * STEP_RECORDS)
                output = print_and_check(*bed.traces())
                self.assertEqual(output.records, number * STEP_RECORDS)
                if restart and number % 5 == 0:
                    consumer.kill()
                    consumer = bed.start_consumer(*arguments)
            self.assertTrue(service.running() and consumer.running())
            service.end_input()
            self.assertEqual(service.wait(), 0)
            bed.wait_until_segments_are_gone()

    def test_records_are_in_the_file_when_it_returns(self):
        self.flush_and_read()

    def test_records_are_in_the_file_when_it_returns_with_pwrite(self):
        self.flush_and_read("--io", "pwrite")

    def test_records_are_in_the_file_across_deaths_of_consumerd(self):
        self.flush_and_read(restart=True)

    def test_a_request_made_while_no_consumerd_runs_is_answered_by_the_next(self):
        with TestBed() as bed:
            service = bed.start_service("--records", STEP_RECORDS, "--steps", piped=True)
            service.popen.stdin.write(b"\n")
            service.popen.stdin.flush()
            wait_until(bed.segments, "the first record")
            bed.start_consumer()
            wait_until(lambda: f"flushed {STEP_RECORDS}\n" in service.stdout(), "the answer")
            self.assertEqual(print_and_check(*bed.traces()).records, STEP_RECORDS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
