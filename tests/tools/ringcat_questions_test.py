#!/usr/bin/env python3
"""ringcat agg and ringcat hist on a part of the records."""

import json
import select
import subprocess
import tempfile
import unittest

from ringcat_test import OK, RINGCAT, UNREADABLE, RingcatTest


class Questions(RingcatTest):
    def count(self, *arguments):
        done = self.ringcat("agg", "--format", "csv", "--utc", *arguments, self.trace)
        self.assertEqual((done.returncode, done.stderr), (OK, b""))
        return int(done.stdout.decode().splitlines()[1])

    def test_filters_choose_records(self):
        self.assertEqual(self.count("text:*"), 9)
        self.assertEqual(self.count("text:*", "--since", "2025-11-20 21:35:17", "--until",
                                    "2025-11-20T21:35:20Z"), 3)
        self.assertEqual(self.count("text:*", "--since", "-5m"), 0)
        self.assertEqual(self.count("text:*", "--level", "warning"), 3)
        self.assertEqual(self.count("text:*", "--category", "qu*", "--category", "orders"), 5)
        self.assertEqual(self.count("text:*", "--thread", "worker*"), 3)
        self.assertEqual(self.count("text:*", "--thread", "1001", "--service", "sh*"), 6)
        self.assertEqual(self.count("text:*", "--grep", "side B$|lost"), 3)
        self.assertEqual(self.count("order", "--where", "price > 100 && side == 'B'"), 2)
        self.assertEqual(self.count("order", "--where", "msg =~ '101' && thread == 'main'"), 1)

    def test_a_field_that_the_question_does_not_name_may_decide(self):
        done = self.ringcat("agg", "order", "--field", "order.id", "--format", "json", "--where",
                            "side == 'B'", self.trace)
        row = json.loads(done.stdout)["rows"][0]
        self.assertEqual((row["count"], row["sum"], row["min"], row["max"]), (2, -2, -3, 1))

    def test_filters_choose_the_records_of_a_histogram(self):
        done = self.ringcat("hist", "order", "--field", "price", "--rows", "3", "--format", "json",
                            "--where", "price > 100", "--utc", "--until", "2025-11-20 22:00", self.trace)
        self.assertEqual(sum(row["count"] for row in json.loads(done.stdout)["rows"]), 2)

    def test_both_records_of_a_gap_must_match(self):
        gap = ("agg", "--gap", "order", "queue", "--join", "#1", "--across", "--format", "json")
        answer = json.loads(self.ringcat(*gap, self.trace).stdout)
        self.assertEqual((answer["unmatched begins"], answer["unmatched ends"]), (3, 2))
        answer = json.loads(self.ringcat(*gap, "--utc", "--since", "2025-11-20 21:35:17", "--until",
                                         "2025-11-20 21:35:20", self.trace).stdout)
        self.assertEqual((answer["unmatched begins"], answer["unmatched ends"]), (2, 1))
        self.assertIn("the filters exclude every site that matches \"queue\"",
                      self.refusal(*gap, "--level", "info", "--category", "orders", self.trace))

    def test_what_filters_leave_out_is_reported(self):
        self.assertIn("the filters exclude every site that matches \"queue\"",
                      self.refusal("agg", "queue", "--level", "error", self.trace))
        self.assertIn("the filters exclude every site",
                      self.refusal("agg", "text:*", "--service", "other", self.trace))
        said = self.refusal("agg", "order", "--where", "side > 3", self.trace)
        self.assertIn("--where: src/orders.cpp:100", said)
        self.assertIn("the filters exclude every site", said)

    def test_wrong_filters_are_explained(self):
        for command in ("agg", "hist"):
            question = (command, "order", "--field", "price")
            self.assertIn("invalid time", self.refusal(*question, "--since", "tomorrow", self.trace))
            self.assertIn("invalid level", self.refusal(*question, "--level", "loud", self.trace))
            self.assertIn("--where: at character", self.refusal(*question, "--where", "qty >", self.trace))
            self.assertIn("--grep: ", self.refusal(*question, "--grep", "(", self.trace))


class PartsOfATrace(RingcatTest):
    def test_names_that_the_trace_does_not_have_are_wrong_usage(self):
        for arguments, said in (
                (("--service", "other"), "--service other: no such service in the trace; the trace has, for example: shop"),
                (("--thread", "worker", "--thread", "99"), "--thread worker, 99: no such thread in the trace; "
                 "the trace has, for example: main, worker-2"),
                (("--category", "trading"), "--category trading: no such category"),
                (("--site", "queues.cpp:11"), "--site queues.cpp:11: no such statement"),
                (("--where", "duration > 50"), "--where: no statement in the trace has a field duration"),
                (("--where", "price > 100 && colour == 1"), "has a field colour"),
                (("--format", "csv", "--columns", "time,colour"), "has a field colour"),
                (("--template", "{field:colour}"), "has a field colour")):
            with self.subTest(arguments=arguments):
                self.assertIn(said, self.refusal(*arguments, self.trace))
                if "--format" not in arguments and "--template" not in arguments:
                    self.assertIn(said, self.refusal("stats", *arguments, self.trace))
        self.assertEqual(self.numbers("--thread", "unknown", "--thread", "1002"), [7, 8, 9], "one of them exists")
        self.assertEqual(self.numbers("--where", "price > 1000"), [], "it exists, but no record matches")

    def test_names_that_the_trace_does_not_have_are_reported_and_waited_for_when_following(self):
        for arguments, said in (
                (("--service", "other"), "--service other: no such service in the trace"),
                (("--thread", "worker"), "--thread worker: no such thread in the trace"),
                (("--site", "queues.cpp:11"), "--site queues.cpp:11: no such statement in the trace"),
                (("--where", "colour > 50"), "--where: no statement in the trace has a field colour"),
                (("--format", "csv", "--columns", "time,colour"), "has a field colour")):
            with self.subTest(arguments=arguments), \
                    subprocess.Popen([RINGCAT, "--follow", *arguments, self.trace], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True) as following:
                try:
                    ready, _, _ = select.select([following.stderr], [], [], 60)
                    self.assertTrue(ready, "no message was printed")
                    line = following.stderr.readline()
                    self.assertIn(said, line)
                    self.assertTrue(line.endswith("; waiting for records that have it\n"), line)
                finally:
                    following.kill()

    def test_a_file_that_is_not_a_trace_is_not_followed(self):
        for text in (b"root:x:0:0:root:/root:/bin/bash\n", b"{\"a\": 1}\n"):
            with tempfile.NamedTemporaryFile() as file:
                file.write(text)
                file.flush()
                said = self.refusal("--follow", file.name, status=UNREADABLE)
                self.assertIn(f"{file.name}: not a trace", said.replace(":0:", ":"))
                self.assertIn("other formats cannot be followed", said)

    def test_statistics_of_a_part(self):
        def records(*arguments):
            done = self.ringcat("stats", "--format", "json", *arguments, self.trace)
            self.assertEqual((done.returncode, done.stderr), (OK, b""))
            return json.loads(done.stdout)["records"]
        self.assertEqual(records(), 9)
        self.assertEqual(records("--service", "sh*"), 9)
        self.assertEqual(records("--thread", "1002"), 3)
        self.assertEqual(records("--level", "warn"), 3)
        self.assertEqual(records("--where", "price > 100"), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
