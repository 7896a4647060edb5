#!/usr/bin/env python3
"""`ringctl upgrade` replaces a running consumerd while services log: nothing is lost, nothing is written twice, whatever the
new program does, and whichever process is killed meanwhile.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of upgrades."""

import os
import random
import re
import signal
import struct
import subprocess
import threading
import time
import unittest

from checked_output import print_and_check, verify
from steady_load import Load
from traced_processes import BOUND_S, TestBed, program, wait_until
from upgraded_consumer import ServedDirectory, copied_consumer, script, version_of, with_version, write_program

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "6" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "12"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))


class Flushes(threading.Thread):
    """Durable flushes one after the other, as an operator's program makes them."""

    def __init__(self, bed):
        super().__init__(daemon=True)
        self.bed, self.over, self.done, self.faults = bed, threading.Event(), 0, []
        self.start()

    def run(self):
        while not self.over.is_set():
            flush = subprocess.run([program("ringctl"), "flush", "--durable", "--shm-dir", self.bed.shm_dir],
                                   capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.done += 1
            if flush.returncode != 0:
                self.faults.append(flush.stderr)

    def stop(self):
        self.over.set()
        self.join(BOUND_S)


class UpgradeCase(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.served = ServedDirectory(self.bed)
        self.addCleanup(self.served.end, signal.SIGKILL)
        self.program = copied_consumer(self.bed)

    def finish_and_check(self, *loads):
        """Everything is in the trace once, after the consumerd that runs now has ended."""
        for load in loads:
            load.advance()
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.served.end()
        output = print_and_check(*self.bed.traces(), bound_s=400)
        expected = {}
        for load in loads:
            expected.update(load.expected())
        self.assertEqual(output.records_of, expected, f"RINGSIDE_TEST_SEED={SEED}")
        self.assertEqual((output.lost, output.lost_without_thread), (0, 0))
        verify(*self.bed.traces())
        self.assertEqual(self.bed.shm_names(), [])


class Upgrade(UpgradeCase):
    def test_several_upgrades_under_load_lose_nothing(self):
        loads = [Load(self.bed, 0, 3, "--burst", 300), Load(self.bed, 10, 2, ring_bytes=1 << 16)]
        consumer = self.served.start(self.program, "--rotate-bytes", "256K")
        flushes = Flushes(self.bed)
        self.addCleanup(flushes.stop)
        pid, version = consumer.pid, version_of(self.program)
        for number in range(ROUNDS):
            for load in loads:
                load.advance()
            time.sleep(self.dice.uniform(0, 0.1))
            with_version(self.program, str(number % 2 + 1))
            done = self.served.upgrade()
            self.assertEqual((done["pid"], done["version"], done["new_version"], done["program"], done["segments"]),
                             (pid, version, version_of(self.program), self.program, 2))
            pid, version = done["new_pid"], done["new_version"]
            self.assertEqual(self.served.pid(), pid)
        self.assertEqual(consumer.wait(), 0)
        flushes.stop()
        self.assertGreater(flushes.done, 0)
        self.assertEqual(flushes.faults, [])
        self.assertNotIn("error", consumer.stderr())
        self.assertGreater(len(self.bed.traces()), 2)
        self.finish_and_check(*loads)

    def test_a_kill_at_any_moment_of_an_upgrade_loses_nothing(self):
        load = Load(self.bed, 0, 3, "--burst", 300)
        self.served.start(self.program)
        for _ in range(ROUNDS):
            load.advance()
            upgrade = self.bed.start(self.served.command())
            time.sleep(self.dice.uniform(0, 0.12))
            # The old consumerd, the new one, or the old program that runs again.
            for pid in self.served.pids()[:1]:
                kill_if_there(pid)
            status = upgrade.wait()
            self.assertIn(status, (0, 1, 3), upgrade.stderr())
            self.assertEqual(status == 0, upgrade.stderr() == "", upgrade.stderr())
            if not self.served.pids():
                self.served.start(self.program)
        self.finish_and_check(load)

    def test_services_with_full_rings_wait_for_a_slow_start(self):
        # Without a sign of life they would drop records after a millisecond.
        consumer = self.served.start(self.program)
        load = Load(self.bed, 0, 3, ring_bytes=1 << 16, timeout_ms=1)
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        script(self.program, 'sleep 1\nexec CONSUMERD "$@"\n')
        before = load.progress.total()
        self.assertGreater(self.served.upgrade()["ns"], 1_000_000_000)
        self.assertGreater(load.progress.total(), before)
        self.finish_and_check(load)

    def test_the_new_one_comes_up_without_the_tool(self):
        load = Load(self.bed, 0, 2, "--burst", 300)
        consumer = self.served.start(self.program)
        consumer.send(signal.SIGSTOP)  # so that the upgrade waits for its end
        upgrade = self.bed.start(self.served.command())
        # The prepared process has asked the old one to end.
        wait_until(lambda: has_pending(consumer.pid, signal.SIGTERM), "the request to end")
        upgrade.kill()
        consumer.send(signal.SIGCONT)
        self.assertEqual(consumer.wait(), 0)
        wait_until(lambda: consumer.stderr().count("watching") == 2, "the new consumerd to serve")
        self.finish_and_check(load)

    def test_an_unused_preparation_ends_with_the_tool(self):
        # Killed before it goes ahead: nothing waits for the end of the old one.
        consumer = self.served.start(self.program)
        script(self.program, 'exec CONSUMERD "$@"')
        for _ in range(5):
            upgrade = self.bed.start(self.served.command("--check"))
            time.sleep(self.dice.uniform(0, 0.02))
            upgrade.kill()
        self.assertEqual(self.served.pid(), consumer.pid)
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.served.pids(), [])

    def test_one_of_two_upgrades_at_the_same_time_is_refused(self):
        load = Load(self.bed, 0, 2, "--burst", 300)
        consumer = self.served.start(self.program)
        consumer.send(signal.SIGSTOP)
        first = self.bed.start(self.served.command())
        wait_until(lambda: has_pending(consumer.pid, signal.SIGTERM), "the request to end")
        self.assertEqual(self.served.refused(),
                         f"ringctl: consumerd {consumer.pid}: another ringctl upgrade is replacing it\n")
        consumer.send(signal.SIGCONT)
        self.assertEqual(first.wait(), 0, first.stderr())
        self.finish_and_check(load)

    def test_a_consumerd_that_does_not_end_is_killed(self):
        load = Load(self.bed, 0, 2, "--burst", 300)
        consumer = self.served.start(self.program)
        load.advance()
        consumer.send(signal.SIGSTOP)
        done = self.served.run_upgrade("--timeout", "2s")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stderr, f"ringctl: consumerd {consumer.pid}: process {consumer.pid} did not end in 2s and was "
                                      "killed; nothing is lost by that\n")
        self.assertEqual(consumer.wait(), -signal.SIGKILL)
        self.finish_and_check(load)

    def test_the_new_process_is_like_the_old_one(self):
        os.mkdir(os.path.join(self.bed.work_dir, "here"))
        consumer = self.served.start(
            self.program, "--log-format", "json", environment={"UPGRADED": "a b=c", "RINGSIDE_CONSUMERD_KEEP_FILES": "7"},
            before=["sh", "-c", f'cd {self.bed.work_dir}/here && umask 031 && ulimit -c 123 && exec nice -n 3 "$@"', "sh"])
        before = facts(consumer.pid)
        self.assertEqual(before["umask"], "0031")
        with_version(self.program, "7")
        done = self.served.upgrade()
        self.assertEqual(facts(done["new_pid"]), before)
        self.assertEqual(consumer.wait(), 0)
        # Of a session of its own: no terminal's signals reach it.
        self.assertEqual(os.getsid(done["new_pid"]), done["new_pid"])
        wait_until(lambda: consumer.stderr().count('"watching ') == 2, "its messages in the same file")

    def test_a_link_leads_to_the_next_release(self):
        next_one = with_version(os.path.join(self.bed.work_dir, "next"), "9")
        link = os.path.join(self.bed.work_dir, "current")
        os.symlink(self.program, link)
        self.served.start(link)
        os.unlink(link)
        os.symlink(next_one, link)
        done = self.served.upgrade()
        self.assertEqual((done["program"], done["new_version"]), (link, version_of(next_one)))

    def test_a_named_program_replaces_it_and_is_the_next_default(self):
        self.served.start(self.program)
        other = with_version(os.path.join(self.bed.work_dir, "other"), "9")
        self.assertEqual(self.served.upgrade("--program", other)["program"], other)
        again = self.served.upgrade()
        self.assertEqual((again["program"], again["version"]), (other, version_of(other)))
        self.assertRegex(self.served.run_upgrade().stdout,
                         rf"^consumerd {again['new_pid']} \(.*9\) was replaced by process \d+ \(.*9\) in \d+ ms; segments: 0\n$")

    def test_a_check_changes_nothing(self):
        consumer = self.served.start(self.program)
        with_version(self.program, "9")
        done = self.served.run_upgrade("--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"consumerd {consumer.pid} ({version_of(program('consumerd'))}) can be replaced by "
                                      f"{self.program} ({version_of(self.program)})\n")
        self.assertEqual(self.served.pid(), consumer.pid)

    def test_without_a_consumerd_there_is_nothing_to_replace(self):
        self.assertEqual(self.served.refused(status=3), f"ringctl: no consumerd drains {self.bed.shm_dir}; set --shm-dir to the "
                                                        "directory of the segments\n")
        self.bed.shm_dir = "/nowhere"
        self.assertIn("cannot read /nowhere", self.served.refused(status=3))


