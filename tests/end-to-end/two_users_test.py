#!/usr/bin/env python3
"""A service of one user and a consumerd of another; the two users share a group."""

import fcntl
import os
import shutil
import signal
import stat
import subprocess
import unittest

from checked_output import print_and_check
from traced_processes import BOUND_S, TestBed, program, wait_until

SERVICE_USER, CONSUMER_USER, OPERATOR_USER = 64001, 64002, 64003
GROUP = 64100


def as_user(user, *command, groups=(GROUP,)):
    """The command line that runs it as that user with these groups, and with a umask that denies others all access."""
    listed = ["--groups", ",".join(map(str, groups))] if groups else ["--clear-groups"]
    return ["setpriv", "--reuid", user, "--regid", user, *listed, "--", "sh", "-c",
            'umask 077; exec "$@"', "sh", *command]


@unittest.skipIf(os.geteuid() != 0, "needs root to become other users")
class TwoUsers(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        os.chmod(self.bed.work_dir, 0o755)
        os.chown(self.bed.output_dir, CONSUMER_USER, CONSUMER_USER)
        os.chown(self.bed.shm_dir, 0, GROUP)
        os.chmod(self.bed.shm_dir, 0o770)
        # Only root may be able to read the build.
        self.programs = {}
        for name in ("workload", "consumerd", "ringctl", "ringstat"):
            self.programs[name] = shutil.copy(program(name), self.bed.work_dir)
        build = os.path.dirname(os.path.dirname(os.path.dirname(program("workload"))))
        shutil.copy(os.path.join(build, "libagent", "libringside.so.1"), self.bed.work_dir)
        self.library = {"LD_LIBRARY_PATH": self.bed.work_dir}

    def start_service(self, *arguments, user=SERVICE_USER, groups=(GROUP,), piped=True, **variables):
        environment = {"RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "shared",
                       "RINGSIDE_BLOCK_TIMEOUT_MS": "60000", **self.library, **variables}
        return self.bed.start(as_user(user, self.programs["workload"], *arguments, groups=groups),
                              environment=environment, stdin=subprocess.PIPE if piped else None)

    def start_consumer(self, *arguments, user=CONSUMER_USER, allow=("--allow-uid", SERVICE_USER)):
        return self.bed.start(as_user(
            user, self.programs["consumerd"], "--output", self.bed.output_dir, "--shm-dir",
            self.bed.shm_dir, "--verbose", *allow, *arguments), environment=self.library)

    def run_as_operator(self, *command):
        name, *arguments = command
        return subprocess.run(
            [str(word) for word in as_user(OPERATOR_USER, self.programs[name], *arguments)],
            capture_output=True, text=True, timeout=BOUND_S, check=False,
            env={**os.environ, **self.library})

    def step(self, service, logged):
        service.popen.stdin.write(b"\n")
        service.popen.stdin.flush()
        wait_until(lambda: f"flushed {logged}\n" in service.stdout(), f"{logged} records to be flushed")
        self.assertNotIn("not flushed", service.stdout())

    def the_segment(self):
        wait_until(lambda: self.bed.segments("shared"), "a segment")
        (name,) = self.bed.segments("shared")
        return os.path.join(self.bed.shm_dir, name)

    def test_a_consumerd_of_the_group_drains_survives_kills_and_cleans_up(self):
        service = self.start_service("--records", 500, "--steps", RINGSIDE_MODE="0660",
                                     RINGSIDE_GROUP=str(GROUP))
        consumer = self.start_consumer()
        self.step(service, 500)
        status = os.stat(self.the_segment())
        self.assertEqual((status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)),
                         (SERVICE_USER, GROUP, 0o660))
        consumer.kill()
        consumer = self.start_consumer()
        self.step(service, 1000)

        listed = self.run_as_operator("ringctl", "list", "--shm-dir", self.bed.shm_dir)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("shared", listed.stdout)
        changed = self.run_as_operator("ringctl", "level", "info", "--shm-dir",
                                       self.bed.shm_dir)
        self.assertEqual(changed.returncode, 0, changed.stderr)
        changed = self.run_as_operator("ringctl", "level", "trace", "--shm-dir",
                                       self.bed.shm_dir)
        self.assertEqual(changed.returncode, 0, changed.stderr)
        seen = self.run_as_operator("ringstat", "--once", "--shm-dir", self.bed.shm_dir)
        self.assertIn("shared", seen.stdout, seen.stderr)

        self.step(service, 1500)
        service.end_input()
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        consumer.send(signal.SIGTERM)
        self.assertEqual(consumer.wait(), 0, consumer.stderr())
        self.assertEqual(self.bed.shm_names(), [])
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1500)

    def test_all_members_of_a_group_are_served_and_none_can_remove_the_segment_of_another(self):
        # As run-ringside.mount creates it: the group by the directory, the sticky bit, and consumerd as the owner.
        os.chown(self.bed.shm_dir, CONSUMER_USER, GROUP)
        os.chmod(self.bed.shm_dir, 0o3770)
        consumer = self.start_consumer(allow=("--allow-group", GROUP))
        wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
        presence = os.path.join(self.bed.shm_dir, "ringside-consumerd.presence")
        with open(presence, "rb+") as file:
            for user in (SERVICE_USER, OPERATOR_USER, 0):
                with self.assertRaises(OSError, msg=f"no lock for {user}"):
                    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, user)
        services = [self.start_service("--first", 10 * number, "--records", 100, "--steps", user=user, RINGSIDE_MODE="0660",
                                       RINGSIDE_SERVICE=f"member{number}")
                    for number, user in enumerate((SERVICE_USER, OPERATOR_USER))]
        for service in services:
            self.step(service, 100)
        (name,) = self.bed.segments("member0")
        removed = subprocess.run([str(word) for word in as_user(OPERATOR_USER, "rm", "-f", os.path.join(self.bed.shm_dir, name))],
                                 capture_output=True, check=False, timeout=BOUND_S)
        self.assertNotEqual(removed.returncode, 0)
        for service in services:
            service.end_input()
            self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        consumer.send(signal.SIGTERM)
        self.assertEqual(consumer.wait(), 0, consumer.stderr())
        self.assertEqual(self.bed.shm_names(), [])
        self.assertEqual(print_and_check(*self.bed.traces()).records, 200)

    def test_a_segment_of_another_group_is_refused(self):
        os.chmod(self.bed.shm_dir, 0o1777)
        service = self.start_service("--records", 10, "--hold", groups=(GROUP, GROUP + 1), RINGSIDE_MODE="0660",
                                     RINGSIDE_GROUP=str(GROUP + 1))
        consumer = self.start_consumer(allow=("--allow-group", GROUP))
        wait_until(lambda: "which this consumerd does not serve" in consumer.stderr(), "a refusal")
        self.assertIn(f"--allow-uid {SERVICE_USER}, or with --allow-group", consumer.stderr())
        service.kill()

    def test_where_only_owners_can_remove_files_the_memory_is_freed(self):
        os.chmod(self.bed.shm_dir, 0o1777)
        service = self.start_service("--records", 1000, piped=False, RINGSIDE_MODE="0660",
                                     RINGSIDE_GROUP=str(GROUP))
        self.assertEqual(service.wait(), 0, service.stderr())
        path = self.the_segment()
        self.assertGreater(os.stat(path).st_blocks, 0)
        consumer = self.start_consumer("--once")
        self.assertEqual(consumer.wait(), 0, consumer.stderr())
        self.assertIn(f"cannot remove {path}", consumer.stderr())
        self.assertIn("sticky bit", consumer.stderr())
        self.assertEqual(os.stat(path).st_blocks, 0)
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1000)
        # Nothing is written again.
        self.start_consumer("--once").wait()
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1000)

    def test_without_the_mode_only_the_owner_has_access(self):
        service = self.start_service("--records", 10, "--hold")
        consumer = self.start_consumer()
        path = self.the_segment()
        wait_until(lambda: "cannot open" in consumer.stderr(), "a complaint of consumerd")
        self.assertIn("set RINGSIDE_MODE", consumer.stderr())
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        service.kill()

    def test_a_service_outside_the_group_gets_no_segment(self):
        os.chmod(self.bed.shm_dir, 0o1777)
        service = self.start_service("--records", 10, piped=False, groups=(), RINGSIDE_MODE="0660",
                                     RINGSIDE_GROUP=str(GROUP))
        self.assertEqual(service.wait(), 0, service.stderr())
        self.assertIn("must be a member of RINGSIDE_GROUP", service.stderr())
        self.assertEqual(self.bed.shm_names(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
