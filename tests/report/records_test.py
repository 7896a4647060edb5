#!/usr/bin/env python3
"""The list of records in the page of a report: what ringcat prints, filtered, selected by keyboard, copied and linked."""

import json
import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from traced_processes import BOUND_S, TestBed, program

ROW_PIXELS = 24
REASONS = ["all", "first", "last", "trigger", "loss", "error", "warning", "sample"]


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def records_of(document):
    """The objects of all chunks."""
    chunks = [name for name in document if name.startswith("records-")]
    return [record for number in range(len(chunks)) for record in document[f"records-{number}"]]


class TraceCase(unittest.TestCase):
    """A trace of a workload."""

    RECORDS = "3000"

    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        consumer = cls.bed.start_consumer()
        running = cls.bed.start_service("--records", cls.RECORDS, "--threads", "2", service="work")
        assert running.wait() == 0
        cls.bed.wait_until_segments_are_gone()
        cls.bed.stop_consumer(consumer)
        cls.document = json.loads(ringcat("report", "--json", cls.bed.output_dir))
        cls.lines = ringcat("--format", "json", "--no-losses", cls.bed.output_dir).splitlines()


class AllRecords(TraceCase):
    def test_a_small_trace_is_there_as_a_whole(self):
        self.assertEqual(records_of(self.document), [json.loads(line) for line in self.lines])
        index = self.document["records"]
        self.assertEqual((index["all"], index["of"], len(index["after"])), (True, len(self.lines), len(self.lines)))

    def test_the_index_has_the_time_statement_and_thread_of_each(self):
        index, summary = self.document["records"], self.document["summary"]
        now = int(summary["begin_unix_ns"])
        for i, record in enumerate(records_of(self.document)):
            now += index["after"][i]
            self.assertEqual(record["unix_ns"], now)
            statement = self.document["statements"][index["statement"][i]]
            self.assertEqual((record["file"], record["line"]), (statement["file"], statement["line"]))
            self.assertEqual(record["thread"]["id"], summary["streams"][index["stream"][i]]["thread_id"])


