"""A directory in memory that is removed when no process uses it, however its users ended.

The directory belongs to a guard: this file, run as a program in its own session, where signals to the test's process group
do not reach it. It keeps the directory until the last process that holds the other end of its standard input has ended. The
kernel closes that end also for a process killed by SIGKILL, which could not remove anything itself.
"""

import os
import subprocess
import sys
import tempfile

BOUND_S = 60.0  # only a hang reaches it


class ShmDirectory:
    """As a context manager: ends with the directory removed, or with an exception."""

    def __init__(self):
        self.guard = subprocess.Popen([sys.executable, "-I", os.path.abspath(__file__)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      start_new_session=True)
        self.path = self.guard.stdout.readline().decode().removesuffix("\n")
        if not self.path:
            raise AssertionError(f"no directory: its guard ended with {self.guard.wait(BOUND_S)}")

    @property
    def hold(self):
        """The descriptor to pass to a process that uses the directory."""
        return self.guard.stdin.fileno()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.guard.stdin.close()
        status = self.guard.wait(BOUND_S)
        self.guard.stdout.close()
        if status != 0 or os.path.exists(self.path):
            raise AssertionError(f"{self.path} was not removed: its guard ended with {status}")


def guard():
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory(
            prefix="kvd-test.", dir=memory if os.path.isdir(memory) else None) as path:
        print(path, flush=True)
        sys.stdin.buffer.read()


if __name__ == "__main__":
    guard()
