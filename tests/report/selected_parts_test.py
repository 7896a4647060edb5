#!/usr/bin/env python3
"""What is selected holds for all panels of a report: the heat map, the statements and the list of records have the same records."""

import json
import os
import subprocess
import tempfile
import unittest

import browser
from reported_trace import BOUND_S, program, ringcat
from shown_page import ShownPage

BEGIN_NS = 1_760_000_000_000_000_000
STEP_NS = 1024  # an interval of the page's grid
RECORDS = 200
DAY_NS = 86_400 * 10**9


def record(at, text, line, **fields):
    return {"kind": "record", "unix_ns": BEGIN_NS + at, "level": "INFO", "service": "shop", "pid": 7, "host": "h", "thread": {"id": 11, "name": "t"}, "category": "",
            "name": text, "file": "a.cpp", "line": line, "function": "f", "msg": text, "fields": fields}


def write(path, records):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in records)


class Window:
    """A page in a browser."""

    def __init__(self, window):
        self.window, self.shown = window, ShownPage(window)

    def numbers(self):
        """The first number of the status of the heat map, and of the list of records."""
        return tuple(int(self.shown.status(panel).split()[0].replace(",", "")) for panel in ("heat", "records"))

    def click(self, selector, text):
        found, = (each for each in self.window.all(selector) if each.text == text)
        found.click()
        self.window.settle()


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class SelectedParts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-selected-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        # A record at the beginning of each interval; the numbers are bounds of classes, or next to one.
        records = []
        for i in range(RECORDS):
            records.append(record(i * STEP_NS, "measured", 1, size=30 + i % 10, below=-(30 + i % 10), near=(-1, 0, 1)[i % 3], huge=(1.7e308, -1.7e308)[i % 2]))
            if i % 4 == 0:
                records.append(record(i * STEP_NS, "counted", 2, number=i))
        cls.path = os.path.join(cls.folder, "trace.ndjson")
        write(cls.path, records)
        cls.document = json.loads(ringcat("report", "--json", cls.path))
        assert cls.document["summary"]["interval_ns"] == STEP_NS, cls.document["summary"]
        cls.page = os.path.join(cls.folder, "report.html")
        ringcat("report", "-o", cls.page, cls.path)
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()

    def opened(self, fragment="", page=None):
        self.window.open(page or self.page, fragment)
        return Window(self.window)

    def keys(self, *keys):
        self.window.one(".heat-chart").send_keys(*keys)
        self.window.settle()

    def test_the_list_has_as_many_records_as_the_heat_map_has_values(self):
        from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
        fields = {field["name"]: (number, field) for number, field in enumerate(self.document["heat"]["fields"])}
        for name in ("size", "below", "near", "huge"):
            number, field = fields[name]
            page = self.opened(f"h={number}")
            for _ in field["classes"]:
                self.keys(Keys.ARROW_UP)
                values, records = page.numbers()
                self.assertEqual(records, values, (name, self.window.run("return location.hash"), page.shown.status("heat")))
                self.assertGreater(values, 0)
        page = self.opened(f"h={fields['size'][0]}")
        for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.SHIFT + Keys.ARROW_RIGHT, Keys.ARROW_LEFT):
            self.keys(key)
            values, _ = page.numbers()
            self.assertIn(values, (1, 2))
            during = self.window.run("return new URLSearchParams(location.hash.slice(1)).get('t')").split(",")
            inside = [each for each in range(0, RECORDS * STEP_NS, STEP_NS) if float(during[0]) <= each < float(during[1])]
            self.assertEqual(page.shown.status("records"), f"{len(inside) + sum(each % (4 * STEP_NS) == 0 for each in inside)} of {RECORDS * 5 // 4} shown")
            self.assertEqual(values, len(inside))

    def test_a_range_of_values_ends_when_other_statements_are_selected(self):
        from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
        page = self.opened()
        self.keys(Keys.ARROW_UP)
        self.assertLess(page.numbers()[1], RECORDS)
        self.assertIn("Show all", self.window.texts("#records .tools button"))
        chosen, = (each for each in self.window.all("#statements tbody tr:not(.space)") if "counted" in each.text)
        chosen.click()
        self.window.settle()
        self.assertEqual(page.numbers(), (RECORDS // 4, RECORDS // 4))
        page.click("#records .tools button", "Show all")
        self.assertEqual(page.numbers()[1], RECORDS * 5 // 4)
        self.assertEqual(self.window.run("return new URLSearchParams(location.hash.slice(1)).get('v')"), None)

    def test_statements_are_counted_in_the_selected_time(self):
        self.opened(f"t={20 * STEP_NS},{60 * STEP_NS}")
        rows = {row[5]: row[0] for row in ShownPage(self.window).statements()}
        self.assertEqual(rows, {"measured": "40", "counted": "10"})
        self.assertIn("80.0 %", self.window.texts("#statements td.number"))
        self.assertIn("of the selected time.", self.window.texts("#statements .during")[0])
        self.opened(f"t={20 * STEP_NS + 5},{60 * STEP_NS - 5}")
        self.assertIn("the intervals of 1.02 µs that the selected time touches", self.window.texts("#statements .during")[0])
        self.assertIn("(in the intervals of 1.02 µs that the selected time touches)", ShownPage(self.window).status("heat"))

    def test_the_brush_of_the_timeline_reaches_the_last_record(self):
        page = self.opened()
        canvas = self.window.one("#timeline canvas")
        for kind, x in (("pointerdown", 700), ("pointermove", 5000), ("pointerup", 5000)):
            self.window.run("const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new PointerEvent(arguments[1],"
                            "{clientX: box.left + arguments[2], clientY: box.top + 10, bubbles: true, pointerId: 1}))", canvas, kind, x)
        self.window.settle()
        begin, end = map(float, self.window.run("return new URLSearchParams(location.hash.slice(1)).get('t')").split(","))
        times = [i * STEP_NS for i in range(RECORDS)] + [i * STEP_NS for i in range(0, RECORDS, 4)]
        self.assertEqual(page.numbers()[1], sum(begin <= each for each in times))
        self.assertGreater(end, (RECORDS - 1) * STEP_NS)

    def test_an_unknown_field_is_reported_as_ringcat_does(self):
        for condition in ("conection == 3", "size > 3 && `no such` == 1"):
            done = subprocess.run([program("ringcat"), "--where", condition, self.path], capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual(done.returncode, 2)
            page = self.opened("w=" + condition.replace(" ", "%20").replace("&", "%26").replace("=", "%3D"))
            text, = self.window.texts("#records-error")
            self.assertIn("no statement in the trace has a field", text)
            self.assertIn(text, done.stderr)
            self.assertEqual(page.numbers()[1], RECORDS * 5 // 4, "it hides nothing")

    def test_records_of_several_days_have_dates(self):
        path, page = os.path.join(self.folder, "days.ndjson"), os.path.join(self.folder, "days.html")
        write(path, [record(day * DAY_NS, "again", 1, day=day) for day in range(3)])
        ringcat("report", "-o", page, path)
        self.opened(page=page)
        self.assertEqual(self.window.texts("#records td.moment"), [f"2025-10-{9 + day:02} 08:53:20.000000000" for day in range(3)])
        for width in (1280, 390):
            self.window.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            self.assertLessEqual(self.window.run("return document.documentElement.scrollWidth"), width)
            self.assertGreater(self.window.one("#records td.message").size["width"], 60)
        self.window.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        self.assertEqual(self.window.complaints(), [])

    def test_numbers_agree_with_their_words(self):
        path, page = os.path.join(self.folder, "one.ndjson"), os.path.join(self.folder, "one.html")
        loss = {**record(5, "", 1), "kind": "loss", "since_unix_ns": BEGIN_NS + 3, "count": 1, "cause": "ring_full", "sequence": 3}
        write(path, [record(0, "once", 1, number=5), loss])
        ringcat("report", "-o", page, path)
        shown = self.opened(page=page).shown
        self.assertEqual(self.window.texts("#records-rules"), ["All 1 record."])
        self.assertEqual(shown.status("records"), "1 of 1 shown, and 1 loss")
        self.assertTrue(shown.status("heat").startswith("1 value, "), shown.status("heat"))
        self.assertIn("0 triggers that changed a level, and 0 other changes", self.window.texts("#triggers .faint")[0])
        marks = shown.marks()
        self.assertEqual(marks["✗"], ["1 record lost: 1 ring full"])
        self.assertIn("Where: shop 7 t 11: 1", marks["i"])

    def test_a_trace_of_losses_lasts_until_the_last_one(self):
        path, page = os.path.join(self.folder, "losses.ndjson"), os.path.join(self.folder, "losses.html")
        write(path, [{**record(at, "", 1), "thread": {"id": 11 + at, "name": "t"}, "kind": "loss", "since_unix_ns": BEGIN_NS + at, "count": 2, "cause": "ring_full", "sequence": 3}
                     for at in (1000, 9000)])
        ringcat("report", "-o", page, path)
        self.opened(page=page)
        self.assertRegex(" ".join(self.window.texts("header p")[0].split()), "UTC, 8 µs$")
        ringcat("report", "-o", page, "--level", "critical", self.path)
        self.opened(page=page)
        self.assertNotIn("1970", self.window.texts("header p")[0])

    def test_scrollable_regions_have_names(self):
        self.opened(f"t={20 * STEP_NS},{60 * STEP_NS}&r=3")
        self.window.run("for (const each of document.querySelectorAll('details')) each.open = true")
        bare = self.window.run("return [...document.querySelectorAll('[tabindex=\"0\"]')].filter((each) => !each.hasAttribute('role') || !each.hasAttribute('aria-label')).map((each) => each.outerHTML.slice(0, 100))")
        self.assertEqual(bare, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
