#!/usr/bin/env python3
"""The commands of docs/how-to/fleet.md, in their order, in one folder: a server, a host, and what reads them."""

import os
import re
import signal
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../end-to-end"))
from free_port import free_port  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

PAGE = os.path.join(HERE, "../../docs/how-to/fleet.md")
PROGRAMS = {"nats-server": "nats_server", "ringship": "ringship", "ringsink": "ringsink", "ringcat": "ringcat", "ringstat": "ringstat",
            "consumerd": "consumerd"}


def blocks(text):
    """[(comment before it, language, text)]"""
    return re.findall(r"(?ms)^(?:<!-- ([^\n]*) -->\n)?```(\w+)\n(.*?)^```$", text)


class FleetPage(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.folder = os.path.join(self.bed.work_dir, "page")
        self.bin = os.path.join(self.bed.work_dir, "bin")
        self.temporary = os.path.join(self.bed.work_dir, "tmp")
        for folder in (self.folder, self.bin, self.temporary):
            os.mkdir(folder)
        for name, variable in PROGRAMS.items():
            with open(os.path.join(self.bin, name), "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec "{program(variable)}" "$@"\n')
            os.chmod(os.path.join(self.bin, name), 0o755)
        with open(os.path.join(self.folder, "service"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{program("workload")}" --records 100\n')
        os.chmod(os.path.join(self.folder, "service"), 0o755)
        self.port = str(free_port())
        self.environment = {"PATH": self.bin + ":" + os.environ["PATH"], "TMPDIR": self.temporary, "RINGSIDE_SHM_DIR": self.bed.shm_dir,
                            "RINGSIDE_CONSUMERD_SHM_DIR": self.bed.shm_dir}

    def run_command(self, line):
        """The output of a command. Those with & go on until the end of the test."""
        line = line.replace("4222", self.port)
        if line.endswith("&"):
            started = self.bed.start(["sh", "-c", f"cd {self.folder} && exec {line[:-1]}"], environment=self.environment)
            ready = {"nats-server": "Server is ready", "consumerd": "watching"}[line.split()[0]]
            wait_until(lambda: ready in started.stderr() or not started.running(), line)
            self.assertTrue(started.running(), started.stderr())
            return ""
        done = subprocess.run(["sh", "-c", line], cwd=self.folder, env={**os.environ, **self.environment}, capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_commands_do_what_the_page_says(self):
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        printed = {}
        followed = None
        for comment, language, block in blocks(text):
            if comment.startswith("file "):
                extra = f"port: {self.port}\n" if language == "text" else ""
                with open(os.path.join(self.folder, comment.split()[1]), "w", encoding="utf-8") as file:
                    file.write(block + extra)
                continue
            if language != "sh" or comment == "not run":
                continue
            for line in block.splitlines():
                if comment == "until a signal":
                    followed = self.bed.start(["sh", "-c", "exec " + line.replace("4222", self.port)], environment=self.environment)
                    continue
                printed[line] = self.run_command(line.replace("consumerd ", "consumerd --verbose "))
                if line == "./service":
                    self.bed.wait_until_segments_are_gone()
        self.assertEqual(len(printed), 11)
        fleet = printed["ringcat nats://127.0.0.1:4222"]
        self.assertGreaterEqual(fleet.count("\n"), 100)
        traces = self.run_command("ringcat traces")
        self.assertEqual(sorted(fleet.splitlines()), sorted(traces.splitlines()))
        (host,) = [name for name in os.listdir(os.path.join(self.folder, "fleet")) if name[0] != "."]
        self.assertEqual(sorted(self.run_command(f"ringcat fleet/{host}").splitlines()), sorted(traces.splitlines()))
        self.assertIn(host, printed["ringstat --fleet nats://127.0.0.1:4222 --once"])
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "traces/.ringship")))
        self.assertIsNotNone(followed)
        wait_until(lambda: os.listdir(self.temporary), "the follower's directory")
        self.run_command("./service")
        self.bed.wait_until_segments_are_gone()
        self.run_command("ringship --server nats://127.0.0.1:4222 --once traces")
        wait_until(lambda: followed.stdout().count("\n") >= 100, "the records of the second run")
        followed.send(signal.SIGINT)
        self.assertEqual(followed.wait(), 0, followed.stderr())
        self.assertEqual(os.listdir(self.temporary), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
