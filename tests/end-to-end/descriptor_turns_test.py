#!/usr/bin/env python3
"""A consumerd with descriptors for a few segments serves those of many living services in turns, and loses nothing."""

import json
import os
import socket
import subprocess
import unittest
import urllib.request

from checked_output import print_and_check, verify
from progress_file import ProgressFile
from traced_processes import TestBed, program, wait_until

SERVICES = 30
RECORDS = 3000  # more than a ring holds: a service that is never served cannot log them all
RING_BYTES = 1 << 16
DESCRIPTORS = 24  # enough for 6 segments at once
# Reached only by a hang.
LIVE = {"RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS": "100000"}
TOLD = "consumerd serves them in turns"


class DescriptorTurns(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def start_services(self, *arguments, count=SERVICES, records=RECORDS):
        return [self.bed.start_service("--records", records, "--first", number, *arguments,
                                       service=f"many{number}", ring_bytes=RING_BYTES, timeout_ms=100,
                                       environment=LIVE, piped=True)
                for number in range(count)]

    def start_short_consumer(self, *arguments):
        limit = ("sh", "-c", f'ulimit -n {DESCRIPTORS} && exec "$@"', "sh")
        consumer = self.bed.start([*limit, *self.bed.consumer_command(*arguments)])
        # A service does not wait for a consumer that is still to come.
        wait_until(lambda: "ringside-consumerd.presence" in self.bed.shm_names(), "consumerd to start")
        return consumer

    def wait_until_all_print(self, services, text):
        wait_until(lambda: all(text in service.stdout() for service in services),
                   f"{text!r} of every service")

    def stop(self, consumer):
        consumer.popen.terminate()
        self.assertEqual(consumer.wait(), 0, consumer.stderr())

    def end(self, services):
        for service in services:
            service.end_input()
        for service in services:
            self.assertEqual(service.wait(), 0)
            self.assertEqual(service.values()["dropped"], "0", service.stdout())

    def check_all_records(self, each=RECORDS, count=SERVICES):
        output = print_and_check(*self.bed.traces())
        self.assertEqual(output.records_of, dict.fromkeys(range(count), each))
        self.assertEqual((output.lost, output.lost_without_thread), (0, 0))
        verify(*self.bed.traces())

    def test_living_services_are_all_served(self):
        consumer = self.start_short_consumer()
        services = self.start_services("--hold")
        self.wait_until_all_print(services, "done")
        self.end(services)
        self.bed.wait_until_segments_are_gone()
        self.stop(consumer)
        self.assertEqual(len(consumer.stderr().splitlines()), 1, consumer.stderr())
        self.assertIn(TOLD, consumer.stderr())
        self.assertIn("ulimit -n", consumer.stderr())
        self.assertEqual(self.bed.shm_names(), [])
        self.check_all_records()

    def test_waiting_services_are_written_when_consumerd_ends(self):
        consumer = self.start_short_consumer()
        services = self.start_services("--hold")
        self.wait_until_all_print(services, "done")
        self.stop(consumer)
        self.check_all_records()
        self.assertEqual(self.bed.shm_names(), self.bed.segments())
        # Everything is written and nothing is repeated when another one comes.
        consumer = self.start_short_consumer()
        self.end(services)
        self.bed.wait_until_segments_are_gone()
        self.stop(consumer)
        self.check_all_records()

    def test_a_kill_between_turns_loses_and_repeats_nothing(self):
        loads = []
        for number in range(SERVICES):
            progress = ProgressFile(os.path.join(self.bed.work_dir, f"progress-{number}"))
            loads.append((self.bed.start_service("--records", 0, "--burst", 100, "--first", number,
                                                 "--progress", progress.path, service=f"many{number}",
                                                 ring_bytes=RING_BYTES, environment=LIVE, piped=True),
                          progress))
        for kill in range(4):
            before = [progress.returned(0) for _, progress in loads]
            consumer = self.start_short_consumer()
            wait_until(lambda past=before: all(progress.returned(0) > count + RECORDS
                                               for (_, progress), count in zip(loads, past)),
                       f"turns of every service before kill {kill}")
            consumer.kill()
        consumer = self.start_short_consumer()
        self.end([service for service, _ in loads])
        self.bed.wait_until_segments_are_gone()
        self.stop(consumer)
        output = print_and_check(*self.bed.traces())
        self.assertEqual(output.records_of,
                         {number: progress.returned(0) for number, (_, progress) in enumerate(loads)})
        self.assertEqual((output.lost, output.lost_without_thread), (0, 0))

    def test_requests_of_waiting_services_are_answered(self):
        consumer = self.start_short_consumer()
        services = self.start_services("--steps", records=50)
        for step in (50, 100, 150):
            for service in services if step != 100 else reversed(services):
                service.popen.stdin.write(b"\n")
                service.popen.stdin.flush()
            self.wait_until_all_print(services, f"flushed {step}\n")
        done = subprocess.run([program("ringstat"), "--once", "--json", "--shm-dir", self.bed.shm_dir],
                              stdout=subprocess.PIPE, text=True, check=True)
        health = {of["service"]: of["consumer"]["health"] for of in json.loads(done.stdout)["services"]}
        self.assertEqual(health, {f"many{number}": "polling" for number in range(SERVICES)})
        self.end(services)
        self.bed.wait_until_segments_are_gone()
        self.stop(consumer)
        self.check_all_records(each=150)

    def test_metrics_count_each_service_once(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        consumer = self.start_short_consumer("--metrics", f"127.0.0.1:{port}")
        services = self.start_services("--steps", records=50)

        def metrics():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
                    page = answer.read().decode()
            except OSError:
                return {}
            lines = (line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
            return {name: float(value) for name, value in lines}

        def all_are(metric, value):
            page = metrics()
            return all(page.get(f'{metric}{{service="many{number}"}}') == value
                       for number in range(SERVICES))

        for step in (50, 100, 150):
            for service in services:
                service.popen.stdin.write(b"\n")
                service.popen.stdin.flush()
            self.wait_until_all_print(services, f"flushed {step}\n")
            wait_until(lambda count=step: all_are("ringside_records_total", count), "the records")
            wait_until(lambda: all_are("ringside_processes", 1), "the processes")
        page = metrics()
        self.assertEqual(page["ringside_segments_adopted_total"], SERVICES)
        self.assertEqual(page["ringside_segments_refused_total"], 0)
        self.assertEqual(page["ringside_segments"] + page["ringside_segments_waiting"], SERVICES)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=60) as answer:
            self.assertEqual(answer.status, 200)
        self.end(services)
        self.bed.wait_until_segments_are_gone()
        wait_until(lambda: all_are("ringside_processes", 0), "the ends")
        self.assertEqual(metrics()["ringside_segments_waiting"], 0)
        self.stop(consumer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
