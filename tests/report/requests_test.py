#!/usr/bin/env python3
"""Requests in the page of a report: the records of an activity across processes, and the critical path."""

import json
import os
import random
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "end-to-end"))

import browser
from traced_processes import BOUND_S, TestBed, program

PAGE = os.path.join(HERE, "..", "..", "tools", "report", "page")
IDS = [f"{number:032x}" for number in range(1, 4)]
FAST = 300  # further activities, more than a report keeps


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def span(at, duration, activity, service, name, level="INFO", **more):
    return {"kind": "record", "unix_ns": 1_760_000_000_000_000_000 + at, "level": level, "service": service, "pid": len(service), "host": "h",
            "thread": {"id": len(service), "name": "main"}, "category": "", "name": name, "file": "a.cpp", "line": 1, "function": "f", "site_kind": "span",
            "msg": name, "fields": {}, "activity": activity, "duration_ns": duration, **more}


def log(at, service, text, level="INFO"):
    return {"kind": "record", "unix_ns": 1_760_000_000_000_000_000 + at, "level": level, "service": service, "pid": len(service), "host": "h",
            "thread": {"id": len(service), "name": "main"}, "category": "", "file": "a.cpp", "line": 2, "function": "f", "msg": text, "fields": {}}


def trace():
    """A request over three services, one that continues in another activity, one with an error, and many fast ones."""
    yield span(0, 1_000_000, IDS[0], "front", "serve")
    yield span(100_000, 500_000, IDS[0], "middle", "ask")
    yield span(200_000, 300_000, IDS[0], "store-1", "query")
    yield span(650_000, 200_000, IDS[0], "middle", "ask again")
    yield log(200_000, "store-1", "begins with the query")
    yield log(400_000, "store-1", "within", "ERROR")
    yield log(400_000, "other", "at the same time on another thread")
    yield log(500_000, "store-1", "ends with the query")
    yield log(500_001, "store-1", "after the query")
    yield span(2_000_000, 100_000, IDS[1], "front", "serve")
    yield span(2_010_000, 2_000_000, IDS[2], "middle", "later", related=IDS[1])
    for number in range(FAST):
        yield span(10_000_000 + 1000 * number, 100 + number, f"{number + 1000:032x}", "front", "serve", "ERROR" if number == 5 else "INFO")


