#!/usr/bin/env python3
"""`ringcat report A --against B`: two runs of the same program show no change, and a program that was changed shows what was."""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from changed_page import with_section
from page_layout import Layout
from traced_processes import BOUND_S, TestBed, program

BEGIN_NS = 1_700_000_000_000_000_000


def ringcat(*arguments, status=0):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout


class Service:
    """A service with bursts, whose latencies depend on a load that comes and goes."""

    def __init__(self, folder, seed, records=20_000, *, slow=1.0, slow_tail=1.0, errors=0.02, extra=False, pace=1.0, line=10):
        # pylint: disable=too-many-arguments
        rows = random.Random(seed)
        self.path = os.path.join(folder, f"run{seed}-{slow}-{slow_tail}-{errors}-{extra}-{pace}-{records}.ndjson")
        time_ns, load = BEGIN_NS, 1.0
        with open(self.path, "w", encoding="utf-8") as file:
            def put(message, **facts):
                file.write(json.dumps({"time": time_ns, "level": "info", "service": "shop", "file": "shop.cpp", "line": line, "msg": message, **facts}) + "\n")
            put("started")
            for i in range(records):
                load = 1 + 0.97 * (load - 1) + rows.gauss(0, 0.03)
                time_ns += int(rows.expovariate(1) * 1e6 / pace)
                latency = 2e6 * slow * max(0.3, load) * rows.lognormvariate(0, 0.4)
                if rows.random() < 0.03:
                    latency *= 8 * slow_tail
                put("request served", duration_ns=int(latency), bytes=rows.randrange(100, 10_000), sequence=i)
                if rows.random() < errors:
                    put("<b>retry</b>", attempt=rows.randrange(1, 4))
                if rows.random() < 0.3:
                    put("cache lookup", depth=rows.gauss(0, 5))
                if rows.random() < 0.0005:
                    for _ in range(rows.randrange(200)):
                        put("collected garbage", freed=rows.randrange(1000))
                if extra and rows.random() < 0.05:
                    put("new path taken")


def change_names(comparison):
    return [(one["kind"], one["site"]["text"], one.get("name", one.get("field", ""))) for one in comparison["changes"]]


