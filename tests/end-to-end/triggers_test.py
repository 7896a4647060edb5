#!/usr/bin/env python3
"""Triggers: what fires them in real services, and what consumerd does then."""

import json
import os
import signal
import subprocess
import unittest

from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

NO_PAUSE = 'pause = "0s"\n'


class Triggers(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def start_consumer(self, *triggers, arguments=()):
        self.consumer = self.bed.start_consumer("--config", self.write_triggers(*triggers),
                                                *arguments)
        wait_until(lambda: "watching" in self.consumer.stderr() or not self.consumer.running(),
                   "consumerd to be ready")
        self.assertTrue(self.consumer.running(), self.consumer.stderr())
        return self.consumer

    def write_triggers(self, *triggers):
        path = os.path.join(self.bed.work_dir, "consumerd.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"[[trigger]]\n{trigger}\n" for trigger in triggers))
        return path

    def service(self, name, **how):
        """A service that consumerd has attached."""
        service = ToldService(self.bed, "steered_service", service=name, **how)
        wait_until(lambda: f"draining ringside.{name}.{service.process.pid}."
                   in self.consumer.stderr(), f"{name} to be taken")
        return service

    def hook(self, name, script="env | grep ^RINGSIDE_ | sort > $1.new; mv $1.new $1"):
        """The hook setting of a trigger, and the file that its script writes."""
        path = os.path.join(self.bed.work_dir, name)
        return f"hook = {json.dumps(['sh', '-c', script, 'hook', path])}\n", path

    def said(self, text, count=1):
        wait_until(lambda: self.consumer.stderr().count(text) >= count, text)

    def environment(self, path):
        wait_until(lambda: os.path.exists(path), path)
        with open(path, encoding="utf-8") as file:
            return dict(line.rstrip("\n").split("=", 1) for line in file)

    def messages(self, name):
        paths = [path for path in self.bed.traces() if os.path.basename(path).startswith(name)]
        done = subprocess.run([program("ringcat"), "--format", "json", "--no-losses", *paths],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line)["msg"] for line in done.stdout.splitlines()]

    def test_a_record_of_a_flight_recorder_causes_a_snapshot(self):
        hook, path = self.hook("environment")
        self.start_consumer('name = "repair"\nservice = "desk-*"\nwhere = "number > 6 && '
                            f"msg =~ 'rare' && level == ERROR\"\nsnapshot = true\n{hook}")
        services = [self.service(name, overflow="overwrite") for name in ("desk-1", "desk-2")]
        drained = self.service("other")
        for service in services:
            service.tell("tick 1")
        services[0].tell("rare 5")
        drained.tell("rare 7")
        services[0].tell("rare 7")
        for name in ("desk-1", "desk-2"):
            self.said(f"snapshot of ringside.{name}.")
        self.assertIn("order 7 needs a rare repair", self.messages("desk-1"))
        self.assertIn("order 1 taken", self.messages("desk-2"))
        variables = self.environment(path)
        place = variables.pop("RINGSIDE_STATEMENT")
        self.assertRegex(place, r"^steered_service\.cpp:\d+$")
        self.assertEqual(variables, {
            "RINGSIDE_TRIGGER": "repair", "RINGSIDE_SERVICE": "desk-1",
            "RINGSIDE_PID": str(services[0].process.pid),
            "RINGSIDE_MESSAGE": "order 7 needs a rare repair"})
        said = self.consumer.stderr()
        self.assertEqual(said.count("trigger repair: desk-1 "), 1, said)
        self.assertNotIn("trigger repair: other", said)
        for service in (*services, drained):
            self.assertTrue(service.process.running())

    def test_a_tool_that_asks_for_a_snapshot_gets_its_own_answer(self):
        self.start_consumer(f'name = "each"\nof-level = "error"\nsnapshot = true\n{NO_PAUSE}')
        recorder = self.service("recorder", overflow="overwrite")
        for number in range(20):
            recorder.tell(f"rare {number}")
            done = subprocess.run([program("ringctl"), "snapshot", "--json", "--shm-dir",
                                   self.bed.shm_dir], capture_output=True, text=True,
                                  timeout=BOUND_S, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue(os.path.exists(json.loads(done.stdout)["path"]), done.stdout)
        recorder.end()
        self.bed.wait_until_segments_are_gone()
        self.assertEqual(self.messages("recorder"),
                         [f"order {number} needs a rare repair" for number in range(20)])

    def test_a_record_of_a_drained_service_raises_its_level_for_a_time(self):
        self.start_consumer('name = "late"\nwhere = "number == 3"\nof-level = "warning"\n'
                            f'level = "debug"\nlevel-for = "2s"\n{NO_PAUSE}')
        desk = self.service("desk")
        other = self.service("other")
        for service in (desk, other):
            service.tell("level 4")  # NOTICE

        def level(name):
            done = subprocess.run([program("ringctl"), "list", "--json", "--shm-dir",
                                   self.bed.shm_dir], capture_output=True, text=True,
                                  timeout=BOUND_S, check=True)
            return next(one["level"] for one in map(json.loads, done.stdout.splitlines())
                        if one["service"] == name)

        self.assertEqual(level("desk"), "NOTICE")
        desk.tell("tick 2")
        # Repeats if the machine was so busy that the time had passed.
        wait_until(lambda: "state of order 4 checked" in self.messages_after(desk, "tick 3", "tick 4"),
                   "DEBUG to be enabled")
        self.assertEqual(level("other"), "NOTICE")
        # The hook runner exits on its own after consumerd is killed.
        self.consumer.kill()
        wait_until(lambda: level("desk") == "NOTICE", "the level to be restored")
        desk.tell("tick 5")
        for service in (desk, other):
            service.end()
        self.bed.run_consumer_once()
        said = self.messages("desk")
        self.assertNotIn("state of order 2 checked", said)
        self.assertNotIn("state of order 5 checked", said)
        self.assertNotIn("pulse 4", said)

    def flush(self):
        subprocess.run([program("ringctl"), "flush", "--shm-dir", self.bed.shm_dir],
                       capture_output=True, timeout=BOUND_S, check=True)

    def messages_after(self, service, *lines):
        """Returns the messages of the traces after the service got these lines."""
        for line in lines:
            service.tell(line)
            self.flush()
        return self.messages("desk")

    def test_a_killed_service_is_a_death_and_one_that_exits_is_not(self):
        hook, path = self.hook("environment")
        self.start_consumer(f'name = "gone"\non = "death"\n{hook}')
        orderly = self.service("orderly")
        killed = self.service("killed")
        recorder = self.service("recorder", overflow="overwrite")
        recorder.tell("tick 1")
        orderly.end()
        self.bed.wait_until_segments_are_gone("orderly")
        self.assertFalse(os.path.exists(path))
        killed.kill()
        self.assertEqual(self.environment(path), {
            "RINGSIDE_TRIGGER": "gone", "RINGSIDE_SERVICE": "killed",
            "RINGSIDE_PID": str(killed.process.pid), "RINGSIDE_STATEMENT": "",
            "RINGSIDE_MESSAGE": "the service died without ending its trace"})
        self.assertNotIn("trigger gone: orderly", self.consumer.stderr())

    def test_losses_fire_from_a_number_on(self):
        self.start_consumer('name = "few"\non = "loss"\nservice = "loud"\nlosses = 1\n'
                            f'snapshot = true\n',
                            'name = "many"\non = "loss"\nlosses = 1000000000\nsnapshot = true\n')
        recorder = self.service("recorder", overflow="overwrite")
        recorder.tell("tick 1")
        loud = self.service("loud", overflow="drop", ring_bytes=65536)
        # No consumerd drains it meanwhile.
        self.consumer.send(signal.SIGSTOP)
        for number in range(1500):
            loud.process.popen.stdin.write(f"tick {number}\n".encode())
        loud.process.popen.stdin.flush()
        loud.answered("done", 1500)
        self.consumer.send(signal.SIGCONT)
        self.said("trigger few: loud (pid")
        self.said("snapshot of ringside.recorder.")
        self.assertRegex(self.consumer.stderr(), r"trigger few: loud \(pid \d+\): \d+ records lost")
        self.assertNotIn("trigger many", self.consumer.stderr())

    def test_a_pause_is_kept_and_records_during_it_are_not_reported(self):
        self.start_consumer('name = "patient"\nof-level = "error"\nsnapshot = true\n'
                            'pause = "10h"\n',
                            f'name = "eager"\nof-level = "error"\nsnapshot = true\n{NO_PAUSE}')
        desk = self.service("desk")
        for number in range(1, 6):
            desk.tell(f"rare {number}")
            self.said("trigger eager:", number)
        self.assertEqual(self.consumer.stderr().count("trigger patient:"), 1)

    def test_a_missing_hook_is_reported_at_startup_and_when_it_should_run(self):
        self.start_consumer('name = "broken"\nof-level = "error"\nhook = ["/nonexistent/page"]\n',
                            'name = "words"\nof-level = "critical"\nhook = "page operator"\n',
                            'name = "found"\nof-level = "critical"\nhook = ["true"]\n')
        self.said("the hook of trigger broken cannot be started: /nonexistent/page")
        self.said("the hook of trigger words cannot be started: page operator: not found "
                  "in any directory of PATH; list the program and each argument separately")
        self.assertNotIn("the hook of trigger found", self.consumer.stderr())
        self.service("desk").tell("rare 1")
        self.said("hook of trigger broken: cannot start /nonexistent/page: No such file or "
                  "directory; use the absolute path of a file")

    def test_hooks_run_outside_of_the_sandbox_and_at_the_end_of_consumerd(self):
        hook, path = self.hook("environment")
        self.start_consumer(f'name = "gone"\non = "death"\nservice = "killed"\n{hook}')
        killed = self.service("killed")
        # Both at once: consumerd finds the death in its last poll.
        self.consumer.send(signal.SIGSTOP)
        killed.kill()
        self.consumer.send(signal.SIGTERM)
        self.consumer.send(signal.SIGCONT)
        self.assertEqual(self.consumer.wait(), 0)
        self.assertEqual(self.environment(path)["RINGSIDE_SERVICE"], "killed")

    def test_triggers_are_reloaded_except_for_new_hooks(self):
        hook, path = self.hook("environment")
        self.start_consumer(f'name = "old"\nwhere = "number == 1"\nof-level = "error"\n{hook}'
                            f"{NO_PAUSE}")
        desk = self.service("desk")
        desk.tell("rare 2")
        self.flush()  # the rules of that time have seen it
        self.write_triggers(f'name = "old"\nwhere = "number == 2"\nof-level = "error"\n{hook}'
                            f"{NO_PAUSE}", 'name = "new"\nof-level = "error"\nhook = ["true"]\n')
        self.consumer.send(signal.SIGHUP)
        self.said("was read again")
        self.said("the hook of trigger new cannot run until consumerd restarts")
        desk.tell("rare 1")
        desk.tell("rare 2")
        self.assertEqual(self.environment(path)["RINGSIDE_MESSAGE"], "order 2 needs a rare repair")
        self.assertEqual(self.consumer.stderr().count("trigger old: desk"), 1)

    def test_invalid_triggers_are_refused_with_their_lines(self):
        consumer = self.bed.start(self.bed.consumer_command("--config", self.write_triggers(
            'name = "a"\nwhere = "number = 1"\nsnapshot = true\n', 'name = "b"\n',
            'name = "b"\non = "full moon"\nsnapshot = true\n',
            'name = "c"\nlevel = "loud"\nsnapshot = true\n',
            'where = "number == 1"\nsnapshot = true\n')))
        self.assertNotEqual(consumer.wait(), 0)
        said = consumer.stderr()
        for part in (":3:9: [[trigger]]: where: at character 8 of 'number = 1'",
                     "the trigger has no action; set snapshot, hook or level",
                     "another trigger has this name", 'on: invalid cause; use "record", "loss" or "death"',
                     "level: invalid level; use one of TRACE", ":19:1: [[trigger]]: name: is missing"):
            self.assertIn(part, said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
