#!/usr/bin/env python3
"""The installed units under a running systemd: services of two users and consumerd as a third, restarts, upgrades, kills and
a stuck consumerd under load. The commands are those of docs/how-to/systemd.md.

usage: systemd_running_test.py SOURCE_ROOT BUILD_ROOT
"""

import json
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from booted_systemd import BootedSystemd, why_not
from checked_output import print_and_check
from installation import read, run
from progress_file import ProgressFile
from readme_blocks import command_lines
from traced_processes import program, wait_until

SOURCE_ROOT = BUILD_ROOT = None
UNIT = "ringside-consumerd.service"
THREADS = 2

# A service that logs until the file stop exists.
LOADED = """[Service]
Type=exec
User={user}
ExecStart=/bin/sh -c 'while [ ! -e /stop ]; do sleep 0.05; done | exec /opt/test/workload --first {first} --threads {threads} \
--records 0 --burst 100 --progress /opt/test/{name}.progress'
StandardOutput=file:/opt/test/{name}.out
Environment=RINGSIDE_SERVICE={name} RINGSIDE_BLOCK_TIMEOUT_MS=60000
ProtectSystem={protect}
ReadWritePaths=-/opt/test
"""

# A service that does nothing, and one that logs until two seconds after SIGTERM, when consumerd could already have stopped.
IDLE = """[Service]
Type=exec
ExecStart=/bin/sleep infinity
"""
LATE = """[Service]
Type=exec
KillMode=mixed
ExecStart=/bin/sh -c 'trap "sleep 2; touch /opt/test/late.stop" TERM; while [ ! -e /opt/test/late.stop ]; do sleep 0.05; done | \
/opt/test/workload --first 0 --threads 2 --records 0 --burst 100 --progress /opt/test/late.progress & wait; wait'
Environment=RINGSIDE_SERVICE=late
"""

REASON = why_not()
system = None


def documented(section):
    """The commands of a section of the page."""
    page = read(os.path.join(SOURCE_ROOT, "docs/how-to/systemd.md"))
    return command_lines(re.search(rf"(?ms)^## {section}\n(.*?)(?=^## |\Z)", page).group(1))


def setUpModule():
    global system
    if REASON:
        raise unittest.SkipTest(REASON)
    system = BootedSystemd()
    unittest.addModuleCleanup(system.close)
    for file, path in json.loads(run(["meson", "introspect", "--installed", BUILD_ROOT])).items():
        if re.search(r"systemd|\.d/ringside\.conf|/bin/|/libringside\.so\.", path) and os.path.exists(file):
            os.makedirs(os.path.dirname(system.path(path)), exist_ok=True)
            shutil.copy(file, system.path(path))
    options = {option["name"]: option["value"] for option in json.loads(run(["meson", "introspect", "--buildoptions", BUILD_ROOT]))}
    assert options["prefix"] == "/usr/local", "the page and this test name files below /usr/local"
    os.mkdir(system.path("/opt/test"), 0o755)
    shutil.copy(program("workload"), system.path("/opt/test/workload"))
    system.run("ldconfig")
    for user in ("alice", "bob"):
        system.run("useradd", "--system", user)
    for command in documented("Install"):
        system.run("sh", "-ec", command)


