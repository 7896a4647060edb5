#!/usr/bin/env python3
"""The example service under load from outside, traced while consumerd runs, dies or starts late."""

import re
import shutil
import subprocess
import unittest

from checked_output import print_raw
from traced_processes import BOUND_S, TestBed, wait_until

REQUESTS = 20_000
# At least these per request: parsed, command, lookup or stored, reply.
RECORDS_PER_REQUEST = 4


class TracedKvd(unittest.TestCase):
    def setUp(self):
        if not shutil.which("redis-benchmark"):
            self.skipTest("redis-benchmark is not installed")

    def start_kvd(self, bed):
        kvd = bed.start_service("--port", 0, which="kvd", service="kvd")
        line = wait_until(lambda: re.search(r"listening on [\d.]+:(\d+)\n", kvd.stdout()),
                          "kvd to listen")
        return kvd, line.group(1)

    def run_benchmark(self, port, requests=REQUESTS):
        done = subprocess.run(
            ["redis-benchmark", "-p", port, "-n", str(requests), "-t", "set,get", "-c", "10",
             "-P", "4", "-q"], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("SET: ", done.stdout)
        self.assertIn("GET: ", done.stdout)

    def stop(self, bed, kvd, consumer):
        kvd.popen.terminate()
        self.assertEqual(kvd.wait(), 0, kvd.stderr())
        bed.wait_until_segments_are_gone()
        bed.stop_consumer(consumer)

    def check(self, bed, losses_expected=False):
        lines = print_raw(*bed.traces())
        times = [line[:29] for line in lines]
        self.assertEqual(times, sorted(times))
        lost = sum(b" LOST [" in line for line in lines)
        if not losses_expected:
            self.assertEqual(lost, 0)
        return lines

    def count_commands(self, lines, command):
        """The number of INFO lines about this command."""
        return sum(b" INFO " in line and command in line.split(b"] ", 1)[1].lower()
                   for line in lines)

    def test_every_request_is_traced(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            kvd, port = self.start_kvd(bed)
            self.run_benchmark(port)
            self.stop(bed, kvd, consumer)
            lines = self.check(bed)
            self.assertGreater(len(lines), 2 * REQUESTS * RECORDS_PER_REQUEST)
            self.assertGreaterEqual(self.count_commands(lines, b"set"), REQUESTS)
            self.assertGreaterEqual(self.count_commands(lines, b"get"), REQUESTS)

    def test_deaths_of_consumerd_lose_nothing(self):
        with TestBed() as bed:
            kvd, port = self.start_kvd(bed)
            for _ in range(3):
                consumer = bed.start_consumer()
                self.run_benchmark(port, REQUESTS // 4)
                consumer.kill()
            consumer = bed.start_consumer()
            self.run_benchmark(port, REQUESTS // 4)
            self.stop(bed, kvd, consumer)
            lines = self.check(bed)
            requests = 4 * (REQUESTS // 4)
            self.assertGreaterEqual(self.count_commands(lines, b"set"), requests)
            self.assertGreaterEqual(self.count_commands(lines, b"get"), requests)

    def test_it_serves_without_consumerd(self):
        with TestBed() as bed:
            kvd = bed.start_service("--port", 0, which="kvd", service="kvd", timeout_ms=100)
            port = wait_until(lambda: re.search(r"listening on [\d.]+:(\d+)\n", kvd.stdout()),
                              "kvd to listen").group(1)
            self.run_benchmark(port)
            kvd.popen.terminate()
            self.assertEqual(kvd.wait(), 0, kvd.stderr())
            bed.run_consumer_once()
            lines = self.check(bed, losses_expected=True)
            self.assertTrue(any(b" LOST [" in line for line in lines))
            self.assertGreater(len(lines), 1000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
