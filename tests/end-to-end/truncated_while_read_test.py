#!/usr/bin/env python3
"""Segments are truncated by another process before and while the tools read them: no tool dies of a signal. It says
what happened, goes on with the other segments, and shows nothing of a truncated one as if it were whole."""

import contextlib
import json
import os
import random
import signal
import subprocess
import unittest

from ringstat_test import Terminal
from stopped_consumer import stop_without_switch_lock
from traced_processes import BOUND_S, TestBed, program, wait_until

RINGCTL_OK, RINGCTL_FAILED = 0, 1
RINGSTAT_LOST = 10
HEADER_BYTES = 512
TRUNCATED = "was truncated by another process"
ROUNDS = 10
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))


def open_files(pid):
    """The paths of the files that a process has open; some of them may be closed meanwhile."""
    paths = []
    with contextlib.suppress(FileNotFoundError):
        for link in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                paths.append(os.readlink(link.path))
    return paths


class TruncatedWhileRead(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def service(self, name, overflow="block", records=500):
        """Has logged all its records, waits, and accesses its segment no more."""
        service = self.bed.start_service(
            "--records", records, "--hold", piped=True, service=name, overflow=overflow, ring_bytes=1 << 16,
            timeout_ms=1, environment={"RINGSIDE_MAX_THREADS": "4"})
        wait_until(lambda: "done" in service.stdout(), f"the records of {name}")
        return service

    def path(self, name):
        (segment,) = self.bed.segments(name)
        return os.path.join(self.bed.shm_dir, segment)

    def command(self, tool, *arguments):
        return [program(tool), *arguments, "--shm-dir", self.bed.shm_dir]

    def run_tool(self, command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertIn(done.returncode, (0, 1, 3), f"{command}: {done.stdout}{done.stderr}")
        return done

    def truncated_and_whole(self, overflow, size_of):
        """A truncated segment and a whole one. Returns the path of the truncated one."""
        self.service("alpha", overflow)
        self.service("beta", overflow)
        path = self.path("alpha")
        os.truncate(path, size_of(os.path.getsize(path)))
        return path

    def check_reported(self, path, command, message):
        done = self.run_tool(command)
        self.assertEqual(done.returncode, 1, f"{command}: {done.stdout}{done.stderr}")
        self.assertRegex(done.stderr, f"{path}.*{message}")
        self.assertNotIn("alpha", done.stdout)
        return done

    def check_all_tools(self, overflow, size_of, message):
        path = self.truncated_and_whole(overflow, size_of)
        for command in (("ringstat", "--once", "--interval", "50ms"), ("ringctl", "list"),
                        ("ringctl", "list", "--threads"), ("ringctl", "list", "--statements"),
                        ("ringctl", "level", "info"), ("ringctl", "policy")):
            with self.subTest(command=command):
                self.assertIn("beta", self.check_reported(path, self.command(*command), message).stdout)
        with self.subTest(command="snapshot"):  # there is no consumerd
            self.check_reported(path, self.command("ringctl", "snapshot" if overflow == "overwrite" else "flush"),
                                message)
        with self.subTest(command="doctor"):
            done = self.run_tool(self.command("ringctl", "doctor"))
            self.assertEqual(done.returncode, RINGCTL_FAILED)
            self.assertRegex(done.stdout, f"{path}.*{message}")
        with self.subTest(command="ringstat --json"):
            done = self.run_tool(self.command("ringstat", "--once", "--json", "--interval", "50ms"))
            (trouble,) = json.loads(done.stdout)["troubles"]
            self.assertRegex(trouble, f"{path}.*{message}")
        return path

    def check_salvage(self, path, message):
        done = self.run_tool([program("ringcat"), "--segment", path])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(message, done.stderr)
        return done

    def test_tools_report_a_segment_of_half_its_size(self):
        for overflow in ("block", "overwrite"):
            with self.subTest(overflow=overflow):
                path = self.check_all_tools(overflow, lambda size: size // 2, TRUNCATED)
                done = self.check_salvage(path, "the file is truncated by")
                self.assertIn("cannot be decoded: the file is truncated before them", done.stderr)
                self.bed.close()
                self.setUp()

    def test_tools_report_a_segment_of_one_byte_less(self):
        path = self.check_all_tools("block", lambda size: size - 1, TRUNCATED)
        done = self.check_salvage(path, "the file is truncated by 1 bytes")
        self.assertEqual(len(done.stdout.splitlines()), 500, "its records are left")

    def test_tools_report_a_segment_that_ends_with_its_header(self):
        path = self.check_all_tools("block", lambda size: 4096, TRUNCATED)
        self.check_salvage(path, "the file is truncated by")

    def test_tools_report_a_segment_of_a_part_of_its_header(self):
        self.check_all_tools("block", lambda size: HEADER_BYTES // 2, "header of a segment")

    def test_tools_report_an_empty_segment(self):
        path = self.check_all_tools("overwrite", lambda size: 0, "another process truncated it")
        self.check_salvage(path, "another process truncated it")

    def waits_for_consumerd(self, overflow, what):
        """While ringctl waits for the answer of a consumerd that is stopped, the segment is truncated."""
        self.service("alpha", overflow)
        consumer = self.bed.start_consumer()
        path = self.path("alpha")
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        stop_without_switch_lock(consumer, path)
        waiting = self.bed.start(self.command("ringctl", what, "--timeout", "90s"))
        wait_until(lambda: not waiting.running() or path in open_files(waiting.pid), "ringctl to open the segment")
        os.truncate(path, os.path.getsize(path) // 2)
        self.assertEqual(waiting.wait(60), RINGCTL_FAILED, waiting.stderr())
        self.assertIn(f"{path} {TRUNCATED}", waiting.stderr())
        consumer.send(signal.SIGCONT)

    def test_ringctl_snapshot_does_not_wait_for_a_truncated_segment(self):
        self.waits_for_consumerd("overwrite", "snapshot")

    def test_ringctl_flush_does_not_wait_for_a_truncated_segment(self):
        self.waits_for_consumerd("block", "flush")

    def test_ringstat_keeps_watching_the_others(self):
        for size_of in (lambda size: size // 2, lambda size: 0):
            self.service("alpha")
            self.service("beta")
            terminal = Terminal(self.command("ringstat", "--interval", "50ms"), columns=200)
            try:
                terminal.wait_for("alpha")
                path = self.path("alpha")
                os.truncate(path, size_of(os.path.getsize(path)))
                self.assertIn("beta", terminal.wait_for("truncated"))
                os.unlink(path)
                self.assertIn("beta", terminal.wait_for("beta", "truncated", "alpha"))
                self.service("gamma")
                terminal.wait_for("gamma")
                terminal.press("q")
                terminal.wait_for("ended with 0")
            finally:
                terminal.close()
            self.bed.close()
            self.setUp()

    def test_no_tool_dies_while_segments_are_truncated_again_and_again(self):
        """The service replaces its segment each time. Whatever a tool reads, it exits with a documented status."""
        print(f"seed {SEED}")
        chance = random.Random(SEED)
        service = self.bed.start_service(
            "--records", 0, "--threads", 2, "--burst", 20, "--pause-us", 1000, piped=True, service="alpha",
            overflow="overwrite", ring_bytes=1 << 16,
            environment={"RINGSIDE_MODE": "0660", "RINGSIDE_MAX_THREADS": "4"})
        wait_until(self.bed.segments, "the segment")
        watching = self.bed.start(self.command("ringstat", "--watch-exit", "--interval", "50ms"))
        commands = [self.command("ringstat", "--once", "--interval", "50ms"), self.command("ringctl", "list"),
                    self.command("ringctl", "list", "--statements"),
                    self.command("ringctl", "level", "trace"), self.command("ringctl", "snapshot")]
        for number in range(ROUNDS):
            path = wait_until(lambda: next((os.path.join(self.bed.shm_dir, name)
                                            for name in self.bed.segments("alpha")), None), "a segment")
            command = commands[number % len(commands)]
            tools = [self.bed.start(command), self.bed.start([program("ringcat"), "--segment", path])]
            try:
                while any(tool.running() for tool in tools):
                    os.truncate(path, int(os.path.getsize(path) * chance.choice((0, 0.1, 0.5, 0.999))))
                    # Some are cut once more, some grow again, so that there are holes.
                    if chance.random() < 0.3:
                        os.truncate(path, 40 << 20)
            except FileNotFoundError:
                pass  # replaced
            for tool in tools:
                self.assertIn(tool.wait(), (0, 1, 3), f"{command}: {tool.stderr()}")
        watching.send(signal.SIGTERM)
        # Records that the service made while it replaced its segment may be lost: then it has ended before.
        self.assertIn(watching.wait(), (0, RINGSTAT_LOST), watching.stderr())
        self.assertTrue(service.running(), service.stderr())


if __name__ == "__main__":
    unittest.main(verbosity=2)
