#!/usr/bin/env python3
"""Spans nest by thread and substream in every format that shows nesting. The readers here know nothing of substreams: they
nest as viewers do, by rows and times."""

import collections
import json
import os
import random
import re
import struct
import tempfile
import unittest

import chrome_test
import otlp_test
import perfetto_test
from random_traces import SEEDS, events_of, ringcat

EPOCH = 1_700_000_000_000_000_000


def heph(spans):
    """A Heph trace of spans (thread, substream, begin, end, name)."""
    data = struct.pack(">IIH", 0x75D11D4D, 23, 5) + b"epoch" + struct.pack(">Q", EPOCH)
    counters = collections.Counter()
    for thread, substream, begin, end, name in spans:
        text = name.encode()
        data += struct.pack(">IIIIQQQH", 0xC1FC1FB7, 42 + len(text), thread, counters[thread], substream, begin, end,
                            len(text)) + text
        counters[thread] += 1
    return data


def rows_nested(spans):
    """The parent's name by name, for spans (row, begin, end, name) in order of their begins."""
    parents, rows = {}, collections.defaultdict(list)
    for row, begin, end, name in spans:
        stack = rows[row]
        while stack and stack[-1][0] <= begin:
            stack.pop()
        parents[name] = stack[-1][1] if stack else None
        assert not stack or stack[-1][0] >= end, (name, stack)
        stack.append((end, name))
    return parents


def of_chrome(data):
    events = chrome_test.Decoded(data).events
    assert {event["ph"] for event in events} == {"X"}
    return rows_nested(((e["pid"], e["tid"]), e["unix_ns"], e["end"], e["name"]) for e in events)


def of_perfetto(data):
    return rows_nested((e["track"], e["unix_ns"], e["unix_ns"] + e["duration_ns"], e["name"])
                       for e in perfetto_test.Decoded(data).events)


def of_otlp(data):
    spans = {span["spanId"]: span for span in otlp_test.Decoded(data).spans}
    return {span["name"]: spans[span["parentSpanId"]]["name"] if "parentSpanId" in span else None
            for span in spans.values()}


def of_folded(data):
    """Names are unique, so each stack tells the parent of its innermost frame. The parent of a span without own time is not
    known from a line of its own, but from those of its children."""
    parents = {}
    for line in data.decode().splitlines():
        frames = [None, *line.rpartition(" ")[0].split(";")[2:]]
        parents.update(zip(frames[1:], frames))
    return parents


def of_speedscope(data):
    document = json.loads(data)
    frames, parents = document["shared"]["frames"], {}
    for profile in document["profiles"]:
        stack, at = [None], 0
        for event in profile["events"]:
            assert event["at"] >= at
            at, name = event["at"], frames[event["frame"]]["name"]
            if event["type"] == "O":
                parents[name] = stack[-1]
                stack.append(name)
            else:
                assert stack.pop() == name
        assert stack == [None]
    return parents


FORMATS = {"chrome": of_chrome, "perfetto": of_perfetto, "otlp": of_otlp, "folded": of_folded,
           "speedscope": of_speedscope}


def nested_spans(seed, substreams, count):
    """Spans of substreams that interleave; each span is within the one that is open in its substream. Also the parents."""
    draw = random.Random(seed)
    stacks, spans, parents, now = collections.defaultdict(list), [], {}, 0
    for i in range(count):
        now += draw.randrange(1, 50)
        place = draw.randrange(1, 3), draw.choice(substreams)
        stack = stacks[place]
        while stack and stack[-1][0] <= now:
            stack.pop()
        most = stack[-1][0] if stack else now + 20_000
        end = draw.randrange(now + 1, most + 1)
        name = f"span-{i}"
        parents[name] = stack[-1][1] if stack else None
        stack.append((end, name))
        spans.append((*place, now, end, name))
    return spans, parents


