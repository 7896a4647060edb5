#!/usr/bin/env python3
"""--to otlp: logs and spans with the names and types of OTLP/JSON, and everything that the records hold."""

import collections
import json
import re
import struct
import unittest

from random_traces import SEEDS, RandomTrace

MOST_RECORDS = 512
LOG = {"timeUnixNano", "severityNumber", "severityText", "body", "attributes", "traceId", "spanId"}
SPAN = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano",
        "endTimeUnixNano", "attributes", "status"}
SEVERITIES = {"TRACE": 1, "DEBUG": 5, "INFO": 9, "NOTICE": 10, "WARNING": 13, "ERROR": 17,
              "CRITICAL": 21, "LOST": 13}
SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def value_of(any_value):
    """The value of an AnyValue, whose JSON types are those of the protobuf mapping."""
    ((name, value),) = any_value.items()
    if name == "arrayValue":
        return [value_of(element) for element in value["values"]]
    if name == "intValue":
        assert re.fullmatch(r"-?\d+", value) and -2**63 <= int(value) < 2**63
        return int(value)
    if name == "doubleValue":
        return SPECIAL[value] if isinstance(value, str) else float(value)
    assert type(value) is {"stringValue": str, "boolValue": bool, "bytesValue": str}[name]
    return value


def is_same(json_value, value):
    if isinstance(json_value, list):
        return len(json_value) == len(value) and all(map(is_same, json_value, value))
    if isinstance(value, float):
        number = float(SPECIAL.get(json_value, json_value))
        return struct.pack("<d", number) == struct.pack("<d", value) or number == value
    return json_value == value or (isinstance(value, str) and str(json_value) == value)


def attributes_of(thing):
    names = [attribute["key"] for attribute in thing["attributes"]]
    assert len(names) == len(set(names)), names
    return {attribute["key"]: value_of(attribute["value"]) for attribute in thing["attributes"]}


class Decoded:
    def __init__(self, data):
        self.logs, self.spans = [], []
        for line in data.decode().splitlines():
            ((name, resources),) = json.loads(line).items()
            assert len(resources) == 1
            is_log = name == "resourceLogs"
            resource = attributes_of(resources[0]["resource"])
            count = 0
            for scope in resources[0]["scopeLogs" if is_log else "scopeSpans"]:
                for one in scope["logRecords" if is_log else "spans"]:
                    assert not set(one) - (LOG if is_log else SPAN), one
                    one["resource"], one["scope"] = resource, scope["scope"]["name"]
                    one["attributes"] = attributes_of(one)
                    (self.logs if is_log else self.spans).append(one)
                    count += 1
            assert 0 < count <= MOST_RECORDS
        assert len({span["spanId"] for span in self.spans}) == len(self.spans)