class SomeRecords(TraceCase):
    """More records than the page has."""

    RECORDS = "45000"

    def test_the_selection_is_part_of_the_trace_in_its_order(self):
        index = self.document["records"]
        self.assertFalse(index["all"])
        self.assertEqual(index["of"], len(self.lines))
        kept = records_of(self.document)
        self.assertLess(len(kept), 30_000)
        remaining = map(json.loads, self.lines)
        for record in kept:
            self.assertIn(record, remaining)

    def test_the_rules_say_how_many_they_kept(self):
        index = self.document["records"]
        self.assertEqual(index["reasons"], REASONS)
        for number, reason in enumerate(REASONS):
            self.assertEqual(index["rules"].get(reason, {"kept": 0})["kept"], index["reason"].count(number), reason)
        self.assertEqual(sum(rule["kept"] for rule in index["rules"].values()), len(index["after"]))

    def test_the_first_and_the_last_records_are_kept(self):
        kept = records_of(self.document)
        self.assertEqual(kept[:1000], [json.loads(line) for line in self.lines[:1000]])
        self.assertEqual(kept[-1000:], [json.loads(line) for line in self.lines[-1000:]])

    def test_each_statement_has_samples_over_time(self):
        index = self.document["records"]
        width = self.document["summary"]["interval_ns"] * index["sample_intervals"]
        now, found = 0, set()
        for after, statement in zip(index["after"], index["statement"]):
            now += after
            found.add((statement, now // width))
        wanted = {(number, interval * self.document["summary"]["interval_ns"] // width) for number, row in enumerate(self.document["statements"])
                  for interval in row["over_time"][::2]}
        # A record that another rule kept is one, too; a grid that became coarser has its sample in either half.
        self.assertGreaterEqual(len(found & wanted), 0.9 * len(wanted))


class ImportantRecords(unittest.TestCase):
    """More records than the page has, as they come from another program."""

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def report(self, lines):
        path = os.path.join(self.bed.work_dir, "trace.ndjson")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        return json.loads(ringcat("report", "--json", path)), path

    @staticmethod
    def record(number, level="INFO", thread=1, **more):
        return {"kind": "record", "unix_ns": 1_760_000_000_000_000_000 + 1000 * number, "level": level, "service": "s", "pid": 1, "host": "h",
                "thread": {"id": thread, "name": "t"}, "category": "", "file": "a.cpp", "line": 1, "function": "f", "msg": "m", "fields": {"number": number}, **more}

    def test_errors_are_kept_evenly_and_records_after_losses_all(self):
        count, lost_at = 75_000, 40_000

        def lines():
            for number in range(count):
                level = "ERROR" if number % 5 == 0 else "WARNING" if number % 7 == 0 else "INFO"
                yield self.record(number, level, 1 + number % 2)
                if number == lost_at:
                    yield {**self.record(number), "kind": "loss", "since_unix_ns": 1_760_000_000_000_000_000, "count": 7, "cause": "ring_full"}

        document, _ = self.report(lines())
        index, kept = document["records"], records_of(document)
        reasons = [index["reasons"][reason] for reason in index["reason"]]
        numbers = {reason: [record["fields"]["number"] for record, why in zip(kept, reasons) if why == reason and record["kind"] == "record"] for reason in REASONS}
        self.assertEqual(index["of"], count)
        self.assertEqual([record["count"] for record in kept if record["kind"] == "loss"], [7])
        self.assertEqual(numbers["loss"], [number for number in range(lost_at, lost_at + 40) if number % 2 == 0 and number > lost_at - 1][1:11])
        for reason, most in (("error", 4000), ("warning", 2000)):
            self.assertGreater(len(numbers[reason]), most // 2 - 5)
            self.assertLessEqual(len(numbers[reason]), most)
            gaps = [b - a for a, b in zip(numbers[reason], numbers[reason][1:])]
            self.assertLessEqual(max(gaps), 3 * min(gaps) + 50, reason)
            self.assertGreater(index["rules"][reason]["of"], len(numbers[reason]))

    def test_long_texts_are_cut_and_the_page_stays_small(self):
        choice = random.Random(21)
        text = "".join(choice.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(200_000))
        document, path = self.report(self.record(number, text=text[number:], fields={"number": number, "text": text[17 * number:17 * number + 20_000]}) for number in range(6000))
        page = os.path.join(self.bed.work_dir, "report.html")
        ringcat("report", "-o", page, path)
        self.assertLess(os.path.getsize(page), 5_000_000)
        index, kept = document["records"], records_of(document)
        self.assertTrue(kept)
        self.assertEqual(len(index["cut"]), len(kept))
        for record in kept:
            self.assertTrue(text[17 * record["fields"]["number"]:].startswith(record["fields"]["text"]))
            self.assertLessEqual(len(record["fields"]["text"]), 4096)


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class RecordsPanel(TraceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = os.path.join(cls.bed.work_dir, "report.html")
        ringcat("report", "-o", cls.page, cls.bed.output_dir)

    def opened(self, fragment="", **how):
        window = browser.Browser(**how)
        self.addCleanup(window.__exit__)
        window.__enter__()
        window.open(self.page, fragment)
        return window

    def until(self, window, script, *arguments):
        from selenium.webdriver.support.ui import WebDriverWait  # pylint: disable=import-outside-toplevel
        return WebDriverWait(window.driver, BOUND_S).until(lambda _: window.run("return " + script, *arguments))

    def status(self, window):
        """The text, once the filter has looked at all records."""
        return self.until(window, "(([text]) => text.includes('…') ? null : text)([...document.querySelectorAll('#records [role=status]')]"
                                  ".map((each) => each.textContent))")

    def keys(self, window, *keys):
        window.one(".records").send_keys(*keys)

    def fragment(self, window):
        return window.run("return location.hash.slice(1)")

    def test_the_panel_says_how_many_of_the_records_it_has(self):
        window = self.opened()
        self.assertEqual(window.texts("#records-rules"), ["All 6,000 records."])
        self.assertEqual(self.status(window), "6,000 of 6,000 shown")
        self.assertEqual(window.run("return document.querySelector('.records').getAttribute('aria-rowcount')"), "6001")
        self.assertLess(len(window.all("#records tbody tr")), 60)

    def test_scrolling_shows_the_records_there_and_the_address_keeps_the_place(self):
        window = self.opened()
        window.run(f"document.querySelector('.records').scrollTop = {3000 * ROW_PIXELS}")
        self.until(window, "location.hash.includes('row=3000')")
        messages = [json.loads(line)["msg"] for line in self.lines]
        shown = window.texts("#records td.message")
        at = window.run("return document.querySelector('#records tbody tr:not(.space)').getAttribute('aria-rowindex') - 2")
        self.assertLess(abs(at - 3000), 10)
        beginnings = [(text[:40], message[:40]) for text, message in zip(shown, messages[at:]) if message[:40].isprintable()]
        self.assertGreater(len(beginnings), 10)
        for text, message in beginnings:
            self.assertEqual(text, message)
        window.open(self.page, self.fragment(window))
        self.until(window, f"document.querySelector('.records').scrollTop === {3000 * ROW_PIXELS}")

    def test_a_condition_filters_the_list_as_ringcat_does(self):
        condition = "r.number < 100 && msg =~ 'text'"
        wanted = ringcat("--format", "json", "--no-losses", "--where", condition, self.bed.output_dir).splitlines()
        self.assertTrue(wanted)
        window = self.opened()
        window.one("#records input").send_keys(condition)
        self.until(window, "new URLSearchParams(location.hash.slice(1)).get('w') === arguments[0]", condition)
        self.assertEqual(self.status(window), f"{len(wanted)} of 6,000 shown")
        window.open(self.page, self.fragment(window))
        self.assertEqual(self.status(window), f"{len(wanted)} of 6,000 shown")
        self.assertEqual(window.run("return document.querySelector('#records input').value"), condition)

    def test_an_invalid_condition_is_reported_and_hides_nothing(self):
        window = self.opened(fragment="w=level%20%3D%20ERROR")
        self.assertIn("= is not an operator; write ==", window.texts("#records-error")[0])
        self.assertEqual(self.status(window), "6,000 of 6,000 shown")

    def test_a_selected_statement_and_time_filter_the_list(self):
        window = self.opened()
        window.all("#statements tbody tr:not(.space)")[0].click()
        count = window.texts("#statements tbody tr:not(.space) td")[0]
        self.assertEqual(self.status(window), f"{count} of 6,000 shown")
        window = self.opened(fragment="t=0,1")
        shown = self.status(window)
        self.assertRegex(shown, r"^[1-9]\d* of 6,000 shown$")
        self.assertNotEqual(shown, "6,000 of 6,000 shown")

    def test_the_keyboard_selects_records_and_the_address_keeps_them(self):
        from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
        window = self.opened()
        self.status(window)
        self.keys(window, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(self.fragment(window), "r=2")
        self.keys(window, Keys.SHIFT + Keys.ARROW_DOWN + Keys.ARROW_DOWN)
        self.assertEqual(self.fragment(window), "r=2-4")
        self.assertEqual(len(window.all("#records tr.selected")), 3)
        self.assertEqual(window.run("return document.querySelector('.records').getAttribute('aria-activedescendant')"), "record-4")
        self.keys(window, Keys.END)
        self.until(window, "location.hash.includes('r=5999')")
        self.assertTrue(self.until(window, "document.getElementById('record-5999') !== null"))
        self.assertIn(json.loads(self.lines[-1])["time"], window.texts(".members td"))
        self.keys(window, Keys.ESCAPE)
        self.until(window, "!location.hash.includes('r=')")

    def test_selected_records_are_copied_as_ringcat_prints_them(self):
        window = self.opened(fragment="r=10-12")
        self.status(window)
        window.run("window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.keys(window, "c")
        self.assertEqual(self.until(window, "window.copied").splitlines(), self.lines[10:13])
        self.assertIn("3 copied as JSON.", window.texts("#records [role=status]"))

    def test_a_link_to_a_record_shows_everything_of_it(self):
        record = json.loads(self.lines[77])
        window = self.opened(fragment="r=77&row=77")
        members = dict(zip(window.texts(".members th"), window.texts(".members td")))
        self.assertEqual(members["unix_ns"], str(record["unix_ns"]))
        self.assertEqual((members["file"], members["thread.name"], members["sequence"]), (record["file"], record["thread"]["name"], str(record["sequence"])))


del TraceCase

if __name__ == "__main__":
    unittest.main(verbosity=2)
