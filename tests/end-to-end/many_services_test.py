#!/usr/bin/env python3
"""Hundreds of services, and services with hundreds of thousands of threads, under the policy `block`: a busy consumerd does
not count as absent, and nothing is lost.

RINGSIDE_TEST_SERVICES and RINGSIDE_TEST_RECORDS_OF_EACH set other numbers; sanitizer builds, which are slow, use
fewer."""

import json
import os
import subprocess
import unittest

from traced_processes import TestBed, program, wait_until

SANITIZED = bool(os.environ.get("RINGSIDE_TEST_SANITIZED"))
SERVICES = int(os.environ.get("RINGSIDE_TEST_SERVICES", 40 if SANITIZED else 200))
RECORDS = int(os.environ.get("RINGSIDE_TEST_RECORDS_OF_EACH", 5_000 if SANITIZED else 20_000))
SHORT_LIVED_THREADS = 10_000 if SANITIZED else 100_000
SMALL_RING = 1 << 16
# The library's default for the wait for an absent consumer.
ABSENT_MS = 100
# Only a hang reaches this: the machine may be busy with other tests.
LIVE = {"RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS": "100000"}


class ManyServices(unittest.TestCase):
    def check_none_lost(self, bed, services, records):
        for service in services:
            self.assertEqual(service.wait(600), 0, service.stderr())
            told = service.values()
            self.assertEqual((told["dropped"], told["refused"]), ("0", "0"), service.stdout())
        bed.wait_until_segments_are_gone()
        done = subprocess.run([program("ringcat"), "stats", "--format", "json", bed.output_dir],
                              stdout=subprocess.PIPE, text=True, check=True)
        stats = json.loads(done.stdout)
        self.assertEqual((stats["records"], stats["lost"]), (records, 0))

    def test_a_busy_consumerd_loses_no_record(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
            services = [bed.start_service("--records", RECORDS, "--uniform", service=f"svc{number}",
                                          timeout_ms=ABSENT_MS, ring_bytes=SMALL_RING,
                                          environment=LIVE) for number in range(SERVICES)]
            self.check_none_lost(bed, services, SERVICES * RECORDS)
            bed.stop_consumer(consumer)

    def test_threads_wait_for_a_ring_to_be_drained(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
            service = bed.start_service("--records", 1, "--churn", SHORT_LIVED_THREADS,
                                        timeout_ms=ABSENT_MS, ring_bytes=SMALL_RING,
                                        environment={**LIVE, "RINGSIDE_MAX_THREADS": "24"})
            self.check_none_lost(bed, [service], SHORT_LIVED_THREADS + 1)
            bed.stop_consumer(consumer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
