#!/usr/bin/env python3
"""Triggers of consumerd in the page of a report, with the records before and after each."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


class Triggers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        configuration = os.path.join(cls.bed.work_dir, "consumerd.toml")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write('[[trigger]]\nname = "repair <b>"\nwhere = "number == 3"\nof-level = "error+"\nlevel = "debug"\nlevel-for = "60s"\n')
        consumer = cls.bed.start_consumer("--config", configuration)
        wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
        services = [ToldService(cls.bed, "steered_service", service=name) for name in ("desk", "other")]
        for service in services:
            wait_until(lambda service=service: f".{service.process.pid}." in consumer.stderr(), "the service to be taken")
            service.tell("level 4")  # NOTICE
            service.tell("tick 1")
        services[0].tell("rare 3")
        wait_until(lambda: "trigger repair" in consumer.stderr(), "the trigger")
        wait_until(lambda: cls.level("desk") == "DEBUG", "the level")
        services[0].tell("tick 4")
        for service in services:
            service.end()
        cls.bed.wait_until_segments_are_gone()
        cls.bed.stop_consumer(consumer)
        cls.document = json.loads(ringcat("report", "--json", cls.bed.output_dir))
        cls.page = os.path.join(cls.bed.work_dir, "report.html")
        ringcat("report", "-o", cls.page, cls.bed.output_dir)

    @classmethod
    def level(cls, name):
        done = subprocess.run([program("ringctl"), "list", "--json", "--shm-dir", cls.bed.shm_dir], capture_output=True, text=True, timeout=BOUND_S, check=True)
        return next(one["level"] for one in map(json.loads, done.stdout.splitlines()) if one["service"] == name)

    def test_the_data_has_the_changes_that_ringcat_prints(self):
        begin = int(self.document["summary"]["begin_unix_ns"])
        collected = [json.loads(line) for line in ringcat("collected", "--format", "json", self.bed.output_dir).splitlines()]
        wanted = sorted((change["unix_ns"] - begin, state["service"], change["cause"]) for state in collected for change in state["changes"])
        self.assertEqual([(change["at"], change["service"], change["cause"]) for change in self.document["triggers"]["changes"]], wanted)
        self.assertIn("trigger", [cause for _, _, cause in wanted])

    @unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
    def test_a_click_shows_what_happened_before_and_after(self):
        with browser.Browser() as window:
            window.open(self.page)
            rows = window.texts("#triggers tbody tr")
            trigger = next(number for number, text in enumerate(rows) if "Trigger" in text)
            self.assertIn("repair <b>", rows[trigger])
            window.all("#triggers tbody tr")[trigger].click()
            of_process = [record for record in map(json.loads, ringcat("--format", "json", "--no-losses", "--service", "desk", self.bed.output_dir).splitlines())]
            at = next(change["at"] for change in self.document["triggers"]["changes"] if change["cause"] == "trigger") + int(self.document["summary"]["begin_unix_ns"])
            near = [record["unix_ns"] for record in of_process if abs(record["unix_ns"] - at) <= 10**9]
            numbers = (sum(each < at for each in near), sum(each >= at for each in near))
            self.assertGreater(min(numbers), 0)
            self.assertEqual(window.texts("#triggers h3"), [f"{name}, {min(50, number)} of {number} record{'' if number == 1 else 's'} within a second" for name, number in zip(("Before", "After"), numbers)])
            before, after = window.run("return [...document.querySelectorAll('#triggers ul.around')].map((list) => list.textContent)")
            self.assertIn("order 3 needs a rare repair", before)
            self.assertNotIn("order 4 taken", before)
            self.assertIn("state of order 4 checked", after)
            self.assertEqual(len(window.all("#triggers ul.around li")), sum(min(50, number) for number in numbers))
            # The address keeps it.
            window.open(self.page, window.run("return location.hash.slice(1)"))
            self.assertEqual(window.run("return [...document.querySelectorAll('#triggers ul.around')].map((list) => list.textContent)"), [before, after])
            # The time holds for all panels.
            at = next(change["at"] for change in self.document["triggers"]["changes"] if change["cause"] == "trigger")
            begin, end = map(float, window.run("return new URLSearchParams(location.hash.slice(1)).get('t')").split(","))
            self.assertLessEqual((begin, at), (at, end))
            window.all("#triggers ul.around button")[0].click()
            self.assertRegex(window.run("return location.hash"), r"[#&]r=\d+")
            self.assertEqual(window.complaints(), [])

    @unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
    def test_the_timeline_has_a_mark_for_each_change(self):
        with browser.Browser() as window:
            window.open(self.page)
            tips = set()
            canvas = window.one("#timeline canvas")
            window.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
            # Where the trigger is, give or take a few pixels.
            timeline, at = self.document["timeline"], next(change["at"] for change in self.document["triggers"]["changes"] if change["cause"] == "trigger")
            end = max(timeline["end"], self.document["summary"]["end"], self.document["schedule"]["end"])
            middle = 180 + at * (window.run("return arguments[0].clientWidth", canvas) - 180) / end
            for x in range(int(middle) - 6, int(middle) + 7, 3):
                window.run("const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new PointerEvent('pointermove',"
                           "{clientX: box.left + arguments[1], clientY: box.top + 20, bubbles: true, pointerId: 1}))", canvas, x)
                window.settle()
                tips.update(window.texts("#timeline [role=status]"))
            self.assertTrue(any(tip.startswith("Trigger, ") and "repair <b>" in tip for tip in tips), tips)
            self.assertIn("A line with a triangle", window.texts("#timeline-help")[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
