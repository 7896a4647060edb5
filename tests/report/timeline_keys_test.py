#!/usr/bin/env python3
"""Keys reach each span, record and loss in the timeline of a report; the tip is of what is below the pointer."""

import json
import os
import tempfile
import unittest

import browser
from reported_trace import ringcat

BEGIN_NS = 1_760_000_000_000_000_000


def record(at, thread, name, **more):
    return {"kind": "record", "unix_ns": BEGIN_NS + at, "level": "INFO", "service": "shop", "pid": 7, "host": "h", "thread": {"id": thread, "name": "t"}, "category": "",
            "name": name, "file": "a.cpp", "line": len(name), "function": "f", "msg": name, "fields": {}, **more}


def trace():
    """Thread 1 has spans and a record, thread 2 has records alone, thread 3 has a loss alone."""
    yield record(0, 1, "first span", site_kind="span", duration_ns=400_000)
    yield record(500_000, 1, "between")
    yield record(600_000, 1, "second span", site_kind="span", duration_ns=300_000)
    yield record(100_000, 2, "tick")
    yield record(700_000, 2, "tock")
    yield {**record(800_000, 3, ""), "kind": "loss", "since_unix_ns": BEGIN_NS + 650_000, "count": 12, "cause": "ring_full", "sequence": 9}


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class TimelineKeys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-keys-")
        cls.addClassCleanup(folder.cleanup)
        path, cls.page = (os.path.join(folder.name, name) for name in ("trace.ndjson", "report.html"))
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(each) + "\n" for each in sorted(trace(), key=lambda each: each["unix_ns"]))
        ringcat("report", "-o", cls.page, path)
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()

    def setUp(self):
        self.window.open(self.page)
        self.canvas = self.window.one("#timeline canvas")
        self.window.run("arguments[0].scrollIntoView({block: 'center'})", self.canvas)

    def key(self, name):
        """Presses a key, and returns the first line of the tip."""
        self.window.run("arguments[0].dispatchEvent(new KeyboardEvent('keydown', {key: arguments[1], bubbles: true}))", self.canvas, name)
        self.window.settle()
        return next(iter(self.window.texts("#timeline .tip b")), "")

    def test_each_kind_is_reached(self):
        self.assertEqual([self.key(name) for name in "..,>.<"], ["first span", "second span", "first span", "between", "second span", "between"])
        # A track without spans has its records; one with a loss alone has the loss.
        self.assertEqual([self.key(name) for name in "].,>"], ["tock", "tock", "tick", "tock"])
        self.assertEqual(self.key("]"), "12 records lost: ring full")
        self.assertEqual(self.key("Enter"), "12 records lost: ring full")
        self.assertEqual(self.window.run("return location.hash"), "")
        self.key("[")
        self.key("Enter")
        self.assertIn(self.window.texts("tr.selected .statement"), (["tick"], ["tock"]))
        self.key("]")
        self.key("f")
        # The loss has no length in this file.
        self.assertEqual(self.window.texts("#timeline .range"), ["10 ns shown"])
        self.assertEqual(self.window.complaints(), [])

    def test_the_tip_is_of_what_is_below_the_pointer(self):
        box = self.window.run("const {left, top, width} = arguments[0].getBoundingClientRect(); return [left, top, width]", self.canvas)
        for y in range(40, 200, 4):
            self.window.run("arguments[0].dispatchEvent(new PointerEvent('pointermove', {clientX: arguments[1], clientY: arguments[2], bubbles: true, pointerId: 1}))",
                            self.canvas, box[0] + 180 + (box[2] - 180) * 0.2, box[1] + y)
            self.window.settle()
            if self.window.texts("#timeline .tip b") == ["first span"]:
                break
        self.assertEqual(self.window.texts("#timeline .tip b"), ["first span"])
        self.assertEqual(self.key("w"), "first span", "it is still below the pointer")
        for _ in range(6):
            tip = self.key("d")
        self.assertNotEqual(tip, "first span")


if __name__ == "__main__":
    unittest.main(verbosity=2)
