#!/usr/bin/env python3
"""Each command of docs/how-to/upgrade.md does what the page says.

usage: upgrade_page_test.py SOURCE_ROOT"""

import os
import re
import shlex
import signal
import subprocess
import sys
import unittest

from steady_load import Load
from checked_output import print_and_check
from traced_processes import BOUND_S, TestBed, program, wait_until
from upgraded_consumer import ServedDirectory, copied_consumer, with_version

SOURCE_ROOT = None
PROGRAM = "/opt/ringside-next/bin/consumerd"


def read(path):
    with open(os.path.join(SOURCE_ROOT, path), encoding="utf-8") as file:
        return file.read()


def commands(page):
    blocks = re.findall(r"^```sh\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


class UpgradePage(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.served = ServedDirectory(self.bed)
        self.addCleanup(self.served.end, signal.SIGKILL)

    def run_line(self, line):
        words = [os.path.join(self.bed.work_dir, "next") if word == PROGRAM else word for word in shlex.split(line)]
        words += ["--shm-dir", self.bed.shm_dir]
        return subprocess.run([program(words[0]), *words[1:]], cwd=self.bed.work_dir, capture_output=True, text=True,
                              timeout=BOUND_S, check=False)

    def test_the_lines_by_hand_replace_it_under_load(self):
        lines = [line for line in commands("docs/how-to/upgrade.md") if line.startswith("ringctl upgrade")]
        self.assertEqual(lines, ["ringctl upgrade --check", "ringctl upgrade", f"ringctl upgrade --program {PROGRAM}"])
        self.assertIn("ringctl upgrade", commands("docs/how-to/sidecar.md"))
        path = copied_consumer(self.bed)
        with_version(os.path.join(self.bed.work_dir, "next"), "9")
        self.served.start(path)
        load = Load(self.bed, 0, 2, "--burst", 300)
        for line in lines:
            before = self.served.pid()
            done = self.run_line(line)
            self.assertEqual((done.returncode, done.stderr), (0, ""), line)
            self.assertEqual(self.served.pid() == before, "--check" in line)
            load.advance()
        shown = re.search(r"^consumerd 4711 .* was replaced .*$", read("docs/how-to/upgrade.md"), re.MULTILINE)[0]
        self.assertRegex(done.stdout, re.sub(r"\d+", r"\\d+", re.escape(shown)) + "\n")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.served.end()
        output = print_and_check(*self.bed.traces())
        self.assertEqual((output.records_of, output.lost), (load.expected(), 0))

    def test_a_single_run_finishes_what_is_left(self):
        lines = [line for line in commands("docs/how-to/upgrade.md") if line.startswith("consumerd ")]
        self.assertEqual(lines, ["consumerd --output traces --once"])
        consumer = self.served.start(copied_consumer(self.bed))
        load = Load(self.bed, 0, 2, "--burst", 300)
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        load.advance()
        load.process.kill()
        consumer.kill()
        self.assertNotEqual(self.bed.shm_names(), [])
        done = self.run_line(lines[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bed.shm_names(), [])
        output = print_and_check(*self.bed.traces())
        for thread, returned in load.expected().items():
            self.assertIn(output.accounted_for(thread), (returned, returned + 1))

    def test_doctor_prints_the_version_of_each_service(self):
        self.assertIn("ringctl doctor", commands("docs/how-to/upgrade.md"))
        self.served.start(copied_consumer(self.bed))
        load = Load(self.bed, 0, 1, "--burst", 100)
        self.assertRegex(self.run_line("ringctl doctor").stdout, r"load0 \d+: version: ABI 1\.\d+\n")
        load.stop()

    def test_other_lines_are_those_that_other_tests_run(self):
        rest = [line for line in commands("docs/how-to/upgrade.md") if shlex.split(line)[0] not in ("ringctl", "consumerd")]
        self.assertGreater(len(rest), 2)
        for line in rest:
            if line.startswith("systemctl "):  # systemd_running
                self.assertIn(line, commands("docs/how-to/systemd.md"))
            else:  # manifests
                self.assertIn(line, commands("docs/how-to/kubernetes.md"))
                self.assertRegex(line, r"^kubectl apply --filename packaging/kubernetes/\w+\.yaml$")
        self.assertIn("maxUnavailable: 1", read("packaging/kubernetes/daemonset.yaml"))


if __name__ == "__main__":
    SOURCE_ROOT = sys.argv.pop(1)
    unittest.main(verbosity=2)
