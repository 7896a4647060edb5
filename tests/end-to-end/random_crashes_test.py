#!/usr/bin/env python3
"""A service that logs on four threads is ended by SIGSEGV at random instructions: each time there is exactly one record of
the crash, and no damage and no loss."""

import ctypes
import json
import os
import random
import signal
import subprocess
import time
import unittest

from traced_processes import BOUND_S, TestBed, program, wait_until

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "300"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", str(time.time_ns() % 1_000_000)))
SYS_TGKILL = {"x86_64": 234, "aarch64": 131}[os.uname().machine]
LIBC = ctypes.CDLL(None, use_errno=True)


class RandomCrashes(unittest.TestCase):
    def end_one(self, bed, choice):
        service = bed.start_service("forever", which="crashing_service", ring_bytes=65536)
        wait_until(lambda: "ready" in service.stdout() or not service.running(), "the service to be ready")
        time.sleep(choice.random() * 0.003)
        if choice.random() < 0.5:
            service.send(signal.SIGSEGV)
        else:
            threads = os.listdir(f"/proc/{service.pid}/task")
            LIBC.syscall(SYS_TGKILL, service.pid, int(choice.choice(threads)), signal.SIGSEGV)
        self.assertEqual(service.wait(), -signal.SIGSEGV, service.stderr())
        bed.processes.remove(service)
        return service.pid

    def test_each_has_one_record(self):
        print("RINGSIDE_TEST_SEED =", SEED, flush=True)
        choice = random.Random(SEED)
        at_once = 50
        done = 0
        while done < ROUNDS:
            with TestBed() as bed:
                consumer = bed.start_consumer()
                pids = [self.end_one(bed, choice) for _ in range(min(at_once, ROUNDS - done))]
                done += len(pids)
                bed.wait_until_segments_are_gone()
                bed.stop_consumer(consumer)
                self.check(bed, pids)

    def check(self, bed, pids):
        told = subprocess.run([program("ringcat"), "crash", "--last", "0", "--format", "json", bed.output_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        stories = [json.loads(line) for line in told.stdout.splitlines()]
        self.assertEqual(sorted(story["pid"] for story in stories), sorted(pids))
        for story in stories:
            self.assertEqual([crash["signal_name"] for crash in story["crashes"]], ["SIGSEGV"], story["pid"])
        counted = subprocess.run([program("ringcat"), "stats", "--format", "json", bed.output_dir], capture_output=True,
                                 text=True, timeout=BOUND_S, check=True)
        stats = json.loads(counted.stdout)
        # The interrupted log call has not returned.
        lost = {cause: count for cause, count in stats.get("lost_by_cause", {}).items() if cause != "abandoned"}
        self.assertEqual((lost, stats["damaged_bytes"]), ({}, 0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
