#!/usr/bin/env python3
"""--to rowbinary: read by the documentation of ClickHouse's format, it holds everything that the records have."""

import json
import re
import struct
import unittest

from random_traces import SEEDS, RandomTrace

FIXED = {"UInt32": "<I", "UInt64": "<Q", "DateTime64(9, 'UTC')": "<q", "Bool": "<?"}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        taken = self.data[self.at:self.at + count]
        assert len(taken) == count
        self.at += count
        return taken

    def length(self):
        number, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def text(self):
        return self.take(self.length()).decode()

    def value(self, kind):
        if kind.startswith("Nullable("):
            return None if self.take(1)[0] else self.value(kind[len("Nullable("):-1])
        if kind.startswith("LowCardinality("):
            return self.value(kind[len("LowCardinality("):-1])
        if kind == "String":
            return self.text()
        if kind == "UUID":
            high, low = struct.unpack("<QQ", self.take(16))
            return f"{high:016x}{low:016x}"
        return struct.unpack(FIXED[kind], self.take(struct.calcsize(FIXED[kind])))[0]


def rows_of(data):
    reader = Reader(data)
    columns = reader.length()
    names = [reader.text() for _ in range(columns)]
    types = [reader.text() for _ in range(columns)]
    rows = []
    while reader.at < len(data):
        rows.append({name: reader.value(kind) for name, kind in zip(names, types)})
    return dict(zip(names, types)), rows


class RowBinary(unittest.TestCase):
    def test_carries_random_records(self):
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                data, said = trace.converted("rowbinary")
                events = trace.events()
            self.assertEqual(said, "")
            rows = rows_of(data)[1]
            self.assertEqual(len(rows), len(events))
            for row, event in zip(rows, events):
                self.assertEqual(
                    (row["time"], row["service"], row["pid"], row["host"], row["sequence"]),
                    (event["unix_ns"], event["service"], event["pid"], event.get("host", ""),
                     event["sequence"]))
                self.assertEqual({"id": row["thread_id"], "name": row["thread"]}, event["thread"])
                if event["kind"] == "loss":
                    self.assertEqual((row["kind"], row["lost"], row["cause"]),
                                     ("loss", event["count"], event["cause"]))
                    continue
                self.assertEqual((row["lost"], row["cause"]), (0, ""))
                self.assertIn(row["kind"], ("log", "event", "span", "counter"))
                for name in ("level", "category", "file", "line", "function"):
                    self.assertEqual(row[name], event[name])
                self.assertEqual((row["name"], row["message"]), (event.get("name", ""), event["msg"]))
                self.assertEqual(json.loads(row["fields"]), event["fields"])
                for name in ("duration_ns", "substream", "activity", "related", "stack_id"):
                    self.assertEqual(row[name], event.get(name), name)

    def test_the_schema_has_the_same_columns(self):
        with RandomTrace(1) as trace:
            types, _ = rows_of(trace.converted("rowbinary")[0])
            schema = trace.converted("rowbinary-schema")[0].decode()
        self.assertEqual(dict(re.findall(r"^    `(\w+)` (.*?),?$", schema, re.M)), types)
        self.assertRegex(schema, r"^CREATE TABLE IF NOT EXISTS ringside\n\(")
        # An insertion can have 100 partitions; a trace can have more days.
        self.assertIn("PARTITION BY toYYYYMM(time)\n", schema)

    def test_changed_texts_are_reported(self):
        with RandomTrace(1, any_bytes_in_texts=True) as trace:
            self.assertRegex(trace.converted("rowbinary")[1], "not UTF-8 became")


if __name__ == "__main__":
    unittest.main(verbosity=2)
