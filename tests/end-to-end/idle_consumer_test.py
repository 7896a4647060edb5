#!/usr/bin/env python3
"""An idle consumerd sleeps, and nothing is lost because of it: bursts, requests and new services end the sleep."""

import os
import re
import signal
import subprocess
import time
import unittest

from segment_counters import SegmentCounters
from sleep_words import CALLS_OFFSET, stop_in_sleep, unread_bytes, wait_for_sleep, word
from traced_processes import TestBed, program, wait_until

RINGS = 64
MOST_WAKE_UPS_PER_S = 20
WINDOW_S = 3
NEVER_US = 3_000_000_000
RING_BYTES = 1 << 20
BURST = 30_000  # records of 20 bytes: more than a quarter of a ring, and less than three quarters


def wake_ups(pid):
    """How often the threads of a process have waited for something."""
    sum_of_threads = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="utf-8") as file:
            sum_of_threads += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M).group(1))
    return sum_of_threads


def lines(*paths):
    done = subprocess.run([program("ringcat"), *paths], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "0/" in line]


class IdleConsumer(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def segment(self):
        name = wait_until(self.bed.segments, "a segment")[0]
        return os.path.join(self.bed.shm_dir, name)

    def start_bursts(self, overflow):
        """A service that logs a burst for each line on its standard input, and then flushes."""
        return self.bed.start_service("--records", BURST, "--steps", "--uniform", piped=True, overflow=overflow,
                                      ring_bytes=RING_BYTES)

    def burst(self, service):
        service.popen.stdin.write(b"\n")
        service.popen.stdin.flush()

    def wait_for_flush(self, service, bursts):
        wait_until(lambda: f"flushed {bursts * BURST}\n" in service.stdout(), "the flush")

    def few_wake_ups_in(self, consumer):
        before, begin = wake_ups(consumer.pid), time.monotonic()
        time.sleep(WINDOW_S)
        count = wake_ups(consumer.pid) - before
        self.rates.append(count / (time.monotonic() - begin))
        return self.rates[-1] <= MOST_WAKE_UPS_PER_S

    def test_it_wakes_up_at_most_twenty_times_a_second(self):
        consumer = self.bed.start_consumer()
        self.bed.start_service("--threads", RINGS, "--records", 0, "--burst", 1, "--pause-us", NEVER_US, piped=True)
        segment = self.segment()
        wait_for_sleep(segment)
        self.rates = []
        # Another window if the machine delayed the first records of some threads.
        self.assertTrue(any(self.few_wake_ups_in(consumer) for _ in range(5)), self.rates)

    def test_a_burst_loses_nothing_whenever_consumerd_runs_again(self):
        consumer = self.bed.start_consumer()
        service = self.start_bursts("drop")
        self.burst(service)
        self.wait_for_flush(service, 1)
        segment = self.segment()
        for bursts in range(2, 5):
            stop_in_sleep(consumer, segment)
            calls = word(segment, CALLS_OFFSET)
            self.burst(service)
            wait_until(lambda: unread_bytes(segment) >= BURST * 20, "the burst")
            self.assertGreater(word(segment, CALLS_OFFSET), calls)
            self.assertEqual(SegmentCounters(segment)["dropped_total"], 0)
            consumer.send(signal.SIGCONT)
            self.wait_for_flush(service, bursts)
        self.assertEqual(len(set(lines(*self.bed.traces()))), 4 * BURST)

    def test_its_death_in_a_sleep_is_harmless(self):
        consumer = self.bed.start_consumer()
        service = self.start_bursts("block")
        self.burst(service)
        self.wait_for_flush(service, 1)
        segment = self.segment()
        for bursts in range(2, 5):
            stop_in_sleep(consumer, segment)
            calls = word(segment, CALLS_OFFSET)
            consumer.kill()
            self.burst(service)
            wait_until(lambda: unread_bytes(segment) >= BURST * 20, "the burst")
            # The thread that logs calls once, whatever it waits for then.
            self.assertEqual(word(segment, CALLS_OFFSET), calls + 1)
            consumer = self.bed.start_consumer()
            self.wait_for_flush(service, bursts)
        found = lines(*self.bed.traces())
        self.assertEqual((len(found), len(set(found))), (4 * BURST, 4 * BURST))

    def test_a_service_that_starts_during_a_sleep_is_drained(self):
        consumer = self.bed.start_consumer()
        first = self.start_bursts("block")
        self.burst(first)
        self.wait_for_flush(first, 1)
        wait_for_sleep(self.segment())
        second = self.start_bursts("drop")
        self.burst(second)
        self.wait_for_flush(second, 1)
        self.assertTrue(consumer.running())


if __name__ == "__main__":
    unittest.main(verbosity=2)
