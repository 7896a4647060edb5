#!/usr/bin/env python3
"""--to ndjson and --to csv: the same as --format prints, and readable by Python."""

import csv
import io
import json
import unittest

from random_traces import SEEDS, RandomTrace, ringcat


class LineFormats(unittest.TestCase):
    def test_ndjson_is_what_format_json_prints(self):
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                data, said = trace.converted("ndjson")
                self.assertEqual(data, ringcat("--format", "json", trace.path)[1])
            self.assertEqual(said, "")

    def test_csv_has_all_columns_of_all_events(self):
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                data, said = trace.converted("csv")
                events = trace.events()
            self.assertEqual(said, "")
            # Texts can contain NUL, which Python's reader refuses.
            text = data.decode().replace("\0", "<NUL>")
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            self.assertEqual(len(rows), len(events))
            for row, event in zip(rows, events):
                self.assertNotIn(None, row)
                self.assertEqual(row["unix_ns"], str(event["unix_ns"]))
                self.assertEqual((row["service"], row["pid"], row["thread"], row["thread_id"]),
                                 (event["service"], str(event["pid"]), event["thread"]["name"],
                                  str(event["thread"]["id"])))
                self.assertEqual(row["seq"], str(event["sequence"]))
                if event["kind"] == "loss":
                    self.assertEqual(row["level"], "LOST")
                    continue
                self.assertEqual((row["level"], row["category"], row["site"], row["file"]),
                                 (event["level"], event["category"], event.get("name", ""),
                                  event["file"]))
                self.assertEqual(json.loads(row["fields"]), event["fields"])
                self.assertEqual(row["msg"], event["msg"].replace("\0", "<NUL>"))
                for column in ("activity", "related", "duration_ns", "substream", "stack_id"):
                    self.assertEqual(row[column], str(event.get(column, "")))
                self.assertEqual((row["kind"], row["keywords"]),
                                 (event.get("site_kind", "log"), event.get("keywords", "0x0")))

    def test_changed_texts_are_reported(self):
        with RandomTrace(1, any_bytes_in_texts=True) as trace:
            self.assertRegex(trace.converted("ndjson")[1], "not UTF-8 became")
            data, said = trace.converted("csv")
            events = trace.events()
        self.assertRegex(said, "not UTF-8 became")
        rows = list(csv.DictReader(io.StringIO(data.decode().replace("\0", "<NUL>"), newline="")))
        self.assertEqual([row["msg"] for row in rows if row["level"] != "LOST"],
                         [event["msg"].replace("\0", "<NUL>") for event in events if event["kind"] != "loss"])

    def test_csv_of_nothing_is_its_header(self):
        with RandomTrace(1, records=0) as trace:
            data, _ = trace.converted("csv")
        self.assertRegex(data, rb"^unix_ns,utc,level,.*,fields\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