class Nesting(unittest.TestCase):
    def converted(self, spans):
        """The output and the messages, by format."""
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            path = os.path.join(directory, "spans.heph")
            with open(path, "wb") as file:
                file.write(heph(spans))
            for name in FORMATS:
                code, output, said = ringcat("--to", name, path)
                self.assertEqual(code, 0, said)
                yield name, output, said

    def check(self, spans, parents):
        for name, output, _ in self.converted(spans):
            with self.subTest(format=name):
                found = FORMATS[name](output)
                if name == "folded":
                    found = {**parents, **found}
                self.assertEqual(found, parents)

    def test_a_span_of_another_substream_is_not_the_parent(self):
        self.check([(1, 7, 100, 200, "co1"), (1, 8, 110, 190, "co2"), (1, 7, 120, 180, "co1child")],
                   {"co1": None, "co2": None, "co1child": "co1"})

    def test_a_span_of_the_thread_itself_is_not_the_parent_of_a_substreams_span(self):
        self.check([(1, 0, 100, 200, "worker"), (1, 8, 110, 190, "co2"), (1, 0, 120, 180, "poll")],
                   {"worker": None, "co2": None, "poll": "worker"})

    def test_random_spans_have_the_parents_of_their_substreams(self):
        for seed in SEEDS:
            self.check(*nested_spans(seed, range(4), 1000))

    def test_spans_of_more_substreams_than_rows_have_right_parents(self):
        spans, parents = nested_spans(1, range(1, 2000), 6000)
        self.assertGreater(sum(parent is not None for parent in parents.values()), 100)
        self.check(spans, parents)

    def test_rows_have_the_names_of_their_substreams(self):
        spans = [(1, 0, 100, 200, "worker"), (1, 7, 100, 200, "co1"), (1, 7, 150, 250, "crossing")]
        for name, output, _ in self.converted(spans):
            if name == "chrome":
                names = [e["args"]["name"] for e in json.loads(output)["traceEvents"] if e["name"] == "thread_name"]
                self.assertEqual(names, ["thread 1 substream 7"])
            if name == "speedscope":
                names = [re.sub(r".*\(\d+/1\)", "", p["name"]) for p in json.loads(output)["profiles"]]
                self.assertEqual(names, ["", " substream 7", " substream 7 overlapping 2"])
            if name == "perfetto":
                tracks = perfetto_test.Decoded(output).tracks.values()
                self.assertLessEqual({"substream 7", "substream 7 overlapping 2"},
                                     {name for track in tracks for name in track.get("name", [])})

    def test_logs_belong_to_the_span_of_their_substream(self):
        at = {"service": "s", "pid": 3, "thread": {"id": 5, "name": "worker"}, "category": "c", "level": "INFO", "fields": {}}
        records = [{**at, "unix_ns": EPOCH + 100, "name": "co1", "kind": "record", "substream": 7, "duration_ns": 100},
                   {**at, "unix_ns": EPOCH + 110, "name": "co2", "kind": "record", "substream": 8, "duration_ns": 80},
                   {**at, "unix_ns": EPOCH + 120, "name": "in co1", "kind": "record", "substream": 7},
                   {**at, "unix_ns": EPOCH + 130, "name": "in none", "kind": "record"},
                   {**at, "unix_ns": EPOCH + 140, "name": "in co2", "kind": "record", "substream": 8}]
        lines = "".join(json.dumps(record) + "\n" for record in records).encode()
        wanted = {"in co1": "co1", "in none": None, "in co2": "co2"}
        converted = {name: ringcat("--to", name, "--from", "ndjson", "-", input=lines)[1] for name in FORMATS}
        decoded = otlp_test.Decoded(converted["otlp"])
        spans = {span["spanId"]: span["name"] for span in decoded.spans}
        self.assertEqual({log["attributes"]["ringside.name"]: spans.get(log.get("spanId")) for log in decoded.logs}, wanted)
        for name, events, row in (("chrome", chrome_test.Decoded(converted["chrome"]).events, "tid"),
                                  ("perfetto", perfetto_test.Decoded(converted["perfetto"]).events, "track")):
            rows = {event["name"]: event[row] for event in events}
            self.assertEqual({log: next((co for co in ("co1", "co2") if rows[co] == rows[log]), None) for log in wanted},
                             wanted, name)

    def test_chrome_events_come_back_to_their_thread(self):
        spans, _ = nested_spans(1, range(300), 2000)
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            paths = [os.path.join(directory, name) for name in ("spans.heph", "spans.json")]
            with open(paths[0], "wb") as file:
                file.write(heph(spans))
            self.assertEqual(ringcat("--to", "chrome", "-o", paths[1], paths[0])[0], 0)
            there, back = ([(e["unix_ns"], e["thread"], e.get("substream", 0), e["name"]) for e in events_of(path)]
                           for path in paths)
        self.assertEqual(there, back)
        self.assertEqual({thread["id"] for _, thread, _, _ in back}, {1, 2})


if __name__ == "__main__":
    unittest.main(verbosity=2)
