#!/usr/bin/env python3
"""Stored pictures and the page of results are what their sources generate today.

usage: generated_pictures_test.py SOURCE_ROOT
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = None
BOUND_S = 60
MOST_LINES = 150  # of the page of results


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

    def test_results_page_is_short_and_each_result_is_one_line(self):
        self.assertLessEqual(read("perf/RESULTS.md").count("\n"), MOST_LINES, "show fewer in perf/driver/result_tables.py")
        stored = read("perf/results/latest.json")
        self.assertGreater(stored.count("\n"), len(json.loads(stored)["results"]))
        self.assertTrue(stored == output_of(os.path.join(ROOT, "perf/driver/results_document.py"),
                                            os.path.join(ROOT, "perf/results/latest.json")),
                        "write perf/results/latest.json as perf/driver/results_document.py prints it")

    def test_scaling_page_and_its_plots_show_the_recorded_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            output_of(os.path.join(ROOT, "perf/scaling/render.py"), os.path.join(ROOT, "perf/results/latest.json"),
                      os.path.join(ROOT, "perf/scaling/conclusion.md"), folder)
            plots = sorted(os.listdir(os.path.join(folder, "plots")))
            self.assertEqual(plots, sorted(name for name in os.listdir(os.path.join(ROOT, "perf/plots"))
                                           if name.startswith("scaling_")))
            for name in ("SCALING.md", *(os.path.join("plots", plot) for plot in plots)):
                with self.subTest(name), open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertTrue(read("perf", name) == file.read(), "run: perf/scaling/render.py "
                                    "perf/results/latest.json perf/scaling/conclusion.md perf; then check conclusion.md")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
