#!/usr/bin/env python3
"""Pages of traces that have much of everything: less than 10 MB, and they say what they have less of."""

import base64
import json
import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from traced_processes import BOUND_S, TestBed, program

MOST_BYTES = 10_000_000
BEGIN = 1_760_000_000_000_000_000
CHOICE = random.Random(21)


def text(length):
    """Cannot be packed well."""
    return base64.b64encode(CHOICE.randbytes(length * 3 // 4)).decode()


def record(at, name="m", line=1, thread=1, **more):
    return {"kind": "record", "unix_ns": BEGIN + at, "level": "INFO", "service": "shop", "pid": 1, "host": "h", "thread": {"id": thread, "name": "t"},
            "category": "", "name": name, "file": "a.cpp", "line": line, "function": "f", "msg": name, "fields": {}, **more}


def statements(count, threads):
    """Many statements with long texts and names of fields; each in a thread with a long name."""
    for i in range(count):
        named = {"id": i % threads + 1, "name": text(60)}
        yield record(1000 * i, text(400), i + 1, fields={text(30): i, text(30): text(40)}, function=text(80), **({"level": "ERROR"} if i % 100 == 99 else {})) | {"thread": named}


def activities(count, records, length):
    """Slow requests with long texts."""
    for i in range(count):
        request = {"activity": f"{i + 1:032x}"}
        yield record(10**9 * i, "request", 1, site_kind="span", duration_ns=9 * 10**8, fields={"text": text(length)}, **request)
        for k in range(1, records):
            yield record(10**9 * i + 1000 * k, f"step {k}", k + 1, fields={"text": text(length)}, level="ERROR" if k == 3 else "INFO", **request)


def spans(count, threads):
    """Many spans with random times in many threads."""
    at = 0
    for i in range(count):
        at += CHOICE.randrange(10**10)
        yield record(at, f"s{i % 50}", i % 50, CHOICE.randrange(threads) + 1, site_kind="span", duration_ns=CHOICE.randrange(10**11), fields={"value": CHOICE.random()})


class WorstPages(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def pages(self, lines):
        """The data, and the path of the page."""
        path, page = os.path.join(self.bed.work_dir, "trace.ndjson"), os.path.join(self.bed.work_dir, "report.html")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        for arguments in (("-o", page), ("--json", "-o", page + ".json")):
            subprocess.run([program("ringcat"), "report", *arguments, path], capture_output=True, timeout=BOUND_S, check=True)
        self.assertLess(os.path.getsize(page), MOST_BYTES)
        with open(page + ".json", encoding="utf-8") as file:
            return json.load(file), page

    def check_page(self, page, reduced):
        """It opens, and names what it has less of."""
        if browser.missing():
            return
        with browser.Browser() as window:
            window.open(page)
            marks = [mark for mark in window.texts("#health .mark") if "Reduced:" in mark]
            self.assertEqual(len(marks), 1)
            self.assertTrue(marks[0].endswith(f"fewer or shorter {', '.join(sorted(reduced))}."), marks)
            self.assertEqual(window.complaints(), [])

    def test_statements_and_threads(self):
        count, threads = 20_000, 10_000
        document, page = self.pages(statements(count, threads))
        rows, streams, reduced = document["statements"], document["summary"]["streams"], document["summary"]["reduced"]
        self.assertEqual((len(rows), len(streams)), (count, threads))
        self.assertIn("statements", reduced)
        full = [row for row in rows if not row.get("short")]
        self.assertGreater(len(full), count // 16)
        self.assertLess(len(full), count)
        self.assertTrue(all(len(row["text"]) == 400 and "over_time" in row for row in full))
        self.assertTrue(all(len(row["text"]) == 60 and "over_time" not in row for row in rows if row.get("short")))
        self.assertTrue(all(not row.get("short") for row in rows if row["level"] == "ERROR"), "those that report problems come first")
        index = document["records"]
        self.assertEqual(max(index["form"]) + 1, len(index["forms"]), "no form is there without a record")
        self.assertEqual(sum(row["records"] for row in rows), count)
        self.check_page(page, reduced)

    def test_requests(self):
        document, page = self.pages(activities(120, 150, 1500))
        kept, reduced = document["activities"]["kept"], document["summary"]["reduced"]
        self.assertEqual(list(reduced), ["activities"])
        self.assertEqual(sum(len(each["rows"]) for each in kept), 120 * 150, "all rows are drawn")
        with_objects = [all("record" in row for row in each["rows"]) for each in kept if each["kept_for"] == "slowest"]
        self.assertTrue(with_objects[0], "the slowest have everything")
        self.assertFalse(with_objects[-1])
        self.assertEqual(with_objects, sorted(with_objects, reverse=True))
        self.check_page(page, reduced)

    def test_everything_at_once(self):
        document, page = self.pages([*statements(10_000, 10_000), *activities(60, 80, 1500), *spans(20_000, 2_000)])
        self.assertTrue(document["summary"]["reduced"])
        self.assertGreater(len([name for name in document if name.startswith("records-")]), 0)
        timeline = document["timeline"]
        self.assertEqual(timeline["drawn_spans"], sum(len(track["spans"]["begin"]) for track in timeline["tracks"]))
        self.check_page(page, document["summary"]["reduced"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
