#!/usr/bin/env python3
"""The flame graph of a report has the paths of the spans that `ringcat spans` prints, and the stacks that were recorded."""

import collections
import json
import os
import tempfile
import unittest

import browser
from reported_trace import ReportedTrace, ringcat

THREADS, SPANS = 2, 20_000
BEGIN_NS = 1_760_000_000_000_000_000


def paths_of(document):
    """{(thread's number, texts of statements ...): (number, total, self)}"""
    flame, names = document["flame"]["spans"], document["statements"]
    paths, found = [], {}
    for parent, name, count, total, own in zip(flame["parent"], flame["name"], flame["count"], flame["total"], flame["self"]):
        paths.append((name,) if parent < 0 else (*paths[parent], names[name]["text"]))
        if parent >= 0:
            found[paths[-1]] = (count, total, own)
    return found


def wanted_paths(spans, document):
    """The same, from spans in the order of their begins with their depths."""
    threads = {stream["thread_id"]: i for i, stream in enumerate(document["summary"]["streams"]) if "thread_id" in stream}
    sums, stacks = collections.defaultdict(lambda: [0, 0, 0]), collections.defaultdict(list)
    for span in spans:
        stack = stacks[span["thread"]["id"]]
        del stack[span["depth"]:]
        parent = (threads[span["thread"]["id"]], *stack)
        stack.append(span["name"])
        own = sums[(*parent, span["name"])]
        own[0] += 1
        own[1] += span["duration_ns"]
        own[2] += span["duration_ns"]
        if len(parent) > 1:
            sums[parent][2] -= span["duration_ns"]
    return {path: tuple(each) for path, each in sums.items()}


class EqualTimes(unittest.TestCase):
    """A clock with long ticks gives spans within each other equal times."""

    def test_in_an_imported_trace_the_longest_or_the_first_span_is_outside(self):
        spans = [("middle", 0, 10), ("inner", 0, 10), ("outer", 0, 30), ("inner", 40, 5), ("outer", 40, 20), ("middle", 40, 20)]
        with tempfile.TemporaryDirectory(prefix="ringside-test-flame-") as folder:
            path = os.path.join(folder, "trace.ndjson")
            with open(path, "w", encoding="utf-8") as file:
                for name, at, duration in spans:
                    file.write(json.dumps({"kind": "record", "site_kind": "span", "unix_ns": BEGIN_NS + at, "duration_ns": duration, "level": "INFO", "service": "shop", "pid": 7,
                                           "host": "h", "thread": {"id": 1, "name": "t"}, "category": "", "name": name, "file": "a.cpp", "line": len(name), "function": "f",
                                           "msg": name, "fields": {}}) + "\n")
            trace = os.path.join(folder, "trace.ringtrace")
            ringcat("--from", "ndjson", "--to", "ringtrace", "-o", trace, path)
            printed = [json.loads(line) for line in ringcat("spans", "--format", "json", trace).splitlines()]
            self.assertEqual([(span["name"], span["depth"], span["duration_ns"]) for span in printed],
                             [("outer", 0, 30), ("middle", 1, 10), ("inner", 2, 10), ("outer", 0, 20), ("middle", 1, 20), ("inner", 2, 5)])
            document = json.loads(ringcat("report", "--json", trace))
            self.assertEqual(paths_of(document), {(0, "outer"): (2, 50, 20), (0, "outer", "middle"): (2, 30, 15), (0, "outer", "middle", "inner"): (2, 15, 15)})


