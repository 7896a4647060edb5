#!/usr/bin/env python3
"""The driver of the benchmarks: it runs programs, checks their output, and renders it. No measured value decides a result.

usage: ringbench_test.py SOURCE_ROOT BUILD_ROOT
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SOURCE_ROOT = None
BUILD_ROOT = None
BOUND_S = 200  # only a hang reaches it

UNITS = {
    ("floor", "call"): "ns", ("floor", "rate"): "M/s", ("bytes_per_record", "file"): "bytes",
    ("poll_round", "round"): "ns", ("back_to_back", "ratio_to_floor"): "x", ("back_to_back", "call"): "ns",
    ("back_to_back", "floor"): "ns",
}
CASES = {"static", "string39", "integer", "two_integers", "double", "five_arguments"}


def ringbench(*arguments, program=None):
    return subprocess.run([program or os.path.join(BUILD_ROOT, "perf/ringbench"), *arguments],
                          capture_output=True, text=True, timeout=BOUND_S, check=False)


class Ringbench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-perf-test.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_help_of_the_launcher_measures_nothing(self):
        build = os.path.join(self.folder, "build")
        done = subprocess.run([os.path.join(SOURCE_ROOT, "perf/run.sh"), "--quick", "--help"], capture_output=True, text=True,
                              timeout=BOUND_S, check=False, env={**os.environ, "RINGSIDE_PERF_BUILD_DIR": build})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("usage: perf/run.sh [--add] [RINGBENCH_OPTION...]", done.stdout)
        self.assertFalse(os.path.exists(build))

    def lone_driver(self):
        """A ringbench with no program beside it."""
        program = os.path.join(self.folder, "ringbench")
        shutil.copy(os.path.join(BUILD_ROOT, "perf/ringbench"), program)
        return program

    def fake_record_cost(self, text):
        program = os.path.join(self.folder, "ringside/record_cost")
        os.mkdir(os.path.dirname(program))
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(program, 0o755)

    def check_lines(self, document, rows):
        lines = document["results"]
        self.assertEqual({line["row"] for line in lines}, rows)
        for line in lines:
            with self.subTest(line=line):
                self.assertEqual(line["unit"], UNITS[line["row"], line["metric"]])
                self.assertGreater(line["median"], 0)
                self.assertLessEqual(line["low"], line["median"])
                self.assertLessEqual(line["median"], line["high"])
                self.assertGreaterEqual(line["repeats"], 1)

    def test_measures_what_is_asked_for_and_prints_json(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("only one processor: measuring needs a second one for consumerd")
        rows = {"floor", "back_to_back", "bytes_per_record", "poll_round"}
        done = ringbench("--quick", "--json", "--repeats", "2", "--subject", "ringside",
                         *(word for row in rows for word in ("--row", row)))
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.check_lines(document, rows)
        self.assertTrue(document["quick"])
        self.assertGreaterEqual(document["machine"]["processors"], 2)
        self.assertEqual({line["case"] for line in document["results"] if line["row"] == "back_to_back"}, CASES)
        bytes_of = {(line["case"], line["arguments"]): line for line in document["results"]
                    if line["row"] == "bytes_per_record"}
        self.assertEqual(len(bytes_of), 12)
        self.assertGreater(bytes_of["string39", "random"]["median"], 39 + 1)
        self.assertGreaterEqual(bytes_of["static", "constant"]["median"], 1)
        # The number of records in an extent depends on the machine: this test does not check whether the target is met.
        self.assertEqual(bytes_of["static", "constant"]["target"].keys(), {"at_most", "met"})

    def test_text_is_measured_instead_of_a_trace_and_beside_it(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("only one processor: measuring needs a second one for consumerd")
        done = ringbench("--quick", "--json", "--repeats", "1", "--row", "text_output")
        self.assertEqual(done.returncode, 0, done.stderr)
        medians = {(line["case"], line["outputs"], line["metric"], line.get("p")): line["median"]
                   for line in json.loads(done.stdout)["results"]}
        for case in ("static", "five_arguments"):
            for outputs in ("trace", "text", "both"):
                self.assertGreater(medians[case, outputs, "rate", None], 0)
                self.assertGreater(medians[case, outputs, "consumerd", None], 0)
            # Only the process number may differ in length.
            self.assertLess(abs(medians[case, "text", "text", None] - medians[case, "both", "text", None]), 8)
            self.assertLess(medians[case, "both", "trace", None], 4)
            self.assertNotIn((case, "trace", "text", None), medians)
            self.assertNotIn((case, "text", "trace", None), medians)
        for outputs in ("text", "both"):
            p50, p99 = (medians["two_integers", outputs, "call_to_line", p] for p in ("p50", "p99"))
            self.assertTrue(0 < p50 <= p99)

    def test_parts_of_a_trace_are_measured_beside_programs_for_text(self):
        done = ringbench("--quick", "--json", "--repeats", "1", "--row", "tail", "--row", "grep", "--row", "ordered")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = json.loads(done.stdout)["results"]
        self.assertEqual({(line["subject"], line["streams"], line["unit"]) for line in lines if line["row"] == "tail"},
                         {(subject, streams, "ms") for subject in ("ringside", "gnu_tail") for streams in (1, 64)})
        searches = {("five_arguments", "absent"), ("five_arguments", "number"), ("string39", "absent"), ("string39", "rare")}
        self.assertEqual(
            {(line["subject"], line["case"], line["literal"], line["metric"]) for line in lines if line["row"] == "grep"},
            {(subject, *search, metric) for subject in ("ringside", "gnu_grep") for search in searches
             for metric in ("wall", "one_core")})
        readings = {(case, streams) for case in ("events", "text") for streams in (64, 4096)}
        ordered = [line for line in lines if line["row"] == "ordered"]
        self.assertEqual({(line["case"], line["streams"], line["order"]) for line in ordered if line["metric"] == "record"},
                         {(*reading, order) for reading in readings for order in ("extents", "file", "time")})
        self.assertEqual({(line["case"], line["streams"]) for line in ordered if line["metric"] == "ratio_to_file_order"},
                         readings)
        # Everything that a user waits for has a target; the peers and 64 streams in order have none.
        self.assertEqual({(line["row"], line["metric"]) for line in lines if "target" in line},
                         {("tail", "command"), ("grep", "one_core"), ("ordered", "ratio_to_file_order")})
        self.assertTrue(all(line["median"] > 0 for line in lines))

    def test_script_writes_page_document_and_plots(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("only one processor: measuring needs a second one for consumerd")
        done = subprocess.run(
            [os.path.join(SOURCE_ROOT, "perf/run.sh"), "--quick", "--row", "bytes_per_record", "--subject", "ringside"],
            env={**os.environ, "RINGSIDE_PERF_BUILD_DIR": BUILD_ROOT, "RINGSIDE_PERF_RESULTS": self.folder},
            capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["RESULTS.md", "bytes_per_record.svg", "latest.json"])
        with open(os.path.join(self.folder, "latest.json"), encoding="utf-8") as file:
            document = file.read()
        results = json.loads(document)["results"]
        self.assertEqual({line["row"] for line in results}, {"bytes_per_record"})
        self.assertEqual(sum(text.startswith('{"') for text in document.splitlines()), len(results))
        xml.etree.ElementTree.parse(os.path.join(self.folder, "bytes_per_record.svg"))
        with open(os.path.join(self.folder, "RESULTS.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("| ringside | ringside, random |", page)
        self.assertRegex(page, r"(?m)^\| five_arguments \| \d\S* .*\| \d\S* .*\|$")
        self.assertIn("![Bytes per record, constant arguments](bytes_per_record.svg)", page)

    def test_tables_name_every_row(self):
        done = ringbench("--quick", "--row", "poll_round")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^poll_round$")
        self.assertRegex(done.stdout, r"rings=1024 +round .* <= 10000 (met|MISSED)")

    def test_programs_that_are_not_built_cost_their_rows_only(self):
        done = ringbench("--json", "--row", "floor", "--row", "paced", program=self.lone_driver())
        self.assertEqual(done.returncode, 1)
        reasons = {(tuple(one["rows"]), one["subject"]): one["reason"]
                   for one in json.loads(done.stdout)["not_measured"]}
        self.assertIn("not built", reasons[("floor", "paced"), "ringside"])
        self.assertIn("not installed", reasons[("paced",), "spdlog"])

    def test_figures_that_do_not_count_are_left_out_and_fail(self):
        driver = self.lone_driver()
        line = '{"row":"floor","subject":"floor","case":"tsc","metric":"call","unit":"ns","median":1}'
        self.fake_record_cost(f"echo '{line}'\necho '7 records are missing' >&2\nexit 1\n")
        done = ringbench("--json", "--row", "floor", program=driver)
        self.assertEqual(done.returncode, 1)
        document = json.loads(done.stdout)
        self.assertEqual(document["results"], [])
        self.assertEqual(document["not_measured"],
                         [{"rows": ["floor"], "subject": "ringside", "reason": "7 records are missing"}])

    def test_an_invalid_result_line_fails(self):
        driver = self.lone_driver()
        self.fake_record_cost("echo hello\n")
        done = ringbench("--json", "--row", "floor", program=driver)
        self.assertEqual(done.returncode, 1)
        self.assertIn("hello", json.loads(done.stdout)["not_measured"][0]["reason"])

    def test_row_that_is_not_possible_here_is_not_a_failure(self):
        program = os.path.join(BUILD_ROOT, "perf/ringside/record_cost")
        processor = min(os.sched_getaffinity(0))
        done = subprocess.run([program, "--quick", "--row", "floor"], capture_output=True, text=True,
                              timeout=BOUND_S, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("one processor", done.stderr)

    def test_wrong_usage_is_refused(self):
        for arguments in (["--rows", "floor"], ["--repeats", "0"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(ringbench(*arguments).returncode, 2)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
