#!/usr/bin/env python3
"""The report of 10 million records has less than 10 MB, opens, and its panels have the totals that `ringcat` prints."""

import json
import os
import subprocess
import unittest

import browser
from reported_trace import TestBed, program
from shown_page import ShownPage, byte_text, count_text, wanted_statements

THREADS, SPANS = 2, 4_600_000
BOUND_S = 900


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class TenMillionRecords(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        consumer = cls.bed.start_consumer()
        service = cls.bed.start_service(THREADS, SPANS, which="span_load")
        assert service.wait(BOUND_S) == 0, service.stderr()
        cls.bed.wait_until_segments_are_gone()
        cls.bed.stop_consumer(consumer)
        cls.stats = json.loads(ringcat("stats", "--format", "json", *cls.bed.traces()))
        cls.page = f"{cls.bed.work_dir}/report.html"
        ringcat("report", "-o", cls.page, *cls.bed.traces())
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()
        cls.window.open(cls.page)
        cls.shown = ShownPage(cls.window)
        # Of the statements whose records are spans.
        cls.spans = {site["text"]: site["records"] for site in cls.stats["sites"] if site["text"] in ("serve", "request", "step", "read_part")}

    def test_the_trace_has_ten_million_records_and_the_page_is_small(self):
        self.assertGreater(self.stats["records"], 10_000_000)
        self.assertEqual(self.stats["lost"], 0)
        self.assertLess(os.path.getsize(self.page), 10_000_000)
        self.assertEqual(self.window.complaints(), [])

    def test_header_and_statements(self):
        threads = sum("thread_id" in stream for stream in self.stats["streams"])
        self.assertEqual(self.shown.header(), (count_text(self.stats["records"]), byte_text(self.stats["ring_bytes"]), count_text(threads), count_text(self.stats["files"])))
        self.assertEqual(sorted(row[:6] for row in self.shown.statements()), sorted(wanted_statements(self.stats)))

    def test_the_heat_map_counts_every_value(self):
        options = self.window.texts("#heat select option")
        for text, records in self.spans.items():
            self.assertIn(f"duration of {text} ({records:,})", options)

    def test_the_timeline_says_how_many_spans_it_leaves_out(self):
        note = self.window.texts("#timeline .left-out")[0]
        self.assertRegex(note, rf"^[\d,]+ of {sum(self.spans.values()):,} spans are left out")
        colours = self.window.run("const canvas = document.querySelector('#timeline canvas'), data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);"
                                  "return new Set(data).size")
        self.assertGreater(colours, 20)

    def test_the_flame_graph_counts_every_span(self):
        self.assertEqual({name: number for name, (_, _, number) in self.shown.functions().items()}, {name: count_text(number) for name, number in self.spans.items()})

    def test_the_records_are_a_selection_of_them_and_say_so(self):
        self.assertRegex(" ".join(self.window.texts("#records-rules")), rf"^[\d,]+ of {self.stats['records']:,} records\. ringcat shows the others\.")
        rows = self.shown.records(30)
        first = [json.loads(line) for line in ringcat("--format", "json", "--head", "10", *self.bed.traces()).splitlines()]
        self.assertEqual([row[3] for row in rows[:10]], [record["msg"] for record in first])


if __name__ == "__main__":
    unittest.main(verbosity=2)