class FlameGraph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trace = ReportedTrace("span_load", THREADS, SPANS)
        cls.addClassCleanup(cls.trace.close)
        cls.document = cls.trace.document()
        cls.trace.make_page()

    def test_paths_have_the_time_of_their_spans(self):
        self.assertEqual(paths_of(self.document), wanted_paths(self.trace.spans(), self.document))

    def test_stacks_have_functions_or_modules(self):
        stacks, document = self.document["flame"]["stacks"], self.document
        records = next(row["records"] for row in document["statements"] if row["text"] == "slow_step")
        self.assertEqual(stacks["stacks"], records)
        self.assertEqual(sum(total for parent, total in zip(stacks["parent"], stacks["total"]) if parent < 0), records)
        leaves = {name for name in stacks["name"] if name < 0}
        self.assertEqual([document["statements"][-1 - name]["text"] for name in leaves], ["slow_step"])
        self.assertGreater(stacks["addresses"], 0)
        self.assertTrue(any("serve" in name or "span_load" in name for name in stacks["names"]), stacks["names"])

    @unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
    def test_the_panel(self):
        window = browser.Browser()
        self.addCleanup(window.__exit__)
        window.__enter__()
        window.open(self.trace.page)
        settle = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
        rows = window.texts("#flame tbody .statement")
        self.assertEqual(sorted(rows), ["read_part", "request", "serve", "step"])
        totals = {text: (sum(each[1] for path, each in paths_of(self.document).items() if path[-1] == text)) for text in rows}
        with self.subTest("self times are sorted"):
            own = {text: (sum(each[2] for path, each in paths_of(self.document).items() if path[-1] == text)) for text in rows}
            self.assertEqual(rows, sorted(rows, key=lambda text: -own[text]))
        with self.subTest("a click on a box fills the width"):
            canvas = window.one("#flame canvas")
            window.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
            window.driver.execute_async_script(settle)
            window.run("const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new MouseEvent('click', {clientX: box.left + 5, clientY: box.top + 45, bubbles: true}))", canvas)
            window.driver.execute_async_script(settle)
            self.assertIn("Show all", window.texts("#flame .tools button"))
        with self.subTest("the address keeps what fills the width"):
            window.open(self.trace.page, window.run("return location.hash.slice(1)"))
            self.assertIn("Show all", window.texts("#flame .tools button"))
            canvas = window.one("#flame canvas")
            window.run("document.querySelectorAll('#flame .tools button')[0].click()")
            self.assertEqual(window.run("return location.hash"), "")
            window.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
            window.settle()
        with self.subTest("keys name what has the focus"):
            window.run("arguments[0].focus()", canvas)
            from selenium.webdriver.common.action_chains import ActionChains  # pylint: disable=import-outside-toplevel
            from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
            ActionChains(window.driver).send_keys(Keys.HOME, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_DOWN).perform()
            self.assertEqual(window.texts("#flame .tip b"), ["serve"])
            ActionChains(window.driver).send_keys(Keys.SPACE).perform()
            self.assertEqual(window.texts("#statements tr.selected .statement"), ["serve"])
            ActionChains(window.driver).send_keys(Keys.SPACE, Keys.ARROW_DOWN, "s").perform()
            self.assertEqual(window.texts("#flame-title"), ["Callers and callees"])
            self.assertEqual(window.texts("#flame tr.selected .statement"), ["request"])
            self.assertIn("Callers of request", window.run("return document.querySelector('#flame canvas').getAttribute('aria-label')"))
        with self.subTest("the address keeps callers and callees"):
            window.open(self.trace.page, window.run("return location.hash.slice(1)"))
            self.assertEqual((window.texts("#flame-title"), window.texts("#flame tr.selected .statement")), (["Callers and callees"], ["request"]))
            canvas = window.one("#flame canvas")
            window.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
        with self.subTest("callers are above, callees below"):
            window.driver.execute_async_script(settle)
            found = []
            for y in (9, 27, 45):
                window.run("const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + 5, clientY: box.top + arguments[1], bubbles: true}))", canvas, y)
                window.driver.execute_async_script(settle)
                found += window.texts("#flame .tip b")
            self.assertEqual(found, ["serve", "request", "step"])
        with self.subTest("a search finds names"):
            window.one("#flame input[type=search]").send_keys("READ")
            self.assertEqual(window.texts("#flame tbody .statement"), ["read_part"])
            self.assertIn("1 of 4 names", window.texts("#flame .tools [role=status]")[0])
        with self.subTest("stacks"):
            window.run("const select = document.querySelector('#flame select'); select.value = 'stacks'; select.dispatchEvent(new Event('change', {bubbles: true}))")
            window.driver.execute_async_script(settle)
            self.assertIn("addresses have the name of a function", window.texts("#flame .note")[0])
            thread = window.run("const select = document.querySelectorAll('#flame select')[1]; select.value = select.options[1].value; select.dispatchEvent(new Event('change', {bubbles: true})); return select.value")
            window.open(self.trace.page, window.run("return location.hash.slice(1)"))
            self.assertEqual(window.run("return [...document.querySelectorAll('#flame select')].map((each) => each.value)"), ["stacks", thread])
        self.assertGreater(totals["serve"], totals["read_part"])
        self.assertEqual(window.complaints(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
