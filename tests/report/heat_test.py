#!/usr/bin/env python3
"""The heat map of `ringcat report`: its data has all values of the trace, and the page shows, selects and lists them."""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from traced_processes import BOUND_S, program, wait_until

BEGIN_NS = 1_700_000_000_000_000_000


def class_of(value, shift):
    """As tools/report/README.md describes the classes."""
    if value == 0:
        return 0
    size = struct.unpack("<Q", struct.pack("<d", abs(value)))[0]
    number = (size >> 48 >> shift) + 1
    return number if value > 0 else -number


def counts_of(field):
    """The counts of a field by class and interval."""
    counts = {}
    for number, *pairs in field["classes"]:
        interval = 0
        for gap, values in zip(pairs[::2], pairs[1::2]):
            interval += gap
            counts[number, interval] = values
    return counts


class Values:
    """A trace of records whose numbers are known."""

    def __init__(self, folder):
        rows = random.Random(7)
        self.path = os.path.join(folder, "values.ndjson")
        self.numbers = {"left": [], "duration": []}
        with open(self.path, "w", encoding="utf-8") as file:
            for i in range(6000):
                time_ns = BEGIN_NS + i * 1_000_000
                left = rows.choice([0, rows.randrange(-500, 0), rows.randrange(1, 5), rows.randrange(1, 100_000)])
                duration = int(rows.lognormvariate(14, 1)) + (200_000_000 if i % 500 == 0 else 0)
                self.numbers["left"].append((time_ns - BEGIN_NS, left))
                self.numbers["duration"].append((time_ns - BEGIN_NS, duration))
                file.write(json.dumps({"time": time_ns, "level": "info", "service": "shop", "msg": "request", "left": left, "duration_ns": duration}) + "\n")
                if i % 10 == 0:
                    file.write(json.dumps({"time": time_ns, "level": "info", "service": "shop", "msg": "<i>other</i>", "celsius": rows.gauss(40, 3)}) + "\n")


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


