#!/usr/bin/env python3
"""The text files of consumerd --text: the lines that ringcat prints, each of them once, whatever is killed, rotated or full.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import os
import random
import re
import signal
import socket
import stat
import subprocess
import time
import unittest
import urllib.request

from checked_output import print_and_check
from small_file_system import SmallFileSystem
from steady_load import Load
from text_logs import TextLogs, printed_lines
from traced_processes import TestBed, program, wait_until

SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "12"))
PAUSES = ("--burst", 50, "--pause-us", 5000)
MIB = 1 << 20


class TextFiles(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.text = TextLogs(os.path.join(self.bed.work_dir, "text"))

    def start(self, *arguments, utc=True):
        return self.bed.start_consumer("--text", self.text.path, *(["--text-utc"] if utc else []), *arguments)

    def start_text_only(self, *arguments):
        return self.bed.start([program("consumerd"), "--text", self.text.path, "--text-utc", "--shm-dir",
                               self.bed.shm_dir, "--verbose", *arguments])

    def finish(self, consumer, *loads):
        """Ends the services, then consumerd, which must have nothing to complain about."""
        for load in loads:
            load.advance()
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def check_against_traces(self, *loads):
        for load in loads:
            service = f"load{load.first}"
            expected = printed_lines(service, *self.traces())
            self.assertEqual(sorted(self.text.lines(service)), sorted(expected), f"RINGSIDE_TEST_SEED={SEED}")
            output = self.text.check(service)
            self.assertEqual(output.records_of, load.expected())
            self.assertEqual(output.lost, 0)

    def traces(self):
        """Not the hidden files, which say how much of them is in the text."""
        return [path for path in self.bed.traces() if path.endswith(".ringtrace")]

    def names_in_output(self):
        return sorted(os.listdir(self.bed.output_dir))

    def test_lines_are_those_of_ringcat_for_several_services_and_threads(self):
        loads = [Load(self.bed, 0, 3, *PAUSES), Load(self.bed, 10, 2, *PAUSES)]
        consumer = self.start()
        self.finish(consumer, *loads)
        self.check_against_traces(*loads)
        self.assertNotIn("error", consumer.stderr())
        for load in loads:
            path = self.text.current(f"load{load.first}")
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
            self.assertEqual(self.text.rotated(f"load{load.first}"), [])
        # Nothing but the cursors stays.
        self.assertEqual([name for name in self.names_in_output() if name.endswith(".text-mark")], [])

    def test_processes_of_one_service_share_a_file_in_order_of_time(self):
        consumer = self.start()
        loads = []
        for first in (0, 10):
            loads.append(Load(self.bed, first, 2, *PAUSES, environment={"RINGSIDE_SERVICE": "shared"}))
        for load in loads:
            load.advance()
        self.finish(consumer, *loads)
        lines = self.text.lines("shared")
        self.assertEqual(sorted(lines), sorted(printed_lines("shared", *self.traces())))
        times = [line[:29] for line in lines]
        # Threads of both processes alternate; one that was stopped while it logged may come late.
        late = sum(later < earlier for earlier, later in zip(times, times[1:]))
        self.assertLess(late, len(times) // 20 + 5)

    def test_a_line_appears_while_the_service_is_idle(self):
        consumer = self.start()
        service = self.bed.start_service("--threads", 1, "--records", 3, "--hold", service="idle", piped=True)
        wait_until(lambda: os.path.exists(self.text.current("idle")) and len(self.text.lines("idle")) == 3,
                   "three lines")
        self.assertTrue(service.running())
        service.end_input()
        self.assertEqual(service.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def test_template_level_and_local_time_apply(self):
        self.bed.start_service("--threads", 1, "--records", 5, service="shown").wait()
        consumer = self.bed.start(
            self.bed.consumer_command("--verbose", "--once", "--text", self.text.path, "--template", "{seq}|{level:<6}|{msg}"))
        self.assertEqual(consumer.wait(), 0, consumer.stderr())
        printed = subprocess.run([program("ringcat"), "--template", "{seq}|{level:<6}|{msg}", *self.traces()],
                                 capture_output=True, check=True).stdout
        self.assertEqual(self.text.lines("shown"), printed.splitlines())
        self.assertEqual(len(printed.splitlines()), 5)

    def test_local_time_is_the_default_as_in_ringcat(self):
        zone = {"TZ": "Asia/Tokyo"}
        self.bed.start_service("--threads", 1, "--records", 5, service="zone").wait()
        consumer = self.bed.start(self.bed.consumer_command("--once", "--text", self.text.path), environment=zone)
        self.assertEqual(consumer.wait(), 0, consumer.stderr())
        printed = subprocess.run([program("ringcat"), *self.traces()], env={**os.environ, **zone},
                                 capture_output=True, check=True).stdout
        self.assertEqual(self.text.lines("zone"), printed.splitlines())
        self.assertNotEqual(self.text.lines("zone"), printed_lines("zone", *self.traces()))

    def test_less_severe_records_are_left_out_of_the_text_only(self):
        self.bed.start_service("--threads", 1, "--records", 5, service="quiet").wait()
        self.bed.run_consumer_once("--text", self.text.path, "--text-level", "warning")
        self.assertEqual(self.text.files("quiet"), [])
        self.assertEqual(len(printed_lines("quiet", *self.traces())), 5)

    def test_text_alone_leaves_no_trace(self):
        loads = [Load(self.bed, 0, 2, *PAUSES), Load(self.bed, 10, 2, *PAUSES)]
        consumer = self.start_text_only()
        self.finish(consumer, *loads)
        output = self.text.check("load0", "load10")
        self.assertEqual(output.records_of, {**loads[0].expected(), **loads[1].expected()})
        left = os.listdir(os.path.join(self.text.path, ".trace"))
        self.assertEqual([name for name in left if "ringtrace" in name or "mark" in name], [])
        self.assertEqual(self.names_in_output(), [])

    def test_files_rotate_by_size_and_on_request(self):
        load = Load(self.bed, 0, 2, *PAUSES)
        consumer = self.start("--rotate-bytes", "64K")
        wait_until(lambda: len(self.text.rotated("load0")) >= 3, "three rotated files")
        longest = max(len(line) for line in self.text.lines("load0")) + 1
        for path in self.text.rotated("load0"):
            self.assertTrue(64 << 10 <= os.path.getsize(path) <= (64 << 10) + longest, path)
        self.finish(consumer, load)
        self.check_against_traces(load)

    def test_signal_and_ringctl_rotate_the_text_too(self):
        load = Load(self.bed, 0, 2, *PAUSES)
        consumer = self.start()
        for count, rotate in enumerate((lambda: consumer.send(signal.SIGHUP), lambda: subprocess.run(
                [program("ringctl"), "rotate", "--shm-dir", self.bed.shm_dir], check=True,
                capture_output=True)), 1):
            wait_until(lambda: os.path.exists(self.text.current("load0")) and
                       os.path.getsize(self.text.current("load0")), "lines")
            rotate()
            wait_until(lambda count=count: len(self.text.rotated("load0")) == count, "a rotated file")
        self.finish(consumer, load)
        self.check_against_traces(load)

    def test_surplus_files_are_removed_oldest_first(self):
        load = Load(self.bed, 0, 2, *PAUSES)
        consumer = self.start("--rotate-bytes", "16K", "--keep-files", "2")
        wait_until(lambda: max(self.numbers("load0"), default=0) >= 8, "the eighth file")
        self.finish(consumer, load)
        numbers = self.numbers("load0")
        self.assertEqual(len(numbers), 2)
        self.assertEqual(numbers[1], numbers[0] + 1)
        self.assertGreaterEqual(numbers[1], 8)

    def numbers(self, service):
        return [int(path.rsplit(".", 2)[1]) for path in self.text.rotated(service)]

    def kill_repeatedly(self, start, longest_s):
        for _ in range(ROUNDS):
            consumer = start()
            time.sleep(self.dice.uniform(0, longest_s))
            consumer.kill()
            self.assertNotIn("error", consumer.stderr())

    def test_each_line_is_there_once_whenever_consumerd_is_killed(self):
        load = Load(self.bed, 0, 3, *PAUSES)
        self.kill_repeatedly(self.start, 0.5)
        self.finish(self.start(), load)
        self.check_against_traces(load)

    def test_kills_during_rotation_lose_and_repeat_nothing(self):
        load = Load(self.bed, 0, 3, *PAUSES)
        self.kill_repeatedly(lambda: self.start("--rotate-bytes", "16K"), 0.5)
        self.finish(self.start("--rotate-bytes", "16K"), load)
        self.check_against_traces(load)

    def test_text_alone_survives_kills(self):
        load = Load(self.bed, 0, 3, *PAUSES)
        self.kill_repeatedly(self.start_text_only, 0.5)
        self.finish(self.start_text_only(), load)
        self.assertEqual(self.text.check("load0").records_of, load.expected(), f"RINGSIDE_TEST_SEED={SEED}")

    def test_a_service_that_ends_while_consumerd_is_killed_gets_its_last_lines(self):
        for number in range(3):
            load = Load(self.bed, 10 * number, 2, *PAUSES)
            consumer = self.start()
            time.sleep(self.dice.uniform(0.05, 0.3))
            load.stop()
            time.sleep(self.dice.uniform(0, 0.15))
            consumer.kill()
            self.finish(self.start())
            self.check_against_traces(load)

    def test_lines_that_were_appended_but_not_recorded_are_not_repeated(self):
        load = Load(self.bed, 0, 1, *PAUSES)
        consumer = self.start()
        wait_until(lambda: self.text.files("load0") and self.text.lines("load0"), "lines")
        consumer.send(signal.SIGSTOP)
        consumer.kill()
        # As if it had been killed after an append, in the middle of a line.
        with open(self.text.current("load0"), "ab") as file:
            file.write(b"2026-01-01 half a li")
        self.finish(self.start(), load)
        self.check_against_traces(load)

    def test_a_moved_file_is_continued_under_its_name(self):
        load = Load(self.bed, 0, 1, *PAUSES)
        consumer = self.start()
        wait_until(lambda: self.text.files("load0") and self.text.lines("load0"), "lines")
        moved = os.path.join(self.text.path, "load0.old")
        os.rename(self.text.current("load0"), moved)
        wait_until(lambda: self.text.files("load0"), "a new file")
        self.finish(consumer, load)
        with open(moved, "rb") as file:
            lines = file.read().splitlines() + self.text.lines("load0")
        self.assertEqual(sorted(lines), sorted(printed_lines("load0", *self.traces())))

    def test_a_link_in_place_of_the_file_is_not_followed(self):
        target = os.path.join(self.bed.work_dir, "target")
        with open(target, "w", encoding="utf-8") as file:
            file.write("untouched")
        os.symlink(target, self.text.current("load0"))
        load = Load(self.bed, 0, 1, *PAUSES)
        consumer = self.start()
        wait_until(lambda: "symbolic link" in consumer.stderr(), "its complaint")
        load.advance()
        os.unlink(self.text.current("load0"))
        self.finish(consumer, load)
        with open(target, encoding="utf-8") as file:
            self.assertEqual(file.read(), "untouched")
        self.check_against_traces(load)

    def test_losses_have_lines(self):
        service = self.bed.start_service("--threads", 1, "--records", 200_000, service="lossy", overflow="drop",
                                         ring_bytes=1 << 16)
        self.assertEqual(service.wait(), 0)
        self.bed.run_consumer_once("--text", self.text.path, "--text-utc", "--text-level", "critical")
        lines = self.text.lines("lossy")
        self.assertTrue(lines)
        self.assertTrue(all(b" LOST " in line for line in lines), lines[:3])
        self.assertEqual(lines, [line for line in printed_lines("lossy", *self.traces()) if b" LOST " in line])

    def test_hidden_values_are_not_in_the_text(self):
        config = os.path.join(self.bed.work_dir, "config.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'text = "{self.text.path}"\n[[redact]]\nfield = "password"\n'
                       '[[sample]]\nkeep-one-in = 10\nsite = "*pulse*"\n')
        consumer = self.bed.start_consumer("--config", config)
        service = self.bed.start_service(which="ruled_service", service="ruled", piped=True)
        for command in (b"login 1\n", b"pass 2\n", b"pulse 100\n"):
            service.popen.stdin.write(command)
        service.end_input()
        self.assertEqual(service.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        content = b"\n".join(self.text.lines("ruled"))
        self.assertIn(b"***", content)
        self.assertNotIn(b"hunter-two", content)
        self.assertEqual(len(self.text.lines("ruled")), len(printed_lines("ruled", *self.traces())))

    def test_a_reload_changes_level_and_template(self):
        config = os.path.join(self.bed.work_dir, "config.toml")

        def configure(*lines):
            with open(config, "w", encoding="utf-8") as file:
                file.write("\n".join((f'text = "{self.text.path}"', *lines)) + "\n")
        configure('template = "first {msg}"')
        load = Load(self.bed, 0, 1, *PAUSES)
        consumer = self.bed.start_consumer("--config", config)
        wait_until(lambda: self.text.files("load0") and self.text.lines("load0"), "lines")
        configure('template = "{oops}"')
        consumer.send(signal.SIGHUP)
        wait_until(lambda: "unknown name '{oops}'" in consumer.stderr(), "its complaint")
        configure('template = "second {msg}"')
        consumer.send(signal.SIGHUP)
        wait_until(lambda: self.text.lines("load0")[-1].startswith(b"second "), "the new template")
        configure('text-level = "error"')
        consumer.send(signal.SIGHUP)
        wait_until(lambda: consumer.stderr().count("was read again") == 2, "the new level")
        self.finish(consumer, load)
        words = {line.split(b" ")[0] for line in self.text.lines("load0")}
        self.assertEqual(words, {b"first", b"second"})

    def metric(self, port, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            page = answer.read().decode()
        return float(re.search(rf"^{name} (\S+)$", page, re.MULTILINE)[1])

    @unittest.skipIf(os.geteuid() != 0, "needs root to mount a file system")
    def test_a_full_text_directory_leaves_the_trace_alone(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with SmallFileSystem(MIB) as small:
            self.text = TextLogs(os.path.join(small.path, "text"))
            load = Load(self.bed, 0, 2, *PAUSES)
            consumer = self.start("--metrics", f"127.0.0.1:{port}")
            wait_until(lambda: "cannot write" in consumer.stderr(), "the disk to be full")
            self.assertIn("No space left", consumer.stderr())
            for _ in range(3):
                load.advance()
            wait_until(lambda: self.metric(port, "ringside_text_failing_services") == 1, "the metric")
            self.assertGreaterEqual(self.metric(port, "ringside_text_failures_total"), 1)
            self.assertEqual(self.metric(port, "ringside_failing_writes"), 0)
            small.resize(512 * MIB)
            wait_until(lambda: "writing " + self.text.current("load0") + " again" in consumer.stderr(), "its recovery")
            wait_until(lambda: self.metric(port, "ringside_text_failing_services") == 0, "the metric")
            self.finish(consumer, load)
            self.check_against_traces(load)
            self.assertEqual(print_and_check(*self.traces()).lost, 0)

    @unittest.skipIf(os.geteuid() != 0, "needs root to mount a file system")
    def test_a_full_text_directory_does_not_stop_the_end_of_consumerd(self):
        with SmallFileSystem(MIB) as small:
            self.text = TextLogs(os.path.join(small.path, "text"))
            load = Load(self.bed, 0, 2, *PAUSES)
            consumer = self.start()
            wait_until(lambda: "cannot write" in consumer.stderr(), "the disk to be full")
            load.advance()
            load.stop()
            self.bed.wait_until_segments_are_gone()
            consumer.send(signal.SIGTERM)
            self.assertEqual(consumer.wait(), 1)
            self.assertIn("the next consumerd writes the rest", consumer.stderr())
            small.resize(512 * MIB)
            self.bed.stop_consumer(self.start())
            self.check_against_traces(load)


if __name__ == "__main__":
    unittest.main(verbosity=2)
