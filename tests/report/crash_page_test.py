#!/usr/bin/env python3
"""The report of a service that has crashed shows what `ringcat crash` says: signal, reason, stack, and the last records."""

import json
import signal
import unittest

import browser
from reported_trace import ringcat
from shown_page import ShownPage, moment_text, wanted_records, wanted_statements
from traced_processes import TestBed


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class CrashPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        service = cls.bed.start_service(which="example_crash", service="shop<b>")
        assert service.wait() == -signal.SIGSEGV, service.stderr()
        cls.bed.run_consumer_once()
        cls.told, = [json.loads(line) for line in ringcat("crash", "--format", "json", *cls.bed.traces()).splitlines()]
        cls.crash, = cls.told["crashes"]
        cls.page = f"{cls.bed.work_dir}/report.html"
        ringcat("report", "-o", cls.page, *cls.bed.traces())

    def setUp(self):
        window = browser.Browser()
        self.addCleanup(window.__exit__)
        self.window = window.__enter__()
        window.open(self.page)
        self.shown = ShownPage(window)

    def test_the_banner_names_the_signal_and_its_reason(self):
        crash, thread = self.crash, self.crash["thread"]
        self.assertEqual(self.shown.marks()["✗"],
                         [f"1 crash: {self.told['service']} {self.told['pid']} {thread['name']} {thread['id']}: {crash['signal_name']}, {crash['reason']}"])
        self.assertEqual(self.window.complaints(), [])

    def test_the_banner_leads_to_the_record(self):
        self.window.one("#health .mark.bad button").click()
        self.window.settle()
        members = dict(self.window.run("return [...document.querySelectorAll('#records .members tr')].map((row) => [...row.children].map((cell) => cell.textContent))"))
        self.assertEqual((members["time"], members["name"]), (self.crash["time"], "ringside.crash"))
        for name in ("signal", "signal_name", "reason", "code", "address", "pc", "sp"):
            self.assertEqual(members[f"fields.{name}"], str(self.crash[name]))

    def test_the_records_are_those_of_ringcat(self):
        events = [json.loads(line) for line in ringcat("--format", "json", *self.bed.traces()).splitlines()]
        self.assertEqual(self.shown.records(), wanted_records(events))
        stats = json.loads(ringcat("stats", "--format", "json", *self.bed.traces()))
        self.assertEqual(sorted(row[:6] for row in self.shown.statements()), sorted(wanted_statements(stats)))
        last = [(moment_text(record["time"])[11:], record["level"], record["msg"]) for thread in self.told["threads"] for record in thread["last_records"]]
        self.assertEqual([(row[0], row[1], row[3]) for row in self.shown.records()][:len(last)], last)
        self.assertEqual([message for _, _, message in last], ["started", "looking at an order"])

    def test_the_flame_graph_has_the_stack_with_names_of_functions(self):
        stack = [frame["functions"][-1]["name"] for frame in reversed(self.crash["stack"])]
        self.assertIn("main", stack)
        self.assertEqual({name: number for name, (_, _, number) in self.shown.functions().items()}, {name: "1" for name in (*stack, "ringside.crash")})
        # From the root to the leaf, by the arrow keys.
        path = self.window.driver.execute_async_script(
            "const [count, done] = arguments, canvas = document.querySelector('#flame canvas'), found = [];"
            "const step = async () => { for (let i = 0; i < count; ++i) {"
            " canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true})); await new Promise((resolve) => setTimeout(resolve, 20));"
            " found.push(document.querySelector('#flame .tip b').textContent); } done(found); }; step();", len(stack) + 1)
        self.assertEqual(path, [*stack, "ringside.crash"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
