#!/usr/bin/env python3
"""--to chrome: JSON events that hold everything that the records have, at their times."""

import collections
import json
import unittest
from decimal import Decimal

from random_traces import SEEDS, RandomTrace, ringcat

FACTS = ("substream", "activity", "related", "stack_id", "cut")


class Decoded:
    def __init__(self, data):
        document = json.loads(data, parse_float=Decimal)
        self.base = int(document["otherData"]["base_unix_ns"])
        self.names = {}  # by process, and by process and thread
        self.events = []
        self.flows = []
        began = {}  # asynchronous spans
        for event in document["traceEvents"]:
            if event["ph"] == "M":
                key = (event["name"], event["pid"], event["tid"])
                self.names[key] = event["args"].get("name", event["args"].get("labels"))
                continue
            event["unix_ns"] = self.base + self.nanoseconds(event["ts"])
            if event["ph"] == "e":
                begin = began.pop((event["cat"], event["id"]))
                assert all(begin[key] == event[key] for key in ("name", "pid", "tid"))
                begin["end"] = event["unix_ns"]
                continue
            if event["ph"] == "b":
                assert (event["cat"], event["id"]) not in began
                began[event["cat"], event["id"]] = event
            if event["ph"] == "X":
                event["end"] = event["unix_ns"] + self.nanoseconds(event["dur"])
            (self.flows if event["ph"] in "stf" else self.events).append(event)
        assert not began

    @staticmethod
    def nanoseconds(microseconds):
        ns = Decimal(microseconds) * 1000
        assert ns == int(ns)
        return int(ns)


def of_json(value):
    """The value as the test reads the other side, without decimals."""
    if isinstance(value, list):
        return [of_json(element) for element in value]
    return float(value) if isinstance(value, Decimal) else value


class Chrome(unittest.TestCase):
    def assert_carried(self, record, found):
        facts = found.get("ringside") or found["args"].pop("ringside")
        fields = {**found.get("fields", {}), **found["args"]}
        self.assertEqual({name: of_json(value) for name, value in fields.items()},
                         record["fields"])
        self.assertEqual(found["cat"], record["category"])
        if "name" in record:
            self.assertEqual(found["name"], record["name"])
        self.assertEqual((facts["seq"], facts["level"]), (record["sequence"], record["level"]))
        self.assertEqual((facts.get("file", ""), facts.get("line", 0), facts.get("function", "")),
                         (record["file"], record["line"], record["function"]))
        for name in FACTS:
            self.assertEqual(facts.get(name), record.get(name), name)
        self.assertEqual(found["ph"] in "Xb", "duration_ns" in record)
        if "end" in found:
            self.assertEqual(found["end"] - found["unix_ns"], record["duration_ns"])
        elif found["ph"] == "C":
            self.assertEqual(facts["kind"], "counter")
            for value in found["args"].values():
                self.assertIsInstance(value, (int, Decimal))
                self.assertNotIsInstance(value, bool)

    def test_carries_random_records(self):
        phases, own_rows = set(), 0
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                data, said = trace.converted("chrome")
                events = trace.events()
            self.assertEqual(said, "")
            decoded = Decoded(data)
            self.assertEqual(len(decoded.events), len(events))
            phases |= {event["ph"] for event in decoded.events + decoded.flows}
            for event, found in zip(events, decoded.events):
                self.assertEqual(found["unix_ns"], event["unix_ns"])
                tid = found.get("ringside", found["args"].get("ringside", {})).pop("tid", found["tid"])
                self.assertEqual((found["pid"], tid), (event["pid"], event["thread"]["id"]))
                name = decoded.names["thread_name", found["pid"], found["tid"]]
                if tid == found["tid"]:
                    self.assertEqual(name, event["thread"]["name"])
                else:
                    self.assertRegex(name, event["thread"]["name"] + r" (substream [1-9]\d*|row [1-9]\d*)$")
                    own_rows += 1
                self.assertEqual(decoded.names["process_name", found["pid"], 0], event["service"])
                if event["kind"] == "loss":
                    self.assertEqual((found["args"]["count"], found["args"]["cause"]),
                                     (event["count"], event["cause"]))
                else:
                    self.assert_carried(event, found)
            self.assertEqual(len(decoded.flows), sum(("activity" in e) + ("related" in e)
                                                     for e in events))
        self.assertEqual(phases, set("XbiCstf"))
        self.assertGreater(own_rows, 10)

    def test_spans_of_a_stack_nest(self):
        """Viewers drop spans that do not nest, or show them at a wrong place."""
        for seed in SEEDS:
            with RandomTrace(seed, records=3000) as trace:
                decoded = Decoded(trace.converted("chrome")[0])
            stacks, beside = collections.defaultdict(list), 0
            for event in decoded.events:
                if event["ph"] == "b":
                    beside += 1
                if event["ph"] != "X":
                    continue
                stack = stacks[event["pid"], event["tid"]]
                while stack and stack[-1] <= event["unix_ns"]:
                    stack.pop()
                self.assertLessEqual(event["end"], stack[-1] if stack else event["end"])
                stack.append(event["end"])
            self.assertGreater(beside, 10)
            with RandomTrace(seed, overlaps=False) as trace:
                decoded = Decoded(trace.converted("chrome")[0])
            self.assertNotIn("b", {event["ph"] for event in decoded.events})

    def test_a_thread_without_a_name_gets_none(self):
        """Viewers complain about empty names."""
        line = json.dumps({"time": 1, "level": "info", "message": "m", "pid": 7, "thread_id": 8})
        _, written, _ = ringcat("--to", "chrome", "--from", "ndjson", "-", input=line.encode())
        decoded = Decoded(written)
        self.assertEqual([(event["pid"], event["tid"]) for event in decoded.events], [(7, 8)])
        self.assertNotIn("thread_name", {what for what, _, _ in decoded.names})

    def test_an_activity_begins_once(self):
        with RandomTrace(2) as trace:
            flows = Decoded(trace.converted("chrome")[0]).flows
        begins = [flow["id"] for flow in flows if flow["ph"] == "s"]
        self.assertEqual(len(begins), len(set(begins)))

    def test_changed_texts_are_reported(self):
        with RandomTrace(1, any_bytes_in_texts=True) as trace:
            data, said = trace.converted("chrome")
        self.assertRegex(said, "not UTF-8 became")
        Decoded(data)

    def test_processes_of_one_number_are_distinguished(self):
        with RandomTrace(1) as trace, RandomTrace(2) as other:
            _, _, said = ringcat("--to", "chrome", "-o", trace.path_of("both"), trace.path,
                                 other.path)
            events = len(trace.events()) + len(other.events())
            with open(trace.path_of("both"), "rb") as file:
                decoded = Decoded(file.read())
        self.assertEqual(len(decoded.events), events)
        self.assertRegex(said, r"2 records: the process got a generated number")
        named = [(pid, name) for (what, pid, _), name in decoded.names.items()
                 if what == "process_name"]
        self.assertEqual(sorted(name for _, name in named),
                         ["random-0", "random-0", "random-1", "random-1"])
        threads = {(event["pid"], event["args"].get("ringside", event.get("ringside", {})).get("tid", event["tid"]))
                   for event in decoded.events}
        self.assertEqual(len(threads), 12)

    def test_an_empty_trace_has_no_events(self):
        with RandomTrace(1, records=0) as trace:
            self.assertEqual(Decoded(trace.converted("chrome")[0]).events, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