class Otlp(unittest.TestCase):
    def assert_carried(self, record, found):
        attributes = found["attributes"]
        get = attributes.get
        self.assertEqual((found["resource"]["service.name"], found["resource"]["process.pid"],
                          found["resource"].get("host.name")),
                         (record["service"], record["pid"], record.get("host")))
        self.assertEqual((get("thread.id"), get("thread.name", "")),
                         (record["thread"]["id"], record["thread"]["name"]))
        self.assertEqual(get("ringside.sequence"), record["sequence"])
        if record["kind"] == "loss":
            self.assertEqual((get("ringside.lost"), get("ringside.cause")),
                             (record["count"], record["cause"]))
            return
        self.assertEqual((found["scope"], get("ringside.level"), get("ringside.name")),
                         (record["category"], record["level"], record.get("name")))
        self.assertEqual((get("code.file.path", ""), get("code.line.number", 0),
                          get("code.function.name", "")),
                         (record["file"], record["line"], record["function"]))
        for name in ("substream", "activity", "related", "stack_id"):
            # Integers of more than 63 bits are texts.
            self.assertEqual(str(get("ringside." + name)), str(record.get(name)))
        fields = {name[len("field."):]: value for name, value in attributes.items()
                  if name.startswith("field.")}
        self.assertEqual(list(fields), list(record["fields"]))
        for name, value in record["fields"].items():
            self.assertTrue(is_same(value, fields[name]), (name, value, fields[name]))

    def test_carries_random_records(self):
        for seed in SEEDS:
            with RandomTrace(seed, records=1500) as trace:
                data, said = trace.converted("otlp")
                events = trace.events()
            self.assertRegex(said, r"^(ringcat: \d+ records?: numbers became the nearest.*\n)?$")
            decoded = Decoded(data)
            order = lambda one: (one["resource"]["process.pid"], one["attributes"]["thread.id"],
                                 one["attributes"]["ringside.sequence"])
            events.sort(key=lambda e: (e["pid"], e["thread"]["id"], e["sequence"]))
            spans = [event for event in events if "duration_ns" in event]
            logs = [event for event in events if "duration_ns" not in event]
            self.assertEqual((len(decoded.spans), len(decoded.logs)), (len(spans), len(logs)))
            for record, found in zip(spans, sorted(decoded.spans, key=order)):
                self.assert_carried(record, found)
                begin, end = int(found["startTimeUnixNano"]), int(found["endTimeUnixNano"])
                self.assertEqual((begin, end - begin), (record["unix_ns"], record["duration_ns"]))
                self.assertRegex(found["traceId"], "^[0-9a-f]{32}$")
                self.assertRegex(found["spanId"], "^[0-9a-f]{16}$")
                if "activity" in record and int(record["activity"], 16):
                    self.assertEqual(found["traceId"], record["activity"])
            for record, found in zip(logs, sorted(decoded.logs, key=order)):
                self.assert_carried(record, found)
                self.assertEqual(int(found["timeUnixNano"]), record["unix_ns"])
                self.assertEqual(found["severityNumber"], SEVERITIES[found["severityText"]])
                if record["kind"] == "record":
                    self.assertEqual(found["body"], {"stringValue": record["msg"]})

    def test_spans_and_logs_are_in_their_enclosing_span(self):
        with RandomTrace(4, extensions=False, overlaps=False, records=1500) as trace:
            decoded = Decoded(trace.converted("otlp")[0])
        spans = {span["spanId"]: span for span in decoded.spans}
        inner = [one for one in decoded.spans if "parentSpanId" in one]
        logs = [one for one in decoded.logs if "spanId" in one]
        self.assertGreater(len(inner), 20)
        self.assertGreater(len(logs), 20)
        for one in inner + logs:
            around = spans[one.get("parentSpanId") or one["spanId"]]
            begin = int(one.get("startTimeUnixNano") or one["timeUnixNano"])
            end = int(one.get("endTimeUnixNano") or begin)
            self.assertLessEqual(int(around["startTimeUnixNano"]), begin)
            self.assertGreaterEqual(int(around["endTimeUnixNano"]), end)
            self.assertEqual((around["traceId"], around["attributes"]["thread.id"]),
                             (one["traceId"], one["attributes"]["thread.id"]))

    def test_an_enclosing_span_is_found_beside_overlapping_ones(self):
        """Of all open spans of the same trace, thread and substream, the innermost that lasts as long."""
        seen = collections.Counter()
        for seed in SEEDS:
            with RandomTrace(seed, records=2000) as trace:
                decoded = Decoded(trace.converted("otlp")[0])
            at = lambda one: int(one.get("startTimeUnixNano") or one["timeUnixNano"])
            inner = {}
            for one in decoded.spans + [log for log in decoded.logs if "ringside.activity" in log["attributes"]]:
                attributes = one["attributes"]
                thread = one["resource"]["process.pid"], attributes["thread.id"], attributes.get("ringside.substream", 0)
                inner.setdefault(thread, []).append((at(one), attributes["ringside.sequence"], one))
            for of_thread in inner.values():
                opened = []
                for begin, _, one in sorted(of_thread, key=lambda place: place[:2]):
                    end = int(one.get("endTimeUnixNano") or begin)
                    opened = [span for span in opened if int(span["endTimeUnixNano"]) > begin]
                    around = [span["spanId"] for span in opened if span["traceId"] == one["traceId"]
                              and int(span["endTimeUnixNano"]) >= end]
                    is_span = "endTimeUnixNano" in one
                    self.assertEqual(one.get("parentSpanId" if is_span else "spanId"),
                                     around[-1] if around else None)
                    seen[is_span, bool(around), around[-1:] == [span["spanId"] for span in opened[-1:]]] += 1
                    if is_span:
                        opened.append(one)
        for is_span in (True, False):
            self.assertGreater(seen[is_span, True, False], 0)

    def test_changed_texts_are_reported(self):
        with RandomTrace(1, any_bytes_in_texts=True) as trace:
            data, said = trace.converted("otlp")
        self.assertRegex(said, "not UTF-8 became")
        Decoded(data)

    def test_an_empty_trace_is_an_empty_file(self):
        with RandomTrace(1, records=0) as trace:
            self.assertEqual(trace.converted("otlp"), (b"", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
