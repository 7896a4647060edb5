#!/usr/bin/env python3
"""The report of kvd under load shows its statements, spans, durations and records as `ringcat` prints them."""

import json
import re
import shutil
import subprocess
import unittest

import browser
from reported_trace import ringcat
from shown_page import ShownPage, byte_text, count_text, duration_text, wanted_records, wanted_statements
from traced_processes import BOUND_S, TestBed, wait_until

# About 48,000 records: a report has all of them up to 60,000.
REQUESTS, PIPELINED, CLIENTS = 2500, 4, 10
MOST_RECORDS = 60
NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
@unittest.skipIf(shutil.which("redis-benchmark") is None, "redis-benchmark is not installed")
class KvdPage(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        consumer = cls.bed.start_consumer()
        kvd = cls.bed.start_service("--port", 0, which="kvd", service="kvd")
        port = wait_until(lambda: re.search(r"listening on [\d.]+:(\d+)\n", kvd.stdout()), "kvd to listen")[1]
        subprocess.run(["redis-benchmark", "-p", port, "-n", str(REQUESTS), "-t", "set,get", "-c", str(CLIENTS), "-P", str(PIPELINED), "-q"],
                       capture_output=True, timeout=BOUND_S, check=True)
        kvd.popen.terminate()
        assert kvd.wait() == 0, kvd.stderr()
        cls.bed.wait_until_segments_are_gone()
        cls.bed.stop_consumer(consumer)
        cls.stats = json.loads(ringcat("stats", "--format", "json", *cls.bed.traces()))
        cls.page = f"{cls.bed.work_dir}/report.html"
        ringcat("report", "-o", cls.page, *cls.bed.traces())
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()

    def opened(self, fragment=""):
        self.window.open(self.page, fragment)
        return ShownPage(self.window)

    def executions(self, *more):
        """The row of `ringcat agg` about the spans of commands."""
        return json.loads(ringcat("agg", "kvd.execute", "--field", "@duration_ns", "--percentiles", "50,90,99", "--format", "json", *more, *self.bed.traces()))["rows"][0]

    def fragment_of_executions(self):
        return "s=" + str(next(number for number, row in enumerate(self.document()["statements"]) if row["text"] == "kvd.execute"))

    def document(self):
        return json.loads(ringcat("report", "--json", *self.bed.traces()))

    def test_statements_and_totals(self):
        shown = self.opened()
        self.assertGreater(self.stats["records"], 2 * REQUESTS * 6)
        threads = sum("thread_id" in stream for stream in self.stats["streams"])
        self.assertEqual(shown.header(), (count_text(self.stats["records"]), byte_text(self.stats["ring_bytes"]), count_text(threads), count_text(self.stats["files"])))
        rows = shown.statements()
        self.assertEqual(sorted(row[:6] for row in rows), sorted(wanted_statements(self.stats)))
        places = {(site["text"], f"{site['file']}:{site['line']}") for site in self.stats["sites"]}
        self.assertEqual({(row[5], row[6].split(" ")[0]) for row in rows}, places)
        self.assertEqual(shown.marks()["✗"], [])
        self.assertEqual(self.window.complaints(), [])

    def test_durations_of_commands(self):
        agg, shown = self.executions(), self.opened(self.fragment_of_executions())
        chosen = self.window.run("const select = document.querySelector('#heat select'); select.value = [...select.options].find((each) => each.text.startsWith('duration')).value;"
                                 "select.dispatchEvent(new Event('change', {bubbles: true})); return select.selectedOptions[0].text")
        self.assertIn(f"({agg['count']:,})", chosen)
        wait_until(lambda: "p99" in shown.status("heat"), "the quantiles")
        status = shown.status("heat")
        self.assertTrue(status.startswith(f"{agg['count']:,} values"), status)
        for name in ("p50", "p90", "p99"):
            number, unit = re.search(rf"{name} ([\d.]+) (\S+?)(?:,|;|$)", status).groups()
            # Classes of values, and rounded texts: README.md of tools/report.
            self.assertAlmostEqual(float(number) * NS[unit], agg[name], delta=agg[name] / 16)
        total, _, number = shown.functions()["kvd.execute"]
        self.assertEqual((total, number), (duration_text(agg["sum"]), count_text(agg["count"])))

    def test_spans_of_each_worker(self):
        document = self.document()
        shown = {document["summary"]["streams"][track["stream"]]["thread_id"]: track["spans"]["number"] for track in document["timeline"]["tracks"] if track["spans"]["number"] > 0}
        spans = [json.loads(line)["thread"]["id"] for line in ringcat("spans", "--format", "json", *self.bed.traces()).splitlines()]
        self.assertEqual(shown, {thread: spans.count(thread) for thread in set(spans)})
        self.assertGreater(len(shown), 1)

    def test_records_of_one_connection(self):
        where = "connection == 3 && level >= INFO"
        events = [json.loads(line) for line in ringcat("--where", where, "--format", "json", *self.bed.traces()).splitlines()]
        self.assertGreater(len(events), 200)
        shown = self.opened("w=connection%20%3D%3D%203%20%26%26%20level%20%3E%3D%20INFO")
        wait_until(lambda: "…" not in shown.status("records"), "the filter")
        if self.document()["records"]["all"]:
            self.assertEqual(shown.status("records"), f"{len(events):,} of {self.stats['records']:,} shown")
            self.assertEqual(shown.records(MOST_RECORDS), wanted_records(events)[:MOST_RECORDS])
            self.assertEqual(shown.last_record(), wanted_records(events)[-1])
        else:
            self.fail("the report has a selection of the records; the test is to compare all")


if __name__ == "__main__":
    unittest.main(verbosity=2)
