#!/usr/bin/env python3
"""A row that is measured in a separate run is added to the document, and the page shows its date."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

DRIVER = os.path.join(sys.argv.pop(1), "perf", "driver")
SAMPLING = ("cost_sampling", "ringside", 5)
SHOWN = {"case": "two_integers", "metric": "ratio_to_not_measuring"}  # of these results, the page shows this one


def line(row, subject, median, **more):
    return {"row": row, "subject": subject, "case": "static", "metric": "call", "unit": "ns", "median": median,
            "low": median, "high": median, "best": median, "repeats": 1, **more}


def document(results, **more):
    return {"machine": {"processor": "X", "processors": 2, "tsc_mhz": "2300", "memory_mib": 1, "kernel": "K"},
            "build": {"compiler": "g++", "optimised": True}, "date": "2026-01-01", "quick": False, "repeats": 2,
            "seconds": 234, "load_average": {"before": 1.5, "after": 2.5}, "not_measured": [], "results": results,
            **more}


class MergedResults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        return path

    def merge(self, whole, run):
        return subprocess.run([sys.executable, os.path.join(DRIVER, "merge_results.py"), self.path("whole", whole),
                               self.path("run", run)], capture_output=True, text=True, check=False)

    def page(self, content):
        page = os.path.join(self.folder, "page.md")
        subprocess.run([sys.executable, os.path.join(DRIVER, "render_results.py"), self.path("all", content), page,
                        self.folder], check=True)
        with open(page, encoding="utf-8") as file:
            return file.read()

    def test_rows_are_added_and_replaced(self):
        whole = document([line("back_to_back", "ringside", 1), line("back_to_back", "glog", 2),
                          line("idle", "ringside", 3, metric="consumerd", rings=64)])
        run = document([line("back_to_back", "ringside", 10), line(*SAMPLING, one_in=1024, **SHOWN)],
                       date="2026-02-02", repeats=7)
        merged = self.merge(whole, run).stdout
        once = json.loads(merged)
        self.assertEqual(sorted((one["row"], one["subject"], one["median"]) for one in once["results"]),
                         [("back_to_back", "glog", 2), ("back_to_back", "ringside", 10), ("cost_sampling", "ringside", 5),
                          ("idle", "ringside", 3)])
        for one in once["results"]:
            self.assertIn(one, [json.loads(text.rstrip(",")) for text in merged.splitlines() if '"median"' in text])
        page = self.page(once)
        said = "measured in a separate run: 2026-02-02, 7 repeats, 234 s; load average 1.5 before, 2.5 after."
        calls = page[page.index("## Log call, back to back"):].split("##")[1]
        self.assertIn("`back_to_back`: " + said, calls)
        self.assertIn("| static | 10 | 2 |", calls)
        single = page[page.index("## Single figures"):].split("##")[1]
        self.assertIn("`cost_sampling`: " + said, single)
        self.assertEqual(single.count("separate run"), 1)  # idle is of the whole run
        self.assertIn("| cost_sampling, two_integers, one_in 1024 | ratio to not measuring, ns | 5 |", single)
        self.assertIn("| idle, static, rings 64 | consumerd, ns | 3 |", single)
        self.assertTrue(page.startswith("# Results"))
        self.assertIn("2026-01-01", page.split("##")[0])
        again = json.loads(self.merge(once, document([line("back_to_back", "ringside", 11)], date="2026-03-03")).stdout)
        self.assertEqual([(one["date"], one["rows"]) for one in again["own_runs"]],
                         [("2026-02-02", ["cost_sampling"]), ("2026-03-03", ["back_to_back"])])

    def test_a_row_of_another_machine_names_it(self):
        run = document([line(*SAMPLING, one_in=1024, **SHOWN)])
        run["machine"]["tsc_mhz"] = "2600"
        done = self.merge(document([line("cold", "ringside", 1), line("cold", "glog", 2)]), run)
        page = self.page(json.loads(done.stdout))
        single = page[page.index("## Single figures"):]
        self.assertIn("in a separate run, on a machine with 2 processors (X, TSC 2600 MHz", single)
        self.assertIn("A machine with 2 processors (X, TSC 2300 MHz", page.split("##")[0])

    def test_a_program_for_text_is_shown_beside_the_same_result(self):
        tail = [line("tail", subject, median, metric="command", streams=streams, unit="ms")
                for streams, ours, peer in ((1, 11, 21), (64, 12, 22)) for subject, median in (("ringside", ours), ("gnu_tail", peer))]
        page = self.page(document([*tail, line("idle", "ringside", 3, metric="consumerd", rings=64)]))
        self.assertIn("| tail, static, streams 64 | command, ms | 12 | gnu_tail 22 |", page)
        self.assertIn("| idle, static, rings 64 | consumerd, ns | 3 |  |", page)

    def test_tables_of_two_machines_and_empty_runs_are_refused(self):
        whole = document([line("cold", "ringside", 1), line("cold", "glog", 2)])
        other = document([line("cold", "ringside", 1)])
        other["machine"]["processors"] = 64
        debug = document([line("cold", "ringside", 1)], build={"compiler": "g++", "optimised": False})
        for run, words in ((other, "cold: other subjects were measured on another machine"),
                           (debug, "measure all rows again"), (document([]), "no results")):
            done = self.merge(whole, run)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
