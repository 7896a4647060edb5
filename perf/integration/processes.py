"""Processes that end with their parent, even if it is killed."""

import os
import subprocess
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class ProcessError(Exception):
    """A process that did not start, or did not end as it should."""


def wait_until(condition, what, bound_s=20):
    end = time.monotonic() + bound_s
    while not condition():
        if time.monotonic() > end:
            raise ProcessError(f"{what}: not within {bound_s} s")
        time.sleep(0.005)


def processor_seconds(pid):
    """User and system time of a process so far, in steps of a tick."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


class Process:
    """Use with `with`: leaving it ends the process. Output goes to `log_path`."""

    def __init__(self, command, log_path, environment=None):
        self.name = os.path.basename(command[0])
        self.log_path = log_path
        with open(log_path, "ab") as log:
            # setpriv: the kernel ends the process if this program is killed.
            self.child = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command],
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          env={**os.environ, **(environment or {})})
        self.pid = self.child.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def wait_until(self, condition, what, bound_s=20):
        """Like the function wait_until, but fails as soon as the process has ended."""
        wait_until(lambda: self.child.poll() is not None or condition(), what, bound_s)
        if self.child.poll() is not None:
            raise ProcessError(f"{self.name} has ended: {self.log()[-400:]}")

    def stop(self, bound_s=60):
        """Sends SIGTERM; the process must exit with status 0."""
        self.child.terminate()
        try:
            status = self.child.wait(bound_s)
        except subprocess.TimeoutExpired:
            raise ProcessError(f"{self.name} did not exit within {bound_s} s after SIGTERM") from None
        if status != 0:
            raise ProcessError(f"{self.name} ended with status {status}: {self.log()[-400:]}")
