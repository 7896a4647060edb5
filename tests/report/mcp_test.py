#!/usr/bin/env python3
"""`ringcat mcp` answers what the other commands of ringcat say, to the client of the protocol's SDK and to raw lines."""

import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from traced_processes import BOUND_S, TestBed, program

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_client.mjs")
# Where packaging/install-mcp-client.sh puts it.
FOLDERS = [os.environ.get("RINGSIDE_MCP_CLIENT_DIR", ""), "/usr/local/lib/ringside-test-mcp-client",
           os.path.expanduser("~/.cache/ringside-test-mcp-client")]
RECORDS = 3000


def client_folder():
    for folder in FOLDERS:
        if folder and os.path.exists(os.path.join(folder, "node_modules/@modelcontextprotocol/sdk/package.json")):
            return folder
    return ""


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


@unittest.skipUnless(client_folder(), "the client of the SDK is not installed: packaging/install-mcp-client.sh")
@unittest.skipUnless(shutil.which("node"), "node is not installed")
class McpClient(Traced):
    def call(self, *calls, options=()):
        done = subprocess.run(["node", SCRIPT, client_folder(), json.dumps(calls), program("ringcat"), "mcp", *options, *self.traces],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def texts(self, *calls, options=()):
        answers = self.call(*calls, options=options)["answers"]
        for answer in answers:
            self.assertEqual((answer.get("isError"), len(answer["content"]), answer["content"][0]["type"]), (False, 1, "text"), answer)
        return [answer["content"][0]["text"] for answer in answers]

    def test_tools_are_listed_with_schemas(self):
        said = self.call()
        self.assertEqual(said["server"]["name"], "ringcat")
        self.assertIn(said["server"]["version"], ringcat("--version"))
        tools = {tool["name"]: tool for tool in said["tools"]}
        self.assertLessEqual({"list_statements", "query_records", "aggregate", "histogram", "explain_losses", "records_around"}, set(tools))
        for tool in tools.values():
            self.assertTrue(tool["annotations"]["readOnlyHint"])
            self.assertFalse(tool["inputSchema"]["additionalProperties"])
            self.assertLessEqual(set(tool["inputSchema"]["required"]), set(tool["inputSchema"]["properties"]))

    def test_answers_are_those_of_the_commands(self):
        calls = {"list_statements": ({}, ["statements", "--format", "json"]),
                 "summary": ({"interval": "1s"}, ["stats", "--format", "json", "--interval", "1s"]),
                 "explain_losses": ({}, ["stats", "--format", "json"]),
                 "query_records": ({"limit": 7, "grep": "precision"}, ["print", "--format", "json", "--utc", "--head", "7", "--grep", "precision"]),
                 "collection_changes": ({}, ["collected", "--format", "json"])}
        texts = self.texts(*[(name, arguments) for name, (arguments, _) in calls.items()])
        for text, (name, (_, command)) in zip(texts, calls.items()):
            self.assertEqual(text, ringcat(*command, *self.traces), name)
        texts = self.texts(("aggregate", {"site": "text:*", "by": "@site"}), ("histogram", {"site": "int %d", "field": "#1", "rows": 5, "log": False}))
        self.assertEqual(texts, [ringcat("agg", "text:*", "--by", "@site", "--format", "json", "--utc", *self.traces),
                                 ringcat("hist", "int %d", "--field", "#1", "--rows", "5", "--format", "json", "--utc", *self.traces)])

    def test_a_flag_is_given_to_the_command(self):
        answer, = self.call(("histogram", {"site": "int %d", "field": "#1", "log": True}))["answers"]
        self.assertEqual((answer["isError"], answer["content"][0]["text"].split(";")[0]), (True, "ringcat: --log requires numbers above 0"))

    def test_records_around_a_moment(self):
        first = json.loads(ringcat("--format", "json", "--head", "1", *self.traces))
        moment = first["unix_ns"]
        since, until = (f"@{(moment + by) / 1e9:.9f}" for by in (-10**9, 10**9))
        text, = self.texts(("records_around", {"since": since, "until": until, "limit": 3}))
        self.assertEqual([json.loads(line) for line in text.splitlines()][0], first)
        self.assertEqual(len(text.splitlines()), 3)

    def test_a_number_of_records_is_bounded(self):
        few, most = self.texts(("query_records", {}), ("query_records", {"limit": 10**9}), options=["--answer-kib", "4096"])
        self.assertEqual((len(few.splitlines()), len(most.splitlines())), (100, 1000))

    def test_an_answer_is_cut_at_a_line(self):
        text, = self.texts(("query_records", {"limit": 1000}), options=["--answer-kib", "4"])
        *lines, last = text.splitlines()
        self.assertEqual(last, "The answer was cut here: narrow the question.")
        self.assertLess(len(text), 5000)
        self.assertGreater(len([json.loads(line) for line in lines]), 3)

    def test_values_are_no_options(self):
        page = os.path.join(self.bed.output_dir, "written")
        values = [f"--output={page}", f"-o{page}", "--help", "--version"]
        answers = self.call(*[("aggregate", {"site": value}) for value in values], *[("query_records", {"service": value}) for value in values])["answers"]
        for answer in answers:
            self.assertTrue(answer["isError"], answer)
            self.assertRegex(answer["content"][0]["text"], "no (such )?(service|statement|site)")
        self.assertFalse(os.path.exists(page))

    def test_what_is_invalid_is_refused_with_the_reason(self):
        wrong = [("no_such_tool", {}, "there is no tool 'no_such_tool'"), ("summary", {"colour": "red"}, "there is no argument 'colour'"),
                 ("query_records", {"limit": "7"}, "must be of the type integer"), ("query_records", {"limit": -1}, "must be of the type integer"),
                 ("aggregate", {}, "the argument 'site' is missing"), ("histogram", {"site": "int", "log": "yes"}, "must be of the type boolean"),
                 ("query_records", {"grep": "a\0b"}, "contains a NUL")]
        answers = self.call(*[(name, arguments) for name, arguments, _ in wrong])["answers"]
        for answer, (_, _, reason) in zip(answers, wrong):
            self.assertEqual(answer["code"], -32602)
            self.assertIn(reason, answer["message"])
        answer, = self.call(("query_records", {"where": "no_such_field > 1"}))["answers"]
        self.assertTrue(answer["isError"])
        self.assertIn("no_such_field", answer["content"][0]["text"])


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

    def test_a_missing_trace_is_reported_in_the_answer(self):
        answer, = self.lines(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"summary"}}', traces=["/nonexistent/trace"])
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("/nonexistent/trace", answer["result"]["content"][0]["text"])

    def test_a_closed_output_ends_it(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([program("ringcat"), "mcp", *self.traces], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 3, stdout=writing,
                              stderr=subprocess.PIPE, timeout=BOUND_S, check=False)
        os.close(writing)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
