#!/usr/bin/env python3
"""What `ringcat mcp` makes of any lines, of signals and of clients that go."""

import json
import os
import shutil
import signal
import subprocess
import unittest

from mcp_conversation import Conversation, Traced
from traced_processes import BOUND_S, program, wait_until


LARGE_BYTES = 60_000_000


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def command_of(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()


def has_ended(pid):
    return not os.path.exists(f"/proc/{pid}")


def is_zombie(pid):
    try:
        return state_of(pid) == "Z"
    except OSError:
        return True


class McpLines(Traced):
    def lines(self, *lines, traces=None):
        done = subprocess.run([program("ringcat"), "mcp", *(traces or self.traces)], input=b"".join(line + b"\n" for line in lines),
                              capture_output=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_any_line_gets_one_answer_or_none(self):
        hostile = [b"", b"\xff\xfe", b"[]", b"7", b"null", b"{}", b'{"method":7,"id":1}', b'{"id":1}', b"[" * 100000,
                   b'{"jsonrpc":"2.0","id":2,"method":"tools/call"}', b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}',
                   b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"summary","arguments":[]}}',
                   b'{"jsonrpc":"2.0","id":5,"method":"initialize","params":[]}', b'{"jsonrpc":"2.0","id":6,"method":"initialize","params":{"protocolVersion":9}}',
                   b'{"method":"ping","id":' + b"[" * 400000 + b"]" * 400000 + b"}",
                   b'{"jsonrpc":"2.0","method":"no/such"}', b"x" * (2 << 20), b'{"jsonrpc":"2.0","id":"last","method":"ping"}']
        answers = self.lines(*hostile)
        # The empty line and the notification get none.
        self.assertEqual(len(answers), len(hostile) - 2)
        self.assertEqual(answers[-1], {"jsonrpc": "2.0", "id": "last", "result": {}})
        self.assertEqual([answer["id"] for answer in answers if "result" in answer], [5, 6, "last"])
        self.assertEqual({answer["error"]["code"] for answer in answers if "error" in answer}, {-32700, -32600, -32602})

    def test_a_line_of_one_mebibyte_has_no_answer_but_an_error(self):
        answer, = self.lines(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"' + b"x" * (1 << 20) + b'"}}')
        self.assertIn("1 MiB", answer["error"]["message"])

    def test_a_trace_that_vanished_is_reported_in_the_answer(self):
        path = os.path.join(self.bed.work_dir, "vanishing.ringtrace")
        shutil.copy(self.traces[0], path)
        with Conversation([path]) as client:
            client.send("ping", 1)
            client.receive()
            os.remove(path)
            client.send("tools/call", 2, {"name": "summary"})
            answer = client.receive()
        self.assertTrue(answer["result"]["isError"])
        self.assertIn(path, answer["result"]["content"][0]["text"])

    def test_a_wrong_path_is_refused_at_the_start(self):
        for path, reason in (("/nonexistent/trace", "No such file"), ("-", "standard input has the questions")):
            done = subprocess.run([program("ringcat"), "mcp", self.traces[0], path], input="", capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn(path, done.stderr)
            self.assertIn(reason, done.stderr)

    def test_only_versions_whose_rules_hold_are_offered(self):
        for wanted, offered in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-06-18"), ("1999-01-01", "2025-06-18")):
            answer, = self.lines(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": wanted}}).encode())
            self.assertEqual(answer["result"]["protocolVersion"], offered, wanted)

    def test_a_closed_output_ends_it(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([program("ringcat"), "mcp", *self.traces], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 3, stdout=writing,
                              stderr=subprocess.PIPE, timeout=BOUND_S, check=False)
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_an_output_that_fails_is_reported(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program("ringcat"), "mcp", *self.traces], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', stdout=full,
                                  stderr=subprocess.PIPE, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write", done.stderr)


class McpQuestionsThatRun(Traced):
    """The processes that answer are stopped soon after their start, so that they do not end by themselves."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # It takes seconds to read. Concatenated trace files are a valid trace file.
        cls.large = os.path.join(cls.bed.work_dir, "large.ringtrace")
        with open(cls.traces[0], "rb") as one:
            content = one.read()
        with open(cls.large, "wb") as file:
            for _ in range(LARGE_BYTES // len(content)):
                file.write(content)

    def setUp(self):
        self.client = Conversation([self.large])
        self.addCleanup(self.client.__exit__)

    def ask(self, number):
        self.client.send("tools/call", number, {"name": "summary"})

    def children(self, count):
        found = wait_until(lambda: len(self.client.children()) == count and self.client.children(), f"{count} questions to run")
        for pid in found:
            # Before that it is a part of the server, which waits for it.
            wait_until(lambda pid=pid: b"stats" in command_of(pid), "the program to begin")
            os.kill(pid, signal.SIGSTOP)
            wait_until(lambda pid=pid: state_of(pid) == "T", "the process to stop")
        return found

    def test_a_ping_is_answered_meanwhile(self):
        self.ask(1)
        self.children(1)
        self.client.send("ping", 2)
        self.assertEqual(self.client.receive(), {"jsonrpc": "2.0", "id": 2, "result": {}})

    def test_a_cancelled_question_ends_without_an_answer(self):
        self.ask("first")
        first, = self.children(1)
        self.ask(2)
        children = self.children(2)
        # It waits.
        self.ask(3)
        for number in ("first", 3, "unknown"):
            self.client.send("notifications/cancelled", parameters={"requestId": number, "reason": "test"})
        wait_until(lambda: has_ended(first), "the first question to end")
        # The server still has to learn of its end.
        wait_until(lambda: self.client.children() == [pid for pid in children if pid != first], "the second question alone to run")
        self.client.send("notifications/cancelled", parameters={"requestId": 2})
        self.client.send("ping", 9)
        self.assertEqual(self.client.receive()["id"], 9)
        self.assertEqual(self.client.children(), [])

    def test_a_signal_ends_the_questions(self):
        self.ask(1)
        child, = self.children(1)
        self.client.process.terminate()
        self.assertEqual(self.client.process.wait(BOUND_S), 0)
        self.assertTrue(has_ended(child))

    def test_a_killed_server_takes_the_questions_with_it(self):
        self.ask(1)
        child, = self.children(1)
        self.client.process.kill()
        # Its new parent need not wait for it.
        wait_until(lambda: has_ended(child) or is_zombie(child), "the question to end")

    def test_a_client_that_has_gone_ends_the_questions(self):
        self.ask(1)
        child, = self.children(1)
        self.client.process.stdin.close()
        self.client.process.stdout.close()
        self.assertEqual(self.client.process.wait(BOUND_S), 0)
        self.assertTrue(has_ended(child))

    def test_a_signal_ends_it_though_nobody_reads_its_answers(self):
        self.client.send("ping", "begun")
        self.client.receive()
        for number in range(100):
            self.client.send("tools/list", number)
        self.client.process.terminate()
        self.assertEqual(self.client.process.wait(BOUND_S), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