class HeatData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-heat-")
        cls.addClassCleanup(folder.cleanup)
        cls.values = Values(folder.name)
        cls.document = json.loads(ringcat("report", "--json", cls.values.path))
        cls.fields = {field.get("name", "duration"): field for field in cls.document["heat"]["fields"]}

    def test_each_value_is_counted_in_its_class_and_interval(self):
        for name, numbers in self.values.numbers.items():
            field, wanted = self.fields[name], {}
            for time_ns, value in numbers:
                place = class_of(value, field["shift"]), int(time_ns // self.document["summary"]["interval_ns"])
                wanted[place] = wanted.get(place, 0) + 1
            self.assertEqual(counts_of(field), wanted, name)
            self.assertEqual((field["values"], field["least"], field["most"]),
                             (len(numbers), min(value for _, value in numbers), max(value for _, value in numbers)))

    def test_fields_belong_to_their_statements(self):
        texts = [row["text"] for row in self.document["statements"]]
        self.assertEqual({name: texts[field["statement"]] for name, field in self.fields.items()},
                         {"left": "request", "duration": "request", "celsius": "<i>other</i>"})
        self.assertEqual(self.document["heat"]["further_fields"], 0)

    def test_values_that_are_not_finite_are_counted_apart(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-heat-") as folder:
            path = os.path.join(folder, "large.ndjson")
            with open(path, "w", encoding="utf-8") as file:
                for i, number in enumerate(["1.5", "1e999", "2.5", "-1e308"]):
                    file.write(f'{{"time": {BEGIN_NS + i}, "msg": "size", "number": {number}}}\n')
            field, = json.loads(ringcat("report", "--json", path))["heat"]["fields"]
        self.assertEqual((field["values"], field["not_finite"], field["least"], field["most"]), (3, 1, -1e308, 2.5))

    def test_a_trace_of_many_fields_is_bounded(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-heat-") as folder:
            path, rows = os.path.join(folder, "many.ndjson"), random.Random(3)
            with open(path, "w", encoding="utf-8") as file:
                for i in range(20_000):
                    numbers = {f"n{k}": rows.lognormvariate(0, 100) * rows.choice([-1, 1]) for k in range(20)}
                    file.write(json.dumps({"time": BEGIN_NS + i * 1_000_000, "msg": f"statement {i % 4}", **numbers}) + "\n")
            heat = json.loads(ringcat("report", "--json", path))["heat"]
        self.assertEqual((len(heat["fields"]), heat["further_fields"]), (64, 16))
        self.assertLessEqual(sum(len(counts_of(field)) for field in heat["fields"]), 600_000)
        for field in heat["fields"]:
            self.assertEqual(sum(counts_of(field).values()), 5000)
            self.assertGreater(field["shift"], 0)


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class HeatPanel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-heat-")
        cls.addClassCleanup(folder.cleanup)
        cls.values = Values(folder.name)
        cls.page = os.path.join(folder.name, "report.html")
        ringcat("report", "-o", cls.page, cls.values.path)

    def opened(self, fragment="", **how):
        window = browser.Browser(**how)
        self.addCleanup(window.__exit__)
        window.__enter__()
        window.open(self.page, fragment)
        return window

    def status(self, window):
        return window.texts("#heat [role=status]")[0]

    def drag(self, window, begin, end):
        """With the mouse, from and to a part of the width and the height of the picture."""
        from selenium.webdriver.common.action_chains import ActionChains  # pylint: disable=import-outside-toplevel
        over = window.one("#heat .u-over")
        window.run("arguments[0].scrollIntoView({block: 'center'})", over)
        width, height = over.size["width"], over.size["height"]
        at = [(int((x - 0.5) * width), int((y - 0.5) * height)) for x, y in (begin, end)]
        (ActionChains(window.driver).move_to_element_with_offset(over, *at[0]).click_and_hold()
         .move_to_element_with_offset(over, *at[1]).release().perform())

    def count(self, window):
        return int(self.status(window).split()[0].replace(",", ""))

    def test_the_durations_are_shown_first_with_their_quantiles(self):
        window = self.opened()
        self.assertTrue(self.status(window).startswith("6,000 values, p50 "), self.status(window))
        self.assertEqual(window.run("return document.querySelector('#heat option:checked').textContent"), "duration of request (6,000)")
        shown = float(self.status(window).split("p50 ")[1].split()[0])
        numbers = sorted(value for _, value in self.values.numbers["duration"])
        self.assertAlmostEqual(shown / (numbers[2999] / 1e6), 1, delta=0.04)
        self.assertEqual(window.complaints(), [])

    def test_cells_are_drawn(self):
        window = self.opened()
        colours = window.run("""const canvas = document.querySelector('#heat canvas');
          const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          const seen = new Set();
          for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
          return seen.size;""")
        self.assertGreater(colours, 12)

    def test_a_drag_selects_time_and_values_and_the_address_keeps_it(self):
        window = self.opened()
        self.drag(window, (0.25, 0.05), (0.5, 0.5))
        text = self.status(window)
        self.assertIn("selected values from", text)
        fragment = window.run("return location.hash.slice(1)")
        self.assertRegex(fragment, r"^t=[\d%C.]+&h=\d&v=[\d%C.]+$")
        view = dict(part.split("=") for part in fragment.replace("%2C", ",").split("&"))
        time, values = ([float(each) for each in view[name].split(",")] for name in "tv")
        self.assertAlmostEqual(time[0] / 6e9, 0.25, delta=0.02)
        self.assertAlmostEqual(time[1] / 6e9, 0.5, delta=0.02)
        wanted = sum(time[0] <= at < time[1] and values[0] <= value < values[1] for at, value in self.values.numbers["duration"])
        self.assertEqual(self.count(window), wanted)
        self.assertGreater(wanted, 100)
        window.open(self.page, fragment)
        self.assertEqual(self.status(window), text)

    def test_a_selection_can_be_removed(self):
        window = self.opened("t=1000000000,2000000000")
        self.assertIn("selected values", self.status(window))
        window.one("#heat .tools button").click()
        self.assertEqual(self.count(window), 6000)
        self.assertEqual(window.run("return location.hash"), "")

    def test_arrow_keys_select(self):
        from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
        window = self.opened()
        chart = window.one("#heat .heat-chart")
        chart.send_keys(Keys.ARROW_RIGHT)
        first = self.count(window)
        chart.send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)
        self.assertGreater(self.count(window), first)
        chart.send_keys(Keys.ARROW_DOWN)
        self.assertRegex(window.run("return location.hash"), "v=")
        chart.send_keys(Keys.ESCAPE)
        self.assertEqual(self.count(window), 6000)

    def test_the_list_has_the_fields_of_selected_statements(self):
        window = self.opened()
        self.assertEqual(len(window.all("#heat option")), 3)
        rows = window.texts("#statements .statement")
        window.all("#statements tbody tr:not(.space)")[rows.index("<i>other</i>")].click()
        self.assertEqual(window.texts("#heat option"), ["celsius of <i>other</i> (600)"])
        self.assertEqual(self.count(window), 600)

    def test_another_field_can_be_chosen(self):
        window = self.opened()
        window.run("const list = document.querySelector('#heat select'); list.value = [...list.options].find((each) => each.text.startsWith('left')).value;"
                   "list.dispatchEvent(new Event('change', {bubbles: true}))")
        window.run("document.querySelector('#heat summary').click()")
        self.assertRegex(self.status(window), "^6,000 values, p50 ")
        ticks = window.run("return document.querySelector('#heat canvas') !== null")
        self.assertTrue(ticks)
        self.assertEqual(window.complaints(), [])

    def test_the_table_has_the_numbers_of_the_picture(self):
        window = self.opened()
        window.one("#heat details summary").click()
        rows = window.run("return [...document.querySelectorAll('#heat tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
        self.assertLessEqual(len(rows), 32)
        self.assertEqual(sum(int(row[1].replace(",", "")) for row in rows), 6000)
        wanted = rows[3][1]
        window.all("#heat tbody button")[3].click()
        self.assertEqual(self.status(window).split()[0], wanted)

    def test_records_are_those_of_the_selected_values(self):
        fields = json.loads(ringcat("report", "--json", self.values.path))["heat"]["fields"]
        for name, least, most in (("left", 100, 5000), ("left", -201, 0), ("duration", 10**6, 10**7)):
            number, = [i for i, field in enumerate(fields) if field.get("name", "duration") == name]
            window = self.opened(f"h={number}&v={least},{most}")
            # The heat map has whole classes: all values in the range, and the others in the classes at its ends.
            expected = sum(least <= value <= most for _, value in self.values.numbers[name])
            self.assertGreater(expected, 50)
            self.assertGreaterEqual(self.count(window), expected)
            self.assertTrue(window.texts("#records .tools [role=status]")[0].startswith(f"{self.count(window):,} of "), window.texts("#records .tools [role=status]"))

    def test_the_panel_fits_a_telephone(self):
        window = self.opened(width=390, height=844)
        self.assertLessEqual(window.run("return document.documentElement.scrollWidth"), 390)
        self.assertLessEqual(window.run("return document.querySelector('#heat canvas').getBoundingClientRect().right"), 390)


if __name__ == "__main__":
    unittest.main(verbosity=2)
