"""A consumerd that `ringctl upgrade` replaces: programs to replace it by, and the processes that serve a test's directory."""

import json
import os
import shutil
import signal
import subprocess

from traced_processes import BOUND_S, program, wait_until


def version_of(path):
    return subprocess.run([path, "--version"], capture_output=True, text=True, timeout=BOUND_S, check=True).stdout.split()[-1]


def with_version(path, last_digit, source=None):
    """A copy of consumerd whose version ends with this digit, in the place of what is at `path`, as an installation does it."""
    source = source or program("consumerd")
    version = version_of(source).encode()
    with open(source, "rb") as file:
        image = file.read().replace(version, version[:-1] + last_digit.encode())
    write_program(path, image)
    assert version_of(path) == version.decode()[:-1] + last_digit
    return path


def write_program(path, image, mode=0o755):
    """A new file that takes the name of the old one."""
    with open(path + ".new", "wb") as file:
        file.write(image)
    os.chmod(path + ".new", mode)
    os.rename(path + ".new", path)
    return path


def script(path, text):
    """A program that passes the checks: consumerd answers them. CONSUMERD in `text` is its path."""
    answers = 'case " $* " in *" --version "*|*" --check-config "*) exec CONSUMERD "$@";; esac\n'
    return write_program(path, ("#!/bin/sh\n" + (answers + text).replace("CONSUMERD", program("consumerd"))).encode())


class ServedDirectory:
    """The consumerds of a test bed's directory, also those that ringctl has started."""

    def __init__(self, bed):
        self.bed = bed

    def start(self, path, *arguments, environment=None, before=()):
        """Starts the program at `path` as consumerd. Its messages are in the same file after each upgrade."""
        command = [*before, path, *self.bed.consumer_command("--verbose", *arguments)[1:]]
        consumer = self.bed.start(command, environment=environment)
        wait_until(lambda: "watching" in consumer.stderr() or not consumer.running(), "consumerd to be ready")
        assert consumer.running(), consumer.stderr()
        return consumer

    def pids(self):
        """Those that run, in the order of their pids; without the processes of hooks."""
        found = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    state, parent = file.read().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if os.fsencode(self.bed.shm_dir) in words and b"--output" in words and state != "Z":
                found[int(name)] = int(parent)
        return sorted(pid for pid, parent in found.items() if parent not in found)

    def pid(self):
        pids = self.pids()
        assert len(pids) == 1, pids
        return pids[0]

    def end(self, signal_number=signal.SIGTERM):
        def ended():
            # Those that a killed supervisor leaves appear later.
            for pid in self.pids():
                try:
                    os.kill(pid, signal_number)
                except ProcessLookupError:
                    pass
            return not self.pids()
        wait_until(ended, "all consumerds to end")

    def command(self, *arguments):
        return [program("ringctl"), "upgrade", "--shm-dir", self.bed.shm_dir, *map(str, arguments)]

    def run_upgrade(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=BOUND_S, check=False)

    def upgrade(self, *arguments):
        """An upgrade that must succeed; what ringctl states."""
        done = self.run_upgrade(*arguments, "--json")
        assert (done.returncode, done.stderr) == (0, ""), (done, self.pids())
        return json.loads(done.stdout)

    def refused(self, *arguments, status=1):
        """An upgrade that must fail; ringctl's message."""
        done = self.run_upgrade(*arguments)
        assert (done.returncode, done.stdout) == (status, ""), done
        return done.stderr


def copied_consumer(bed, name="consumerd"):
    path = os.path.join(bed.work_dir, name)
    shutil.copy(program("consumerd"), path)
    return path
