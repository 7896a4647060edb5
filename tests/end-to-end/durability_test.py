#!/usr/bin/env python3
"""consumerd --sync, flush_durable() and ringctl flush --durable: when files are synced, and what happens if they are not."""

import os
import re
import signal
import socket
import struct
import subprocess
import unittest
import urllib.request

from segment_counters import CONTROL_PAGE_OFFSET
from stopped_consumer import stop_without_switch_lock
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

DURABLE_SESSION_OFFSET = CONTROL_PAGE_OFFSET + 1776
SYNC_FAILURES_OFFSET = CONTROL_PAGE_OFFSET + 1768
MANY_MS = 60_000_000


class Durability(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def start(self, *arguments):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        consumer = self.bed.start_consumer("--metrics", f"127.0.0.1:{self.port}", *arguments)
        wait_until(lambda: self.metric("ringside_syncs_total") is not None, "the metrics")
        return consumer

    def metric(self, name):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
                return float(re.search(rf"^{name} (\S+)$", answer.read().decode(), re.MULTILINE)[1])
        except OSError:
            return None

    def syncs_reach(self, count):
        wait_until(lambda: self.metric("ringside_syncs_total") >= count, f"{count} syncs")

    def service(self):
        return ToldService(self.bed, "steered_service", service="desk")

    def answer(self, service, line):
        service.tell(line)
        return service.process.stdout().splitlines()[-2]

    def flush(self, *arguments):
        done = subprocess.run([program("ringctl"), "flush", "--durable", *arguments, "--shm-dir", self.bed.shm_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        return done.returncode, done.stdout, done.stderr

    def end(self, service, consumer):
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def segment_path(self):
        path, = (os.path.join(self.bed.shm_dir, name) for name in self.bed.shm_names() if name.startswith("ringside.desk"))
        return path

    def write_word(self, offset, form, value):
        with open(self.segment_path(), "r+b") as file:
            file.seek(offset)
            file.write(struct.pack(form, value))

    def durable_on_request(self, *arguments):
        service = self.service()
        service.tell("tick 1")
        consumer = self.start(*arguments)
        for number in range(3):
            service.tell(f"tick {number}")
            self.assertEqual(self.answer(service, f"durable {MANY_MS}"), "durable 1 1")
            status, text, errors = self.flush()
            self.assertEqual((status, errors), (0, ""))
            self.assertRegex(text, r"^desk \d+: all records are on the disk\n$")
        self.syncs_reach(3)
        self.assertEqual(self.metric("ringside_sync_failures_total"), 0)
        self.end(service, consumer)

    def test_a_durable_flush_syncs_without_sync(self):
        self.durable_on_request()

    def test_a_durable_flush_syncs_with_an_interval(self):
        self.durable_on_request("--sync", "interval=1h")

    def test_a_durable_flush_is_answered_when_every_write_is_synced(self):
        self.durable_on_request("--sync", "always")

    def test_a_durable_flush_syncs_with_pwrite(self):
        self.durable_on_request("--io", "pwrite")

    def test_a_durable_flush_covers_rotated_files(self):
        service = self.service()
        consumer = self.start()
        for _ in range(3):
            service.tell("tick 1")
            service.tell(f"rotate {MANY_MS}")
        self.assertEqual(self.metric("ringside_syncs_total"), 0)
        self.assertEqual(self.answer(service, f"durable {MANY_MS}"), "durable 1 1")
        self.syncs_reach(7)
        self.assertEqual(len(self.bed.traces()), 7)
        self.end(service, consumer)

    def test_nothing_is_synced_by_default(self):
        service = self.service()
        consumer = self.start()
        service.tell("tick 1")
        service.tell("flush")
        service.tell(f"rotate {MANY_MS}")
        self.assertEqual(self.metric("ringside_syncs_total"), 0)
        self.end(service, consumer)

    def test_an_interval_syncs_without_a_request(self):
        service = self.service()
        consumer = self.start("--sync", "interval=20ms")
        for number in range(1, 4):
            service.tell(f"tick {number}")
            service.tell("flush")
            self.syncs_reach(number)
        self.end(service, consumer)

    def test_every_write_is_synced_before_a_flush_returns(self):
        service = self.service()
        consumer = self.start("--sync", "always")
        for number in range(1, 4):
            service.tell(f"tick {number}")
            service.tell("flush")
            self.syncs_reach(number)
        self.end(service, consumer)

    def test_the_policy_is_checked(self):
        for value, is_valid in (("none", True), ("always", True), ("interval=1ms", True), ("interval=2s", True), ("interval=1h", True),
                                ("interval=0ms", False), ("interval=61m", False), ("interval=", False), ("interval", False), ("", False)):
            for how in ("option", "environment", "file"):
                with self.subTest(value=value, how=how):
                    command, environment = [program("consumerd"), "--output", self.bed.output_dir, "--check-config"], dict(os.environ)
                    if how == "option":
                        command.append(f"--sync={value}")
                    elif how == "environment":
                        environment["RINGSIDE_CONSUMERD_SYNC"] = value
                    else:
                        path = os.path.join(self.bed.output_dir, "consumerd.toml")
                        with open(path, "w", encoding="utf-8") as file:
                            file.write(f'sync = "{value}"\n')
                        command += ["--config", path]
                    done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False, env=environment)
                    self.assertEqual(done.returncode, 0 if is_valid else 2, done.stderr)
                    if not is_valid:
                        self.assertIn("must be none, interval=DURATION (such as 100ms or 1s, at most 1h) or always", done.stderr)

    def test_an_old_consumerd_is_refused_at_once(self):
        service = self.service()
        consumer = self.start()
        service.tell("tick 1")
        service.tell("flush")
        stop_without_switch_lock(consumer, self.segment_path())
        self.write_word(DURABLE_SESSION_OFFSET, "<I", 0)
        # Hours, if it waited.
        self.assertEqual(self.answer(service, f"durable {MANY_MS}"), "durable 0 0")
        status, text, errors = self.flush("--timeout", "10h")
        self.assertEqual((status, text), (1, ""))
        self.assertRegex(errors, "is older than this ringctl and has no durable flush; restart it with this version")
        consumer.send(signal.SIGCONT)
        self.end(service, consumer)

    def test_a_failed_sync_is_told_to_each(self):
        service = self.service()
        consumer = self.start()
        service.tell("tick 1")
        self.assertEqual(self.answer(service, f"durable {MANY_MS}"), "durable 1 1")
        # As consumerd states it.
        self.write_word(SYNC_FAILURES_OFFSET, "<Q", 1)
        self.assertEqual(self.answer(service, f"durable {MANY_MS}"), "durable 0 1", "once")
        status, text, errors = self.flush()
        self.assertEqual((status, text), (1, ""))
        self.assertRegex(errors, "could not sync its files")
        self.end(service, consumer)

    def test_without_consumerd_it_fails_in_time_and_the_next_one_answers(self):
        service = self.service()
        service.tell("tick 1")
        self.assertEqual(self.answer(service, "durable 1"), "durable 0 0")
        status, _, errors = self.flush()
        self.assertEqual(status, 1)
        self.assertRegex(errors, "no consumerd serves")
        consumer = self.start()
        self.syncs_reach(1)
        self.end(service, consumer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