class UnsuitableProgram(UpgradeCase):
    """The old consumerd continues, or its program runs again."""

    def setUp(self):
        super().setUp()
        self.load = Load(self.bed, 0, 2, "--burst", 300)
        self.consumer = self.served.start(self.program)
        self.version = version_of(self.program)

    def expect_unchanged(self, message):
        """It is refused before anything happens."""
        self.assertEqual(self.served.refused(), f"ringctl: consumerd {self.consumer.pid} was not changed: {message}\n")
        self.assertEqual(self.served.pid(), self.consumer.pid)

    def expect_previous(self, message, *arguments):
        """It fails when it runs; then the old program does, which has no file any more."""
        refusal = self.served.refused(*arguments)
        pid = self.served.pid()
        self.assertNotEqual(pid, self.consumer.pid)
        self.assertEqual(self.consumer.wait(), 0)
        self.assertEqual(refusal, f"ringctl: consumerd {self.consumer.pid}: {message} as process {pid}\n")
        self.assertIn("(deleted)", os.readlink(f"/proc/{pid}/exe"))
        self.finish_and_check(self.load)

    def test_a_missing_program_is_refused(self):
        os.unlink(self.program)
        self.expect_unchanged(f"{self.program} --version: cannot execute it: No such file or directory")
        self.finish_and_check(self.load)

    def test_unsuitable_files_are_refused(self):
        with open(program("consumerd"), "rb") as file:
            image = file.read()
        foreign = image[:18] + struct.pack("<H", 22) + image[20:]  # e_machine: s390
        for content, mode, message in (
                (image, 0o644, "cannot execute it: Permission denied"),
                (foreign, 0o755, "cannot execute it: Exec format error"),
                (b"", 0o755, "cannot execute it: Exec format error"),
                (b"#!/bin/sh\necho broken >&2\nexit 9\n", 0o755, "exit status 9: broken"),
                (b"#!/bin/sh\necho something 1.0\n", 0o755, 'it is not consumerd; it printed "something 1.0"'),
                (b"#!/bin/sh\nkill -SEGV $$\n", 0o755, "exit status 139")):
            write_program(self.program, content, mode)
            with self.subTest(message):
                self.expect_unchanged(f"{self.program} --version: {message}")
        write_program(self.program, b"#!/bin/sh\nsleep 100\n")
        self.assertIn("--version: it does not end in time", self.served.refused("--timeout", "500ms"))
        self.finish_and_check(self.load)

    def test_a_program_that_refuses_the_options_is_refused(self):
        write_program(self.program, b'#!/bin/sh\nexec %s "$@" --of-another-release\n' % os.fsencode(program("consumerd")))
        write_program(self.program, b'#!/bin/sh\ncase "$*" in *--check-config*) set -- "$@" --of-another-release;; esac\n'
                                    b'exec %s "$@"\n' % os.fsencode(program("consumerd")))
        refusal = self.served.refused()
        self.assertIn(f"{self.program} {self.version} refuses the options or the configuration: consumerd: ", refusal)
        self.assertIn("--of-another-release", refusal)
        self.assertEqual(self.served.pid(), self.consumer.pid)
        self.finish_and_check(self.load)

    def test_the_previous_program_runs_again_if_the_new_one_fails_at_start(self):
        script(self.program, "exit 7\n")
        self.expect_previous(f"{self.program} {self.version} failed: it ended with exit status 7; see its messages; the previous "
                             f"program ({self.version}) runs again")

    def test_the_previous_program_runs_again_if_the_new_one_hangs(self):
        script(self.program, "exec sleep 1000\n")
        self.expect_previous(f"{self.program} {self.version} failed: it does not serve after 1.5s; see its messages; the previous "
                             f"program ({self.version}) runs again", "--timeout", "1500ms")

    def test_the_previous_program_runs_again_if_the_new_one_leaves_a_segment(self):
        segment = os.path.join(self.bed.shm_dir, self.bed.segments()[0])
        script(self.program, 'exec CONSUMERD "$@" --service none\n')
        self.expect_previous(f"{self.program} {self.version} failed: it has not taken 1 of 1 segments in 1.5s, such as {segment}; "
                             f"see its messages; the previous program ({self.version}) runs again", "--timeout", "1500ms")

    def test_the_previous_program_runs_again_if_the_new_one_disappears(self):
        # After the checks, and before it is executed.
        write_program(self.program, b'#!/bin/sh\ncase "$*" in *--check-config*) rm "$0";; esac\nexec %s "$@"\n'
                      % os.fsencode(program("consumerd")))
        self.expect_previous(f"cannot execute {self.program}: No such file or directory; the previous program runs again")


def kill_if_there(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def has_pending(pid, signal_number):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        masks = re.findall(r"^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$", file.read(), re.MULTILINE)
    return any(int(mask, 16) >> (signal_number - 1) & 1 for mask in masks)


def facts(pid):
    """What a process inherits."""
    found = {name: os.readlink(f"/proc/{pid}/{name}") for name in ("cwd", "fd/0", "fd/1", "fd/2")}
    for name in ("cmdline", "environ", "limits"):
        with open(f"/proc/{pid}/{name}", "rb") as file:
            found[name] = file.read()
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
    for name in ("Uid", "Gid", "Groups"):
        found[name] = status[name].strip()
    found["umask"] = status["Umask"].strip()
    found["nice"] = os.getpriority(os.PRIO_PROCESS, pid)
    return found


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
