#!/usr/bin/env python3
"""The timeline of a report has the spans that `ringcat spans` prints; of too many it says exactly which are left out."""

import collections
import json
import os
import time
import unittest

import browser
from reported_trace import ReportedTrace, pairs, sums
from traced_processes import wait_until

THREADS, SPANS = 2, 150_000


def begin_of(document):
    return int(document["summary"]["begin_unix_ns"])


def drawn(document):
    """(thread or task, begin, duration, row, text) of each span that is drawn."""
    found = []
    for track in document["timeline"]["tracks"]:
        spans = track["spans"]
        name = track.get("name", document["summary"]["streams"][track["stream"]]["thread_id"])
        for begin, duration, statement, row in zip(sums(spans["begin"]), spans["duration"], spans["statement"], spans["row"]):
            found.append((name, begin, duration, row, document["statements"][statement]["text"]))
    return found


def printed(trace, document):
    """The same of `ringcat spans`."""
    return [(span.get("context", {}).get("task", span["thread"]["id"]), span["unix_ns"] - begin_of(document), -1 if span["open"] else span["duration_ns"],
             span["depth"], span["name"]) for span in trace.spans()]


class FewSpans(unittest.TestCase):
    maxDiff = 2000

    def traced(self, *arguments, **how):
        trace = ReportedTrace(*arguments, **how)
        self.addCleanup(trace.close)
        return trace

    def assert_complete(self, trace):
        document = trace.document()
        self.assertEqual(sorted(drawn(document), key=str), sorted(printed(trace, document), key=str))
        timeline = document["timeline"]
        self.assertEqual((timeline["drawn_spans"], timeline["drawn_instants"]), (timeline["spans"], timeline["instants"]))
        for track in timeline["tracks"]:
            self.assertNotIn("over_time", track["spans"])
        return document

    def test_nested_spans_have_their_rows(self):
        document = self.assert_complete(self.traced("example_spans"))
        self.assertEqual(document["timeline"]["tracks"][0]["spans"]["rows"], 3)

    def test_tasks_have_tracks(self):
        document = self.assert_complete(self.traced("example_tasks"))
        self.assertEqual(sorted((track["kind"], track["name"]) for track in document["timeline"]["tracks"]), [("task", f"order {i}") for i in (7, 8, 9)])

    def test_spans_without_an_end_are_open(self):
        path = os.path.join("/tmp", f"ringside-test-account-{os.getpid()}")
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))

        def kill_when(service):
            wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the account")
            time.sleep(0.3)
            self.assertTrue(service.running())

        trace = self.traced("open_spans_service", path, 3, 100_000, 1, "paced", service="spans", ring_bytes=1 << 16, kill_when=kill_when)
        document = self.assert_complete(trace)
        self.assertGreater(document["timeline"]["open_spans"], 0)
        self.assertEqual(document["timeline"]["open_spans"], sum(span["open"] for span in trace.spans()))

    def test_counters_are_series(self):
        trace = self.traced("example_spans")
        series = {each["field"]: each for each in trace.document()["series"]["series"]}
        self.assertTrue(series["waiting"]["is_counter"])
        numbers = series["waiting"]["over_time"]
        self.assertEqual((sum(numbers[1::5]), min(numbers[2::5]), max(numbers[3::5])), (3, 1, 2))
        self.assertFalse(series["bytes"]["is_counter"])
        self.assertNotIn("ringside.span", series)


