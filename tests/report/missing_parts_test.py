#!/usr/bin/env python3
"""A report says what is missing from the trace, and what it leaves out itself."""

import json
import os
import tempfile
import unittest

import browser
from changed_page import with_section
from reported_trace import TestBed, ringcat
from shown_page import ShownPage

BEGIN_NS = 1_760_000_000_000_000_000
TRACKS, MOST_TRACKS = 2100, 2000
OPEN, ROWS = 100, 64


def record(at, thread=1, **more):
    return {"kind": "record", "unix_ns": BEGIN_NS + at, "level": "INFO", "service": "shop", "pid": 7, "host": "h", "thread": {"id": thread, "name": "t"}, "category": "",
            "name": "step", "file": "a.cpp", "line": 1, "function": "f", "msg": "step", "fields": {}, **more}


def span(at, duration, thread=1):
    return record(at, thread, site_kind="span", duration_ns=duration)


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class MissingParts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-missing-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.page = os.path.join(cls.folder, "report.html")
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()

    def opened(self, records=None, fragment="", paths=(), **sections):
        """The page of records, with other members of some sections."""
        path = os.path.join(self.folder, "trace.ndjson")
        if records is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(each) + "\n" for each in records)
        paths = paths or (path,)
        ringcat("report", "-o", self.page, *paths)
        if sections:
            document = json.loads(ringcat("report", "--json", *paths))
            with open(self.page, encoding="utf-8") as file:
                page = file.read()
            for name, members in sections.items():
                page = with_section(page, name, document[name] | members)
            with open(self.page, "w", encoding="utf-8") as file:
                file.write(page)
        self.window.open(self.page, fragment)
        self.assertEqual(self.window.complaints(), [])
        return ShownPage(self.window)

    def note(self):
        return " ".join(self.window.texts("#timeline .left-out"))

    def test_a_truncated_file_is_not_called_whole(self):
        bed = TestBed()
        self.addCleanup(bed.close)
        running = bed.start_service("--records", "3000")
        self.assertEqual(running.wait(), 0)
        bed.run_consumer_once()
        path, = bed.traces()
        whole = self.opened(paths=(path,)).marks()
        self.assertIn("No losses. All records that services made are here.", whole["✓"])
        os.truncate(path, os.path.getsize(path) // 2)
        marks = self.opened(paths=(path,)).marks()
        self.assertIn("No losses recorded.", marks["i"])
        self.assertNotIn("All records", str(marks))
        self.assertTrue(any(text.startswith("No end: 1 section:") for text in marks["i"]), marks)
        notes = self.window.all("#health details")
        self.assertEqual([each.get_attribute("open") for each in notes], ["true"] * len(notes))

    def test_filters_and_notes_are_named(self):
        marks = self.opened([record(0)], health={"filters": ["--level warning", "--site <b>"]}).marks()
        self.assertIn("Filtered: --level warning --site <b>. Only part of the trace is here.", marks["i"])
        self.assertIn("No losses recorded.", marks["i"])
        marks = self.opened([record(0)], health={"notes": ["a.nettrace: 128 records: their payload does not match"]}).marks()
        self.assertIn("No losses recorded.", marks["i"])
        self.assertEqual(self.window.texts("#health summary"), ["1 note of the reader"])
        self.assertIsNotNone(self.window.one("#health details").get_attribute("open"))

    def test_spans_of_tracks_that_are_left_out(self):
        self.opened(span(1000 * i, 500, 1 + i) for i in range(TRACKS))
        missing = TRACKS - MOST_TRACKS
        self.assertEqual(self.note(), f"{missing} of {TRACKS:,} spans are left out. {missing} of them are in tracks that are left out. {missing} tracks with {missing} records left out.")

    def test_spans_over_others_are_counted(self):
        self.opened([span(1000 * i, 10**9, 1) for i in range(OPEN)])
        crowded = " ".join(self.window.texts("#timeline .crowded"))
        # Each ends after those before: none contains another.
        self.assertEqual(crowded, f"{OPEN - ROWS} spans are drawn over others, in the last row of a track: more than {ROWS} spans were open at a time.")
        self.opened([span(1000 * i, 10**9, 1) for i in range(ROWS)])
        self.assertEqual(self.window.texts("#timeline .crowded"), [])

    def test_losses_runs_and_curves_that_are_not_drawn(self):
        loss = {**record(500), "kind": "loss", "since_unix_ns": BEGIN_NS + 400, "count": 3, "cause": "ring_full", "sequence": 9}
        self.opened([record(0), loss], health={"further_intervals": 1000}, schedule={"runs": 7, "further_runs": 7}, series={"further": 1})
        self.assertEqual(self.note(), "7 runs are of threads that are left out. 1,000 losses are not hatched: the 1 with the most records are. 1 number is not in the list of curves.")

    def test_a_field_that_is_left_out_is_not_denied(self):
        records = [record(0, fields={"number": 3}), record(10, line=2, name="plain", msg="plain")]
        document = json.loads(json.dumps(records))
        self.opened(document)
        sections = json.loads(ringcat("report", "--json", os.path.join(self.folder, "trace.ndjson")))
        plain, = (number for number, row in enumerate(sections["statements"]) if row["text"] == "plain")
        self.opened(document, fragment=f"s={plain}")
        self.assertIn("The selected statements have no numbers and no durations.", self.window.texts("#heat p"))
        self.opened(document, fragment=f"s={plain}", heat={"further_fields": 36})
        self.assertEqual(self.window.texts("#heat p"), ["This report has the 1 field with the most values, and none of the selected statements. They can be among the 36 fields "
                                                        "that are left out: ringcat report --site 'a.cpp:2' makes a report with them."])


if __name__ == "__main__":
    unittest.main(verbosity=2)
