#!/usr/bin/env python3
"""The commands of docs/how-to/fleet-snapshots.md, on one host with flight recorders."""

import os
import re
import signal
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../end-to-end"))
from retroactive_pull_test import tell  # noqa: E402
from shipped_traces_test import Fleet  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

PAGE = os.path.join(HERE, "../../docs/how-to/fleet-snapshots.md")
ACTIVITY = "4bf92f3577b34da6a3ce929d0e0e4736"


class FleetSnapshotsPage(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.fleet = Fleet(self.bed)
        self.folder = os.path.join(self.bed.work_dir, "page")
        programs = os.path.join(self.bed.work_dir, "bin")
        os.makedirs(os.path.join(self.folder, "traces"))
        os.mkdir(programs)
        for name in ("ringship", "ringsink", "ringctl", "ringcat"):
            os.symlink(program(name), os.path.join(programs, name))
        self.environment = {"PATH": programs + ":" + os.environ["PATH"]}
        with open(PAGE, encoding="utf-8") as file:
            text = file.read().replace("nats://127.0.0.1:4222", self.fleet.url)
        self.commands = [line for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", text) for line in block.splitlines()]
        self.configuration = re.search(r"(?ms)^<!-- file consumerd.toml -->\n```toml\n(.*?)^```$", text)[1]
        self.run_command(f"ringship init --server {self.fleet.url}")

    def run_command(self, line):
        done = subprocess.run(line, shell=True, cwd=self.folder, env={**os.environ, **self.environment}, capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
        return done.stdout

    def start_service(self, overflow):
        return self.bed.start([program("answering_service")], stdin=subprocess.PIPE, pipe_stdout=True,
                              environment={"RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "gate1", "RINGSIDE_OVERFLOW": overflow})

    def start_shipper(self):
        shipper, = [line for line in self.commands if line.startswith("ringship")]
        started = self.bed.start(["sh", "-c", f"cd {self.folder} && exec {shipper[:-1]}"],
                                 environment={**self.environment, "RINGSIDE_SHM_DIR": self.bed.shm_dir})
        wait_until(lambda: os.path.isdir(os.path.join(self.folder, "traces/.ringship/contents")) or not started.running(), "ringship")
        self.assertTrue(started.running(), started.stderr())
        return started

    def test_commands_do_what_the_page_says(self):
        service = self.start_service("overwrite")
        tell(service, "-", 1000)
        tell(service, ACTIVITY, 5)
        self.start_shipper()
        said = {line.split()[0] + str(i): self.run_command(line) for i, line in enumerate(self.commands) if not line.endswith("&")}
        self.assertEqual(len(said), 5)
        self.assertRegex(said["ringctl1"], r"\A\S+: 1005 records of 1 process, \d+ bytes\nsnapshot late-fill: 1005 records of 1 host, none of 0 other hosts, \d+ bytes\n\Z")
        self.assertRegex(said["ringctl2"], r"\A\S+: 5 records of 1 process, ")
        self.assertEqual(said["ringcat4"].count("\n"), 1005)
        self.assertEqual(said["ringcat5"], said["ringcat4"])

    def test_a_trigger_asks_all_hosts(self):
        with open(os.path.join(self.folder, "consumerd.toml"), "w", encoding="utf-8") as file:
            file.write(self.configuration)
        recorder = self.start_service("overwrite")
        tell(recorder, "-", 100)
        shipper = self.start_shipper()
        consumer = self.bed.start(["sh", "-c", f"cd {self.folder} && exec {program('consumerd')} --config consumerd.toml --shm-dir {self.bed.shm_dir}"],
                                  environment=self.environment)
        service = self.start_service("block")
        tell(service, "-", 4243)
        self.run_command(f"ringsink --server {self.fleet.url} --output fleet --until-idle-s 5")
        snapshots = os.path.join(self.folder, "fleet/snapshots")
        self.assertTrue(os.path.isdir(snapshots), consumer.stderr() + shipper.stderr())
        (name,) = os.listdir(snapshots)
        printed = self.run_command(f"ringcat fleet/snapshots/{name}/*")
        self.assertIn("record 99 of the service", printed)
        self.assertIn("record 4242 of the service", printed)
        consumer.send(signal.SIGTERM)
        self.assertEqual(consumer.wait(), 0, consumer.stderr())


if __name__ == "__main__":
    unittest.main(verbosity=2)