class ManySpans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trace = ReportedTrace("span_load", THREADS, SPANS)
        cls.addClassCleanup(cls.trace.close)
        cls.document = cls.trace.document()
        cls.timeline = cls.document["timeline"]
        cls.printed = printed(cls.trace, cls.document)

    def test_all_long_spans_are_drawn(self):
        least = self.timeline["least_duration_ns"]
        self.assertGreater(least, 0)
        self.assertEqual(self.timeline["spans"], len(self.printed))
        self.assertLess(self.timeline["drawn_spans"], self.timeline["spans"])
        long = collections.Counter(span for span in self.printed if span[2] >= least)
        self.assertEqual(collections.Counter(span for span in drawn(self.document) if span[2] >= least), long)

    def test_drawn_spans_are_spans_of_the_trace(self):
        ours = collections.Counter(drawn(self.document))
        self.assertEqual(sum(ours.values()), self.timeline["drawn_spans"])
        self.assertEqual(ours - collections.Counter(self.printed), collections.Counter())

    def test_nothing_is_missing_where_a_track_is_complete(self):
        begins = collections.defaultdict(list)
        for thread, begin, *_ in self.printed:
            begins[thread].append(begin)
        short = 0
        for track in self.timeline["tracks"]:
            thread = self.document["summary"]["streams"][track["stream"]]["thread_id"]
            ours, bounds = sums(track["spans"]["begin"]), sums(track["spans"]["complete"])
            for from_ns, to_ns in zip(bounds[::2], bounds[1::2]):
                here = [begin for begin in ours if from_ns <= begin < to_ns]
                self.assertEqual(here, sorted(begin for begin in begins[thread] if from_ns <= begin < to_ns))
                short += len(here)
        self.assertGreater(short, 1000)

    def test_spans_that_are_left_out_are_counted(self):
        interval = self.document["summary"]["interval_ns"]
        for track in self.timeline["tracks"]:
            thread = self.document["summary"]["streams"][track["stream"]]["thread_id"]
            counts = collections.Counter(begin // interval for name, begin, *_ in self.printed if name == thread)
            self.assertEqual(pairs(track["spans"]["over_time"]), dict(counts))
            # Each thread is within one span from its begin to its end.
            longest = max(span[2] for span in self.printed if span[0] == thread)
            self.assertEqual(sum(track["spans"]["busy"][1::2]), longest)

    def test_a_page_is_small(self):
        page = self.trace.make_page()
        self.assertLess(os.path.getsize(page), 4_000_000)


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class TimelinePanel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.many = ReportedTrace("span_load", THREADS, SPANS)
        cls.addClassCleanup(cls.many.close)
        cls.many.make_page()
        cls.few = ReportedTrace("example_spans")
        cls.addClassCleanup(cls.few.close)
        cls.few.make_page()

    def opened(self, trace, fragment="", **how):
        window = browser.Browser(**how)
        self.addCleanup(window.__exit__)
        window.__enter__()
        window.open(trace.page, fragment)
        self.canvas = window.one("#timeline canvas")
        window.run("arguments[0].scrollIntoView({block: 'center'})", self.canvas)
        self.settle(window)
        return window

    def settle(self, window):
        """Waits until the next frame has been drawn."""
        window.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def keys(self, window, *keys):
        from selenium.webdriver.common.action_chains import ActionChains  # pylint: disable=import-outside-toplevel
        window.run("arguments[0].focus()", self.canvas)
        ActionChains(window.driver).send_keys(*keys).perform()
        self.settle(window)

    def pixels(self, window, name):
        """How many pixels of the canvas have the colour `name`: of the palette, or a variable of the page's style."""
        return window.run(
            "const probe = document.createElement('canvas').getContext('2d');"
            "probe.fillStyle = arguments[1].startsWith('--') ? getComputedStyle(document.documentElement).getPropertyValue(arguments[1]).trim() : arguments[1];"
            "probe.fillRect(0, 0, 1, 1); const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;"
            "const canvas = arguments[0], data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
            "let number = 0; for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) ++number;"
            "return number", self.canvas, name)

    def pointer(self, window, kind, x, y, **more):
        window.run("const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new PointerEvent(arguments[1],"
                   "{clientX: box.left + arguments[2], clientY: box.top + arguments[3], bubbles: true, pointerId: 1, ...arguments[4]}))",
                   self.canvas, kind, x, y, more)
        self.settle(window)

    def place_of(self, window, colour):
        """A point within the widest run of pixels of a colour, in pixels of the page."""
        return window.run(
            "const canvas = arguments[0], {width, height} = canvas, data = canvas.getContext('2d').getImageData(0, 0, width, height).data;"
            "const wanted = [1, 3, 5].map((i) => parseInt(arguments[1].slice(i, i + 2), 16)); let best = [0, 0, 0];"
            "for (let y = 0; y < height; ++y) for (let x = 0, length = 0; x < width; ++x) {"
            " const at = 4 * (y * width + x); length = wanted.every((each, i) => data[at + i] === each) ? length + 1 : 0;"
            " if (length > best[0]) best = [length, x - length / 2, y]; }"
            "return [best[1] * canvas.clientWidth / width, best[2] * canvas.clientHeight / height]", self.canvas, colour)

    def range(self, window):
        return window.texts("#timeline .range")[0]

    def test_the_page_says_what_is_left_out(self):
        window = self.opened(self.many)
        timeline = self.many.document()["timeline"]
        self.assertIn(f"{timeline['spans'] - timeline['drawn_spans']:,} of {timeline['spans']:,} spans are left out", window.texts("#timeline .left-out")[0])
        self.assertEqual(window.complaints(), [])
        self.assertGreater(self.pixels(window, "--good"), 10, "parts that are complete")
        few = self.opened(self.few)
        self.assertEqual(few.all("#timeline .left-out"), [])

    def test_keys_zoom_to_nanoseconds_and_back(self):
        window = self.opened(self.many)
        whole = self.range(window)
        self.keys(window, *("w" * 60))
        self.assertEqual(self.range(window), "10 ns shown")
        self.keys(window, *("-" * 3))
        self.assertEqual(self.range(window), "33.8 ns shown")
        self.keys(window, "d", "a")
        from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
        self.keys(window, Keys.HOME)
        self.assertEqual(self.range(window), whole)

    def test_the_wheel_zooms_at_the_pointer(self):
        window = self.opened(self.few)
        whole = self.range(window)
        window.run("arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -100, clientX: 700, clientY: 300, cancelable: true, bubbles: true}))", self.canvas)
        self.settle(window)
        self.assertEqual(self.range(window), whole, "without focus the page scrolls")
        window.run("arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -100, ctrlKey: true, clientX: 700, clientY: 300, cancelable: true, bubbles: true}))", self.canvas)
        self.settle(window)
        self.assertNotEqual(self.range(window), whole)

    def test_hover_names_a_span_and_a_click_selects_its_statement(self):
        window = self.opened(self.few)
        document = self.few.document()
        serve = next(i for i, row in enumerate(document["statements"]) if row["text"] == "serve")
        colour = ["#e69f00", "#56b4e9", "#3fbf93", "#f0e442", "#8fb4e0", "#ea8a55", "#d99abf", "#b9b9b9"][serve]
        x, y = self.place_of(window, colour)
        self.pointer(window, "pointermove", x, y)
        self.assertEqual(window.texts("#timeline .tip b"), ["serve"])
        self.assertIn("serve, ", window.texts("#timeline [role=status]")[0])
        before = self.pixels(window, "#56b4e9")
        self.pointer(window, "pointerdown", x, y)
        self.pointer(window, "pointerup", x, y)
        self.assertEqual(window.run("return location.hash"), f"#s={serve}")
        self.assertEqual(window.texts("tr.selected .statement"), ["serve"])
        self.assertLess(self.pixels(window, "#56b4e9"), before / 10, "other statements are dim")

    def test_hover_shows_the_fields_of_the_record(self):
        window = self.opened(self.few)
        self.keys(window, ".", ".")
        self.assertEqual(window.texts("#timeline .tip b"), ["handle_get"])
        begin = int(self.few.document()["summary"]["begin_unix_ns"])
        first = next(span for span in self.few.spans() if span["name"] == "handle_get")
        self.assertGreater(first["unix_ns"], begin)
        self.assertNotEqual(first["fields"], {})
        lines = window.texts("#timeline .tip div")
        for name, value in first["fields"].items():
            self.assertIn(f"{name} = {value if isinstance(value, str) else json.dumps(value)}", lines)

    def test_two_fingers_zoom(self):
        window = self.opened(self.few)
        whole = self.range(window)
        for kind, finger, x in (("pointerdown", 1, 500), ("pointerdown", 2, 600), ("pointermove", 1, 400), ("pointermove", 2, 800)):
            self.pointer(window, kind, x, 200, pointerId=finger, pointerType="touch")
        zoomed = self.range(window)
        self.assertNotEqual(zoomed, whole)
        # A finger that stays neither moves nor clicks.
        self.pointer(window, "pointerup", 800, 200, pointerId=2, pointerType="touch")
        self.pointer(window, "pointermove", 300, 200, pointerId=1, pointerType="touch")
        self.pointer(window, "pointerup", 300, 200, pointerId=1, pointerType="touch")
        self.assertEqual(self.range(window), zoomed)
        self.assertNotIn("s=", window.run("return location.hash"))
        # The times under the fingers stay there: a quarter of the width, so a quarter of the time.
        to_ns = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
        length = [float(text.split()[0]) * to_ns[text.split()[1]] for text in (whole, zoomed)]
        self.assertAlmostEqual(length[1] / length[0], 0.25, delta=0.01)

    def test_keys_move_between_spans(self):
        window = self.opened(self.few)
        self.keys(window, ".")
        self.assertEqual(window.texts("#timeline .tip b"), ["serve"])
        self.keys(window, ".")
        self.assertEqual(window.texts("#timeline .tip b"), ["handle_get"])
        from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
        self.keys(window, Keys.ENTER)
        self.assertEqual(window.texts("tr.selected .statement"), ["handle_get"])

    def test_a_brush_selects_a_time_for_all_panels(self):
        window = self.opened(self.few)
        self.pointer(window, "pointerdown", 400, 10)
        self.pointer(window, "pointermove", 600, 10)
        self.pointer(window, "pointerup", 600, 10)
        self.assertRegex(window.run("return location.hash"), r"^#t=\d+%2C\d+")
        self.assertEqual(len(window.all("header .selection")), 1)
        self.assertNotIn("window=", window.run("return location.hash"))
        fragment = window.run("return location.hash.slice(1)")
        again = self.opened(self.few, fragment)
        self.assertEqual(self.range(again), self.range(window), "the whole trace, as before")

    def test_a_brush_does_not_move_the_window(self):
        window = self.opened(self.few)
        self.keys(window, "w", "w")
        wait_until(lambda: "window=" in window.run("return location.hash"), "the address")
        before = window.run("return new URLSearchParams(location.hash.slice(1)).get('window')")
        self.assertIsNotNone(before)
        self.pointer(window, "pointerdown", 400, 10)
        self.pointer(window, "pointermove", 500, 10)
        self.pointer(window, "pointermove", 600, 10)
        # The address follows after 400 ms.
        window.driver.execute_async_script("setTimeout(arguments[0], 800)")
        self.assertEqual(window.run("return new URLSearchParams(location.hash.slice(1)).get('window')"), before)

    def test_a_number_can_be_added_and_removed(self):
        window = self.opened(self.few)
        self.assertEqual(window.texts("#timeline .chip"), ["waiting blocks ×"])
        window.run("const select = document.querySelector('#timeline select'); select.value = select.options[1].value; select.dispatchEvent(new Event('change', {bubbles: true}))")
        self.settle(window)
        self.assertEqual(len(window.all("#timeline .chip")), 2)
        window.all("#timeline .chip")[0].click()
        self.assertEqual(len(window.all("#timeline .chip")), 1)
        again = self.opened(self.few, window.run("return location.hash.slice(1)"))
        self.assertEqual(again.texts("#timeline .chip"), window.texts("#timeline .chip"))

    def test_the_address_has_what_is_shown(self):
        window = self.opened(self.few)
        self.keys(window, "w", "w", "d")
        wait_until(lambda: "window=" in window.run("return location.hash"), "the address")
        again = self.opened(self.few, window.run("return location.hash.slice(1)"))
        self.assertEqual(self.range(again), self.range(window))

    def test_it_fits_a_telephone(self):
        window = self.opened(self.many, width=390, height=844)
        self.assertLessEqual(window.run("return document.documentElement.scrollWidth"), 390)
        self.assertGreater(self.pixels(window, "#e69f00") + self.pixels(window, "#56b4e9"), 50)

    def test_hover_counts_the_spans_that_are_left_out(self):
        window, document = self.opened(self.many), self.many.document()
        self.assertEqual(document["health"]["intervals"], [])
        width, left = window.run("return arguments[0].clientWidth", self.canvas), 180
        end = max(document["summary"]["end"], document["timeline"]["end"])
        interval_ns = document["summary"]["interval_ns"]
        left_out = []
        for track in document["timeline"]["tracks"]:
            numbers = collections.Counter(pairs(track["spans"]["over_time"]))
            numbers.subtract(begin // interval_ns for begin in sums(track["spans"]["begin"]))
            left_out.append(numbers)
        interval = max(left_out[0], key=lambda each: left_out[0][each])
        expected = {numbers[interval] for numbers in left_out}
        x = left + (interval + 0.5) * interval_ns / end * (width - left)
        texts = []
        for y in range(40, window.run("return arguments[0].clientHeight", self.canvas), 2):
            self.pointer(window, "pointermove", x, y)
            texts += [text for text in window.texts("#timeline .tip b") if "spans that begin" in text]
        self.assertTrue(texts)
        self.assertLessEqual({int(text.split()[0].replace(",", "")) for text in texts}, expected)

    def test_losses_are_hatched(self):
        lossy = ReportedTrace("span_load", 1, 200_000, overflow="drop", ring_bytes=1 << 16)
        self.addCleanup(lossy.close)
        self.assertGreater(lossy.document()["summary"]["lost"], 0)
        lossy.make_page()
        window = self.opened(lossy)
        self.assertGreater(self.pixels(window, "--bad"), 20)
        bad = window.run("return getComputedStyle(document.documentElement).getPropertyValue('--bad').trim()")
        x, y = self.place_of(window, bad)
        strip = window.run("return arguments[0].clientHeight", self.canvas)
        texts = []
        for down in range(int(y) - 80, strip, 4):
            self.pointer(window, "pointermove", x, down)
            texts += window.texts("#timeline .tip")
        self.assertTrue(any("records lost: " in text for text in texts), texts)
        self.assertEqual(self.pixels(self.opened(self.few), "--bad"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
