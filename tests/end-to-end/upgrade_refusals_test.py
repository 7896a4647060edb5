#!/usr/bin/env python3
"""`ringctl upgrade` leaves a consumerd alone that another program owns, or another user, and names the remedy."""

import os
import shutil
import signal
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program, wait_until
from two_users_test import CONSUMER_USER, OPERATOR_USER, as_user
from upgraded_consumer import ServedDirectory, with_version


class UpgradeRefusals(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.served = ServedDirectory(self.bed)
        self.addCleanup(self.served.end, signal.SIGKILL)

    def expect_refusal(self, message, pid=None):
        pid = pid or self.served.pid()
        self.assertEqual(self.served.refused(), f"ringctl: consumerd {pid} was not changed: {message}\n")
        self.assertEqual(self.served.pid(), pid)

    def test_a_service_manager_is_named(self):
        self.served.start(program("consumerd"), environment={"NOTIFY_SOCKET": "@manager"})
        self.expect_refusal("a service manager waits for its messages (NOTIFY_SOCKET=@manager); restart it with that service "
                            "manager")

    def test_a_supervisor_is_named(self):
        # A program with the name of one: its child's end would end the container.
        tini = shutil.copy("/bin/sh", os.path.join(self.bed.work_dir, "tini"))
        supervisor = self.served.start(program("consumerd"), before=[tini, "-c", '"$@" & wait', "sh"])
        wait_until(lambda: any(pid != supervisor.pid for pid in children(supervisor.pid)), "consumerd")
        (pid,) = children(supervisor.pid)
        self.assertEqual(self.served.refused(), f"ringctl: consumerd {pid} was not changed: tini (process {supervisor.pid}) has "
                                                "started it and acts when it ends; restart it with tini\n")

    def test_a_single_run_ends_by_itself(self):
        # It waits for a disk that does not answer for as long as it is stopped.
        service = self.bed.start_service("--hold", piped=True)
        wait_until(self.bed.segments, "a segment")
        consumer = self.bed.start(self.bed.consumer_command("--once"))
        wait_until(lambda: any(name.startswith("ringside-staging") for name in self.bed.shm_names()) or not consumer.running(),
                   "its staging file")
        consumer.send(signal.SIGSTOP)
        if any(name.startswith("ringside-staging") for name in self.bed.shm_names()):
            self.expect_refusal("it runs with --once and ends by itself", consumer.pid)
        consumer.send(signal.SIGCONT)
        self.assertEqual(consumer.wait(), 0)
        service.end_input()

    @unittest.skipIf(os.geteuid() != 0, "needs root to create namespaces")
    def test_a_container_is_replaced_instead(self):
        outer = self.bed.start(["unshare", "--pid", "--fork", "--kill-child", *self.bed.consumer_command("--verbose")])
        wait_until(lambda: "watching" in outer.stderr(), "consumerd to be ready")
        (pid,) = children(outer.pid)
        self.assertEqual(self.served.refused(), f"ringctl: consumerd {pid} was not changed: it is the first process of its "
                                                "container, which ends with it; replace the container (kubectl rollout restart, "
                                                "or start it from the new image)\n")

    @unittest.skipIf(os.geteuid() != 0, "needs root to create namespaces")
    def test_another_container_is_out_of_reach(self):
        outer = self.bed.start(["unshare", "--mount", "--fork", *self.bed.consumer_command("--verbose")])
        wait_until(lambda: "watching" in outer.stderr(), "consumerd to be ready")
        (pid,) = children(outer.pid)
        self.assertEqual(self.served.refused(), f"ringctl: consumerd {pid} was not changed: it runs in another container; run "
                                                "ringctl there, or restart the container\n")


@unittest.skipIf(os.geteuid() != 0, "needs root to become other users")
class OtherUser(unittest.TestCase):
    """consumerd of a user without rights. `programs` are readable for all."""

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.served = ServedDirectory(self.bed)
        self.addCleanup(self.served.end, signal.SIGKILL)
        os.chmod(self.bed.work_dir, 0o755)
        os.chown(self.bed.output_dir, CONSUMER_USER, CONSUMER_USER)
        os.chmod(self.bed.shm_dir, 0o1777)
        self.programs = {name: shutil.copy(program(name), self.bed.work_dir) for name in ("consumerd", "ringctl")}
        command = [self.programs["consumerd"], *self.bed.consumer_command("--verbose")[1:]]
        self.consumer = self.bed.start(as_user(CONSUMER_USER, *command))
        wait_until(lambda: "watching" in self.consumer.stderr() or not self.consumer.running(), "consumerd to be ready")
        self.assertTrue(self.consumer.running(), self.consumer.stderr())

    def upgrade_as(self, user, *arguments):
        command = as_user(user, self.programs["ringctl"], "upgrade", "--shm-dir", self.bed.shm_dir, *arguments)
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=BOUND_S, check=False)

    def user_of(self, pid):
        return os.stat(f"/proc/{pid}").st_uid

    def test_its_own_user_can_upgrade_it(self):
        with_version(self.programs["consumerd"], "9")
        done = self.upgrade_as(CONSUMER_USER)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.user_of(self.served.pid()), CONSUMER_USER)
        self.assertEqual(self.consumer.wait(), 0)

    def test_another_user_cannot_upgrade_it(self):
        done = self.upgrade_as(OPERATOR_USER, "--program", self.programs["consumerd"])
        (staging,) = [name for name in self.bed.shm_names() if name.startswith("ringside-staging")]
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"ringctl: the consumerd of {self.bed.shm_dir}/{staging} belongs to another user or container; "
                                      "run ringctl as that user or as root, in its container\n")
        self.assertEqual(self.served.pid(), self.consumer.pid)

    def test_root_upgrades_it_with_the_rights_of_its_user(self):
        # The program is that user's choice: root must not execute it with other rights, not even to ask for its version.
        seen = os.path.join(self.bed.work_dir, "seen")
        os.mkdir(seen)
        os.chmod(seen, 0o777)
        os.rename(self.programs["consumerd"], self.programs["consumerd"] + ".real")
        with open(self.programs["consumerd"], "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nid -u >> {seen}/users\nid -G >> {seen}/groups\nexec "$0.real" "$@"\n')
        os.chmod(self.programs["consumerd"], 0o755)
        done = self.served.run_upgrade()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(f"{seen}/users", encoding="utf-8") as file:
            self.assertEqual(file.read().split(), [str(CONSUMER_USER)] * 3)  # version, configuration, run
        with open(f"{seen}/groups", encoding="utf-8") as file:
            self.assertNotIn("0", file.read().split())
        self.assertEqual(self.user_of(self.served.pid()), CONSUMER_USER)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


if __name__ == "__main__":
    unittest.main(verbosity=2)