class ComparisonData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-comparison-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compared(self, before, after):
        return json.loads(ringcat("report", "--json", after.path, "--against", before.path))["comparison"]

    def test_equal_programs_show_nothing(self):
        for seed in range(1, 13, 2):
            comparison = self.compared(Service(self.folder, seed), Service(self.folder, seed + 1))
            self.assertEqual(change_names(comparison), [], seed)
            self.assertGreater(comparison["tests"], 8)
            self.assertEqual(comparison["left_out"]["drifting"], 1)

    def test_runs_of_other_lengths_show_nothing(self):
        comparison = self.compared(Service(self.folder, 1), Service(self.folder, 2, records=7000))
        self.assertEqual(change_names(comparison), [])

    def test_another_load_is_no_change_of_statements(self):
        comparison = self.compared(Service(self.folder, 1), Service(self.folder, 2, pace=3))
        self.assertEqual(change_names(comparison), [])
        self.assertAlmostEqual(comparison["rate_ratio"], 3, delta=0.3)

    def test_a_longer_duration_is_reported(self):
        comparison = self.compared(Service(self.folder, 1), Service(self.folder, 2, slow=1.5))
        self.assertIn(("numbers", "request served", "duration"), change_names(comparison))
        self.assertEqual({text for _, text, _ in change_names(comparison)}, {"request served"})
        change = next(one for one in comparison["changes"] if one["kind"] == "numbers")
        self.assertAlmostEqual(change["after"]["p50"] / change["before"]["p50"], 1.5, delta=0.15)

    def test_a_longer_tail_is_reported(self):
        comparison = self.compared(Service(self.folder, 1), Service(self.folder, 2, slow_tail=4))
        self.assertEqual(change_names(comparison), [("tail", "request served", "duration")])

    def test_another_rate_is_reported(self):
        comparison = self.compared(Service(self.folder, 1), Service(self.folder, 2, errors=0.06))
        self.assertEqual(change_names(comparison), [("rate", "<b>retry</b>", "")])
        self.assertAlmostEqual(2 ** comparison["changes"][0]["effect"], 3, delta=0.6)

    def test_a_new_statement_is_reported_and_lines_do_not_matter(self):
        before, after = Service(self.folder, 1), Service(self.folder, 2, extra=True, line=77)
        self.assertEqual(change_names(self.compared(before, after)), [("presence", "new path taken", "")])
        gone = self.compared(after, before)
        self.assertEqual(change_names(gone), [("presence", "new path taken", "")])
        self.assertNotIn("statement", gone["changes"][0]["site"])

    def test_changes_are_sorted_by_their_effect(self):
        comparison = self.compared(Service(self.folder, 1), Service(self.folder, 2, slow=2, errors=0.2, extra=True))
        effects = [abs(one["effect"]) for one in comparison["changes"]]
        self.assertEqual(effects, sorted(effects, reverse=True))
        self.assertGreaterEqual(len(effects), 3)

    def test_a_statement_that_occurs_once_is_listed_apart(self):
        path = os.path.join(self.folder, "once.ndjson")
        after = Service(self.folder, 2)
        with open(after.path, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as out:
            lines = file.read()
            out.write(lines + json.dumps({**json.loads(lines.splitlines()[-1]), "msg": "disk is full"}) + "\n")
        after.path = path
        comparison = self.compared(Service(self.folder, 1), after)
        self.assertEqual(change_names(comparison), [])
        self.assertEqual([one["site"]["text"] for one in comparison["rare"]], ["disk is full"])

    def test_a_missing_trace_is_reported(self):
        after = Service(self.folder, 1, records=10)
        done = subprocess.run([program("ringcat"), "report", "--json", after.path, "--against", "/missing"], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("/missing", done.stderr)

    def test_two_runs_of_a_real_program_show_nothing(self):
        traces = []
        for _ in range(2):
            bed = TestBed()
            self.addCleanup(bed.close)
            self.assertEqual(bed.start_service("--records", "3000").wait(), 0)
            bed.run_consumer_once()
            traces.append(bed.traces()[0])
        comparison = json.loads(ringcat("report", "--json", traces[1], "--against", traces[0]))["comparison"]
        self.assertEqual(change_names(comparison), [])


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class ComparisonPanel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-comparison-")
        cls.addClassCleanup(folder.cleanup)
        cls.before, cls.after = Service(folder.name, 1), Service(folder.name, 2, slow=2, errors=0.2, extra=True)
        cls.page, cls.same = (os.path.join(folder.name, name) for name in ("report.html", "same.html"))
        ringcat("report", "-o", cls.page, cls.after.path, "--against", cls.before.path)
        ringcat("report", "-o", cls.same, Service(folder.name, 3).path, "--against", cls.before.path)

    def opened(self, page, **how):
        window = browser.Browser(**how)
        self.addCleanup(window.__exit__)
        window.__enter__()
        window.open(page)
        return window

    def test_changes_are_listed_and_select_their_statement(self):
        window = self.opened(self.page)
        changes = window.texts("#comparison td.change")
        self.assertIn("new", changes)
        self.assertTrue(any(text.startswith("rate × ") for text in changes), changes)
        self.assertTrue(any(text.startswith("duration × ") for text in changes), changes)
        self.assertIn("<b>retry</b>", window.texts("#comparison .statement"))
        button = window.all("#comparison .statement button")[0]
        text = button.text
        button.click()
        self.assertEqual(window.texts("#statements tr.selected .statement"), [text])
        self.assertEqual(window.complaints(), [])

    def test_equal_runs_say_so(self):
        window = self.opened(self.same)
        self.assertEqual(window.texts("#comparison td.change"), [])
        self.assertIn("No change is greater than the noise", window.texts("#comparison [role=status]")[0])

    def test_long_names_wrap(self):
        document = json.loads(ringcat("report", "--json", self.after.path, "--against", self.before.path))
        for change in document["comparison"]["changes"]:
            if change["kind"] in ("numbers", "tail"):
                change |= {"field": "argument", "index": 0}
            change["name"] = "a_field_whose_name_is_long_and_has_no_space"
            change["site"]["text"] = 4 * change["name"]
        with open(self.page, encoding="utf-8") as file:
            page = with_section(file.read(), "comparison", document["comparison"])
        path = os.path.join(os.path.dirname(self.page), "long.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        for width in (1280, 390):
            window = self.opened(path, width=width)
            self.assertTrue(any("whose_name_is_long" in text for text in window.texts("#comparison td.change")))
            self.assertNotIn("comparison", Layout(window).cut, width)

    def test_the_panel_fits_a_telephone(self):
        window = self.opened(self.page, width=390, height=844)
        self.assertLessEqual(window.run("return document.documentElement.scrollWidth"), 390)


if __name__ == "__main__":
    unittest.main(verbosity=2)
