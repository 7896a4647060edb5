#!/usr/bin/env python3
"""`ringcat mcp` answers what the other commands of ringcat say, to the client of the protocol's SDK."""

import json
import os
import shutil
import subprocess
import unittest

from mcp_conversation import RECORDS, Conversation, Traced, ringcat
from traced_processes import BOUND_S, TestBed, program

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_client.mjs")
# Where packaging/install-mcp-client.sh puts it.
FOLDERS = [os.environ.get("RINGSIDE_MCP_CLIENT_DIR", ""), "/usr/local/lib/ringside-test-mcp-client",
           os.path.expanduser("~/.cache/ringside-test-mcp-client")]


def client_folder():
    for folder in FOLDERS:
        if folder and os.path.exists(os.path.join(folder, "node_modules/@modelcontextprotocol/sdk/package.json")):
            return folder
    return ""


@unittest.skipUnless(client_folder(), "the client of the SDK is not installed: packaging/install-mcp-client.sh")
@unittest.skipUnless(shutil.which("node"), "node is not installed")
class McpClient(Traced):
    def call(self, *calls, options=()):
        done = subprocess.run(["node", SCRIPT, client_folder(), json.dumps(calls), program("ringcat"), "mcp", *options, *self.traces],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def documents(self, *calls, options=()):
        answers = self.call(*calls, options=options)["answers"]
        for answer in answers:
            self.assertEqual((answer.get("isError"), len(answer["content"]), answer["content"][0]["type"]), (False, 1, "text"), answer)
        return [json.loads(answer["content"][0]["text"]) for answer in answers]

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
        for form in ("-5m", "UTC"):
            self.assertIn(form, tools["query_records"]["inputSchema"]["properties"]["since"]["description"])

    def test_answers_are_those_of_the_commands(self):
        calls = {"list_statements": ({}, "statements", ["statements", "--format", "json"]),
                 "query_records": ({"limit": 1000, "grep": "precision"}, "records", ["print", "--format", "json", "--utc", "--head", "1000", "--grep", "precision"]),
                 "collection_changes": ({}, "periods", ["collected", "--format", "json"])}
        answers = self.documents(*[(name, arguments) for name, (arguments, _, _) in calls.items()], options=["--answer-kib", "4096"])
        for answer, (name, (_, array, command)) in zip(answers, calls.items()):
            printed = ringcat(*command, *self.traces).splitlines()
            self.assertEqual(answer, {array: [json.loads(line) for line in printed], "has_more": False}, name)
            self.assertGreater(len(printed), 0, name)
        tables = {"summary": ({"interval": "1s"}, ["stats", "--interval", "1s"]),
                  "aggregate": ({"site": "text:*", "by": "@site"}, ["agg", "text:*", "--by", "@site", "--utc"]),
                  "histogram": ({"site": "int %d", "field": "#1", "rows": 5, "log": False}, ["hist", "int %d", "--field", "#1", "--rows", "5", "--utc"])}
        answers = self.documents(*[(name, arguments) for name, (arguments, _) in tables.items()])
        for answer, (name, (_, command)) in zip(answers, tables.items()):
            self.assertEqual(answer, {**json.loads(ringcat(*command, "--format", "json", *self.traces)), "has_more": False}, name)

    def test_a_flag_is_given_to_the_command(self):
        answer, = self.call(("histogram", {"site": "int %d", "field": "#1", "log": True}))["answers"]
        self.assertEqual((answer["isError"], answer["content"][0]["text"].split(";")[0]), (True, "ringcat: --log requires numbers above 0"))

    def test_records_around_a_moment(self):
        first = json.loads(ringcat("--format", "json", "--head", "1", *self.traces))
        moment = first["unix_ns"]
        since, until = (f"@{(moment + by) / 1e9:.9f}" for by in (-10**9, 10**9))
        answer, = self.documents(("records_around", {"since": since, "until": until, "limit": 3}))
        self.assertEqual((answer["records"][0], len(answer["records"]), answer["has_more"]), (first, 3, True))

    def test_a_time_without_a_zone_is_utc(self):
        """In another zone, which has other hours."""
        records = self.records()
        moment = records[len(records) // 2]["time"]
        environment = {**os.environ, "TZ": "Etc/GMT-9"}
        question = {"limit": 1000, "since": moment.rstrip("Z").replace("T", " ")}
        with Conversation([*self.traces, "--answer-kib", "4096"], environment) as client:
            client.send("tools/call", 1, {"name": "query_records", "arguments": question})
            answer = client.text(client.receive())
        self.assertEqual(answer["records"], [one for one in records if one["time"] >= moment][:1000])

    def records(self):
        return [json.loads(line) for line in ringcat("--format", "json", "--utc", *self.traces).splitlines()]

    def test_a_number_of_records_is_bounded_and_more_are_announced(self):
        records = self.records()
        calls = [({}, records[:100]), ({"limit": 1000}, records[:1000]), ({"limit": 2.0}, records[:2]), ({"limit": 3, "newest": True}, records[-3:])]
        answers = self.documents(*[("query_records", arguments) for arguments, _ in calls], options=["--answer-kib", "4096"])
        for answer, (arguments, expected) in zip(answers, calls):
            self.assertEqual(answer, {"records": expected, "has_more": True}, arguments)
        last = records[-1]["unix_ns"]
        all_of_them, = self.documents(("query_records", {"since": f"@{last // 10**9}.{last % 10**9:09}", "newest": True}))
        self.assertEqual(all_of_them, {"records": [one for one in records if one["unix_ns"] >= last], "has_more": False})

    def test_an_answer_that_is_too_large_is_whole(self):
        calls = [("query_records", {"limit": 1000}), ("query_records", {"limit": 1000, "newest": True}), ("list_statements", {}),
                 ("aggregate", {"site": "text:*", "interval": "1us"}), ("summary", {"interval": "1us"})]
        oldest, newest, statements, rows, summary = self.call(*calls, options=["--answer-kib", "4"])["answers"]
        for answer in (oldest, newest, statements, rows, summary):
            self.assertFalse(answer["isError"])
            self.assertLessEqual(len(answer["content"][0]["text"]), 4096)
        oldest, newest, statements, rows, summary = (json.loads(each["content"][0]["text"]) for each in (oldest, newest, statements, rows, summary))
        records = self.records()
        self.assertGreater(len(oldest["records"]), 2)
        self.assertEqual(oldest, {"records": records[:len(oldest["records"])], "has_more": True})
        self.assertEqual(newest, {"records": records[-len(newest["records"]):], "has_more": True})
        listed = len(ringcat("statements", "--format", "json", *self.traces).splitlines())
        self.assertEqual((len(statements["statements"]) + statements["left_out"]["statements"], statements["has_more"]), (listed, True))
        every = json.loads(ringcat("agg", "text:*", "--interval", "1us", "--format", "json", "--utc", *self.traces))
        self.assertEqual(rows["rows"], every["rows"][:len(rows["rows"])])
        self.assertEqual((len(rows["rows"]) + rows["left_out"]["rows"], rows["has_more"]), (len(every["rows"]), True))
        every = json.loads(ringcat("stats", "--interval", "1us", "--format", "json", *self.traces))
        self.assertEqual((summary["records"], summary["has_more"]), (RECORDS, True))
        for name in ("sites", "intervals"):
            self.assertEqual(len(summary[name]) + summary["left_out"].get(name, 0), len(every[name]), name)

    def test_long_texts_are_cut(self):
        """A record of 1 MB, before one that must be reached too."""
        path = os.path.join(self.bed.work_dir, "long.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": [{"ph": "i", "name": "long", "ts": 1, "pid": 1, "tid": 1, "args": {"text": "\u00e4" * 500_000}},
                                       {"ph": "i", "name": "short", "ts": 2, "pid": 1, "tid": 1}]}, file)
        with Conversation([path]) as client:
            client.send("tools/call", 1, {"name": "query_records", "arguments": {}})
            answer = client.text(client.receive())
        self.assertEqual([one["msg"].split()[0] for one in answer["records"]], ["long", "short"])
        self.assertGreater(answer["cut_texts"], 0)
        self.assertIn("\u00e4" * 2000, json.dumps(answer["records"][0], ensure_ascii=False))
        self.assertLess(len(json.dumps(answer, ensure_ascii=False).encode()), 10_000)

    def test_values_are_no_options(self):
        page = os.path.join(self.bed.output_dir, "written")
        values = [f"--output={page}", f"-o{page}", "--help", "--version"]
        answers = self.call(*[("aggregate", {"site": value}) for value in values], *[("query_records", {"service": value}) for value in values])["answers"]
        for answer in answers:
            self.assertTrue(answer["isError"], answer)
            self.assertRegex(answer["content"][0]["text"], "no (such )?(service|statement|site)")
        self.assertFalse(os.path.exists(page))

    def text_arguments(self):
        """(tool, argument, all that are required) for each text."""
        sound = {"site": "text:*", "since": "@0", "until": "@4000000000"}
        for tool in self.call()["tools"]:
            schema = tool["inputSchema"]
            required = {name: sound[name] for name in schema["required"]}
            for name, one in schema["properties"].items():
                if one["type"] == "string":
                    yield tool["name"], name, required

    def test_no_argument_takes_an_empty_text_or_an_option(self):
        arguments = list(self.text_arguments())
        self.assertGreater(len(arguments), 40)
        answers = self.call(*[(tool, {**required, name: ""}) for tool, name, required in arguments])["answers"]
        for answer, (tool, name, _) in zip(answers, arguments):
            self.assertEqual(answer.get("code"), -32602, (tool, name))
            self.assertIn(f"the argument '{name}' is empty; leave it out", answer["message"])
        answers = self.call(*[(tool, {**required, name: "--help"}) for tool, name, required in arguments])["answers"]
        for answer, (tool, name, _) in zip(answers, arguments):
            text = answer["content"][0]["text"]
            self.assertNotIn("Usage", text, (tool, name))
            if not answer["isError"]:
                json.loads(text)

    def test_what_is_invalid_is_refused_with_the_reason(self):
        wrong = [("no_such_tool", {}, "there is no tool 'no_such_tool'"), ("summary", {"colour": "red"}, "there is no argument 'colour'"),
                 ("query_records", {"limit": "7"}, "must be of the type integer"), ("query_records", {"limit": 2.5}, "must be of the type integer"),
                 ("query_records", {"limit": -1}, "must be from 1 to 1000"), ("query_records", {"limit": 0}, "must be from 1 to 1000"),
                 ("query_records", {"limit": 10**9}, "must be from 1 to 1000"), ("query_records", {"limit": 1e300}, "must be from 1 to 1000"),
                 ("aggregate", {}, "the argument 'site' is missing"), ("histogram", {"site": "int", "log": "yes"}, "must be of the type boolean"),
                 ("query_records", {"grep": "a\0b"}, "contains a NUL"), ("query_records", {"grep": "x" * 16_385}, "has more than 16384 bytes")]
        answers = self.call(*[(name, arguments) for name, arguments, _ in wrong])["answers"]
        for answer, (_, _, reason) in zip(answers, wrong):
            self.assertEqual(answer.get("code"), -32602, (answer, reason))
            self.assertIn(reason, answer["message"])
        answer, = self.call(("query_records", {"where": "no_such_field > 1"}))["answers"]
        self.assertTrue(answer["isError"])
        self.assertIn("no_such_field", answer["content"][0]["text"])


class McpLosses(unittest.TestCase):
    def test_causes_have_meanings_and_remedies(self):
        """Many threads, one ring that is too small, and no consumer until the service has ended."""
        with TestBed() as bed:
            running = bed.start_service("--threads", "4", "--records", str(RECORDS), overflow="drop", ring_bytes=4096, environment={"RINGSIDE_MAX_THREADS": "2"})
            self.assertEqual(running.wait(), 0, running.stderr())
            bed.run_consumer_once()
            traces = bed.traces()
            stats = json.loads(ringcat("stats", "--format", "json", *traces))
            with Conversation(traces) as client:
                client.send("tools/call", 1, {"name": "explain_losses", "arguments": {"interval": "1s"}})
                losses = client.text(client.receive())
        self.assertGreater(stats["lost"], 0)
        self.assertEqual((losses["lost"], losses["records"]), (stats["lost"], stats["records"]))
        self.assertEqual({one["cause"]: one["records"] for one in losses["causes"] if one["is_lost"]}, stats["lost_by_cause"])
        self.assertLessEqual({"no_ring", "no_consumer"}, set(stats["lost_by_cause"]))
        for cause in losses["causes"]:
            self.assertTrue(cause["meaning"].endswith(".") and cause["remedy"].endswith("."), cause)
        for name in ("streams", "sites", "intervals"):
            lost = [one["lost"] for one in losses[name]]
            self.assertEqual(sum(lost), stats["lost"], name)
            if name != "intervals":
                self.assertEqual(lost, sorted(lost, reverse=True), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
