#!/usr/bin/env python3
"""The programs ringcat agg and ringcat hist of a part of the records."""

import json
import unittest

from ringcat_test import OK, RingcatTest


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

    def test_both_records_of_a_gap_have_to_fit(self):
        gap = ("agg", "--gap", "order", "queue", "--join", "#1", "--across", "--format", "json")
        answer = json.loads(self.ringcat(*gap, self.trace).stdout)
        self.assertEqual((answer["unmatched begins"], answer["unmatched ends"]), (3, 2))
        answer = json.loads(self.ringcat(*gap, "--utc", "--since", "2025-11-20 21:35:17", "--until",
                                         "2025-11-20 21:35:20", self.trace).stdout)
        self.assertEqual((answer["unmatched begins"], answer["unmatched ends"]), (2, 1))
        self.assertIn("the filters leave out every site that fits \"queue\"",
                      self.refusal(*gap, "--level", "info", "--category", "orders", self.trace))

    def test_what_filters_leave_out_is_said(self):
        self.assertIn("the filters leave out every site that fits \"queue\"",
                      self.refusal("agg", "queue", "--level", "error", self.trace))
        self.assertIn("the filters leave out every site",
                      self.refusal("agg", "text:*", "--service", "other", self.trace))
        said = self.refusal("agg", "order", "--where", "side > 3", self.trace)
        self.assertIn("--where: src/orders.cpp:100", said)
        self.assertIn("the filters leave out every site", said)

    def test_wrong_filters_are_explained(self):
        for command in ("agg", "hist"):
            question = (command, "order", "--field", "price")
            self.assertIn("is no time", self.refusal(*question, "--since", "tomorrow", self.trace))
            self.assertIn("no level", self.refusal(*question, "--level", "loud", self.trace))
            self.assertIn("--where: at character", self.refusal(*question, "--where", "qty >", self.trace))
            self.assertIn("--grep: ", self.refusal(*question, "--grep", "(", self.trace))


if __name__ == "__main__":
    unittest.main()
