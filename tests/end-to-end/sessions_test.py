#!/usr/bin/env python3
"""ringctl session: additional traces beside the main one, each with its own selection, files and end.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import json
import os
import random
import subprocess
import time
import unittest

from checked_output import print_and_check, verify
from small_file_system import SmallFileSystem
from steady_load import Load
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "8" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "20"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))


class SessionTest(unittest.TestCase):
    """A bed with a consumerd, and what ringctl and ringcat say."""

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def ringctl(self, *arguments, status=0, tool="ringctl"):
        done = subprocess.run([program(tool), *map(str, arguments), "--shm-dir", self.bed.shm_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr == "", status == 0, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def output(self, name):
        return os.path.join(self.bed.output_dir, name)

    def start_session(self, name, *arguments, **how):
        return self.ringctl("session", "start", name, "--output", self.output(name), *arguments, **how)

    def sessions(self):
        lines = self.ringctl("session", "list", "--json").splitlines()
        return {one["session"]: one for one in map(json.loads, lines)}

    def start_consumer(self, *arguments):
        consumer = self.bed.start_consumer(*arguments)
        wait_until(lambda: "watching" in consumer.stderr() or not consumer.running(), "consumerd to be ready")
        return consumer

    def stop_all(self, consumer, *services):
        for service in services:
            service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    @staticmethod
    def files_in(directory):
        return sorted(os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(".ringtrace"))

    def messages(self, directory, *arguments):
        """In any order: records that the consumer stamps come after all that it read with them."""
        verify(*self.files_in(directory))
        done = subprocess.run([program("ringcat"), "--format", "json", *arguments, *self.files_in(directory)],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(json.loads(line)["msg"] for line in done.stdout.splitlines())

    def switches(self):
        lines = self.ringctl("list", "--statements", "--json").splitlines()
        return {one["text"]: one["enabled"] for one in map(json.loads, lines)}


def tick(*numbers, levels="INWE"):
    """The messages of "tick N", by the first letters of their levels."""
    texts = {"T": "pulse {}", "D": "state of order {} checked", "I": "order {} taken", "N": "cheap note {}",
             "W": "order {} is late"}
    return sorted(texts[level].format(number) for number in numbers for level in levels if level in texts)


class Selection(SessionTest):
    def test_sessions_have_filters_of_their_own_and_the_main_trace_has_none_of_them(self):
        consumer = self.start_consumer()
        service = ToldService(self.bed, "steered_service", service="desk")
        service.tell("level 3")
        service.tell("tick 1")
        self.ringctl("flush")  # a session has what is drained from its start on
        self.start_session("late", "--site", "*late*")
        self.start_session("big", "--where", "number >= 3", "--site", "order*taken")
        self.start_session("detail", "--level", "debug")
        for number in (2, 3, 4):
            service.tell(f"tick {number}")
        self.ringctl("session", "stop", "late")
        service.tell("tick 5")
        self.assertEqual(self.messages(self.output("late")), tick(2, 3, 4, levels="W"))
        self.stop_all(consumer, service)
        self.assertEqual(self.messages(self.output("late")), tick(2, 3, 4, levels="W"))
        self.assertEqual(self.messages(self.output("big")), tick(3, 4, 5, levels="I"))
        self.assertEqual(self.messages(self.output("detail")), tick(2, 3, 4, 5, levels="DINW"))
        self.assertEqual(self.messages(self.bed.output_dir), tick(1, 2, 3, 4, 5, levels="INW"))

    def test_categories_and_services_select(self):
        consumer = self.start_consumer()
        self.start_session("desks", "--service", "desk*", "--of-level", "error+")
        desk, other = (ToldService(self.bed, "steered_service", service=name) for name in ("desk1", "other"))
        for service in (desk, other):
            service.tell("rare 7")
            service.tell("tick 8")
        self.stop_all(consumer, desk, other)
        self.assertEqual(self.messages(self.output("desks")), ["order 7 needs a rare repair"])
        self.assertEqual(len(self.files_in(self.output("desks"))), 1)

    def test_a_session_has_the_last_record_before_its_end_and_restores_the_switches(self):
        consumer = self.start_consumer()
        service = ToldService(self.bed, "steered_service", service="desk")
        service.tell("level 3")
        before = self.switches()
        self.start_session("detail", "--level", "trace")
        wait_until(lambda: all(self.switches().values()), "the statements to be enabled")
        service.tell("tick 1")
        said = self.ringctl("session", "stop", "detail")
        self.assertIn("detail: ended (stopped); 5 records, 0 dropped", said)
        self.assertEqual(self.switches(), before)
        self.assertEqual(self.messages(self.output("detail")), tick(1, levels="TDINW"))
        self.assertEqual(self.ringctl("session", "list"), f"no sessions in {self.bed.shm_dir}\n")
        service.tell("tick 2")
        self.stop_all(consumer, service)
        self.assertEqual(self.messages(self.bed.output_dir), tick(1, 2, levels="INW"))
        self.assertEqual(self.bed.shm_names(), [])

    def test_a_statement_that_is_enabled_meanwhile_is_in_both_traces(self):
        consumer = self.start_consumer()
        service = ToldService(self.bed, "steered_service", service="desk")
        service.tell("level 3")
        self.start_session("detail", "--level", "debug", "--site", "state*")
        wait_until(lambda: self.switches()["state of order %d checked"], "the statement to be enabled")
        service.tell("tick 1")
        service.tell("flush")
        self.ringctl("enable", "state*")
        service.tell("tick 2")
        service.tell("flush")
        self.ringctl("disable", "state*")
        # The session enables it again, for itself.
        wait_until(lambda: self.switches()["state of order %d checked"], "the statement to be enabled again")
        service.tell("tick 3")
        self.stop_all(consumer, service)
        self.assertEqual(self.messages(self.output("detail")), tick(1, 2, 3, levels="D"))
        self.assertEqual(self.messages(self.bed.output_dir), sorted(tick(1, 2, 3, levels="INW") + tick(2, levels="D")))

    def test_values_that_a_rule_hides_are_hidden_in_sessions_too(self):
        config = os.path.join(self.bed.work_dir, "consumerd.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write('[[redact]]\nsite = "order*taken"\nfield = "number"\n'
                       '[[sample]]\nsite = "order*late"\nkeep-one-in = 10\n')
        consumer = self.start_consumer("--config", config)
        service = ToldService(self.bed, "steered_service", service="desk")
        self.start_session("all", "--site", "order*")
        for number in (1, 2, 3):
            service.tell(f"tick {number}")
        self.stop_all(consumer, service)
        self.assertEqual(self.messages(self.output("all")), sorted(["order 0 taken"] * 3 + tick(1, 2, 3, levels="W")))


class End(SessionTest):
    # How much of a session's time is left when a record is made, depends on the machine: what is made afterwards is certain.

    def test_a_session_ends_by_itself(self):
        consumer = self.start_consumer()
        service = ToldService(self.bed, "steered_service", service="desk")
        service.tell("level 3")
        before = self.switches()
        self.start_session("short", "--level", "debug", "--for", "1s")
        service.tell("tick 1")
        wait_until(lambda: self.sessions()["short"]["state"] == "ended", "the end of the session")
        self.assertEqual(self.sessions()["short"]["why"], "its time was over")
        self.assertEqual(self.switches(), before)
        service.tell("tick 2")
        self.assertLessEqual(set(self.messages(self.output("short"))), set(tick(1, levels="DINW")))
        self.stop_all(consumer, service)
        self.assertEqual(self.messages(self.bed.output_dir), tick(1, 2, levels="INW"))

    def test_its_switches_revert_without_consumerd_and_its_trace_is_completed_by_the_next_one(self):
        consumer = self.start_consumer()
        service = ToldService(self.bed, "steered_service", service="desk")
        service.tell("level 3")
        before = self.switches()
        self.start_session("short", "--level", "debug", "--for", "3s")
        consumer.kill()
        service.tell("tick 1")
        self.assertEqual(self.sessions()["short"]["state"], "no consumerd")
        # ringctl shows a switch whose time is over as it will be.
        wait_until(lambda: self.switches() == before, "the switches to revert")
        service.tell("tick 2")
        consumer = self.start_consumer()
        wait_until(lambda: self.sessions()["short"]["state"] == "ended", "the end of the session")
        self.stop_all(consumer, service)
        # What was in the rings when the next consumerd came is in both.
        for directory in (self.output("short"), self.bed.output_dir):
            self.assertLessEqual(set(tick(1, 2, levels="INW")), set(self.messages(directory)))
            self.assertNotIn("state of order 2 checked", self.messages(directory))

    def test_stopping_without_consumerd_leaves_nothing(self):
        consumer = self.start_consumer()
        self.start_session("left")
        consumer.kill()
        self.assertIn("no consumerd runs", self.ringctl("session", "stop", "left", status=1))
        consumer = self.start_consumer()
        self.assertEqual(self.sessions()["left"]["why"], "stopped while no consumerd ran")
        self.ringctl("session", "stop", "left")
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.bed.shm_names(), [])


class Killed(SessionTest):
    def test_nothing_is_lost_or_doubled_in_either_trace(self):
        dice = random.Random(f"{SEED} {self.id()}")
        consumer = self.start_consumer()
        self.start_session("all", "--rotate-bytes", "300K")
        load = Load(self.bed, 0, 3, "--burst", 300)
        for _ in range(ROUNDS):
            time.sleep(dice.uniform(0, 0.15))
            consumer.kill()
            self.assertNotIn("error", consumer.stderr())
            consumer = self.bed.start_consumer()
        wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
        load.advance()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.ringctl("session", "stop", "all")
        self.bed.stop_consumer(consumer)
        for directory in (self.bed.output_dir, self.output("all")):
            output = print_and_check(*self.files_in(directory), bound_s=400)
            self.assertEqual(output.records_of, load.expected(), f"{directory} RINGSIDE_TEST_SEED={SEED}")
            self.assertEqual(output.lost, 0)
        self.assertGreater(len(self.files_in(self.output("all"))), 1)
        self.assertEqual(self.bed.shm_names(), [])


class Storage(SessionTest):
    @unittest.skipIf(os.geteuid() != 0, "needs root to mount a file system")
    def test_a_full_disk_of_a_session_costs_the_session_only(self):
        with SmallFileSystem(1 << 20) as small:
            consumer = self.start_consumer("--session-dir", small.path)
            output = os.path.join(small.path, "traces")
            self.ringctl("session", "start", "small", "--output", output, "--buffers", "4M")
            load = Load(self.bed, 0, 2, "--burst", 300)
            wait_until(lambda: self.sessions()["small"]["dropped"] > 0, "the session to drop records")
            wait_until(lambda: self.sessions()["small"]["state"] == "disk fails", "the failure to be shown")
            load.advance()
            small.resize(1 << 28)
            wait_until(lambda: self.sessions()["small"]["state"] == "running", "the disk to be used again")
            load.advance()
            load.stop()
            self.bed.wait_until_segments_are_gone()
            said = json.loads(self.ringctl("session", "stop", "small", "--json"))
            self.bed.stop_consumer(consumer)
            main = print_and_check(*self.bed_files(), bound_s=400)
            self.assertEqual((main.records_of, main.lost), (load.expected(), 0))
            side = print_and_check(*self.files_in(output), bound_s=400)
            self.assertGreater(side.lost, 0)
            self.assertEqual(side.lost, said["dropped"])
            self.assertEqual(sum(side.records_of.values()), said["records"])
            for thread, count in load.expected().items():
                self.assertEqual(side.accounted_for(thread), count)

    def bed_files(self):
        return self.files_in(self.bed.output_dir)


class Requests(SessionTest):
    def refused(self, *arguments, output=None):
        return self.ringctl("session", "start", "wish", "--output", output or self.output("wish"), *arguments,
                            status=1)

    def test_only_permitted_directories_are_written(self):
        consumer = self.start_consumer()
        outside = os.path.join(self.bed.work_dir, "outside")
        said = self.refused(output=outside)
        self.assertIn(f"use a directory below {self.bed.output_dir}, or start consumerd with --session-dir", said)
        self.assertIn("this consumerd may not write sessions there", self.refused(output=self.bed.output_dir))
        used = self.output("used")
        os.mkdir(used)
        with open(os.path.join(used, "desk.1.20260101T000000-000001.0.ringtrace"), "w", encoding="utf-8"):
            pass
        self.assertIn("already contains trace files", self.refused(output=used))
        self.start_session("first")
        self.assertIn("session first already writes to", self.refused(output=self.output("first")))
        self.assertIn("exists already", self.ringctl("session", "start", "first", "--output", self.output("x"),
                                                     status=1))
        self.ringctl("session", "stop", "first")
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.bed.shm_names(), [])

    def test_invalid_selections_are_refused_with_the_remedy(self):
        consumer = self.start_consumer()
        self.assertIn("remove it from --where", self.refused("--where", "seq > 3"))
        for arguments in (("--level", "loud"), ("--keyword", "x"), ("--for", "soon"), ("--rotate-bytes", "much")):
            self.ringctl("session", "start", "wish", "--output", self.output("wish"), *arguments, status=2)
        self.assertIn("invalid name", self.ringctl("session", "start", "a.b", "--output", self.output("x"), status=2))
        self.ringctl("session", "stop", "nothing", status=3)
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.bed.shm_names(), [])

    def test_without_consumerd_nothing_is_left(self):
        said = self.refused("--timeout", "100ms")
        self.assertIn("no consumerd of this user answers", said)
        self.assertEqual(self.bed.shm_names(), [])

    def put(self, name, text, mode=0o600, owner=None):
        """A request that ringctl has not written."""
        path = os.path.join(self.bed.shm_dir, "ringside-session." + name)
        with open(path + ".part", "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            if owner is not None:
                os.fchown(file.fileno(), owner, owner)
        os.rename(path + ".part", path)
        return path

    def test_hostile_requests_are_refused(self):
        consumer = self.start_consumer()
        service = ToldService(self.bed, "steered_service", service="desk")
        sound = {"uuid": "0" * 32, "output": self.output("wish")}
        os.mkdir(self.output("wish"))
        os.symlink("/tmp", self.output("link"))
        for name, text in {
                "empty": b"", "bytes": bytes(range(256)), "deep": b"[" * 60000, "list": b"[1]",
                "unknown": json.dumps({**sound, "colour": 1}).encode(),
                "relative": json.dumps({**sound, "output": "wish"}).encode(),
                "upwards": json.dumps({**sound, "output": self.output("wish") + "/../../x"}).encode(),
                "linked": json.dumps({**sound, "output": self.output("link")}).encode(),
                "zero": json.dumps({**sound, "output": self.output("wish\0x")}).encode(),
                "types": json.dumps({**sound, "site": {"a": [1]}}).encode(),
                "number": json.dumps({**sound, "end_unix_ns": -1}).encode(),
                "uuid": json.dumps({**sound, "uuid": "../../../etc"}).encode(),
                "regex": json.dumps({**sound, "regex": "("}).encode()}.items():
            path = self.put(name, text)
            wait_until(lambda p=path: not os.path.exists(p), f"{name} to be refused")
            self.assertEqual(self.sessions()[name]["state"], "refused", name)
        # What this user has not written for consumerd alone is left where it is.
        os.symlink(self.put("target", json.dumps(sound).encode(), mode=0o644),
                   os.path.join(self.bed.shm_dir, "ringside-session.symlink"))
        os.mkfifo(os.path.join(self.bed.shm_dir, "ringside-session.fifo"))
        os.mkdir(os.path.join(self.bed.shm_dir, "ringside-session.folder"))
        self.put("long", b" " * (65 << 10))
        for name in ("target", "symlink", "fifo", "folder", "long"):
            wait_until(lambda n=name: f"ignoring the request for session {n}:" in consumer.stderr(), name)
            os.stat(os.path.join(self.bed.shm_dir, "ringside-session." + name), follow_symlinks=False)
        service.tell("tick 1")
        self.stop_all(consumer, service)
        self.assertEqual(self.files_in(self.output("wish")), [])
        self.assertLessEqual(set(tick(1, levels="INW")), set(self.messages(self.bed.output_dir)))

    @unittest.skipIf(os.geteuid() != 0, "needs root to become another user")
    def test_another_user_cannot_start_or_stop_a_session(self):
        consumer = self.start_consumer()
        self.start_session("ours")
        os.mkdir(self.output("theirs"))
        wish = json.dumps({"uuid": "1" * 32, "output": self.output("theirs")}).encode()
        path = self.put("theirs", wish, owner=64001)
        wait_until(lambda: "ignoring the request for session theirs:" in consumer.stderr(), "the request to be ignored")
        self.assertEqual(set(self.sessions()), {"ours"})
        os.unlink(path)
        # In a directory with the sticky bit, as /dev/shm is, others cannot remove the request.
        os.chmod(self.bed.shm_dir, 0o1777)
        done = subprocess.run(["setpriv", "--reuid", "64001", "--clear-groups", "rm", "-f",
                               os.path.join(self.bed.shm_dir, "ringside-session.ours")], check=False,
                              stderr=subprocess.DEVNULL, timeout=BOUND_S)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.sessions()["ours"]["state"], "running")
        self.ringctl("session", "stop", "ours")
        self.bed.stop_consumer(consumer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
