#!/usr/bin/env python3
"""The output of --to rowbinary is inserted into tables of ClickHouse, Debian's version 18.16 and a current one, and comes
back unchanged. packaging/install-clickhouse.sh installs both."""

import json
import os
import tempfile
import unittest

from clickhouse_servers import Server, current_answers, current_library, server_program
from random_traces import SEEDS, RandomTrace, ringcat

KEY = "(service, time, segment, stream, sequence, cause)"
QUOTED = "SETTINGS output_format_json_quote_64bit_integers = 1"
# Columns of both tables; each version has its own query for `ns`.
COLUMNS = """service, pid, host, thread_id, thread, toString(segment) AS run, stream, sequence, lost, cause, kind, level,
category, name, file, line, function, message, fields, duration_ns, substream, activity, related, stack_id, cut"""


def number(value):
    return None if value is None else int(value)


def rows_of(answer):
    return [json.loads(line) for line in answer.split("\n") if line]


class ClickHouse(unittest.TestCase):
    def compare(self, rows, events):
        """In order of time; at the same time, by stream and number."""
        self.assertEqual(len(rows), len(events))
        order = lambda ns, service, thread, sequence: (int(ns), service, int(thread), int(sequence))
        rows.sort(key=lambda r: order(r["ns"], r["service"], r["thread_id"], r["sequence"]))
        events.sort(key=lambda e: order(e["unix_ns"], e["service"], e["thread"]["id"], e["sequence"]))
        for row, event in zip(rows, events):
            self.assertEqual((int(row["ns"]), row["service"], int(row["pid"]), row["host"], int(row["sequence"])),
                             (event["unix_ns"], event["service"], event["pid"], event.get("host", ""),
                              event["sequence"]))
            self.assertEqual({"id": int(row["thread_id"]), "name": row["thread"]}, event["thread"])
            if event["kind"] == "loss":
                self.assertEqual((row["kind"], int(row["lost"]), row["cause"]),
                                 ("loss", event["count"], event["cause"]))
                continue
            for name in ("level", "category", "file", "function"):
                self.assertEqual(row[name], event[name])
            self.assertEqual((row["name"], row["message"]), (event.get("name", ""), event["msg"]))
            self.assertEqual((int(row["line"]), int(row["lost"])), (event["line"], 0))
            self.assertEqual(json.loads(row["fields"]), event["fields"])
            for name in ("duration_ns", "substream", "stack_id"):
                self.assertEqual(number(row[name]), event.get(name), name)
            for name in ("activity", "related"):
                self.assertEqual(row[name] and row[name].replace("-", ""), event.get(name), name)

    def converted(self, trace, name):
        trace.converted(name)
        return trace.path_of("converted." + name)

    def schema(self, trace, name):
        code, output, said = ringcat("--to", name, "--head", "1", trace.path)
        self.assertEqual((code, said), (0, ""))
        return output.decode()

    def assert_key_is_unique(self, answer, count):
        (row,) = rows_of(answer)
        self.assertEqual((int(row["all"]), int(row["distinct"])), (count, count))

    @unittest.skipIf(server_program() is None, "clickhouse-server is not installed: packaging/install-clickhouse.sh")
    def test_debians_server_takes_schema_and_rows(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory, Server(directory) as server:
            print("ClickHouse", server.query("SELECT version()").strip())
            events = []
            for seed in SEEDS[:2]:
                with RandomTrace(seed) as trace:
                    server.query(self.schema(trace, "rowbinary-schema-18"))
                    server.insert("INSERT INTO ringside FORMAT RowBinary", self.converted(trace, "rowbinary-18"))
                    events += trace.events()
            rows = rows_of(server.query(f"SELECT time_ns AS ns, {COLUMNS} FROM ringside FORMAT JSONEachRow"))
            self.compare(rows, events)
            self.assert_key_is_unique(
                server.query("SELECT count() AS all, uniqExact(service, time, time_ns, segment, stream, sequence, "
                             "cause) AS distinct FROM ringside FORMAT JSONEachRow"), len(events))
            self.assertEqual(server.query("SELECT count() FROM ringside WHERE toUInt64(time) != intDiv(time_ns, "
                                          "1000000000)").strip(), "0")
            key = server.query("SELECT sorting_key FROM system.tables WHERE name = 'ringside'").strip()
            self.assertEqual(key, "service, time, time_ns, segment, stream, sequence, cause")

    @unittest.skipIf(current_library() is None, "libchdb.so is not installed: packaging/install-clickhouse.sh")
    def test_a_current_one_takes_schema_and_rows(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            queries = []
            events = []
            with RandomTrace(SEEDS[0]) as one, RandomTrace(SEEDS[1]) as other:
                for trace in (one, other):
                    queries.append(self.schema(trace, "rowbinary-schema"))
                    path = self.converted(trace, "rowbinary")
                    queries.append(f"INSERT INTO ringside FROM INFILE '{path}' FORMAT RowBinaryWithNamesAndTypes")
                    events += trace.events()
                run = lambda *more: current_answers(os.path.join(directory, "data"), [*queries, *more])
                answer = run(f"SELECT toUnixTimestamp64Nano(time) AS ns, {COLUMNS} FROM ringside {QUOTED}",
                             f"SELECT count() AS all, uniqExact{KEY} AS distinct FROM ringside {QUOTED}",
                             "SELECT version() AS version, sorting_key FROM system.tables WHERE name = 'ringside'")
            *rows, unique, about = filter(None, answer.split("\n"))
            self.compare(rows_of("\n".join(rows)), events)
            self.assert_key_is_unique(unique, len(events))
            print("ClickHouse", json.loads(about)["version"])
            self.assertEqual(json.loads(about)["sorting_key"], KEY[1:-1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
