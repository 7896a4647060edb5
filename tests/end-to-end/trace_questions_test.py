#!/usr/bin/env python3
"""Queries on the example service's trace: the answers of ringcat agg, ringcat hist and the programs of tools/examples agree
with the printed lines."""

import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import unittest

from checked_output import print_raw
from traced_processes import BOUND_S, TestBed, program, wait_until

REQUESTS = 3_000
SERVED = re.compile(rb"conn (\d+) request (\d+): served in ([\d.]+) us after ([\d.]+) us in")
PARSED = re.compile(rb"conn (\d+) request (\d+): parsed (\d+) arguments")


def nearest_rank(values, percent):
    values = sorted(values)
    return values[max(math.ceil(percent / 100 * len(values) - 1e-9), 1) - 1]


class TraceQuestions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("redis-benchmark"):
            raise unittest.SkipTest("redis-benchmark is not installed")
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        consumer = cls.bed.start_consumer()
        kvd = cls.bed.start_service("--port", 0, which="kvd", service="kvd")
        port = wait_until(lambda: re.search(r"listening on [\d.]+:(\d+)\n", kvd.stdout()),
                          "kvd to listen").group(1)
        subprocess.run(["redis-benchmark", "-p", port, "-n", str(REQUESTS), "-t", "set,get",
                        "-c", "10", "-P", "4", "-q"], capture_output=True, timeout=BOUND_S,
                       check=True)
        kvd.popen.terminate()
        kvd.wait()
        cls.bed.wait_until_segments_are_gone()
        cls.bed.stop_consumer(consumer)
        cls.traces = [str(path) for path in cls.bed.traces()]
        cls.lines = print_raw(*cls.traces)
        cls.served = [found.groups() for found in map(SERVED.search, cls.lines) if found]
        cls.parsed = [found.groups() for found in map(PARSED.search, cls.lines) if found]
        assert len(cls.served) >= 2 * REQUESTS

    def run_program(self, *command, status=0):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def ringcat(self, *arguments, status=0):
        return self.run_program(program("ringcat"), *arguments, *self.traces, status=status)

    def example(self, name, *arguments, status=0):
        return self.run_program(os.environ["RINGSIDE_EXAMPLE_" + name.upper()], *arguments,
                                *self.traces, status=status)

    def by_connection(self):
        groups = {}
        for connection, _, service_us, _ in self.served:
            groups.setdefault(int(connection), []).append(float(service_us))
        return groups

    def test_counts_of_each_site(self):
        counts = {}
        for line in self.example("count_by_site").splitlines():
            count, label = line.split(" ", 1)
            counts[label] = int(count)
        self.assertEqual(sum(counts.values()), len(self.lines))
        served = [count for label, count in counts.items() if ": served in %.3f us" in label]
        self.assertEqual(served, [len(self.served)])
        rows = json.loads(self.ringcat("agg", "--by", "@site", "--format", "json", "text:*"))["rows"]
        self.assertEqual({row["@site"]: row["count"] for row in rows}, counts)

    def test_sums_and_percentiles_by_group(self):
        expected = self.by_connection()
        lines = self.example("field_by_group", "served in", "service_us", "id_").splitlines()
        self.assertEqual([int(line.split()[0]) for line in lines], sorted(expected))
        answer = json.loads(self.ringcat("agg", "served in", "--field", "service_us", "--by", "id_",
                                         "--percentiles", "50,99", "--format", "json"))
        self.assertEqual(len(answer["site"]), 1)
        self.assertIn("served in %.3f us", answer["site"][0])
        for line, row in zip(lines, answer["rows"], strict=True):
            _, _, count, _, total, _, p50, _, p99 = line.split()
            values = expected[row["id_"]]
            self.assertEqual(int(count), len(values))
            self.assertEqual(row["count"], len(values))
            # Lines have three digits after the point.
            self.assertAlmostEqual(float(total), sum(values), delta=0.001 * len(values))
            self.assertAlmostEqual(row["sum"], float(total), delta=1e-6 * float(total))
            for percent, got in ((50, p50), (99, p99)):
                exact = nearest_rank(values, percent)
                self.assertAlmostEqual(float(got), exact, delta=0.005 * exact + 0.001)
                self.assertAlmostEqual(row[f"p{percent}"], float(got), delta=0.005 * exact)
            self.assertAlmostEqual(row["min"], min(values), delta=0.001)
            self.assertAlmostEqual(row["max"], max(values), delta=0.001)

    def test_latency_between_two_sites(self):
        def times(pattern):
            found = {}
            for line in self.lines:
                match = pattern.search(line)
                if match:
                    date, clock = line.split(b" ", 2)[:2]
                    hours, minutes, seconds = clock.split(b":")
                    second, ns = seconds.split(b".")
                    whole = (int(hours) * 60 + int(minutes)) * 60 + int(second)
                    found[match.groups()[:2]] = (date, whole * 10**9 + int(ns))
            return found
        begins, ends = times(PARSED), times(SERVED)
        gaps = [ends[key][1] - begins[key][1] for key in ends
                if ends[key][0] == begins[key][0]]
        self.assertEqual(len(begins), len(self.parsed))
        output = self.example("request_latency", ": parsed", "served in", "id_,requests_")
        values = dict(line.rsplit(" ", 1) for line in output.splitlines())
        self.assertEqual(int(values["requests"]), len(ends))
        # An invalid command is parsed but not executed; there is none in this trace.
        self.assertEqual(int(values["without an end"]), len(begins) - len(ends))
        self.assertEqual(int(values["without a beginning"]), 0)
        if len(gaps) == len(ends):  # all on one day
            self.assertEqual(int(values["min_ns"]), min(gaps))
            self.assertEqual(int(values["max_ns"]), max(gaps))
            exact = nearest_rank(gaps, 99)
            self.assertAlmostEqual(float(values["p99_ns"]), exact, delta=exact / 200)
        answer = json.loads(self.ringcat("agg", "--gap", ": parsed", "served in", "--join",
                                         "id_,requests_", "--format", "json"))
        self.assertEqual(answer["unmatched ends"], 0)
        row = answer["rows"][0]
        self.assertEqual(row["count"], len(ends))
        self.assertEqual(row["min"], int(values["min_ns"]))
        self.assertEqual(row["max"], int(values["max_ns"]))

    def test_typed_visitor_writes_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.example("served_requests"))))
        got = sorted((row["connection"], row["request"], row["service_us"], row["queued_us"])
                     for row in rows)
        self.assertEqual(got, sorted(tuple(part.decode() for part in one) for one in self.served))

    def test_interval_groups_hold_all_records(self):
        rows = list(csv.DictReader(io.StringIO(
            self.ringcat("agg", "served in", "--interval", "10ms", "--utc", "--format", "csv"))))
        self.assertEqual(sum(int(row["count"]) for row in rows), len(self.served))
        times = [row["time"] for row in rows]
        self.assertEqual(times, sorted(set(times)))
        self.assertTrue(all(re.fullmatch(r"[\d-]{10} [\d:]{8}\.\d\d0000000", t) for t in times))

    def test_histogram_counts_all_records(self):
        rows = json.loads(self.ringcat("hist", "served in", "--field", "service_us", "--rows", 7,
                                       "--format", "json"))["rows"]
        self.assertEqual(len(rows), 7)
        self.assertEqual(sum(row["count"] for row in rows), len(self.served))
        drawn = self.ringcat("hist", "served in", "--field", "service_us", "--log", "--ascii",
                             "--width", 60).splitlines()
        bars = [line for line in drawn if " .. " in line]
        self.assertEqual(len(bars), 20)
        self.assertEqual(max(len(line) for line in bars), 60)
        counts = [int(line.split()[3]) for line in bars]
        self.assertEqual(sum(counts), len(self.served))
        self.assertTrue(all(("#" in line) == (count > 0) for line, count in zip(bars, counts)))
        blocks = self.ringcat("hist", "--gap", ": parsed", "served in", "--join", "id_,requests_")
        self.assertIn("\u2588", blocks)

    def test_invalid_queries_are_refused_with_the_remedy(self):
        error = self.ringcat("agg", "no such text", status=2)
        self.assertIn("no site matches \"no such text\"", error)
        self.assertIn("sites of the files, for example:", error)
        error = self.ringcat("agg", "served in", "--field", "nothing", status=2)
        self.assertIn("has no field \"nothing\"", error)
        self.assertIn("#2 requests_ (u64), #3 service_us (f64)", error)
        self.assertIn("has no field \"nothing\"",
                      self.ringcat("agg", "served in", "--by", "nothing", status=2))
        self.assertIn("which is not a number",
                      self.ringcat("agg", "unknown command", "--field", "#4", status=2))
        self.assertIn("--by @nothing is unknown",
                      self.ringcat("agg", "served in", "--by", "@nothing", status=2))
        self.assertIn("is not a duration",
                      self.ringcat("agg", "served in", "--interval", "1 day", status=2))
        self.assertIn("from 0 to 100",
                      self.ringcat("agg", "served in", "--percentiles", "101", status=2))
        self.assertIn("requires --join",
                      self.ringcat("agg", "--gap", "parsed", "served in", status=2))
        self.assertIn("a number is required unless", self.ringcat("hist", "served in", status=2))
        self.assertIn("PATH is missing", self.run_program(program("ringcat"), "agg", "served in", status=2))
        self.assertIn("none.ringtrace", self.run_program(
            program("ringcat"), "agg", "served in", "/nonexistent/none.ringtrace", status=3))
        self.assertIn("has no field", self.example("field_by_group", "served in", "nothing", "id_",
                                                   status=1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
