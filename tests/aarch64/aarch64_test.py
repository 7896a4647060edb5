#!/usr/bin/env python3
"""A build for AArch64 passes its tests under qemu-user, and reads and writes the same trace files as this build.

usage: aarch64_test.py SOURCE_ROOT BUILD_ROOT
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = BUILD = None
TOOLS = ["aarch64-linux-gnu-g++", "qemu-aarch64", "meson", "ninja", "dpkg-deb", "apt-get"]
EXAMPLES = ["hello", "events", "printf_style", "brace_style", "spans", "contexts"]
BUILD_S = 3600
TESTS_S = 3600
START_S = 60


def script(name, *arguments):
    return [os.path.join(ROOT, "packaging/aarch64", name), *arguments]


class Aarch64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            raise unittest.SkipTest(f"needs {', '.join(missing)}: packaging/aarch64/install-tools.sh installs them")
        cls.build = os.path.join(BUILD, "aarch64")
        cls.sysroot = os.path.join(cls.build, "sysroot")
        os.makedirs(cls.build, exist_ok=True)
        done = subprocess.run(script("sysroot.sh", cls.sysroot), capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest(f"needs Debian's arm64 packages: {done.stderr}")
        environment = {**os.environ, "RINGSIDE_AARCH64_BUILD_DIR": cls.build}
        done = subprocess.run(script("build.sh", "--only-build"), env=environment, capture_output=True, text=True, timeout=BUILD_S, check=False)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]

    def emulated(self, *command):
        return ["qemu-aarch64", "-L", self.sysroot, os.path.join(self.build, command[0]), *command[1:]]

    @staticmethod
    def native(*command):
        return [os.path.join(BUILD, command[0]), *command[1:]]

    def traced(self, of, folder):
        """The text of consumerd, which has written a trace of each example to `folder`; `of`: native or emulated."""
        shm = os.path.join(folder, "shm")
        os.mkdir(shm)
        with open(os.path.join(folder, "log"), "wb") as log:
            with subprocess.Popen(of("consumerd/consumerd", "--shm-dir", shm, "--output", folder), stderr=log) as consumerd:
                try:
                    for example in EXAMPLES:
                        subprocess.run(of(f"libagent/examples/{example}"), env={**os.environ, "RINGSIDE_SHM_DIR": shm}, timeout=START_S,
                                       stdout=subprocess.DEVNULL, check=True)
                    deadline = time.monotonic() + START_S
                    while any(name.startswith("ringside.") for name in os.listdir(shm)) and time.monotonic() < deadline:
                        time.sleep(0.05)
                finally:
                    consumerd.send_signal(signal.SIGTERM)
                    status = consumerd.wait(START_S)
        self.assertEqual(status, 0)
        with open(os.path.join(folder, "log"), encoding="utf-8") as log:
            return log.read()

    def text(self, of, folder):
        done = subprocess.run(of("tools/ringcat", "--utc", "--raw", folder), capture_output=True, timeout=START_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def test_selected_tests_pass(self):
        done = subprocess.run(script("run_tests.py", "--jobs", os.environ.get("RINGSIDE_JOBS", "2"), self.build, self.sysroot),
                              stdout=subprocess.PIPE, text=True, timeout=TESTS_S, check=False)
        print(done.stdout)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.splitlines()[-1], r"^[1-9]\d+ passed, 0 failed$")

    def test_both_processors_read_each_others_traces(self):
        for of in (self.native, self.emulated):
            with self.subTest(of.__name__), tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
                self.traced(of, folder)
                text = self.text(of, folder)
                self.assertGreater(len(text.splitlines()), len(EXAMPLES))
                self.assertEqual(self.text(self.emulated if of == self.native else self.native, folder), text)

    def test_consumerd_reports_what_qemu_user_lacks(self):
        missing = ["io_uring is not available here", "writing with pwrite instead", "checking every millisecond instead"]
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder, contextlib.ExitStack() as stack:
            log = os.path.join(folder, "log")
            with open(log, "wb") as file:
                consumerd = stack.enter_context(subprocess.Popen(
                    self.emulated("consumerd/consumerd", "--shm-dir", folder, "--output", folder), stderr=file))
            stack.callback(consumerd.kill)
            # A service that stays idle: consumerd would sleep until it records something.
            service = stack.enter_context(subprocess.Popen(
                self.emulated("tests/end-to-end/e2e_workload", "--records", "1", "--hold"), env={**os.environ, "RINGSIDE_SHM_DIR": folder},
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
            stack.callback(service.kill)
            deadline = time.monotonic() + START_S
            while True:
                with open(log, encoding="utf-8") as file:
                    text = file.read()
                if all(part in text for part in missing) or time.monotonic() > deadline:
                    break
                time.sleep(0.05)
        for part in missing:
            self.assertEqual(text.count(part), 1, f"{part}: {text}")

    def test_io_uring_is_refused_if_it_is_required(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
            done = subprocess.run(self.emulated("consumerd/consumerd", "--io", "uring", "--shm-dir", folder, "--output", folder),
                                  capture_output=True, text=True, timeout=START_S, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("io_uring", done.stderr)


if __name__ == "__main__":
    BUILD = sys.argv.pop()
    ROOT = sys.argv.pop()
    unittest.main(verbosity=2)
