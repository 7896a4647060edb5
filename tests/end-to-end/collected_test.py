#!/usr/bin/env python3
"""A trace states what was collected: level, switches, policy and rules, and each change with its time and author."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import unittest

from segment_counters import CONTROL_PAGE_OFFSET
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

F_OFD_SETLK = 37  # linux/fcntl.h
SWITCH_LOCK_BYTE = 3  # shm-layout/segment_lock.hpp
LEVEL_OFFSET = CONTROL_PAGE_OFFSET + 8  # shm-layout/control_page.hpp
ERROR = 6
AUTHOR = {"USER": "deniz", "LOGNAME": "deniz"}


def without_ids(spans):
    """An import numbers the statements anew."""
    return [{**span, "statements": [{**one, "site": None} for one in span["statements"]]} for span in spans]


class Bed(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.consumer = None

    def start_consumer(self, *arguments):
        self.consumer = self.bed.start_consumer(*arguments)
        wait_until(lambda: "watching" in self.consumer.stderr() or not self.consumer.running(), "consumerd")
        self.assertTrue(self.consumer.running(), self.consumer.stderr())

    def service(self, which="steered_service"):
        """A service of which the trace has the first state."""
        service = ToldService(self.bed, which, service="desk")
        self.adopted()
        self.wait_for(lambda spans, _: spans, "the first state")
        return service

    def adopted(self):
        wait_until(lambda: "draining ringside.desk." in self.consumer.stderr(), "the segment to be adopted")

    def ringctl(self, *arguments, environment=None):
        """The process id of a command that succeeded."""
        command = subprocess.Popen([program("ringctl"), *arguments, "--shm-dir", self.bed.shm_dir],
                                   env={**os.environ, "SUDO_USER": "", **AUTHOR, **(environment or {})},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        output = command.communicate(timeout=BOUND_S)
        self.assertEqual(command.returncode, 0, output)
        return command.pid

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def collected(self, *paths):
        return [json.loads(line) for line in self.ringcat("collected", "--format", "json", *(paths or [self.bed.output_dir])).splitlines()]

    def changes(self, *paths):
        return [change for span in self.collected(*paths) for change in span["changes"]]

    def wait_for(self, condition, what):
        """Until the trace, which is still written, states it: condition(spans, changes)."""
        def is_met():
            done = subprocess.run([program("ringcat"), "collected", "--format", "json", self.bed.output_dir],
                                  capture_output=True, text=True, timeout=BOUND_S, check=False)
            spans = [json.loads(line) for line in done.stdout.splitlines()]
            return condition(spans, [change for span in spans for change in span["changes"]])
        wait_until(is_met, what)

    def end(self, service):
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(self.consumer)

    def assert_sound(self, *paths):
        self.ringcat("verify", *(paths or [self.bed.output_dir]))


class Changes(Bed):
    def test_a_level_that_is_lowered_has_its_time_and_author(self):
        self.start_consumer()
        service = self.service()
        service.tell("tick 1")
        pid = self.ringctl("level", "warning")
        service.tell("tick 2")
        self.end(service)
        first, second = self.collected()
        self.assertEqual((first["service"], first["level"], first["statements"]), ("desk", "TRACE", []))
        self.assertEqual(first["overflow"], "block")
        self.assertEqual(second["level"], "WARNING")
        (change,) = second["changes"]
        self.assertEqual((change["cause"], change["command"], change["user"], change["uid"], change["pid"]),
                         ("tool", "ringctl level warning", "deniz", os.getuid(), pid))
        before, *_, after = [json.loads(line)["unix_ns"] for line in self.ringcat("--format", "json", self.bed.output_dir).splitlines()]
        self.assertTrue(before < change["unix_ns"] < after, (before, change, after))
        self.assertEqual((second["since_unix_ns"], second["unix_ns"]), (change["unix_ns"],) * 2)
        text = self.ringcat("collected", "--utc", self.bed.output_dir)
        self.assertIn(f"ringctl level warning (user deniz, uid {os.getuid()}, process {pid})\n    level: TRACE -> WARNING\n", text)
        self.assert_sound()

    def test_a_disabled_statement_is_marked(self):
        service = ToldService(self.bed, "steered_service", service="desk")
        self.ringctl("disable", "rare repair")
        self.start_consumer()
        self.adopted()
        self.wait_for(lambda spans, _: spans, "the first state")
        service.tell("rare 1")
        service.tell("tick 1")
        self.ringctl("disable", "pulse")
        self.ringctl("count", "is late")
        self.wait_for(lambda _, changes: len(changes) == 3, "all changes")
        self.end(service)
        states = {one["format"]: one["collected"] for one in
                  map(json.loads, self.ringcat("statements", "--format", "json", self.bed.output_dir).splitlines())}
        self.assertEqual({text: state for text, state in states.items() if state != "on"},
                         {"order %d needs a rare repair": "off", "pulse %d": "at times", "order %d is late": "at times"})
        table = self.ringcat("statements", self.bed.output_dir).splitlines()
        self.assertEqual(table[0].split()[:2], ["records", "collected"])
        self.assertTrue(any(line.split()[:2] == ["0", "off"] for line in table), table)
        last = self.collected()[-1]
        self.assertEqual({one["text"]: one["state"] for one in last["statements"]},
                         {"order %d needs a rare repair": "off", "pulse %d": "off", "order %d is late": "counting"})
        self.assertEqual([change["command"] for change in self.changes()],
                         ["ringctl disable 'rare repair'", "ringctl disable pulse", "ringctl count 'is late'"])

    def test_the_service_itself_and_a_policy(self):
        self.start_consumer()
        service = self.service()
        service.tell("level 5")
        self.ringctl("policy", "drop", "--block-timeout", "20ms")
        self.wait_for(lambda _, changes: len(changes) == 2, "both changes")
        self.end(service)
        first, *_, last = self.collected()
        self.assertEqual((first["level"], first["overflow"]), ("TRACE", "block"))
        self.assertEqual((last["level"], last["overflow"], last["block_timeout_ms"]), ("WARNING", "drop", 20))
        self.assertEqual([(change["cause"], change["command"]) for change in self.changes()],
                         [("service", "set_level()"), ("tool", "ringctl policy drop --block-timeout 20ms")])
        self.assertEqual(self.changes()[0]["pid"], service.process.pid)

    def test_a_temporary_change_ends_by_itself(self):
        self.start_consumer()
        service = self.service()
        self.ringctl("level", "error", "--for", "300ms")
        self.wait_for(lambda _, changes: changes and changes[-1]["cause"] == "expired", "the end of the change")
        self.end(service)
        spans = self.collected()
        self.assertEqual([span["level"] for span in spans], ["TRACE", "ERROR", "TRACE"])
        self.assertEqual(spans[1]["level_after"], "TRACE")
        self.assertEqual(spans[1]["level_until_unix_ns"], spans[2]["changes"][0]["unix_ns"])
        self.assertNotIn("uid", spans[2]["changes"][0])

    def test_a_change_without_an_author_is_shown_as_unknown(self):
        self.start_consumer()
        service = self.service()
        (segment,) = self.bed.segments("desk")
        with open(os.path.join(self.bed.shm_dir, segment), "r+b", buffering=0) as file:
            lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, SWITCH_LOCK_BYTE, 1, 0)
            wait_until(lambda: locks(file, lock), "the lock")
            os.pwrite(file.fileno(), struct.pack("<I", ERROR), LEVEL_OFFSET)
        self.wait_for(lambda spans, _: len(spans) == 2, "the change")
        self.end(service)
        first, second = self.collected()
        self.assertEqual((second["level"], second["changes"]), ("ERROR", []))
        self.assertLess(second["since_unix_ns"], second["unix_ns"])
        self.assertGreaterEqual(second["since_unix_ns"], first["since_unix_ns"])
        self.assertIn("unknown, after ", self.ringcat("collected", self.bed.output_dir))

    def test_hostile_names_reach_no_terminal(self):
        self.start_consumer()
        service = self.service()
        self.ringctl("level", "warning", environment={"LOGNAME": "a\x1b[2Jb" * 9})
        self.wait_for(lambda _, changes: changes, "the change")
        self.end(service)
        text = self.ringcat("collected", self.bed.output_dir)
        self.assertNotIn("\x1b", text)
        self.assertIn("\\x1b[2Jb", text)
        self.assertTrue(self.changes()[0]["user"].endswith("..."), self.changes())


def locks(file, lock):
    try:
        fcntl.fcntl(file, F_OFD_SETLK, lock)
    except BlockingIOError:
        return False
    return True


class Files(Bed):
    def test_each_file_stands_alone_after_rotation(self):
        self.start_consumer()
        service = self.service()
        service.tell("tick 1")
        self.ringctl("level", "warning")
        self.ringctl("disable", "is late")
        self.ringctl("rotate")
        service.tell("rare 2")
        self.end(service)
        _, second = self.bed.traces()
        (span,) = self.collected(second)
        self.assertEqual((span["level"], span["changes"]), ("WARNING", []))
        self.assertEqual([(one["text"], one["state"]) for one in span["statements"]], [("order %d is late", "off")])
        # Both files together have each change once; quick ones can be stated at once.
        self.assertEqual(sum(len(span["changes"]) for span in self.collected()), 2)
        self.assert_sound()

    def test_changes_survive_a_killed_consumerd_and_are_stated_once(self):
        service = ToldService(self.bed, "steered_service", service="desk")
        expected = []
        for level in ("debug", "info", "notice", "warning"):
            self.start_consumer()
            self.adopted()
            self.ringctl("level", level)
            expected.append(f"ringctl level {level}")
            if level in ("info", "warning"):
                self.wait_for(lambda _, changes: changes and changes[-1]["command"] == expected[-1], "the change")
            self.consumer.kill()
            service.tell("tick 1")
        self.start_consumer()
        self.adopted()
        self.end(service)
        self.assertEqual([change["command"] for change in self.changes()], expected)
        self.assertEqual(self.collected()[-1]["level"], "WARNING")
        self.assert_sound()

    def test_a_change_while_no_consumerd_runs(self):
        self.start_consumer()
        service = self.service()
        self.consumer.kill()
        for number in range(10):  # more than the segment remembers
            self.ringctl("level", "error" if number % 2 else "info")
        self.start_consumer()
        self.adopted()
        self.end(service)
        self.assertEqual([change["cause"] for change in self.changes()], ["unknown"] + 8 * ["tool"])
        self.assertEqual(self.collected()[-1]["level"], "ERROR")

    def test_other_files_of_the_trace_keep_it(self):
        self.start_consumer()
        service = self.service()
        service.tell("tick 1")
        service.tell("tick 2")
        self.ringctl("level", "warning")
        self.ringctl("disable", "is late")
        self.ringctl("rotate")
        service.tell("rare 3")
        self.end(service)
        everything = self.collected()
        first, second = self.bed.traces()
        out = os.path.join(self.bed.work_dir, "out.ringtrace")

        def kept(*command):
            self.ringcat(*command, "--force")
            self.assert_sound(out)
            return self.collected(out)

        self.assertEqual(kept("merge", first, second, "-o", out), everything)
        self.assertEqual(kept("repair", first, out), self.collected(first))
        records = [json.loads(line) for line in self.ringcat("--format", "json", self.bed.output_dir).splitlines()]
        rare = records[-1]["unix_ns"]
        # After both changes: one state, which names the statement that is off, though no record of it is there.
        (span,) = kept("slice", first, second, "-o", out, "--since", f"@{rare // 10**9}.{rare % 10**9:09}")
        self.assertEqual((span["level"], [one["text"] for one in span["statements"]]), ("WARNING", ["order %d is late"]))
        # Before both.
        until = everything[1]["unix_ns"]
        spans = kept("slice", first, "-o", out, "--until", f"@{until // 10**9}.{until % 10**9:09}")
        self.assertEqual([span["level"] for span in spans], ["TRACE"])
        self.ringcat("pack", first)
        self.assertEqual(self.collected(), everything)


    def test_tptp_s_forms_keep_it(self):
        self.start_consumer()
        service = self.service()
        service.tell("tick 1")
        self.ringctl("level", "warning")
        self.ringctl("disable", "is late")
        service.tell("rare 2")
        self.end(service)
        everything = self.collected()
        self.assertGreaterEqual(len(everything), 2)
        for form in ("trcbin", "trcxml"):
            out = os.path.join(self.bed.work_dir, "out." + form)
            self.ringcat("--to", form, "-o", out, self.bed.output_dir)
            self.assertEqual(without_ids(self.collected(out)), without_ids(everything))


class Rules(Bed):
    def write(self, text):
        path = os.path.join(self.bed.work_dir, "etc", "consumerd.toml")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new", path)
        return path

    def test_rules_and_their_reload(self):
        path = self.write('[[sample]]\nsite = "pulse*"\nkeep-one-in = 10\n')
        self.start_consumer("--config", path, "--service", "desk")
        service = self.service("ruled_service")
        service.tell("pulse 20")
        self.write('[[redact]]\nfield = ["password", "card*"]\n')
        self.consumer.send(signal.SIGHUP)
        self.wait_for(lambda _, changes: changes, "the reload")
        service.tell("login 1")
        self.end(service)
        first, second = self.collected()
        self.assertEqual([(rule["kind"], [tuple(one.values()) for one in rule["settings"]]) for rule in first["rules"]],
                         [("sample", [("site", "pulse*"), ("keep-one-in", "10")]), ("filter", [("service", "desk")])])
        self.assertEqual([one["text"] for one in first["rules"][0]["statements"]], ["pulse %d"])
        self.assertEqual([rule["kind"] for rule in second["rules"]], ["redact", "filter"])
        login = [one for one in second["hidden"] if one["text"].startswith("%s logs in")]
        self.assertEqual([one["fields"] for one in login], [["password", "card"]])
        (change,) = second["changes"]
        self.assertEqual((change["cause"], change["command"], change["pid"]),
                         ("configuration", f"consumerd: read {path} again", self.consumer.pid))
        statements = {one["format"]: one for one in
                      map(json.loads, self.ringcat("statements", "--format", "json", self.bed.output_dir).splitlines())}
        self.assertTrue(statements["pulse %d"]["sampled"])
        self.assertIn("password", statements["%s logs in with %s, card %ld, attempt %d"]["hidden"])
        self.assert_sound()

    def test_a_trigger_that_enables_a_level(self):
        path = self.write('[[trigger]]\nname = "trouble"\nof-level = "error+"\nlevel = "debug"\nlevel-for = "100s"\n')
        self.start_consumer("--config", path)
        service = self.service()
        self.ringctl("level", "warning")
        service.tell("rare 1")
        self.wait_for(lambda _, changes: len(changes) == 2, "the trigger")
        self.end(service)
        change = self.changes()[-1]
        self.assertEqual((change["cause"], change["command"], change["pid"]),
                         ("trigger", "level DEBUG by trigger trouble", self.consumer.pid))
        self.assertEqual((self.collected()[-1]["level"], self.collected()[-1]["level_after"]), ("DEBUG", "WARNING"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
