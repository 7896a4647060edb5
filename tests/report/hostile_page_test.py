#!/usr/bin/env python3
"""A report of a trace with hostile names and messages: nothing of it becomes an element or a program, the layout holds, and the page
requests nothing."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from page_layout import Layout
from shown_page import ShownPage
from traced_processes import BOUND_S, TestBed, program, wait_until

ATTACKS = [
    "</script><script>window.executed = 1</script>",
    "<img src=x onerror='window.executed = 1'>",
    "<svg onload=window.executed=1>",
    "\"><iframe src='javascript:parent.executed=1'></iframe>",
    "<!--report-data--><!-- <script> -->",
    "javascript:window.executed=1",
    "<style>body{display:none}</style><base href='http://example.invalid/'>",
    "<link rel=stylesheet href='http://example.invalid/a.css'><form action='http://example.invalid/'>",
    "${window.executed = 1} `${window.executed = 1}`",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07 \x9b2J",
    "\u202ereversed\u202c \u2066isolated\u2069 \u200f\u200ezero\u200bwidth\ufeff",
    "\u2028line\u2029separators\x00null\r\n\ttabs",
    "x" * 1_000_000,
    "wide " * 2000,
    "a\u0300" * 5000,
    "\U0001F600\u200d" * 500,
    "__proto__",
    "constructor",
    "NaN",
    "Infinity",
    "]]>&lt;&#x3c;img&gt;%3Cscript%3E",
    "\\u003cscript\\u003e \\\",\n{}[]\",\n",
    "\ud800alone\udfff \udc00\ud800",
    "\u202e\u2067" * 170_000,
    "\U0001F600" * 250_000,
    "",
]
# As they are in the file, and as the page shows them. A number beyond the greatest one is infinite.
NUMBERS = {"NaN": "NaN", "1e400": "Infinity", "-1e400": "-Infinity", "-0.0": "-0", "1e308": "1e+308", "-1e308": "-1e+308", "5e-324": "5e-324", "0.1": "0.1"}
WHOLE_NUMBERS = ["18446744073709551615", "-9223372036854775808", "9007199254740993"]
TIMES = [1, 2**62, 2**63 - 1]  # ns since 1970: until 2262
CONTROLS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\x1b\x9b\x00"
ACTIVITY = "4bf92f3577b34da6a3ce929d0e0e4736"
# Elements of the page itself; also those of the libraries that panels use.
EXPECTED_ELEMENTS = {"A", "B", "BDI", "BODY", "BUTTON", "CANVAS", "DETAILS", "DIV", "H1", "H2", "H3", "HEAD", "HEADER", "HTML", "INPUT", "LABEL", "LI", "LINK",
                     "MAIN", "META", "NOSCRIPT", "OL", "OPTION", "P", "SCRIPT", "SECTION", "SELECT", "SPAN", "STYLE", "SUMMARY", "TABLE", "TBODY", "TD", "TH",
                     "THEAD", "TITLE", "TR", "UL", "code", "path", "svg", "rect", "g", "line", "text"}


def lines():
    """Records, spans of an activity and losses, as `ringcat --format json` prints them."""
    at = 1_760_000_000_000_000_000
    for number, attack in enumerate(ATTACKS):
        origin = {"service": attack[:200] or "service", "pid": number + 1, "host": attack[:60], "thread": {"id": number + 1, "name": attack[:300]}}
        where = {"category": attack[:5000], "file": attack[:5000], "line": number, "function": attack[:5000], "name": attack[:5000]}
        fields = {"text": attack, attack[:500] or "empty": attack[:500], "number": 2**63 - number, "list": [attack[:100], "NaN"], "nan": "NaN"}
        for level in ("INFO", "ERROR"):
            at += 1000
            yield {"kind": "record", "unix_ns": at, "level": level, **origin, **where, "msg": f"message {attack}", "fields": fields}
        yield {"kind": "record", "unix_ns": at + 10, "level": "INFO", **origin, **where, "site_kind": "span", "msg": f"span {attack}", "fields": fields,
               "activity": ACTIVITY, "duration_ns": 500}
        yield {"kind": "loss", "unix_ns": at + 20, "since_unix_ns": at + 10, "count": 5, "cause": "ring_full", **origin, "sequence": 3}


def number_lines():
    """Numbers that are not finite, extreme ones, and extreme times and durations."""
    origin = {"service": "numbers", "pid": 1, "host": "h", "thread": {"id": 1, "name": "t"}, "category": "", "file": "a.cpp", "function": "f", "level": "INFO"}
    numbers = [*NUMBERS, *WHOLE_NUMBERS]
    for number, text in enumerate(numbers):
        record = {"kind": "record", "unix_ns": 2**60 + number, **origin, "line": 1 + (text in WHOLE_NUMBERS), "name": "measured", "msg": "measured", "site_kind": "event",
                  "fields": {"value": "@", "list": ["@", "@"]}}
        yield json.dumps(record).replace('"@"', text) + "\n"
    for at in TIMES:
        for duration in (None, 0, 2**62, 2**63 - 1):
            span = {} if duration is None else {"site_kind": "span", "duration_ns": duration}
            yield json.dumps({"kind": "record", "unix_ns": at, **origin, "line": 3, "name": "long", "msg": "long", "fields": {}, **span}) + "\n"


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class HostilePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        # Bytes that are not UTF-8 come from a service: JSON has none.
        running = cls.bed.start_service(which="typed_events", service="typed")
        assert running.wait() == 0
        cls.bed.run_consumer_once()
        path = os.path.join(cls.bed.work_dir, "hostile.ndjson")
        with open(path, "w", encoding="utf-8") as file:
            for number, line in enumerate(lines()):
                text = json.dumps(line, ensure_ascii=False)
                # Lone surrogates are not UTF-8: they must be escaped.
                is_utf8 = not set(text) & set("\ud800\udfff\udc00")
                file.write((text if number % 2 and is_utf8 else json.dumps(line)) + "\n")
        cls.page = os.path.join(cls.bed.work_dir, "report.html")
        done = subprocess.run([program("ringcat"), "report", "-o", cls.page, "--title", "".join(ATTACKS[:3]), cls.bed.output_dir, path],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        assert done.returncode == 0, done.stderr

        path = os.path.join(cls.bed.work_dir, "numbers.ndjson")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(number_lines())
        cls.numbers = os.path.join(cls.bed.work_dir, "numbers.html")
        subprocess.run([program("ringcat"), "report", "-o", cls.numbers, path], capture_output=True, timeout=BOUND_S, check=True)

    def opened(self, fragment="", page=None, **how):
        window = browser.Browser(**how)
        self.addCleanup(window.__exit__)
        window.__enter__()
        window.open(page or self.page, fragment)
        return window

    def check(self, window, width):
        self.assertIsNone(window.run("return window.executed || null"))
        self.assertEqual(window.complaints(), [])
        self.assertEqual([url for url in window.requests() if not url.startswith(("file://" + self.page, "data:,", "about:"))], [])
        Layout(window).assert_it_holds(self, width)
        # Texts and attributes, such as titles and labels, have no characters that change the order of others.
        self.assertEqual(window.run(
            "const controls = new RegExp(`[${arguments[0]}]`, 'u'), found = [], texts = document.createTreeWalker(document.getElementById('report'), NodeFilter.SHOW_ALL);"
            "while (texts.nextNode()) { const node = texts.currentNode; const parts = node.nodeType === 1 ? [...node.attributes].map((each) => each.value) : [node.nodeValue];"
            " found.push(...parts.filter((each) => controls.test(each))); } return found", CONTROLS), [])
        names = set(window.run("return [...document.querySelectorAll('*')].map((each) => each.tagName)"))
        self.assertEqual(names - EXPECTED_ELEMENTS, set())
        # The only scripts are those of the page, and nothing has a handler in its text.
        self.assertEqual(window.run("return [...document.querySelectorAll('*')].filter((each) => [...each.attributes].some("
                                    "(one) => one.name.startsWith('on') || (['href', 'src', 'action', 'srcdoc', 'xlink:href'].includes(one.name) && "
                                    "!one.value.startsWith('data:')))).length"), 0)
        self.assertEqual(window.run("return [...document.querySelectorAll('#report script, #report style, #report link, #report a[href^=\"http\"]')].length"), 0)

    def test_nothing_executes_and_the_layout_holds(self):
        for width in (1280, 390):
            with self.subTest(width=width):
                window = self.opened(width=width)
                self.assertTrue(window.texts("#records tbody tr:not(.space)"))
                self.check(window, width)

    def test_all_that_is_shown_of_a_record_is_text(self):
        window = self.opened(fragment=f"request={ACTIVITY}")
        self.assertTrue(window.texts(".waterfall tbody tr"))
        # With the losses.
        count = int(window.run("return document.querySelector('#records .records').getAttribute('aria-rowcount')")) - 1
        self.assertGreater(count, 4 * len(ATTACKS) - 4)
        for record in range(0, count, 3):
            window.run("location.hash = arguments[0]", f"r={record}&request={ACTIVITY}")
        for record in (0, count // 3, count // 2, count - 1):
            window.run("location.hash = arguments[0]", f"r={record}&request={ACTIVITY}")
            browser_rows = window.run("return new Promise((resolve) => setTimeout(() => resolve(document.querySelectorAll('.members tr').length), 50))")
            self.assertGreater(browser_rows, 5)
        self.check(window, 1280)

    def test_characters_that_change_the_order_are_visible(self):
        window = self.opened(fragment="w=" + "msg%20%3D~%20%22reversed%22%20%7C%7C%20msg%20%3D~%20%22red%22")
        from selenium.webdriver.support.ui import WebDriverWait  # pylint: disable=import-outside-toplevel
        WebDriverWait(window.driver, BOUND_S).until(lambda _: "…" not in window.texts("#records [role=status]")[0])
        shown = " ".join(window.texts("#records td.message"))
        self.assertIn("\\u202ereversed", shown)
        self.assertIn("\\u001b[31mred", shown)
        self.assertFalse(set(shown) & set("\u202e\u202c\u2066\u2069\u200f\x1b\x9b"))

    def test_the_fragment_of_the_address_is_text(self):
        for attack in ("w=%3Cimg%20src%3Dx%20onerror%3Dwindow.executed%3D1%3E", "r=1e9&row=-5&s=99999999&t=5,1&request=__proto__", "sort=__proto__&q=%3Cscript%3E",
                       "w=msg%20%3D~%20%22(a%2B)%2B%24%22", "r=999999999&row=999999999"):
            with self.subTest(fragment=attack):
                window = self.opened(fragment=attack)
                self.assertTrue(window.texts("#records h2"))
                self.check(window, 1280)

    def test_numbers_are_texts_as_they_are(self):
        for width in (1280, 390):
            with self.subTest(width=width):
                window = self.opened(page=self.numbers, width=width)
                self.assertTrue(window.texts("#records tbody tr:not(.space)"))
                Layout(window).assert_it_holds(self, width)
                self.assertEqual(window.complaints(), [])
        window.run("document.querySelector('#records .records').scrollTop = 0")
        rows = window.run("return [...document.querySelectorAll('#records tbody tr:not(.space)')].map((row) => [row.querySelector('td.message').textContent, row.querySelector('td.fields').textContent, row.id])")
        shown = [row for row in rows if row[0].startswith("measured")]
        wanted = [*NUMBERS.values(), *WHOLE_NUMBERS]
        self.assertEqual([row[1].split(" ")[0] for row in shown], [f"value={text}" for text in wanted])
        for text, (_, _, row) in zip(wanted, shown):
            window.run("document.getElementById(arguments[0]).click()", row)
            window.settle()
            members = dict(window.run("return [...document.querySelectorAll('.members tr')].map((row) => [...row.children].map((cell) => cell.textContent))"))
            self.assertEqual(members["fields.value"], text)
        status = window.texts("#heat option")
        self.assertTrue(any(text.startswith("value of measured") for text in status), status)

    def test_numbers_that_are_not_finite_are_counted_apart(self):
        window = self.opened(page=self.numbers)
        field = window.run("const option = [...document.querySelectorAll('#heat option')].find((each) => each.textContent === 'value of measured (5)'); return option?.value")
        self.assertIsNotNone(field, window.texts("#heat option"))
        window.run("location.hash = `h=${arguments[0]}`", field)
        status = wait_until(lambda: next((text for text in window.texts("#heat [role=status]") if text.startswith("5 values")), None), "the field")
        self.assertIn("; 3 more are NaN or infinite", status)
        self.assertNotRegex(status, "NaN[^ ]|undefined")

    def test_lone_surrogates_are_replaced(self):
        window = self.opened(fragment="w=msg%20%3D~%20%22alone%22")
        from selenium.webdriver.support.ui import WebDriverWait  # pylint: disable=import-outside-toplevel
        WebDriverWait(window.driver, BOUND_S).until(lambda _: "…" not in window.texts("#records [role=status]")[0])
        shown = [text for _, _, _, text in ShownPage(window).records() if "alone" in text]
        self.assertEqual(len(shown), 3)
        for text in shown:
            self.assertRegex(text, "\ufffdalone\ufffd+ \ufffd+")
        self.check(window, 1280)

    def test_the_page_is_small_although_texts_are_long(self):
        self.assertLess(os.path.getsize(self.page), 10_000_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
