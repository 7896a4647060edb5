"""ringrun in a test: shared memory and trace files below directories of the test, and what a run leaves there."""

import os
import signal
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program


class RingrunCase(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.addCleanup(self.end_users)
        self.tmp = os.path.join(self.bed.work_dir, "tmp")
        os.mkdir(self.tmp)
        self.environment = {"RINGSIDE_SHM_DIR": self.bed.shm_dir, "TMPDIR": self.tmp}

    def run_it(self, *words, **how):
        how.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([program("ringrun"), *map(str, words)], env={**os.environ, **self.environment},
                              capture_output=True, text=True, timeout=BOUND_S, check=False, **how)

    def start_it(self, *words, **how):
        return self.bed.start([program("ringrun"), *words], environment=self.environment, **how)

    def users(self):
        """Processes that were started by ringrun, by the directories in their environment or command line."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read()
                with open(f"/proc/{pid}/environ", "rb") as file:
                    words += file.read()
            except OSError:
                continue
            if self.bed.shm_dir.encode() in words and int(pid) != os.getpid():
                found.append((pid, words.split(b"\0")[0]))
        return found

    def end_users(self):
        """After a failure, some can be left."""
        for pid, _ in self.users():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def check_nothing_is_left(self):
        self.assertEqual(self.bed.shm_names(), [])
        self.assertEqual(os.listdir(self.tmp), [])
        self.assertEqual(self.users(), [])

    def messages(self, text):
        """Those of ringrun, without records."""
        return [line for line in text.splitlines() if line.startswith("ringrun: ")]
