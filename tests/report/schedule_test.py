#!/usr/bin/env python3
"""The timeline of a report shows when threads ran, as `ringctl sched` has recorded it."""

import collections
import json
import os
import signal
import subprocess
import unittest

import browser
from reported_trace import sums
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

RUN = 'category == "ringside.sched"'


class Schedule(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        consumer = cls.bed.start_consumer()
        service = ToldService(cls.bed, "scheduled_service", service="desk")
        tool = subprocess.Popen([program("ringctl"), "sched", "--for", "1h", "-o", cls.bed.output_dir, "--shm-dir", cls.bed.shm_dir],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(tool.wait)
        cls.addClassCleanup(tool.kill)
        wait_until(lambda: tool.poll() is not None or cls.opened_events(tool.pid), "the recording")
        if tool.poll() is None:
            service.tell("naps 40")
            service.tell("spin 30")
            service.tell("naps 5")
            tool.send_signal(signal.SIGINT)
        _, why = tool.communicate(timeout=BOUND_S)
        if "perf_event" in why or "CAP_PERFMON" in why:
            raise unittest.SkipTest("the kernel refuses: " + why.strip())
        assert tool.returncode == 0, why
        service.end()
        cls.bed.wait_until_segments_are_gone()
        cls.bed.stop_consumer(consumer)
        cls.page = os.path.join(cls.bed.work_dir, "report.html")
        cls.ringcat("report", "-o", cls.page, cls.bed.output_dir)
        cls.document = json.loads(cls.ringcat("report", "--json", cls.bed.output_dir))
        cls.runs = collections.defaultdict(list)
        for line in cls.ringcat("--format", "json", "--where", RUN, cls.bed.output_dir).splitlines():
            record = json.loads(line)
            cls.runs[record["thread"]["id"]].append(record)

    @staticmethod
    def opened_events(pid):
        fds = f"/proc/{pid}/fd"
        links = [os.readlink(f"{fds}/{name}") for name in os.listdir(fds) if os.path.islink(f"{fds}/{name}")]
        with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
            return any("perf_event" in link for link in links) and "poll" in file.read()

    @staticmethod
    def ringcat(*arguments):
        done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def thread_of(self, one):
        return self.document["summary"]["streams"][one["stream"]]["thread_id"]

    def test_document_has_the_runs_of_each_thread(self):
        schedule = self.document["schedule"]
        self.assertEqual(schedule["runs"], schedule["drawn_runs"])
        self.assertEqual({self.thread_of(one) for one in schedule["threads"]}, set(self.runs))
        begin_ns = int(self.document["summary"]["begin_unix_ns"])
        ends = ["unknown", "waited", "preempted", "ended"]
        for one in schedule["threads"]:
            drawn = zip(sums(one["begin"]), one["duration"], one["processor"], one["then"])
            printed = [(record["unix_ns"] - begin_ns, record["duration_ns"], record["fields"]["on_processor"], ends.index(record["fields"]["then"]))
                       for record in self.runs[self.thread_of(one)]]
            self.assertEqual(list(drawn), printed)
            self.assertEqual(one["skipped"], [0] * len(printed))

    def test_the_trace_lasts_until_the_end_of_the_last_run(self):
        schedule = self.document["schedule"]
        ends = [begin + duration for one in schedule["threads"] for begin, duration in zip(sums(one["begin"]), one["duration"])]
        self.assertEqual(schedule["end"], max(ends))

    def test_runs_are_no_spans_of_the_thread(self):
        texts = [row["text"] for row in self.document["statements"]]
        ran = texts.index("thread ran")
        for track in self.document["timeline"]["tracks"]:
            self.assertNotIn(ran, track["spans"]["statement"])
        self.assertNotIn(ran, self.document["flame"]["spans"]["name"][1:])

    def tips(self, window, time_ns, length_ns):
        """What the page tells at this time, from the top of the timeline to its end."""
        # The window is within the trace.
        end = max(self.document[name]["end"] for name in ("summary", "timeline", "schedule"))
        length_ns = min(length_ns, end)
        begin = int(max(0, min(end - length_ns, time_ns - length_ns / 2)))
        window.open(self.page, f"window={begin},{int(begin + length_ns)}")
        canvas = window.one("#timeline canvas")
        window.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
        window.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        width, height, left = window.run("const box = arguments[0]; return [box.clientWidth, box.clientHeight, box.clientWidth < 600 ? 84 : 180]", canvas)
        x = left + (time_ns - begin) * (width - left) / length_ns
        found = []
        for y in range(36, int(height), 3):
            window.run("const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new PointerEvent('pointermove',"
                       "{clientX: box.left + arguments[1], clientY: box.top + arguments[2], bubbles: true, pointerId: 1}))", canvas, x, y)
            window.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            found += window.texts("#timeline .tip")
        return found

    def test_hover_tells_where_a_thread_ran_and_how_long_it_waited(self):
        napper = next(records for records in self.runs.values() if records[0]["thread"]["name"] == "napper")
        begin_ns = int(self.document["summary"]["begin_unix_ns"])
        longest = max(napper, key=lambda record: record["duration_ns"])
        with browser.Browser() as window:
            middle = longest["unix_ns"] - begin_ns + longest["duration_ns"] / 2
            tips = self.tips(window, middle, longest["duration_ns"] * 4)
            ran = f"Ran on processor {longest['fields']['on_processor']} for "
            self.assertTrue(any(ran in tip for tip in tips), tips)
            at = next(i for i, record in enumerate(napper[:-1]) if record["fields"]["then"] == "waited")
            gap_begin = napper[at]["unix_ns"] + napper[at]["duration_ns"] - begin_ns
            gap_ns = napper[at + 1]["unix_ns"] - begin_ns - gap_begin
            tips = self.tips(window, gap_begin + gap_ns / 2, gap_ns * 3)
            self.assertTrue(any("Waited for " in tip for tip in tips), tips)
            self.assertEqual(window.complaints(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
