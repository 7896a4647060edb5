#!/usr/bin/env python3
"""A report on paper: few pages, tables that are as wide as the paper, and a line for what is not printed."""

import base64
import json
import os
import re
import tempfile
import unittest

import browser
from page_layout import Layout
from reported_trace import ringcat
from shown_page import ShownPage

BEGIN_NS = 1_760_000_000_000_000_000
RECORDS, STATEMENTS, THREADS = 6000, 300, 400
PAPER_INCHES = (8.27, 11.69)
PAPER_PIXELS = 718  # the width without margins
MOST_PAGES = 24
MOST_ROWS = 40
TABLES = """
return [...document.querySelectorAll('table')].filter((each) => each.getClientRects().length > 0)
  .map((each) => [each.closest('section').id, each.getBoundingClientRect().right, each.closest('section').getBoundingClientRect().right]);
"""


def lines():
    """Many statements with long names, many threads, and requests."""
    for i in range(RECORDS):
        number = i % STATEMENTS
        record = {"kind": "record", "unix_ns": BEGIN_NS + i * 1_000_000, "level": "INFO", "service": "a_service_with_a_long_name", "pid": 7, "host": "h",
                  "thread": {"id": i % THREADS, "name": f"thread_{i % THREADS}"}, "category": "", "file": "a.cpp", "line": number, "function": "f",
                  "name": f"statement_{number}_" + "x" * 60, "msg": f"message {i} " + "word " * 20, "fields": {"a_number_with_a_long_name": i, "text": "y" * 90}}
        if i % 10 == 0:
            record |= {"site_kind": "span", "duration_ns": 900_000 + i, "activity": f"{i + 1:032x}"}
        yield json.dumps(record) + "\n"


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class PrintedPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-printed-")
        cls.addClassCleanup(folder.cleanup)
        path, cls.page = (os.path.join(folder.name, name) for name in ("trace.ndjson", "report.html"))
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines())
        ringcat("report", "-o", cls.page, path)
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()

    def test_a_long_trace_has_few_pages(self):
        self.window.open(self.page, f"request={1:032x}&r=5")
        width, height = PAPER_INCHES
        pdf = base64.b64decode(self.window.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": width, "paperHeight": height})["data"])
        pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))
        self.assertGreater(pages, 2)
        self.assertLess(pages, MOST_PAGES)
        # Afterwards the page is as it was.
        self.assertLess(len(self.window.all("#statements tbody tr")), 40)
        self.assertEqual([each.is_displayed() for each in self.window.all(".printed")], [False] * len(self.window.all(".printed")))
        self.assertEqual(self.window.complaints(), [])

    def test_tables_fit_the_paper_and_say_what_is_not_printed(self):
        self.window.open(self.page, f"request={1:032x}&r=5")
        self.window.run("dispatchEvent(new Event('beforeprint'))")
        command = self.window.driver.execute_cdp_cmd
        command("Emulation.setEmulatedMedia", {"media": "print"})
        command("Emulation.setDeviceMetricsOverride", {"width": PAPER_PIXELS, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        self.addCleanup(command, "Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        self.addCleanup(command, "Emulation.setEmulatedMedia", {"media": ""})
        self.window.settle()
        tables = self.window.run(TABLES)
        self.assertLessEqual({"statements", "records", "requests", "flame"}, {name for name, _, _ in tables})
        for name, right, panel in tables:
            self.assertLessEqual(right, panel, name)
        layout = Layout(self.window)
        self.assertEqual((layout.wide, layout.cut, layout.width), ([], [], PAPER_PIXELS))
        self.assertEqual([each for each in self.window.all("tr.space") if each.is_displayed()], [])
        printed = {panel: len([row for row in self.window.all(f"#{panel} .{table} tbody tr:not(.space)") if row.is_displayed()])
                   for panel, table in (("statements", "scroll"), ("records", "records"), ("requests", "requests"), ("flame", "functions"))}
        self.assertEqual(printed, {name: MOST_ROWS for name in printed})
        statements = int(ShownPage(self.window).status("statements").split(" of ")[0].replace(",", ""))
        self.assertGreater(statements, MOST_ROWS)
        rows = [statements, len(self.window.all("#flame .functions tbody tr")), len(self.window.all("#requests .requests tbody tr")), RECORDS]
        self.assertEqual([each.text for each in self.window.all(".printed") if each.is_displayed()], [f"{number - MOST_ROWS:,} rows not printed." for number in rows])
        self.window.run("dispatchEvent(new Event('afterprint'))")


if __name__ == "__main__":
    unittest.main(verbosity=2)
