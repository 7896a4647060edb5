#!/usr/bin/env python3
"""ringctl changes running services: the effect of a switch is read from what the service has logged."""

import fcntl
import json
import os
import re
import shutil
import struct
import subprocess
import unittest

from segment_counters import CONTROL_PAGE_OFFSET
from stopped_consumer import F_OFD_SETLK, stop_without_switch_lock, switch_lock
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

TOOL_REQUESTS = CONTROL_PAGE_OFFSET + 1664  # shm-layout/control_page.hpp

TICK = {"TRACE": "pulse {}", "DEBUG": "state of order {} checked", "INFO": "order {} taken",
        "NOTICE": "cheap note {}", "WARNING": "order {} is late"}


def steered(bed, **how):
    """The service under test; it returns what it logged for each request."""
    return ToldService(bed, "steered_service", service="desk", **how)


class Steering(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def ringctl(self, *arguments, status=0):
        done = subprocess.run([program("ringctl"), *map(str, arguments), "--shm-dir",
                               self.bed.shm_dir], capture_output=True, text=True, timeout=BOUND_S,
                              check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr == "", status == 0, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def objects(self, *arguments):
        return [json.loads(line) for line in self.ringctl(*arguments, "--json").splitlines()]

    def switches(self, *arguments):
        """The words of the statements' switches, by their texts."""
        return {one["text"]: (one["enabled"], "for_ns" in one)
                for one in self.objects("list", "--statements", *arguments)}

    def messages(self):
        """The messages of the trace after everything has ended."""
        done = subprocess.run([program("ringcat"), "--format", "json", *self.bed.traces()],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line)["msg"] for line in done.stdout.splitlines()]

    def expect(self, service, expected):
        """In any order: records that the consumer stamps come after all that it read with them."""
        service.end()
        self.bed.run_consumer_once()
        self.assertEqual(sorted(self.messages()), sorted(expected))

    def test_level_in_force_for_statements_that_ran_and_that_did_not(self):
        service = steered(self.bed)
        service.tell("tick 1")
        self.assertIn("level WARNING", self.ringctl("level", "warning"))
        service.tell("tick 2")
        self.ringctl("level", "off")
        service.tell("tick 3")
        service.tell("rare 3")
        self.ringctl("level", "Error")
        service.tell("rare 4")
        (one,) = self.objects("list")
        self.assertEqual((one["service"], one["level"], one["alive"], one["consumer"]),
                         ("desk", "ERROR", True, "none"))
        service.tell("level 3")  # the service's own call overrides it
        service.tell("tick 5")
        self.expect(service, [TICK["INFO"].format(1), TICK["TRACE"].format(1),
                              TICK["DEBUG"].format(1), TICK["WARNING"].format(1),
                              TICK["NOTICE"].format(1), TICK["WARNING"].format(2),
                              "order 4 needs a rare repair", TICK["INFO"].format(5),
                              TICK["WARNING"].format(5), TICK["NOTICE"].format(5)])

    def test_single_statements_by_what_names_them(self):
        service = steered(self.bed)
        all_on = {text: (True, False) for text in
                  ["pulse %d", "state of order %d checked", "order %d taken", "cheap note %d",
                   "order %d is late", "order %d needs a rare repair"]}
        self.assertEqual(self.switches(), all_on)

        def off(*texts):
            return {**all_on, **{text: (False, False) for text in texts}}

        for choice, texts in [
                (["pulse"], ["pulse %d"]),
                (["--function", "settle"], ["order %d needs a rare repair"]),
                (["--of-level", "debug"], ["state of order %d checked"]),
                (["--of-level", "warning+"], ["order %d is late", "order %d needs a rare repair"]),
                (["--regex", "^order .* (taken|is late)$"],
                 ["order %d is late", "order %d taken"]),
                (["--file", "steered_*.cpp", "--function", "look_*", "note"], ["cheap note %d"]),
                (["pulse", "cheap*"], ["pulse %d", "cheap note %d"]),
                (["*"], list(all_on)),
        ]:
            (done,) = self.objects("disable", *choice)
            self.assertEqual({one["text"] for one in done["statements"]}, set(texts), choice)
            self.assertTrue(all(one["was_enabled"] for one in done["statements"]))
            self.assertEqual(self.switches(), off(*texts), choice)
            self.ringctl("enable", "*")
        self.ringctl("disable", "cheap", "pulse")
        service.tell("tick 1")
        self.ringctl("enable", "cheap")
        service.tell("tick 2")
        self.expect(service, [TICK["INFO"].format(1), TICK["DEBUG"].format(1),
                              TICK["WARNING"].format(1), TICK["INFO"].format(2),
                              TICK["DEBUG"].format(2), TICK["WARNING"].format(2),
                              TICK["NOTICE"].format(2)])

    def test_timed_changes_end_without_the_tool(self):
        service = steered(self.bed)
        self.ringctl("disable", "*")
        self.ringctl("enable", "taken", "--for", "10m")
        self.assertEqual(self.switches("--site", "taken"), {"order %d taken": (True, True)})
        service.tell("tick 1")
        # The same with a deadline that passes. Reading a switch does not change it: only the service's own log calls do.
        self.ringctl("enable", "taken", "--for", "300ms")
        wait_until(lambda: self.switches("--site", "taken") == {"order %d taken": (False, False)},
                   "the deadline")
        service.tell("tick 2")
        service.tell("tick 3")
        self.expect(service, [TICK["INFO"].format(1)])

    def test_a_timed_level_restores_each_statement(self):
        service = steered(self.bed)
        self.ringctl("level", "info")
        self.ringctl("enable", "pulse")
        before = self.switches()
        self.ringctl("level", "off", "--for", "10m")
        self.assertEqual({on for on, _ in self.switches().values()}, {False})
        service.tell("tick 1")
        self.ringctl("level", "off", "--for", "300ms")
        wait_until(lambda: self.switches() == before, "the deadline")
        (one,) = self.objects("list")
        self.assertEqual(one["level"], "INFO")
        service.tell("tick 2")
        self.expect(service, [TICK["INFO"].format(2), TICK["TRACE"].format(2),
                              TICK["WARNING"].format(2), TICK["NOTICE"].format(2)])

    def test_deadlines_run_out_and_come_back(self):
        steered(self.bed)
        for _ in range(8):
            self.ringctl("disable", "pulse", "--for", "10m")
            self.ringctl("disable", "rare", "--for", "10m")
        # Each change has replaced the previous one: two slots are in use.
        texts = ["pulse", "checked", "taken", "late", "cheap", "rare"]
        for text in texts:
            self.ringctl("disable", text, "--for", "10m")
        self.ringctl("level", "error", "--for", "1h")
        self.assertEqual({on for on, _ in self.switches("--of-level", "warning").values()}, {False})
        self.ringctl("enable", "*")
        self.assertEqual({state for state in self.switches().values()}, {(True, False)})

    def test_flush_and_rotation_are_done_when_they_return(self):
        consumer = self.bed.start_consumer()
        service = steered(self.bed)
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        for number in range(1, 6):
            service.tell(f"rare {number}")
            self.ringctl("flush")
            self.assertEqual(self.messages()[-1], f"order {number} needs a rare repair")
            self.ringctl("rotate")
            self.assertEqual(len(self.bed.traces()), number + 1)
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.messages(),
                         [f"order {number} needs a rare repair" for number in range(1, 6)])
        self.assertIn("no traced service", self.ringctl("flush", status=3))

    def test_policy_is_changed_and_never_waits_longer_than_the_services_bound(self):
        service = steered(self.bed, timeout_ms=50)
        self.assertEqual(self.objects("policy"),
                         [{"service": "desk", "pid": service.process.pid, "policy": "block",
                           "block_timeout_ms": 50}])
        (one,) = self.objects("policy", "drop")
        self.assertEqual(one["policy"], "drop")
        (one,) = self.objects("policy", "block", "--block-timeout", "20ms")
        self.assertEqual((one["policy"], one["block_timeout_ms"]), ("block", 20))
        self.assertIn("limited by the bound that the service started with",
                      self.ringctl("policy", "--block-timeout", "10s"))
        self.assertIn("invalid policy", self.ringctl("policy", "overwrite", status=2))

    def test_overwritten_rings_keep_their_policy(self):
        steered(self.bed, overflow="overwrite")
        self.assertIn("RINGSIDE_OVERFLOW", self.ringctl("policy", "drop", status=1))
        self.assertIn("ringctl snapshot", self.ringctl("flush", status=1))
        (one,) = self.objects("list")
        self.assertEqual(one["policy"], "overwrite")

    def test_impossible_requests_are_refused_with_the_remedy(self):
        self.assertIn("--shm-dir", self.ringctl("level", "info", status=3))
        steered(self.bed)
        for arguments, status, words in [
                (["level", "loud"], 2, "invalid level"), (["level", "info", "--for", "soon"], 2, "30s"),
                (["level", "info", "--for", "0"], 2, "--for 0: invalid duration"),
                (["disable", "taken", "--for", "0s"], 2, "--for 0s: invalid duration"),
                (["enable", "taken", "--for", "0ms"], 2, "--for 0ms: invalid duration"),
                (["level", "info", "--service", "other"], 3, "ringctl list"),
                (["enable"], 2, "no statements selected"), (["enable", "nothing like it"], 3, "ringctl list"),
                (["disable", "--regex", "("], 2, "--regex"),
                (["disable", "--keyword", "0"], 2, "--keyword"),
                (["flush"], 1, "no consumerd"), (["rotate"], 1, "no consumerd"),
                (["frobnicate"], 2, "frobnicate: unknown subcommand"),
                (["\x1b[31m"], 2, r"\x1b[31m: unknown subcommand"),
                (["list", "\x1b[31m"], 2, r"not expected: \x1b[31m;"),
                (["level"], 2, "LEVEL is required; ringctl level --help shows the usage"),
                (["list", "--pid", "kvd"], 2, "--pid kvd: invalid number"),
                (["list", "--service", "a", "--shm-dir", "/dev/shm"], 2, "--shm-dir can be given only once"),
                (["list", "--nonsense"], 2, "--nonsense; ringctl list --help shows the usage")]:
            said = self.ringctl(*arguments, status=status)
            self.assertIn(words, said, arguments)
            self.assertTrue(said.startswith("ringctl: "), said)
        consumer = self.bed.start_consumer()
        wait_until(lambda: "draining" in consumer.stderr(), "consumerd to take the service")
        stop_without_switch_lock(consumer, self.segment_path())
        self.assertIn("it is stopped, or its disk is full or slow; run ringctl doctor",
                      self.ringctl("flush", "--timeout", "100ms", status=1))

    def test_levels_have_the_names_of_other_loggers_too(self):
        steered(self.bed)
        for name, level in (("warn", "WARNING"), ("Err", "ERROR"), ("crit", "CRITICAL"), ("fatal", "CRITICAL")):
            self.ringctl("level", name)
            self.assertEqual(self.objects("list")[0]["level"], level)

    def test_the_directory_is_found_by_the_environment_and_before_the_subcommand(self):
        steered(self.bed)
        nowhere = os.path.join(self.bed.work_dir, "nowhere")
        for arguments, directory in ((["list"], self.bed.shm_dir), (["--shm-dir", self.bed.shm_dir, "list"], nowhere),
                                     (["--shm-dir=" + self.bed.shm_dir, "--service", "desk", "list"], nowhere)):
            done = subprocess.run([program("ringctl"), *arguments], capture_output=True, text=True, timeout=BOUND_S,
                                  check=False, env={**os.environ, "RINGSIDE_SHM_DIR": directory})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("desk", done.stdout)
        done = subprocess.run([program("ringstat"), "--once"], capture_output=True, text=True, timeout=BOUND_S,
                              check=False, env={**os.environ, "RINGSIDE_SHM_DIR": self.bed.shm_dir})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("desk", done.stdout)

    def test_services_are_chosen_by_the_names_that_they_are_listed_with(self):
        service = ToldService(self.bed, "steered_service", service="pay.desk 7")
        self.assertEqual([one["service"] for one in self.objects("list")], ["pay.desk 7"])
        for name in ("pay.desk 7", "pay.*", "pay_desk_7"):
            (one,) = self.objects("list", "--service", name)
            self.assertEqual(one["pid"], service.process.pid)
        self.assertIn("level WARNING", self.ringctl("level", "warning", "--service", "pay.d*"))
        self.assertIn("ringctl list", self.ringctl("list", "--service", "pay.desk", status=3))

    def segment_path(self):
        (name,) = [name for name in os.listdir(self.bed.shm_dir) if name.startswith("ringside.desk.")]
        return os.path.join(self.bed.shm_dir, name)

    def test_a_tool_waits_for_another_one_for_a_bounded_time(self):
        steered(self.bed)
        before = self.switches()
        with open(self.segment_path(), "r+b") as segment:
            fcntl.fcntl(segment, F_OFD_SETLK, switch_lock())
            for arguments in (["level", "off"], ["disable", "taken"]):
                self.assertIn("another tool is changing", self.ringctl(*arguments, status=1), arguments)
        self.assertEqual(self.switches(), before)
        self.ringctl("disable", "taken")
        self.assertNotEqual(self.switches(), before)

    def test_a_request_of_another_tool_in_progress_does_not_answer_ours(self):
        steered(self.bed)
        consumer = self.bed.start_consumer()
        wait_until(lambda: "draining" in consumer.stderr(), "consumerd to take the service")
        path = self.segment_path()
        stop_without_switch_lock(consumer, path)
        for command, line in (("flush", TOOL_REQUESTS), ("rotate", TOOL_REQUESTS + 8)):
            for number in (1, 2, 3):
                self.assertIn("does not answer", self.ringctl(command, "--timeout", "1ms", status=1))
                with open(path, "rb") as segment:
                    segment.seek(line)
                    self.assertEqual(struct.unpack("<Q", segment.read(8))[0], number, command)

    def test_tools_at_once_change_what_they_were_asked_to(self):
        steered(self.bed)
        texts = ("pulse", "checked", "taken", "note", "late")
        tools = [subprocess.Popen([program("ringctl"), "disable", text, "--shm-dir", self.bed.shm_dir], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) for text in texts]
        for tool, text in zip(tools, texts, strict=True):
            _, said = tool.communicate(timeout=BOUND_S)
            if tool.returncode != 0:  # a stopped service blocked another one
                self.assertIn("another tool is changing", said)
                self.ringctl("disable", text)
        on = {statement for statement, (enabled, _) in self.switches().items() if enabled}
        self.assertEqual([statement for statement in on if any(text in statement for text in texts)], [])

    def test_changes_that_cannot_be_reported_are_not_made(self):
        steered(self.bed)
        for arguments in (["list"], ["list", "--json"], ["level", "info"], ["doctor"], ["--help"], ["--version"], ["list", "--help"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([program("ringctl"), *arguments, "--shm-dir", self.bed.shm_dir], stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((done.returncode, done.stderr),
                             (1, "ringctl: cannot write: No space left on device\n"), arguments)

    def test_other_files_in_the_directory_are_not_services(self):
        steered(self.bed)
        os.symlink("/etc/passwd", os.path.join(self.bed.shm_dir, "ringside.a.1.0123456789abcdef"))
        os.mkdir(os.path.join(self.bed.shm_dir, "ringside.b.1.0123456789abcdef"))
        os.mkfifo(os.path.join(self.bed.shm_dir, "ringside.c.1.0123456789abcdef"))
        with open(os.path.join(self.bed.shm_dir, "ringside.d.1.0123456789abcdef"), "wb") as file:
            file.truncate(1 << 40)
        complaints = self.ringctl("level", "info", status=1)
        for name in "abc":
            self.assertIn(f"ringside.{name}.1", complaints)
        for name in "abc":
            self.assertRegex(self.ringctl("list", status=1),
                             rf"ringside\.{name}\.1\.\w+ is not a regular file; remove it")
        self.assertEqual({on for on, _ in self.switches("--service", "desk").values()},
                         {True, False})
        self.ringctl("list", status=1)

    def test_doctor_knows_remedies(self):
        steered(self.bed)
        lines = subprocess.run([program("ringctl"), "doctor", "--json", "--shm-dir",
                                self.bed.shm_dir], capture_output=True, text=True, timeout=BOUND_S,
                               check=False)
        results = [json.loads(line) for line in lines.stdout.splitlines()]
        names = {one["check"] for one in results}
        for name in ("shared memory", "permission", "room", "clock source", "io_uring", "inotify",
                     "open files", "processors", "huge pages"):
            self.assertIn(name, names)
        (consumer,) = [one for one in results if re.fullmatch(r"desk \d+: consumerd", one["check"])]
        self.assertEqual(consumer["verdict"], "failure")
        self.assertIn("start consumerd", consumer["remedy"])
        self.assertEqual(lines.returncode, 1)
        for one in results:
            self.assertTrue(one["verdict"] == "ok" or one["remedy"], one)
        gone = subprocess.run(
            [program("ringctl"), "doctor", "--shm-dir", "/nowhere"], capture_output=True, text=True,
            timeout=BOUND_S, check=False)
        self.assertEqual(gone.returncode, 1)
        self.assertIn("mount a tmpfs", gone.stdout)

    @unittest.skipIf(os.geteuid() != 0, "needs root to become another user")
    def test_doctor_does_not_blame_the_services_of_others(self):
        steered(self.bed)
        for directory in (self.bed.shm_dir, self.bed.work_dir):
            os.chmod(directory, 0o755)
        ringctl = shutil.copy(program("ringctl"), self.bed.work_dir)  # only root may be able to read the build
        done = subprocess.run([ringctl, "doctor", "--json", "--shm-dir", self.bed.shm_dir], user=65534,
                              group=65534, extra_groups=[], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        (one,) = [one for one in results if one["check"].startswith("desk ")]
        self.assertEqual((one["verdict"], one["remedy"]),
                         ("warning", "run ringctl doctor as the user of this service"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
