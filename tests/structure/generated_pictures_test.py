#!/usr/bin/env python3
"""Stored pictures and the page of results are what their sources generate today.

usage: generated_pictures_test.py SOURCE_ROOT
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = None
BOUND_S = 60


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def output_of(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=BOUND_S, check=True)
    return done.stdout


class GeneratedPictures(unittest.TestCase):
    def test_overview_is_current(self):
        self.assertEqual(read("docs/pictures/overview.svg"), output_of(os.path.join(ROOT, "docs/pictures/overview.py")),
                         "run: docs/pictures/overview.py > docs/pictures/overview.svg")

    def test_results_page_and_charts_show_the_recorded_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            charts = os.path.join(folder, "results")
            output_of(os.path.join(ROOT, "perf/driver/render_results.py"), os.path.join(ROOT, "perf/results/latest.json"),
                      os.path.join(folder, "RESULTS.md"), charts)
            made = {os.path.join("results", name) for name in os.listdir(charts)} | {"RESULTS.md"}
            stored = {os.path.join("results", name) for name in os.listdir(os.path.join(ROOT, "perf/results"))
                      if name.endswith(".svg")} | {"RESULTS.md"}
            self.assertEqual(made, stored)
            for name in sorted(made):
                with self.subTest(name), open(os.path.join(folder, name), encoding="utf-8") as file:
                    # Not assertEqual, whose difference would fill the screen.
                    self.assertTrue(read("perf", name) == file.read(), "run: perf/driver/render_results.py "
                                    "perf/results/latest.json perf/RESULTS.md perf/results")

    def test_readme_states_the_recorded_figures(self):
        paced = [line for line in json.loads(read("perf/results/latest.json"))["results"]
                 if (line["row"], line["case"], line.get("p")) == ("paced", "two_integers", "p50")
                 and line["subject"] == "ringside"]
        recorded = {line["metric"]: round(line["median"]) for line in paced}
        stated = [int(figure) for figure in re.findall(r"takes about (\d+) ns", read("README.md"))]
        self.assertEqual(stated, [recorded["call"], recorded["floor"]])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
