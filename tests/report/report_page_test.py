#!/usr/bin/env python3
"""`ringcat report`: the page in a browser shows what the other commands of ringcat say of the same trace."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from reported_trace import ReportedTrace
from shown_page import duration_text
from traced_processes import BOUND_S, TestBed, program


def ringcat(*arguments, status=0):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout


PANELS = ["health", "statements", "heat", "timeline", "flame", "records", "triggers"]
AT_FIRST = """
const panels = () => [...document.querySelectorAll("main > section")].map((panel) => panel.id);
new MutationObserver((_, observer) => {
  if (document.querySelector("main") === null) return;
  observer.disconnect();
  %s
}).observe(document, {childList: true, subtree: true});
"""


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        running = cls.bed.start_service("--records", "3000")
        assert running.wait() == 0
        cls.bed.run_consumer_once()
        cls.traces = cls.bed.traces()
        cls.page = os.path.join(cls.bed.output_dir, "report.html")
        ringcat("report", "-o", cls.page, "--title", "A <b>title</b>", *cls.traces)
        cls.stats = json.loads(ringcat("stats", "--format", "json", *cls.traces))

    def opened(self, fragment="", at_first="", **how):
        """`at_first`: a script that runs as soon as the page shows something."""
        window = browser.Browser(**how)
        self.addCleanup(window.__exit__)
        window.__enter__()
        if at_first:
            window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": AT_FIRST % at_first})
        window.open(self.page, fragment)
        return window

    def test_the_banner_says_what_log_calls_took_if_that_was_measured(self):
        self.assertNotIn("call_costs", json.loads(ringcat("report", "--json", *self.traces))["health"])
        self.assertNotIn("Log calls take:", self.opened().texts("#health")[0])
        measured = ReportedTrace("workload", "--records", "3000", environment={"RINGSIDE_COST_SAMPLING": "1"})
        self.addCleanup(measured.close)
        (cost,) = measured.document()["health"]["call_costs"]
        stats = json.loads(ringcat("stats", "--format", "json", *measured.bed.traces()))
        self.assertEqual([cost], stats["call_costs"])
        self.assertEqual((cost["pid"], cost["calls_measured"]), (stats["streams"][0]["pid"], 3000))
        window = browser.Browser()
        self.addCleanup(window.__exit__)
        window.__enter__().open(measured.make_page())
        text = window.texts("#health")[0]
        self.assertIn(f"Log calls take: {cost['service']} {cost['pid']}: mean ", text)
        self.assertIn(" of 3,000 (one in 1)", text)
        # The table of statements weighs their records with it.
        self.assertIn("Cost", window.texts("#statements thead button"))
        wanted = sorted((site["records"] for site in stats["sites"]), reverse=True)
        shown = window.texts("#statements td.cost")
        self.assertEqual(shown, [duration_text(records * cost["mean_ns"]) for records in wanted[:len(shown)]])
        self.assertGreater(len(shown), 5)
        self.assertNotIn("Cost", self.opened().texts("#statements thead button"))

    def test_the_page_requests_nothing_and_complains_of_nothing(self):
        window = self.opened()
        self.assertTrue(window.texts("h2"))
        self.assertEqual([url for url in window.requests() if not url.startswith(("file://" + self.page, "data:,", "about:"))], [])
        self.assertEqual(window.complaints(), [])

    def test_panels_below_those_that_are_visible_come_after_the_first_paint(self):
        window = self.opened(at_first="window.first = panels();")
        self.assertEqual(window.run("return window.first"), ["health", "statements"])
        self.assertEqual(window.run("return panels()"), PANELS)

    def test_a_page_that_is_printed_at_once_has_all_panels(self):
        window = self.opened(at_first="dispatchEvent(new Event('beforeprint')); window.first = panels();")
        self.assertEqual(window.run("return window.first"), PANELS)
        self.assertEqual(window.run("return panels()"), PANELS)

    def test_a_link_to_a_panel_is_followed(self):
        window = self.opened("triggers")
        self.assertTrue(window.run("const {top, bottom} = document.getElementById('triggers').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight;"))
        self.assertGreater(window.run("return scrollY"), 0)

    def test_the_title_is_text(self):
        window = self.opened()
        self.assertEqual(window.texts("h1"), ["A <b>title</b>"])
        self.assertEqual(window.driver.title, "A <b>title</b>")

    def test_the_table_has_the_counts_of_stats(self):
        window = self.opened()
        rows = window.run("return [...document.querySelectorAll('#statements tbody tr:not(.space)')].map("
                          "(row) => [...row.children].map((cell) => cell.textContent))")
        wanted = [(f"{site['records']:,}", site["level"], site["service"]) for site in self.stats["sites"]]
        self.assertEqual([(row[0], row[5], row[6]) for row in rows], wanted[:len(rows)])
        self.assertGreater(len(rows), 10)

    def test_a_click_selects_a_statement_and_the_address_keeps_it(self):
        window = self.opened()
        window.all("#statements tbody tr:not(.space)")[2].click()
        self.assertEqual(len(window.all("tr.selected")), 1)
        text = window.texts("tr.selected .statement")
        fragment = window.run("return location.hash.slice(1)")
        self.assertRegex(fragment, r"^s=\d+$")
        window.open(self.page, fragment)
        self.assertEqual(window.texts("tr.selected .statement"), text)
        window.one("tr.selected button").click()
        self.assertEqual((window.all("tr.selected"), window.run("return location.hash")), ([], ""))

    def test_the_search_leaves_matching_statements(self):
        window = self.opened()
        window.one("#statements input[type=search]").send_keys("PRECISION info")
        self.assertEqual(window.texts("#statements .statement"), ["%u/%lu precision [%.*s] and [%.*f]"])
        self.assertTrue(window.texts("#statements [role=status]")[0].startswith("1 of "))

    def test_sorting_by_keyboard(self):
        window = self.opened()
        from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
        window.all("thead button")[7].send_keys(Keys.ENTER)
        texts = window.texts("#statements .statement")
        self.assertEqual(texts, sorted(texts))
        self.assertEqual(window.run("return document.querySelectorAll('th')[7].getAttribute('aria-sort')"), "ascending")

    def test_the_page_fits_a_telephone(self):
        window = self.opened(width=390, height=844)
        self.assertLessEqual(window.run("return document.documentElement.scrollWidth"), 390)

    def test_a_trace_without_losses_is_good(self):
        window = self.opened()
        self.assertIn("No losses. All records that services made are here.", " ".join(window.texts("#health .mark")))
        self.assertEqual(window.all("#health .mark.bad"), [])

    def test_json_has_the_same_counts(self):
        document = json.loads(ringcat("report", "--json", *self.traces))
        self.assertEqual(document["summary"]["records"], self.stats["records"])
        self.assertEqual(sorted(row["records"] for row in document["statements"]), sorted(site["records"] for site in self.stats["sites"]))
        for row in document["statements"]:
            self.assertEqual(sum(row["over_time"][1::2]), row["records"])

    def test_a_failed_output_leaves_nothing(self):
        page = os.path.join(self.bed.output_dir, "missing", "report.html")
        done = subprocess.run([program("ringcat"), "report", "-o", page, *self.traces], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(page, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
