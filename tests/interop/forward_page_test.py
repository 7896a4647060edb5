#!/usr/bin/env python3
"""The commands of docs/how-to/forward.md work together: what one sends, the other receives."""

import gzip
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest

from random_traces import BOUND_S, SEEDS, RandomTrace, events_of, program, ringcat

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "how-to", "forward.md")


def commands():
    with open(PAGE, encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


class Page(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.directory.cleanup)
        os.mkdir(os.path.join(self.directory.name, "traces"))
        with RandomTrace(SEEDS[0], records=500) as trace:
            shutil.copy(trace.path, os.path.join(self.directory.name, "traces"))
        self.traces = os.path.join(self.directory.name, "traces")

    def start(self, line, **how):
        words = shlex.split(line)
        self.assertEqual(words[0], "ringcat")
        process = subprocess.Popen([program("ringcat"), *words[1:]], cwd=self.directory.name, text=True, **how)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    @staticmethod
    def catches_signals(process):
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            caught = int(re.search(r"SigCgt:\s+(\w+)", status.read()).group(1), 16)
        return caught >> (signal.SIGTERM - 1) & 1

    def receiver(self, line):
        """The process, and where it listens."""
        local = re.sub(r"(tcp|udp)://[\d.]+:\d+", r"\1://127.0.0.1:0", line)
        process = self.start(local, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = process.stderr.readline()
        return process, re.search(r"127\.0\.0\.1:\d+", said).group()

    def test_each_sender_of_the_page_reaches_its_receiver(self):
        listeners = {re.search(r":(\d+) ", line).group(1): line for line in commands() if "--listen" in line}
        senders = [line for line in commands() if "--follow" in line and " -o " in line]
        self.assertGreaterEqual(len(senders), 2)
        for line in senders:
            with self.subTest(line):
                port = re.search(r"collector:(\d+)", line).group(1)
                receiver, address = self.receiver(listeners[port])
                sender = self.start(line.replace(f"collector:{port}", address), stderr=subprocess.PIPE)
                first = receiver.stdout.readline()
                self.assertRegex(first, r"^\d{4}-\d\d-\d\d .* \[")
                sender.send_signal(signal.SIGTERM)
                _, said = sender.communicate(timeout=BOUND_S)
                self.assertEqual(sender.returncode, 0, said)
                receiver.send_signal(signal.SIGTERM)
                # communicate() would not return what readline() has read ahead.
                rest, said = receiver.stdout.read(), receiver.stderr.read()
                self.assertEqual(receiver.wait(BOUND_S), 0, said)
                if "netlogger" in line:
                    self.assertEqual(1 + rest.count("\n"), len(events_of(self.traces)))

    def test_the_other_receivers_of_the_page_listen(self):
        others = [line for line in commands() if "--listen" in line and "127.0.0.1" in line]
        self.assertGreaterEqual(len(others), 2)
        for line in others:
            with self.subTest(line):
                receiver, _ = self.receiver(line)
                receiver.send_signal(signal.SIGTERM)
                _, said = receiver.communicate(timeout=BOUND_S)
                self.assertEqual(receiver.returncode, 0, said)

    def test_the_pipe_of_the_page_writes_the_trace(self):
        line = next(line for line in commands() if "gzip" in line)
        command, packer = line.split(" | ")
        name = packer.split("> ")[1]
        with open(os.path.join(self.directory.name, name), "wb") as file, \
                subprocess.Popen(["gzip"], stdin=subprocess.PIPE, stdout=file) as gzipped:
            sender = self.start(command, stdout=gzipped.stdin, stderr=subprocess.PIPE)
            gzipped.stdin.close()
            wanted = len(events_of(self.traces))
            while not self.catches_signals(sender):
                self.assertIsNone(sender.poll())
            sender.send_signal(signal.SIGTERM)
            _, said = sender.communicate(timeout=BOUND_S)
            self.assertEqual(sender.returncode, 0, said)
        with gzip.open(os.path.join(self.directory.name, name)) as file:
            self.assertEqual(sum(1 for _ in file), wanted)

    def test_the_pipe_that_is_read(self):
        line = next(line for line in commands() if line.endswith("| ringcat -"))
        self.assertIn("ulm", line)
        with RandomTrace(SEEDS[0], records=200) as trace:
            data, _ = trace.converted("ulm")
            code, output, said = ringcat("-", input=data)
            self.assertEqual((code, output.count(b"\n")), (0, len(events_of(trace.path_of("converted.ulm")))), said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
