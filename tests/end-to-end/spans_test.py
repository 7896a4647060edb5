#!/usr/bin/env python3
"""Spans of a real service, in text, JSON, a Chrome trace and a flame graph: equal to the service's own account."""

import collections
import json
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

THREADS, SPANS = 3, 1000
Account = collections.namedtuple("Account", "thread n parent depth begin_ns end_ns")


class Spans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        consumer = cls.bed.start_consumer()
        service = cls.bed.start([program("spanned_service"), str(THREADS), str(SPANS)],
                                environment={"RINGSIDE_SHM_DIR": cls.bed.shm_dir})
        assert service.wait() == 0, service.stderr()
        output = service.stdout()
        cls.bed.stop_consumer(consumer)
        rows = [line.split() for line in output.splitlines() if line.startswith("SPAN ")]
        cls.account = {(int(row[1]), int(row[3])): Account(int(row[1]), *map(int, row[3:])) for row in rows}
        assert len(cls.account) == THREADS * SPANS

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments], capture_output=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def records(self):
        lines = self.ringcat("--format", "json", self.bed.output_dir).splitlines()
        return [json.loads(line) for line in lines]

    def test_each_span_has_its_times_and_values(self):
        records = self.records()
        self.assertEqual(len(records), len(self.account))
        for record in records:
            fields = record["fields"]
            expected = self.account[fields["thread"], fields["n"]]
            self.assertEqual((fields["parent"], fields["depth"]), (expected.parent, expected.depth))
            # The service reads its clock before and after. The two clocks do not have exactly the same rate.
            most_ns = expected.end_ns - expected.begin_ns
            self.assertLessEqual(record["duration_ns"], most_ns + most_ns // 100 + 1000)

    def test_records_are_in_the_order_in_which_spans_begin(self):
        records = self.records()
        self.assertEqual([r["unix_ns"] for r in records], sorted(r["unix_ns"] for r in records))
        for thread in range(1, THREADS + 1):
            numbers = [r["fields"]["n"] for r in records if r["fields"]["thread"] == thread]
            self.assertEqual(numbers, list(range(1, SPANS + 1)))

    def test_a_line_of_text_shows_the_duration(self):
        for line in self.ringcat(self.bed.output_dir).decode().splitlines():
            self.assertRegex(line, r" work thread=\d n=\d+ parent=\d+ depth=\d duration_ns=\d+$")

    def test_viewers_get_the_tree_of_the_service(self):
        document = json.loads(self.ringcat("--to", "chrome", self.bed.output_dir))
        open_spans, found = collections.defaultdict(list), 0
        for event in document["traceEvents"]:
            if event["ph"] == "M":
                continue
            self.assertEqual(event["ph"], "X", "spans of a thread must nest")
            stack, begin = open_spans[event["tid"]], event["ts"]
            while stack and stack[-1]["ts"] + stack[-1]["dur"] <= begin and stack[-1]["args"]["depth"] >= event["args"]["depth"]:
                stack.pop()
            self.assertEqual(event["args"]["parent"], stack[-1]["args"]["n"] if stack else 0)
            stack.append(event)
            found += 1
        self.assertEqual(found, len(self.account))

    def test_a_flame_graph_has_a_stack_for_each_depth(self):
        lines = self.ringcat("--to", "folded", self.bed.output_dir).decode().splitlines()
        depths = {line.rsplit(" ", 1)[0].count(";work") for line in lines}
        self.assertEqual(depths, {span.depth + 1 for span in self.account.values()})

    def test_durations_can_be_aggregated(self):
        told = json.loads(self.ringcat("agg", "work", "--field", "@duration_ns", "--format", "json", self.bed.output_dir))
        (answer,) = told["rows"]
        durations = [record["duration_ns"] for record in self.records()]
        self.assertEqual((answer["count"], answer["sum"], answer["max"]), (len(durations), sum(durations), max(durations)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
