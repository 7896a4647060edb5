#!/usr/bin/env python3
"""--to speedscope and --to folded: every span with its time, and no time counted twice."""

import collections
import json
import os
import re
import subprocess
import unittest

from random_traces import BOUND_S, SEEDS, RandomTrace, ringcat

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "speedscope.schema.json")

WITHOUT_STACKS = b"", b'{"time": "2026-01-01T00:00:00Z", "msg": "a log record"}\n' * 3
NOTHING_DRAWN = "ringcat: nothing to draw: no record has a duration or a stack of addresses"


def spans_of(events):
    """By thread: (begin, end, record)."""
    spans = collections.defaultdict(list)
    for event in events:
        if "duration_ns" in event:
            thread = (event["service"], event["pid"], event["thread"]["id"])
            spans[thread].append((event["unix_ns"], event["unix_ns"] + event["duration_ns"], event))
    return spans


class Speedscope(unittest.TestCase):
    def test_has_every_span_with_its_time(self):
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                data, said = trace.converted("speedscope")
                spans = spans_of(trace.events())
                checked = subprocess.run(
                    ["/usr/bin/jsonschema", "-i", trace.path_of("converted.speedscope"), SCHEMA],
                    capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            self.assertRegex(said, r"\d+ records: records without a duration are left out")
            document = json.loads(data)
            base = int(re.match(r"from (\d+) ns", document["name"]).group(1))
            found = collections.defaultdict(list)
            for profile in document["profiles"]:
                pid, tid = map(int, re.search(r" \((\d+)/(\d+)\)", profile["name"]).groups())
                for begin, end, frame in self.spans_of_profile(profile):
                    found[pid, tid].append((base + begin, base + end, frame))
            frames = document["shared"]["frames"]
            self.assertEqual({thread[1:] for thread in spans}, set(found))
            for thread, expected in spans.items():
                self.assertEqual(sorted((b, e) for b, e, _ in expected),
                                 sorted((b, e) for b, e, _ in found[thread[1:]]))
                named = collections.Counter((b, e, r["name"], r["file"]) for b, e, r in expected
                                            if "name" in r)
                have = collections.Counter(
                    (b, e, frames[frame]["name"], frames[frame].get("file", ""))
                    for b, e, frame in found[thread[1:]])
                self.assertFalse(named - have)

    def spans_of_profile(self, profile):
        stack, at = [], profile["startValue"]
        for event in profile["events"]:
            self.assertGreaterEqual(event["at"], at)
            at = event["at"]
            if event["type"] == "O":
                stack.append(event)
            else:
                opened = stack.pop()
                self.assertEqual(opened["frame"], event["frame"])
                yield opened["at"], at, event["frame"]
        self.assertEqual((stack, at), ([], profile["endValue"]))

    def test_a_trace_without_spans_or_stacks_has_no_profiles_which_is_reported(self):
        for records in WITHOUT_STACKS:
            code, output, said = ringcat("--from", "ndjson", "--to", "speedscope", "-", input=records)
            self.assertEqual((code, json.loads(output)["profiles"]), (0, []))
            self.assertIn(NOTHING_DRAWN, said)


class Folded(unittest.TestCase):
    LINE = re.compile(r"(.*) (\d+)")

    def test_a_trace_without_spans_or_stacks_has_no_lines_which_is_reported(self):
        for records in WITHOUT_STACKS:
            code, output, said = ringcat("--from", "ndjson", "--to", "folded", "-", input=records)
            self.assertEqual((code, output), (0, b""))
            self.assertIn(NOTHING_DRAWN, said)

    def test_a_trace_with_spans_has_no_such_report(self):
        with RandomTrace(SEEDS[0]) as trace:
            for form in ("folded", "speedscope"):
                self.assertNotIn(NOTHING_DRAWN, trace.converted(form)[1])

    def stacks(self, data):
        """By process and thread: the total weight of each stack."""
        stacks = collections.defaultdict(collections.Counter)
        for line in data.decode().split("\n")[:-1]:
            stack, weight = self.LINE.fullmatch(line).groups()
            process, thread, *frames = stack.split(";")
            self.assertTrue(frames)
            key = int(process.rpartition("-")[2]), int(thread.rpartition("-")[2])
            stacks[key][tuple(frames)] += int(weight)
        return stacks

    def expected(self, spans):
        """The expected weights of spans that nest within their substreams."""
        stacks, substreams = collections.Counter(), collections.defaultdict(list)
        for begin, end, record in spans:
            around = substreams[record.get("substream", 0)]
            while around and around[-1][0] <= begin:
                around.pop()
            frames = (around[-1][1] if around else ()) + (record["name"].replace(";", "_"),)
            if around:
                stacks[around[-1][1]] -= end - begin
            stacks[frames] += end - begin
            around.append((end, frames))
        return +stacks

    def test_weights_are_the_time_in_the_innermost_span_itself(self):
        for seed in SEEDS:
            with RandomTrace(seed, overlaps=False, records=1000) as trace:
                events = trace.events()
                data, said = trace.converted("folded")
            stacks = self.stacks(data)
            spans = spans_of(events)
            if all("name" in r for thread in spans.values() for _, _, r in thread):
                for (_, pid, tid), of_thread in spans.items():
                    self.assertEqual(stacks[pid, tid], self.expected(of_thread))
            self.assertRegex(said, "fields are left out")

    def test_a_name_that_ends_in_a_number_is_not_a_second_weight(self):
        """flamegraph.pl and inferno compare two profiles by a second number after the stack."""
        names = {"step 3": "step_3", "step 10.5": "step_10.5", "step 7.": "step_7.", "a 1 2": "a 1_2",
                 "step3": "step3", "4": "4", " 5": "_5", "1.2.3 .": "1.2.3 .", "x .6": "x .6", "v 1.2.3": "v 1.2.3"}
        lines = "".join(json.dumps({"time": 1_700_000_000_000_000_000 + 100 * i, "pid": 1, "message": name,
                                    "duration_ns": 10 + i}) + "\n" for i, name in enumerate(names))
        _, data, said = ringcat("--to", "folded", "--from", "ndjson", "-", input=lines.encode())
        ((_, stacks),) = self.stacks(data).items()
        self.assertEqual(stacks, {(name,): 10 + i for i, name in enumerate(names.values())})
        self.assertRegex(said, "5 records: characters of names")
        for line in data.decode().splitlines():
            stack, _ = self.LINE.fullmatch(line).groups()
            self.assertIsNone(re.search(r"\s\d+(\.\d*)?$", stack))

    def test_no_time_counts_twice_where_spans_overlap(self):
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                stacks = self.stacks(trace.converted("folded")[0])
                spans = spans_of(trace.events())
            for (_, pid, tid), of_thread in spans.items():
                total = sum(stacks[pid, tid].values())
                self.assertLessEqual(total, sum(end - begin for begin, end, _ in of_thread))
                covered, until = 0, 0
                for begin, end, _ in of_thread:
                    covered += max(0, end - max(begin, until))
                    until = max(until, end)
                self.assertGreaterEqual(total, covered)


if __name__ == "__main__":
    unittest.main(verbosity=2)