class RunningSystemd(unittest.TestCase):
    loads = 0

    def consumer(self, name):
        return system.property(UNIT, name)

    def trace(self, name, folder="/var/lib/ringside"):
        top = system.path(folder)
        return sorted(os.path.join(top, file) for file in os.listdir(top)
                      if file.startswith(name + ".") and file.endswith((".ringtrace", ".ringtrace.zst")))

    def start_load(self, user, protect="no"):
        """A service of that user with the drop-in. Returns its name, its first thread's number and its progress."""
        first = RunningSystemd.loads * 10
        name = f"load{first}"
        RunningSystemd.loads += 1
        progress = ProgressFile(system.path(f"/opt/test/{name}.progress"))
        os.chmod(progress.path, 0o666)
        system.write(f"/etc/systemd/system/{name}.service",
                     LOADED.format(user=user, first=first, threads=THREADS, name=name, protect=protect))
        for command in documented("Trace a service"):
            if "systemctl restart" not in command:
                system.run("sh", "-ec", command.replace("NAME", name))
        system.run("systemctl", "daemon-reload")
        system.run("systemctl", "start", name)
        self.addCleanup(system.call, "systemctl", "stop", name)
        return name, first, progress

    def start_traced(self, name, unit):
        """A service with the drop-in."""
        system.write(f"/etc/systemd/system/{name}.service", unit)
        for command in documented("Trace a service"):
            system.run("sh", "-ec", command.replace("NAME", name))
        self.addCleanup(system.call, "systemctl", "stop", name)

    def advance(self, progress, count=2000):
        before = [progress.returned(index) for index in range(THREADS)]
        wait_until(lambda: all(progress.returned(index) > before[index] + count for index in range(THREADS)), "the service to log")

    def stop_loads(self, loads):
        system.write("/stop", "")
        self.addCleanup(os.unlink, system.path("/stop"))
        for name, _, _ in loads:
            wait_until(lambda: system.property(name, "ActiveState") != "active", f"{name} to end")
            self.assertEqual(system.property(name, "Result"), "success", system.call("journalctl", "-u", name).stdout)
            self.assertIn("dropped=0", read(system.path(f"/opt/test/{name}.out")))

    def check(self, loads):
        """Each record of each service is in the trace once."""
        for name, _, _ in loads:
            wait_until(lambda: not [file for file in os.listdir(system.path("/run/ringside")) if f".{name}." in file],
                       f"the segment of {name} to be drained and removed")
        # A file and its packed copy exist side by side for an instant.
        system.run("systemctl", "stop", UNIT)
        self.addCleanup(system.run, "systemctl", "start", UNIT)
        for name, first, progress in loads:
            output = print_and_check(*self.trace(name))
            for index in range(THREADS):
                self.assertEqual(output.records_of[first + index], progress.returned(index))
            self.assertEqual((output.lost, output.lost_without_thread), (0, 0))

    def active_again(self, restarts):
        wait_until(lambda: int(self.consumer("NRestarts")) > restarts and self.consumer("ActiveState") == "active",
                   "systemd to restart consumerd")

    def test_restarts_upgrades_and_kills_under_load_lose_nothing(self):
        loads = [self.start_load("alice"), self.start_load("bob", protect="strict")]
        for _, _, progress in loads:
            self.advance(progress)
        for _ in range(3):
            for command in documented("Upgrade"):
                # The new release: a new file in the place of the old one.
                if "meson install" in command:
                    command = "cp /usr/local/bin/consumerd /usr/local/bin/.new && mv /usr/local/bin/.new /usr/local/bin/consumerd"
                before = self.consumer("MainPID")
                system.run("sh", "-ec", command)
            self.assertNotEqual(self.consumer("MainPID"), before)
            for _, _, progress in loads:
                self.advance(progress)
        for command in documented("Change settings"):
            system.run("sh", "-ec", command)
        restarts = int(self.consumer("NRestarts"))
        system.run("systemctl", "kill", "--signal=KILL", "--kill-whom=main", UNIT)
        self.active_again(restarts)
        for _, _, progress in loads:
            self.advance(progress)
        self.stop_loads(loads)
        self.check(loads)

    def test_ringctl_names_the_command_of_systemd(self):
        pid = self.consumer("MainPID")
        done = system.call("/usr/local/bin/ringctl", "upgrade", "--shm-dir", "/run/ringside")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertEqual(done.stderr, f"ringctl: consumerd {pid} was not changed: it is the unit {UNIT}; use: systemctl restart {UNIT}\n")
        self.assertEqual(self.consumer("MainPID"), pid)

    def test_a_stuck_consumerd_is_replaced_and_nothing_is_lost(self):
        system.write(f"/run/systemd/system/{UNIT}.d/watchdog.conf", "[Service]\nWatchdogSec=2\nTimeoutAbortSec=1\nLimitCORE=0\n")
        self.addCleanup(system.call, "systemctl", "daemon-reload")
        self.addCleanup(os.unlink, system.path(f"/run/systemd/system/{UNIT}.d/watchdog.conf"))
        system.run("systemctl", "daemon-reload")
        system.run("systemctl", "restart", UNIT)
        loads = [self.start_load("alice")]
        self.advance(loads[0][2])
        restarts = int(self.consumer("NRestarts"))
        system.run("systemctl", "kill", "--signal=STOP", "--kill-whom=main", UNIT)
        self.active_again(restarts)
        self.assertIn("Watchdog timeout", system.run("journalctl", "-u", UNIT))
        self.advance(loads[0][2])
        self.stop_loads(loads)
        self.check(loads)

    def test_the_status_is_shown_and_messages_have_their_levels(self):
        system.run("systemctl", "restart", UNIT)
        self.assertRegex(self.consumer("StatusText"), "^serving [0-9]+ segments?")
        for command in documented("Watch it") + documented("Change settings"):
            system.run("sh", "-ec", command)
        wait_until(lambda: "was read again" in system.run("journalctl", "-u", UNIT, "-p", "notice", "-o", "cat"), "the notice of the reload")
        told = [json.loads(line) for line in system.run("journalctl", "-u", UNIT, "-o", "json").splitlines()]
        reload = [entry for entry in told if "was read again" in str(entry["MESSAGE"])]
        self.assertEqual({(entry["PRIORITY"], entry["MESSAGE"].split(":")[0]) for entry in reload}, {("5", "consumerd")})

    def test_the_inner_sandbox_is_complete_as_far_as_the_kernel_allows(self):
        system.run("systemctl", "restart", UNIT)
        told = system.run("journalctl", "-u", UNIT, "-o", "cat")
        for line in told.splitlines():
            if "incomplete sandbox" in line:
                self.assertRegex(line, "incomplete sandbox: landlock is not available in this kernel")

    def test_an_invalid_file_fails_the_reload_and_changes_nothing(self):
        path = "/usr/local/etc/ringside/consumerd.toml"
        before = read(system.path(path))
        self.addCleanup(system.write, path, before)
        system.run("systemctl", "restart", UNIT)
        process = self.consumer("MainPID")
        system.write(path, before + "nonsense = 1\n")
        self.assertNotEqual(system.call("systemctl", "reload", UNIT).returncode, 0)
        self.assertEqual((self.consumer("MainPID"), self.consumer("ActiveState")), (process, "active"))
        self.assertIn("nonsense", system.run("journalctl", "-u", UNIT, "-p", "err", "-o", "cat"))

    def test_invalid_settings_are_not_tried_again(self):
        path = "/usr/local/etc/ringside/consumerd.toml"
        before = read(system.path(path))
        restarts = self.consumer("NRestarts")
        system.write(path, "threads = 0\n")
        try:
            self.assertNotEqual(system.call("systemctl", "restart", UNIT).returncode, 0)
            self.assertEqual((self.consumer("ActiveState"), self.consumer("ExecMainStatus")), ("failed", "2"))
        finally:
            system.write(path, before)
            system.run("systemctl", "restart", UNIT)
        self.assertLessEqual(int(self.consumer("NRestarts")), int(restarts))

    def test_records_after_sigterm_are_in_the_trace_when_both_are_stopped(self):
        progress = ProgressFile(system.path("/opt/test/late.progress"))
        self.start_traced("late", LATE)
        self.advance(progress)
        # One transaction, as shutdown.target is.
        system.write("/run/systemd/system/end.target", f"[Unit]\nConflicts=late.service {UNIT}\nAfter=late.service {UNIT}\n")
        system.run("systemctl", "daemon-reload")
        system.run("systemctl", "start", "end.target")
        self.addCleanup(system.run, "systemctl", "start", UNIT)
        output = print_and_check(*self.trace("late"))
        self.assertEqual([output.records_of[index] for index in range(THREADS)], [progress.returned(index) for index in range(THREADS)])

    def test_a_restart_of_the_mount_leaves_the_service_running(self):
        self.start_traced("idle", IDLE)
        pid = system.property("idle", "MainPID")
        system.run("systemctl", "restart", "run-ringside.mount")
        self.addCleanup(system.run, "systemctl", "start", UNIT)
        self.assertEqual((system.property("idle", "MainPID"), system.property("idle", "ActiveState")), (pid, "active"))

    def test_a_service_starts_without_the_mount(self):
        drop_in = "/run/systemd/system/run-ringside.mount.d/failing.conf"
        system.write(drop_in, "[Mount]\nOptions=uid=missing-user\n")
        self.addCleanup(system.run, "systemctl", "start", UNIT)
        self.addCleanup(system.run, "systemctl", "reset-failed")
        self.addCleanup(system.run, "systemctl", "daemon-reload")
        self.addCleanup(os.unlink, system.path(drop_in))
        system.run("systemctl", "daemon-reload")
        system.run("systemctl", "stop", UNIT, "run-ringside.mount")
        self.start_traced("idle", IDLE)
        self.assertEqual(system.property("idle", "ActiveState"), "active")
        self.assertEqual(system.property("run-ringside.mount", "ActiveState"), "failed")

    def test_a_user_has_a_consumerd_without_any_settings(self):
        for command in documented("One user"):
            system.run("sh", "-ec", command.replace("USER", "alice"))
        unit = "ringside-consumerd@alice.service"
        self.addCleanup(system.call, "systemctl", "stop", unit)
        self.assertEqual(system.property(unit, "ActiveState"), "active")
        system.run("setpriv", "--reuid", "alice", "--regid", "alice", "--clear-groups", "env", "RINGSIDE_SERVICE=own",
                   "/opt/test/workload", "--records", "1000")
        folder = "/var/lib/ringside-user/alice"
        wait_until(lambda: not [file for file in os.listdir(system.path("/dev/shm")) if ".own." in file], "the segment to be removed")
        self.assertEqual(print_and_check(*self.trace("own", folder)).records, 1000)
        self.assertEqual(os.stat(self.trace("own", folder)[0]).st_mode & 0o777, 0o640)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
