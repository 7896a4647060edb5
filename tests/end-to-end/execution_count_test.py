#!/usr/bin/env python3
"""ringctl count: statements count their executions instead of recording them, in a real service."""

import json
import os
import struct
import subprocess
import unittest
import urllib.request

from prometheus_server import free_port
from segment_counters import (CONTROL_PAGE_OFFSET, REGION_SLOTS, REGION_TABLE_OFFSET, SITE_EXECUTIONS_KIND,
                              VERSION_OFFSET, read_at, regions_of)
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

SITES_WITH_EXECUTIONS_OFFSET = CONTROL_PAGE_OFFSET + 156  # shm-layout/control_page.hpp
VERSION_1_4 = 1 << 16 | 4
TICK = ("order {} taken", "pulse {}", "state of order {} checked", "order {} is late", "cheap note {}")


class ExecutionCount(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.service = ToldService(self.bed, "steered_service", service="desk")

    def run_tool(self, tool, *arguments, status=0):
        done = subprocess.run([program(tool), *map(str, arguments), "--shm-dir", self.bed.shm_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr == "", status == 0, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def ringctl(self, *arguments, status=0):
        return self.run_tool("ringctl", *arguments, status=status)

    def listed(self, text):
        (one,) = [one for one in map(json.loads, self.ringctl("list", "--statements", "--json").splitlines())
                  if one["text"] == text]
        return one

    def counted(self, text):
        return self.listed(text)["executions"]["counted"]

    def seen_by_ringstat(self):
        found = json.loads(self.run_tool("ringstat", "--once", "--json", "--interval", "50ms"))
        (service,) = found["services"]
        return {one["text"]: one for one in service["statements"]}

    def messages(self):
        self.service.end()
        self.bed.run_consumer_once()
        done = subprocess.run([program("ringcat"), "--format", "json", *self.bed.traces()],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(json.loads(line)["msg"] for line in done.stdout.splitlines())

    def expected(self, *numbers, without=()):
        return sorted(text.format(number) for number in numbers for text in TICK if text not in without)

    def segment(self):
        (name,) = self.bed.segments()
        return os.path.join(self.bed.shm_dir, name)

    def change_words(self, *words):
        with open(self.segment(), "r+b") as file:
            for offset, form, value in words:
                file.seek(offset)
                file.write(struct.pack("<" + form, value))

    def test_a_statement_counts_until_it_is_enabled(self):
        self.service.tell("tick 1")
        said = self.ringctl("count", "taken")
        self.assertRegex(said, r"^desk \d+: 1 statement counting\n  steered_service.cpp:\d+ INFO \"order %d taken\"\n$")
        self.assertIn("(unchanged)", self.ringctl("count", "taken"))
        for number in range(100, 125):
            self.service.tell(f"tick {number}")
        one = self.listed("order %d taken")
        self.assertEqual((one["enabled"], one["counting"], one["executions"]),
                         (False, True, {"counted": 25, "suppressed": 0}))
        self.assertEqual(self.listed("pulse %d")["executions"], {"counted": 0, "suppressed": 0})
        self.assertRegex(self.ringctl("list", "--site", "taken"), r"desk +\d+ +\d+ +counting +25 +0 +INFO ")
        seen = self.seen_by_ringstat()["order %d taken"]
        self.assertEqual((seen["enabled"], seen["counting"], seen["executions"]),
                         (False, True, {"counted": 25, "suppressed": 0}))
        text = self.run_tool("ringstat", "--once", "--interval", "50ms")
        self.assertRegex(text, r"COUNTED +SUPPRESSED +SWITCH")
        self.assertRegex(text, r" 25 +0 +counting +INFO +steered_service.cpp:\d+ +order %d taken")
        (done,) = map(json.loads, self.ringctl("enable", "taken", "--json").splitlines())
        self.assertEqual([(one["was_enabled"], one["was_counting"]) for one in done["statements"]], [(False, True)])
        self.service.tell("tick 2")
        one = self.listed("order %d taken")
        self.assertEqual((one["enabled"], one["counting"], one["executions"]["counted"]), (True, False, 25))
        self.assertEqual(self.messages(), sorted(
            self.expected(1, 2) + self.expected(*range(100, 125), without=["order {} taken"])))

    def test_a_time_limit_returns_to_what_was_before(self):
        self.ringctl("disable", "pulse")
        self.assertRegex(self.ringctl("count", "pulse", "taken", "--for", "10m"), "2 statements counting for 10m")
        self.service.tell("tick 1")
        self.assertEqual((self.counted("pulse %d"), self.counted("order %d taken")), (1, 1))
        self.assertRegex(self.ringctl("list", "--site", "pulse"), r"counting for (10m|9\.\d+m)")
        self.ringctl("count", "pulse", "taken", "--for", "100ms")
        wait_until(lambda: not self.listed("pulse %d")["counting"], "the deadline")
        self.service.tell("tick 2")
        self.assertEqual((self.counted("pulse %d"), self.counted("order %d taken")), (1, 1))
        self.assertEqual([self.listed(text)["enabled"] for text in ("pulse %d", "order %d taken")], [False, True])
        # A limited change of a statement that counts returns to counting.
        self.ringctl("count", "taken")
        self.ringctl("enable", "taken", "--for", "10m")
        self.service.tell("tick 3")
        self.ringctl("disable", "taken", "--for", "100ms")
        wait_until(lambda: self.listed("order %d taken")["counting"], "the deadline")
        self.service.tell("tick 4")
        self.assertEqual(self.counted("order %d taken"), 2)
        self.assertEqual(self.messages(),
                         sorted(self.expected(1, 4, without=["pulse {}", "order {} taken"]) +
                                self.expected(2, 3, without=["pulse {}"])))

    def test_the_level_and_disable_end_it(self):
        self.ringctl("count", "*")
        self.service.tell("tick 1")
        self.ringctl("disable", "is late")
        self.service.tell("tick 2")
        self.assertEqual((self.counted("order %d is late"), self.counted("cheap note %d")), (1, 2))
        self.ringctl("level", "notice")
        self.service.tell("tick 3")
        self.assertEqual((self.counted("order %d is late"), self.counted("cheap note %d")), (1, 2))
        self.assertEqual(self.counted("pulse %d"), 2)
        self.assertEqual(self.messages(), ["cheap note 3", "order 3 is late"])

    def test_each_process_of_a_service_has_its_own_counts(self):
        other = ToldService(self.bed, "steered_service", service="desk")
        self.assertEqual(self.ringctl("count", "taken").count("counting"), 2)
        self.service.tell("tick 1")
        other.tell("tick 1")
        other.tell("tick 2")
        counts = [json.loads(line)["executions"]["counted"]
                  for line in self.ringctl("list", "--site", "taken", "--json").splitlines()]
        self.assertEqual(sorted(counts), [1, 2])
        other.end()

    def test_suppressed_executions_are_shown(self):
        self.service.tell("skip 3")
        self.service.tell("skip 4")
        expected = {"counted": 0, "suppressed": 7}
        self.assertEqual(self.listed("a rare order")["executions"], expected)
        self.assertEqual(self.seen_by_ringstat()["a rare order"]["executions"], expected)
        self.assertRegex(self.run_tool("ringstat", "--once", "--interval", "50ms"), r" 0 +7 +on +INFO .*a rare order")
        self.assertEqual(self.messages(), [])

    def test_metrics_show_counts_by_place(self):
        port = free_port()
        self.bed.start_consumer("--metrics", f"127.0.0.1:{port}")

        def page():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=BOUND_S) as answer:
                    return answer.read().decode()
            except OSError:
                return ""

        wait_until(lambda: 'ringside_processes{service="desk"} 1' in page(), "the service")
        self.assertNotIn("ringside_statement", page())
        self.ringctl("count", "taken")
        for number in range(10):
            self.service.tell(f"tick {number}")
        self.service.tell("skip 8")
        line = self.listed("order %d taken")["line"]
        series = f'{{service="desk",site="steered_service.cpp:{line}"}}'
        wait_until(lambda: f"ringside_statement_executions_total{series} 10\n" in page(), "the count")
        wait_until(lambda: 'ringside_statement_suppressed_total{service="desk",site="steered_service.cpp:100000"} 8\n'
                   in page(), "what was suppressed")
        # Those of a process that has ended stay, and those of the next one are added.
        self.service.tell("tick 10")
        self.service.end()
        wait_until(lambda: 'ringside_processes{service="desk"} 0' in page(), "the end")
        self.assertIn(f"ringside_statement_executions_total{series} 11\n", page())
        self.service = ToldService(self.bed, "steered_service", service="desk")
        self.ringctl("count", "taken")
        self.service.tell("tick 1")
        wait_until(lambda: f"ringside_statement_executions_total{series} 12\n" in page(), "the sum")
        checked = subprocess.run(["promtool", "check", "metrics"], input=page(), text=True, capture_output=True,
                                 timeout=BOUND_S, check=False)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_counts_survive_the_service(self):
        self.ringctl("count", "taken")
        self.service.tell("tick 1")
        self.service.kill()
        self.assertEqual(self.counted("order %d taken"), 1)

    def region_offset(self):
        with open(self.segment(), "rb") as file:
            slot = [region[0] for region in regions_of(file)].index(SITE_EXECUTIONS_KIND)
        return REGION_TABLE_OFFSET + 24 * slot

    def test_a_service_that_cannot_count_is_refused(self):
        """The segment of an older library has no counters; a later one may have others."""
        at = self.region_offset()
        self.assertLess(at, REGION_TABLE_OFFSET + 24 * REGION_SLOTS)
        for words in ([(VERSION_OFFSET, "I", VERSION_1_4), (at, "I", 0)], [(at, "I", SITE_EXECUTIONS_KIND),
                                                                           (at + 4, "I", 32)]):
            self.change_words(*words)
            self.assertIn("the library of this service cannot count executions; restart the service",
                          self.ringctl("count", "taken", status=1))
            self.assertEqual(self.listed("order %d taken")["executions"], {"counted": 0, "suppressed": 0})
            self.assertEqual(self.seen_by_ringstat()["order %d taken"]["executions"]["counted"], 0)
        self.service.tell("tick 1")
        self.assertEqual(self.messages(), self.expected(1))

    def test_statements_without_counters_are_refused(self):
        self.change_words((SITES_WITH_EXECUTIONS_OFFSET, "I", 2))
        said = self.ringctl("count", "*", status=1)
        self.assertRegex(said, r"5 of 6 selected statements have no counter, because shared memory was full")
        self.service.tell("tick 1")
        self.assertEqual(self.messages(), self.expected(1))

    def test_scribbled_counters_are_shown_as_they_are(self):
        self.ringctl("count", "taken")
        with open(self.segment(), "r+b") as file:
            regions = {region[0]: region for region in regions_of(file)}
            at = regions[SITE_EXECUTIONS_KIND][2]
            self.assertEqual(read_at(file, at, 32768), bytes(32768))
            file.seek(at)
            file.write(b"\xff" * 32768)
        self.change_words((SITES_WITH_EXECUTIONS_OFFSET, "I", 0xFFFF_FFFF))
        self.assertEqual(self.counted("order %d taken"), 2 ** 64 - 1)
        self.assertEqual(self.seen_by_ringstat()["pulse %d"]["executions"],
                         {"counted": 2 ** 64 - 1, "suppressed": 2 ** 64 - 1})
        self.service.tell("tick 1")
        self.assertEqual(self.messages(), self.expected(1, without=["order {} taken"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