class Requests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        cls.path = os.path.join(cls.bed.work_dir, "requests.ndjson")
        with open(cls.path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in trace())
        cls.activities = json.loads(ringcat("report", "--json", cls.path))["activities"]
        cls.page = os.path.join(cls.bed.work_dir, "report.html")
        ringcat("report", "-o", cls.page, cls.path)
        cls.modules = os.path.join(cls.bed.work_dir, "page")
        shutil.copytree(PAGE, cls.modules)
        with open(os.path.join(cls.modules, "package.json"), "w", encoding="utf-8") as file:
            file.write('{"type": "module"}')

    def test_the_records_of_a_request_are_those_of_ringcat(self):
        kept = next(each for each in self.activities["kept"] if IDS[0] in each["ids"])
        wanted = ringcat("--format", "json", "--where", f"activity == '{IDS[0]}'", self.path).splitlines()
        spans = [row["record"] for row in kept["rows"] if "duration_ns" in row]
        self.assertEqual(spans, [json.loads(line) for line in wanted])
        self.assertEqual((kept["records"], kept["left_out"], kept["duration_ns"]), (7, 0, 1_000_000))

    def test_records_within_a_span_belong_to_its_request(self):
        kept = next(each for each in self.activities["kept"] if IDS[0] in each["ids"])
        texts = [row["record"]["msg"] for row in kept["rows"] if "duration_ns" not in row]
        self.assertEqual(texts, ["begins with the query", "within", "ends with the query"])
        self.assertEqual(kept["errors"], 1)

    def test_an_activity_that_came_from_another_is_the_same_request(self):
        kept = next(each for each in self.activities["kept"] if IDS[1] in each["ids"])
        self.assertEqual(sorted(kept["ids"]), IDS[1:])
        self.assertEqual((kept["records"], kept["duration_ns"]), (2, 2_010_000))

    def test_the_slowest_and_those_with_errors_are_kept(self):
        self.assertEqual(self.activities["activities"], FAST + 2)
        slowest = [each["duration_ns"] for each in self.activities["kept"] if each["kept_for"] == "slowest"]
        self.assertEqual(slowest, sorted([1_000_000, 2_010_000, *range(100, 100 + FAST)], reverse=True)[:60])
        failed = [each for each in self.activities["kept"] if each["kept_for"] == "errors"]
        self.assertEqual([(each["duration_ns"], each["errors"]) for each in failed], [(105, 1)])

    def paths(self, requests):
        done = subprocess.run(["node", os.path.join(HERE, "critical_path.mjs"), self.modules], input="\n".join(map(json.dumps, requests)),
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    @unittest.skipIf(shutil.which("node") is None, "needs node: packaging/install-build-deps.sh installs it")
    def test_the_critical_path_is_in_the_span_that_ends_last(self):
        cases = {
            "one span": ([[0, 10]], [[0, 10, 0]]),
            "two in sequence": ([[0, 100], [10, 40], [50, 90]], [[0, 10, 0], [10, 40, 1], [40, 50, 0], [50, 90, 2], [90, 100, 0]]),
            "two at once": ([[0, 100], [10, 40], [20, 70]], [[0, 10, 0], [10, 20, 1], [20, 70, 2], [70, 100, 0]]),
            "nested": ([[0, 100], [10, 90], [20, 30]], [[0, 10, 0], [10, 20, 1], [20, 30, 2], [30, 90, 1], [90, 100, 0]]),
            "a gap": ([[0, 10], [30, 40]], [[0, 10, 0], [10, 30, -1], [30, 40, 1]]),
            "continued elsewhere": ([[0, 10], [5, 30]], [[0, 5, 0], [5, 30, 1]]),
        }
        for name, answer in zip(cases, self.paths([spans for spans, _ in cases.values()])):
            with self.subTest(name):
                self.assertEqual(answer, cases[name][1])

    @unittest.skipIf(shutil.which("node") is None, "needs node: packaging/install-build-deps.sh installs it")
    def test_the_critical_path_covers_the_request_without_overlap(self):
        choice = random.Random(21)
        requests = [[[begin, begin + choice.randrange(1, 50)] for begin in (choice.randrange(100) for _ in range(choice.randrange(1, 30)))] for _ in range(200)]
        for spans, path in zip(requests, self.paths(requests)):
            self.assertEqual((path[0][0], path[-1][1]), (min(begin for begin, _ in spans), max(end for _, end in spans)))
            self.assertEqual([piece[1] for piece in path[:-1]], [piece[0] for piece in path[1:]])
            for begin, end, index in path:
                self.assertTrue(index == -1 or spans[index][0] <= begin < end <= spans[index][1], (spans, path))
                # Nothing runs where the path says so.
                self.assertTrue(index != -1 or all(one[1] <= begin or one[0] >= end for one in spans), (spans, path))

    @unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
    def test_a_request_is_shown_with_its_critical_path(self):
        with browser.Browser() as window:
            window.open(self.page)
            row = next(row for row in window.all("#requests tbody tr") if IDS[0] in row.text)
            row.click()
            self.assertEqual(window.run("return new URLSearchParams(location.hash.slice(1)).get('request')"), IDS[0])
            rows = window.run("return [...document.querySelectorAll('.waterfall tbody tr')].map((row) => [...row.children].slice(0, 5).map((cell) => cell.textContent))")
            self.assertEqual(rows, [
                ["0 ns", "1 ms", "300 µs", "front main 5", "serve"],
                ["100 µs", "500 µs", "200 µs", "middle main 6", "ask"],
                ["200 µs", "300 µs", "300 µs", "store-1 main 7", "query"],
                ["200 µs", "", "", "store-1 main 7", "begins with the query"],
                ["400 µs", "", "", "store-1 main 7", "within"],
                ["500 µs", "", "", "store-1 main 7", "ends with the query"],
                ["650 µs", "200 µs", "200 µs", "middle main 6", "ask again"]])
            # The record in the list, and everything of it.
            window.all(".waterfall tbody tr")[2].click()
            self.assertIn("store-1", window.texts(".members td"))
            self.assertEqual(window.complaints(), [])
            fragment = window.run("return location.hash.slice(1)")
            window.open(self.page, fragment)
            self.assertEqual(len(window.all(".waterfall tbody tr")), 7)
            # Selected statements and a selected time leave the requests that have them.
            statements = json.loads(ringcat("report", "--json", self.path))["statements"]
            later = next(number for number, row in enumerate(statements) if row["text"] == "later")
            kept = len(self.activities["kept"])
            for part, wanted, text in ((f"s={later}", 1, "with a record of the selected statement"), ("t=0,2000000", 1, "in the selected time"),
                                       ("t=0,2000001", 2, "in the selected time"), (f"s={later}&t=0,2000000", 0, "in the selected time, with a record")):
                window.open(self.page, part)
                self.assertEqual(len(window.all("#requests .requests tbody tr")), wanted, part)
                self.assertTrue(window.texts("#requests [role=status]")[0].startswith(f"{wanted} of {kept} shown: {text}"), window.texts("#requests [role=status]"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
