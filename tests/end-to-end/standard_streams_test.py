#!/usr/bin/env python3
"""Programs that are started with closed standard streams: none of their own files gets such a number, so that no message is
written into one."""

import os
import subprocess
import unittest

from checked_output import print_and_check
from traced_processes import BOUND_S, TestBed, program, wait_until

# Every set of closed streams.
CLOSED = [[fd for fd in range(3) if bits & 1 << fd] for bits in range(1, 8)]


def without(streams, command):
    """`command` as a shell starts it with these streams closed."""
    closings = " ".join(f"{fd}>&-" for fd in streams)
    return ["/bin/sh", "-c", f'exec "$@" {closings}', "sh", *command]


class StandardStreams(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def trace(self, first):
        service = self.bed.start_service("--records", 1000, "--first", first)
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.run_consumer_once()

    def test_consumerd_opens_nothing_in_their_place(self):
        for streams in CLOSED:
            with self.subTest(closed=streams):
                # A segment that consumerd refuses, so that it has something to report.
                with open(os.path.join(self.bed.shm_dir, "ringside.x.1.0123456789abcdef"), "wb") as file:
                    file.write(b"no segment" * 1000)
                service = self.bed.start_service("--records", 0, "--first", streams[0], piped=True)
                consumer = self.bed.start(without(streams, self.bed.consumer_command("--verbose")))
                wait_until(self.bed.traces, "a trace file")
                for fd in streams:
                    self.assertEqual(os.readlink(f"/proc/{consumer.pid}/fd/{fd}"), "/dev/null")
                service.end_input()
                self.assertEqual(service.wait(), 0, service.stderr())
                self.bed.wait_until_segments_are_gone("e2e_workload")
                consumer.kill()
                told = print_and_check(*self.bed.traces())
                self.assertGreater(told.records, 0)
                self.assertEqual(told.lost, 0)
                for path in self.bed.traces():
                    os.unlink(path)

    def test_a_service_traces_all_the_same(self):
        for streams in CLOSED:
            with self.subTest(closed=streams):
                service = self.bed.start(
                    without(streams, [program("workload"), "--records", "200"]),
                    environment={"RINGSIDE_SHM_DIR": self.bed.shm_dir})
                service.wait()
                self.bed.run_consumer_once()
                told = print_and_check(*self.bed.traces())
                self.assertEqual((told.records, told.lost), (200, 0))
                for path in self.bed.traces():
                    os.unlink(path)

    def test_ringcat_writes_no_message_into_its_output(self):
        self.trace(0)
        (trace,) = self.bed.traces()
        damaged = os.path.join(self.bed.work_dir, "damaged.ringtrace")
        with open(trace, "rb") as source, open(damaged, "wb") as file:
            content = bytearray(source.read())
            for at in range(len(content) // 2, len(content) // 2 + 64):
                content[at] ^= 0xFF
            file.write(content)

        def repaired(streams):
            output = os.path.join(self.bed.work_dir, "repaired.ringtrace")
            command = [program("ringcat"), "repair", damaged, output]
            if streams:
                command = without(streams, command)
            subprocess.run(command, capture_output=True, timeout=BOUND_S, check=False)
            with open(output, "rb") as file:
                content = file.read()
            os.unlink(output)
            return content

        whole = repaired([])
        for streams in CLOSED:
            with self.subTest(closed=streams):
                self.assertEqual(len(repaired(streams)), len(whole))

    def test_ringcat_without_an_output_fails(self):
        self.trace(0)
        done = subprocess.run(without([1], [program("ringcat"), *self.bed.traces()]),
                              stderr=subprocess.PIPE, timeout=BOUND_S, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"cannot write", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
