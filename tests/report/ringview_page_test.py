#!/usr/bin/env python3
"""The page of `ringview` follows traces that grow, and leaves alone what its reader is doing."""

import os
import re
import shutil
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
from live_view import LiveCase
from steady_load import Load
from traced_processes import wait_until

# The data is made again often if there is little of it.
GENTLE = {"burst": 5, "pause_us": 20000}
RECORDS = re.compile(r"^([\d,]+) records?,")


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class RingviewPage(LiveCase):
    @staticmethod
    def records(window):
        found = RECORDS.match((window.texts("header p") or [""])[0])
        return int(found[1].replace(",", "")) if found else 0

    @staticmethod
    def states(window):
        return window.texts("#live [role=status]")

    @staticmethod
    def button(window, text, panel="#live"):
        return next(one for one in window.all(panel + " button") if one.text.startswith(text))

    def folder_with(self, *traces):
        for trace in traces:
            shutil.copy(trace, self.bed.output_dir)

    def test_the_cost_of_log_calls_is_shown_where_it_is_measured(self):
        view = self.view()
        consumer, load = self.load(**GENTLE)
        wait_until(lambda: view.data()["summary"]["records"] > 100, "records")
        self.assertEqual(view.data()["live"]["call_costs"], [])
        load.stop()
        self.bed.wait_until_segments_are_gone()
        measured = Load(self.bed, 0, 1, "--burst", 5, "--pause-us", 20000, environment={"RINGSIDE_COST_SAMPLING": "1"})
        wait_until(lambda: view.data()["live"]["call_costs"], "costs")
        (cost,) = view.data()["live"]["call_costs"]
        self.assertEqual((cost["pid"], cost["one_in"]), (measured.process.pid, 1))
        self.assertGreater(cost["calls_measured"], 0)
        self.assertLessEqual(cost["p50_ns"], cost["p99_ns"])
        self.assertLessEqual(cost["p99_ns"], cost["max_ns"])
        with browser.Browser() as window:
            window.visit(view.address())
            wait_until(lambda: "Log calls take:" in "".join(window.texts("#health")), "the cost")
            self.assertIn(f"{measured.process.pid}: mean ", "".join(window.texts("#health")))
            # A trace without this service.
            folder = os.path.join(self.bed.work_dir, "other")
            os.mkdir(folder)
            other = self.view("--port", "0", folder=folder)
            wait_until(lambda: other.live()["call_costs"], "costs")
            window.visit(other.address())
            wait_until(lambda: "There is no trace file" in "".join(window.texts("#health")), "the state")
            self.assertNotIn("Log calls take:", "".join(window.texts("#health")))
        measured.stop()
        self.bed.stop_consumer(consumer)

    def test_the_page_follows_in_a_browser(self):
        view = self.view("--port", "0", "--allow-control")
        consumer, load = self.load(**GENTLE)
        with browser.Browser() as window:
            window.visit(view.address("q=precision"))
            wait_until(lambda: self.records(window) > 0, "the first data")
            first = self.records(window)
            wait_until(lambda: self.records(window) > first, "more records")
            # The token is gone from the address, and what else it had is kept.
            self.assertEqual(window.run("return location.hash"), "#q=precision")
            self.assertEqual(len(window.texts("#statements .statement")), 1)
            self.assertEqual([url for url in window.requests() if not url.startswith((f"http://127.0.0.1:{view.port}/", "data:,"))], [])
            self.assertEqual(window.texts("#live [role=status]")[0], "Follows the traces.")
            # The section of a running service has no end yet.
            wait_until(lambda: "No end:" not in "".join(window.texts("#health")), "the running service")
            self.assertRegex(window.texts("#live-age")[0], r"^ Data of \d\d:\d\d:\d\d UTC\.")
            window.driver.refresh()
            wait_until(lambda: self.records(window) > first, "the data after the page was loaded again")
            self.assertEqual(window.complaints(), [])
        load.stop()
        self.bed.stop_consumer(consumer)

    def test_a_selection_stays_with_its_statement(self):
        older, newer = self.finished_trace(0), self.finished_trace(7)
        self.folder_with(newer)
        view = self.view("--port", "0", "--allow-control")
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        with browser.Browser() as window:
            window.visit(view.address())
            before = view.data()
            # Those with the fewest values can be left out of a report with more of them.
            number, field = max(enumerate(before["heat"]["fields"]), key=lambda each: each[1]["values"])
            row = before["statements"][field["statement"]]
            # The table has only rows that are visible.
            window.run("location.hash = arguments[0]", f"s={field['statement']}&h={number}&v=0,1000000&r=3&q={row['file']}:{row['line']}")
            window.settle()
            named = window.texts("#live-statements")[0]
            self.assertIn(f"load7 {row['file']}:{row['line']}", named)
            record = window.texts(".detail")[0]
            selected = lambda: window.texts("#statements tr.selected")  # noqa: E731
            self.assertEqual(len(selected()), 1)
            self.folder_with(older)
            wait_until(lambda: self.records(window) == view.data()["summary"]["records"] > before["summary"]["records"], "the older trace")
            window.settle()
            after = view.data()
            self.assertEqual(window.texts("#live-statements"), [named])
            self.assertEqual(len(selected()), 1)
            self.assertIn("load7", selected()[0])
            fragment = dict(part.split("=") for part in window.run("return location.hash").lstrip("#").split("&"))
            self.assertNotEqual(int(fragment["s"]), field["statement"])
            self.assertEqual({key: after["statements"][int(fragment["s"])][key] for key in ("service", "file", "line", "text")},
                             {key: row[key] for key in ("service", "file", "line", "text")})
            moved = after["heat"]["fields"][int(fragment["h"])]
            self.assertEqual((moved["statement"], moved["name"], moved["kind"]), (int(fragment["s"]), field["name"], field["kind"]))
            self.assertEqual(window.texts(".detail")[0], record)
            os.remove(os.path.join(self.bed.output_dir, os.path.basename(newer)))
            wait_until(lambda: window.texts("#live-dropped"), "that the statement is gone")
            self.assertIn(f"load7 {row['file']}:{row['line']}", window.texts("#live-dropped")[0])
            self.assertEqual(selected(), [])
            self.assertFalse(self.button(window, "Disable").is_enabled())
            self.assertFalse(self.button(window, "Enable").is_enabled())

    def test_numbers_of_an_address_that_are_not_there_select_nothing(self):
        self.folder_with(self.finished_trace(0))
        view = self.view("--port", "0", "--allow-control")
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        with browser.Browser() as window:
            window.visit(view.address("s=1000"))
            self.assertIn("1 selected statements of the address", window.texts("#live-dropped")[0])
            self.assertFalse(self.button(window, "Disable").is_enabled())

    def test_no_losses_are_claimed_only_if_all_is_read(self):
        trace = self.finished_trace(0)
        os.chmod(trace, 0o644)
        view = self.view_of_another_user()
        claims = lambda: "No losses." in "".join(window.texts("#health"))  # noqa: E731
        health = lambda text: text in "".join(window.texts("#health"))  # noqa: E731
        with browser.Browser() as window:
            window.visit(view.address())
            wait_until(lambda: health("There is no trace file with records yet."), "that there is none")
            self.assertFalse(claims())
            self.folder_with(trace)
            wait_until(claims, "all records")
            other = shutil.copy(trace, os.path.join(self.bed.work_dir, "other.1.ringtrace"))
            os.chmod(other, 0)
            other = shutil.move(other, self.bed.output_dir)
            wait_until(lambda: health(f"1 file cannot be read: {other}: Permission denied"), "the file of another user")
            self.assertFalse(claims())
            os.remove(other)
            wait_until(claims, "all records")
            os.rename(self.bed.output_dir, self.bed.output_dir + ".moved")
            wait_until(lambda: health("does not exist"), "that the directory is missing")
            self.assertFalse(claims())
            self.assertEqual(self.states(window)[0], "Does not follow the traces.")
            os.rename(self.bed.output_dir + ".moved", self.bed.output_dir)
            wait_until(claims, "all records")
            view.process.send_signal(signal.SIGTERM)
            wait_until(lambda: health("The connection to ringview is lost"), "the end of ringview")
            self.assertFalse(claims())

    def test_a_service_that_nothing_reads_is_named(self):
        view = self.view()
        consumer, load = self.load(**GENTLE)
        with browser.Browser() as window:
            window.visit(view.address())
            wait_until(lambda: self.records(window) > 0, "records")
            consumer.send(signal.SIGKILL)
            consumer.wait()
            wait_until(lambda: f"No consumerd reads load0 {load.process.pid}" in "".join(window.texts("#health")), "that nothing reads the service")
            self.assertNotIn("No losses.", "".join(window.texts("#health")))
        consumer = self.bed.start_consumer()
        load.stop()
        self.bed.stop_consumer(consumer)

    def test_a_service_that_had_no_consumer_is_read_from_its_segment(self):
        view = self.view()
        load = Load(self.bed, 0, 1, "--burst", GENTLE["burst"], "--pause-us", GENTLE["pause_us"])
        with browser.Browser() as window:
            window.visit(view.address())
            wait_until(lambda: self.records(window) > 0, "records")
            health = "".join(window.texts("#health"))
            self.assertIn(f"The newest records of load0 {load.process.pid} are read from its segment", health)
            self.assertNotIn("No losses.", health)
            self.assertEqual(window.complaints(), [])
        load.stop()

    def test_a_page_that_was_hidden_shows_what_came_meanwhile(self):
        older, newer = self.finished_trace(0), self.finished_trace(7)
        self.folder_with(older)
        view = self.view()
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        with browser.Browser() as window:
            window.visit(view.address())
            first = self.records(window)
            page = window.driver.current_window_handle
            window.driver.switch_to.new_window("tab")
            self.folder_with(newer)
            wait_until(lambda: view.data()["summary"]["records"] > first, "the other trace")
            window.driver.switch_to.window(page)
            wait_until(lambda: self.records(window) > first, "the other trace in the page")

    def test_growth_during_a_slow_load_is_shown(self):
        traces = [self.finished_trace(first) for first in (0, 7, 14)]
        self.folder_with(traces[0])
        view = self.view()
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        with browser.Browser() as window:
            window.visit(view.address())
            # The load of the second trace is held until the third one is known.
            window.run("const real = fetch; window.held = []; window.fetch = (path, how) => path !== 'data' ? real(path, how)"
                       " : new Promise((done) => held.push(() => done(real(path, how))))")
            known = view.live()["number"]
            self.folder_with(traces[1])
            wait_until(lambda: window.run("return held.length") == 1, "the load")
            window.run("const real = Response.prototype, json = Blob.prototype.text; Blob.prototype.text = async function () {"
                       " const text = await json.call(this); await new Promise((done) => { window.release = done; }); return text; }")
            window.run("held.shift()()")
            wait_until(lambda: window.run("return window.release !== undefined"), "the data")
            self.folder_with(traces[2])
            wait_until(lambda: view.live()["number"] > known + 1, "the third trace")
            window.run("Blob.prototype.text = function () { return new Response(this).text(); }; window.fetch = fetch; const go = release;"
                       " setInterval(() => { for (const one of held.splice(0)) one(); }, 10); go()")
            wait_until(lambda: self.records(window) == view.data()["summary"]["records"], "all records")

    def test_updates_wait_while_a_panel_is_used(self):
        view = self.view()
        consumer, load = self.load(**GENTLE)
        with browser.Browser() as window:
            window.visit(view.address())
            wait_until(lambda: self.records(window) > 0, "records")
            # In one step: the element is replaced as long as it has no focus.
            window.run("document.querySelector('#records input[type=search]').focus()")
            box = window.one("#records input[type=search]")
            condition = "@level >= 'notice'"
            for part in ("@le", "vel >=", " 'not", "ice'"):
                number = view.live()["number"]
                box.send_keys(part)
                wait_until(lambda: view.live()["number"] > number, "newer data")  # noqa: B023
            self.assertEqual((box.get_attribute("value"), window.run("return document.activeElement === arguments[0]", box)), (condition, True))
            wait_until(lambda: window.texts(".live-notice"), "the notice")
            waiting = self.records(window)
            self.button(window, "Show it", ".live-notice").click()
            wait_until(lambda: self.records(window) > waiting, "the newer data")
            self.assertEqual(window.run("return document.querySelector('#records input[type=search]').value"), condition)
            for panel in ("#timeline canvas", "#flame canvas"):
                if not window.all(panel):
                    continue
                window.run("document.querySelector(arguments[0]).focus()", panel)
                number = view.live()["number"]
                wait_until(lambda: view.live()["number"] > number + 2, "newer data")  # noqa: B023
                self.assertTrue(window.run("return document.activeElement === document.querySelector(arguments[0])", panel), panel)
                window.run("document.activeElement.blur()")
            # A text that the reader has selected stays selected.
            window.run("getSelection().selectAllChildren(document.querySelector('#records-rules'))")
            number = view.live()["number"]
            wait_until(lambda: view.live()["number"] > number + 2, "newer data")
            self.assertNotEqual(window.run("return String(getSelection())"), "")
            window.run("getSelection().removeAllRanges()")
            waiting = self.records(window)
            wait_until(lambda: self.records(window) > waiting, "newer data")
        load.stop()
        self.bed.stop_consumer(consumer)

    def test_a_paused_page_stays_until_it_is_resumed(self):
        view = self.view()
        consumer, load = self.load(**GENTLE)
        with browser.Browser() as window:
            window.visit(view.address())
            wait_until(lambda: self.records(window) > 0, "records")
            self.button(window, "Pause").click()
            wait_until(lambda: window.texts(".live-notice"), "newer data")
            shown, number = self.records(window), view.live()["number"]
            wait_until(lambda: view.live()["number"] > number + 2, "newer data")
            self.assertEqual((self.records(window), self.states(window)[0]), (shown, "Paused."))
            self.button(window, "Resume").click()
            wait_until(lambda: self.records(window) > shown, "newer data")
            self.assertEqual(self.states(window)[0], "Follows the traces.")
        load.stop()
        self.bed.stop_consumer(consumer)

    def test_a_level_is_set_by_its_button_alone(self):
        view = self.view("--port", "0", "--allow-control")
        consumer, load = self.load(**GENTLE)
        with browser.Browser() as window:
            window.visit(view.address())
            wait_until(lambda: f"Changes load0 {load.process.pid}." in window.texts("#live-services"), "the service")
            levels = next(one for one in window.all("#live label") if one.text.startswith("Level")).find_element("css selector", "select")
            self.assertFalse(self.button(window, "Set level").is_enabled())
            levels.send_keys("\ue015\ue015")  # the arrow down
            window.settle()
            self.assertEqual(levels.get_attribute("value"), "debug")
            asked = lambda: [url for url in window.requests() if url.endswith("/control")]  # noqa: E731
            self.assertEqual(asked(), [])
            self.button(window, "Set level").click()
            wait_until(lambda: f"load0 {load.process.pid}: level DEBUG for 10m" in "".join(self.states(window)), "the answer")
            self.assertEqual(len(asked()), 1)
        load.stop()
        self.bed.stop_consumer(consumer)

    def test_statements_are_switched_in_their_service(self):
        view = self.view("--port", "0", "--allow-control")
        consumer, load = self.load(**GENTLE)
        other = Load(self.bed, 7, 1, "--burst", 5, "--pause-us", 20000)
        wait_until(lambda: {row["service"] for row in view.data()["statements"]} >= {"load0", "load7"}, "both services")
        with browser.Browser() as window:
            window.visit(view.address("q=load7"))
            window.one("#statements tbody tr:not(.space)").click()
            window.settle()
            self.assertRegex(window.texts("#live-statements")[0], r"^In every process of its service: load7 \S+:\d+ \".*\"\.$")
            self.button(window, "Disable 1 selected").click()
            wait_until(lambda: len(self.states(window)) > 1 and "…" not in self.states(window)[-1], "the answer")
            self.assertIn(f"load7 {other.process.pid}", self.states(window)[-1])
            self.assertNotIn("load0", self.states(window)[-1])
        load.stop()
        other.stop()
        self.bed.stop_consumer(consumer)

    def test_many_pages_follow(self):
        view = self.view()
        consumer, load = self.load(**GENTLE)
        with browser.Browser() as window:
            window.visit(view.address())
            for _ in range(8):
                window.driver.switch_to.new_window("tab")
                window.driver.set_page_load_timeout(60)
                window.visit(view.address())
                first = self.records(window)
                wait_until(lambda: self.records(window) > first, "newer data")  # noqa: B023
        load.stop()
        self.bed.stop_consumer(consumer)

    def test_the_page_says_that_it_loads(self):
        self.folder_with(self.finished_trace(0))
        view = self.view()
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        with browser.Browser() as window:
            window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": "window.seen = []; new MutationObserver(() => seen.push(document.getElementById('report')?.textContent ?? '')).observe(document, {subtree: true, childList: true, characterData: true})"})
            window.visit(view.address())
            seen = window.run("return seen")
            self.assertTrue([text for text in seen if re.match(r"Loading the data of the traces(: [\d.]+ k?B)?…$", text)], seen[:5])


if __name__ == "__main__":
    unittest.main(verbosity=2)
