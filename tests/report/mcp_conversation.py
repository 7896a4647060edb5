"""A trace, and servers that are asked about it."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from traced_processes import BOUND_S, TestBed, program  # pylint: disable=wrong-import-position

RECORDS = 3000


def ringcat(*arguments):
    return subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=True).stdout


class Traced(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        running = cls.bed.start_service("--records", str(RECORDS))
        assert running.wait() == 0
        cls.bed.run_consumer_once()
        cls.traces = cls.bed.traces()


class Conversation:
    """A server of its own, and what is sent and received."""

    def __init__(self, arguments, environment=None):
        self.process = subprocess.Popen([program("ringcat"), "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(BOUND_S)
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()

    def send(self, method, number=None, parameters=None):
        message = {"jsonrpc": "2.0", "method": method, "params": parameters or {}}
        if number is not None:
            message["id"] = number
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    @staticmethod
    def text(answer):
        assert not answer["result"]["isError"], answer
        return json.loads(answer["result"]["content"][0]["text"])

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
