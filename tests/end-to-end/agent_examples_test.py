#!/usr/bin/env python3
"""Each program of libagent/examples leaves the trace that its README shows: run for real, drained by consumerd, printed by
ringcat."""

import json
import os
import re
import signal
import subprocess
import tempfile
import unittest

from traced_processes import BOUND_S, TestBed, program

FOLDER = os.environ["RINGSIDE_TEST_AGENT_EXAMPLES"]
LINES_LIMIT = 60
# The time and the process number, which differ in every run.
VARIABLE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} |\[\d+ ", re.MULTILINE)
TIME = re.compile(r"[^ ]+ [^ ]+")
DURATION = re.compile(r"duration_ns=\d+$")
SPAN_ID = re.compile(r"ringside\.span=\d+")
THREAD = re.compile(r"\[([^]]*)\]")
LOST = re.compile(r" LOST \[[^]]*\] (\d+) records")
# Addresses, times, process and thread numbers.
STORY_NUMBER = re.compile(r"\b0x[0-9a-f]+\b|\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9}\b|\b\d{3,}\b")
OTHER_FRAME = re.compile(r"^ +\d+ 0x[0-9a-f]{16} (?!.*\(crash\)$)|_start")
KEEP_KINDS = ("ndjson", "ctf", "perfetto", "netlogger", "trcxml")
FLIGHT_RECORDER_RECORDS = 100_001


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def without_variable_parts(line):
    return VARIABLE.sub(lambda match: "[" if match.group().startswith("[") else "", line)


def without_durations(lines):
    return [SPAN_ID.sub("ringside.span=N", DURATION.sub("duration_ns=N", line)) for line in lines]


def without_durations_within(lines):
    return [re.sub(r"duration_ns=\d+", "duration_ns=N", line) for line in lines]


def shown(name):
    """The lines below the heading `## name` of the README."""
    block = re.search(rf"^## {name}\n.*?^```\n(.*?)^```$", read("README.md"), re.MULTILINE | re.DOTALL)
    assert block, f"libagent/examples/README.md shows no output of {name}"
    return [without_variable_parts(line) for line in block.group(1).splitlines()]


def story_shown(name):
    return re.search(rf"^## {name}\n.*?^```\n(.*?)^```$", read("README.md"), re.MULTILINE | re.DOTALL).group(1).splitlines()


class AgentExamples(unittest.TestCase):
    def printed(self, name, status=0):
        return [without_variable_parts(line) for line in self.lines(name, status)]

    def lines(self, name, status=0):
        return self.ringcat("--utc", self.traced(name, status)).splitlines()

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def traced(self, name, status=0):
        """The folder of its traces."""
        bed = TestBed()
        self.addCleanup(bed.close)
        service = bed.start([program("example_" + name)], environment={"RINGSIDE_SHM_DIR": bed.shm_dir})
        self.assertEqual(service.wait(), status, service.stderr())
        bed.run_consumer_once()
        return str(bed.output_dir)

    def test_hello_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("hello"), shown("hello"))

    def test_levels_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("levels"), shown("levels"))

    def test_printf_style_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("printf_style"), shown("printf_style"))

    def test_brace_style_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("brace_style"), shown("brace_style"))

    def test_c_service_leaves_the_trace_shown(self):
        self.assertEqual(without_durations(self.printed("c_service")), without_durations(shown("c_service")))

    def test_streams_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("streams"), shown("streams"))

    def test_threads_leaves_the_trace_shown_in_the_order_of_each_thread(self):
        by_thread = lambda line: THREAD.search(line).group(1)
        self.assertEqual(sorted(self.printed("threads"), key=by_thread), shown("threads"))

    def test_events_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("events"), shown("events"))

    def test_spans_leaves_the_trace_shown(self):
        self.assertEqual(without_durations(self.printed("spans")), without_durations(shown("spans")))

    def test_a_histogram_and_a_span_are_evaluated_by_their_name_alone(self):
        traces = self.traced("spans")
        answer = json.loads(self.ringcat("hist", "blocks_of_get", "--rows", "2", "--format", "json", traces))
        self.assertEqual((answer["of"], [row["count"] for row in answer["rows"]]), ("blocks", [1, 1]))
        answer = json.loads(self.ringcat("hist", "read_block", "--rows", "4", "--format", "json", traces))
        self.assertEqual((answer["of"], sum(row["count"] for row in answer["rows"])), ("duration_ns", 3))
        self.assertEqual(self.ringcat("--where", "kind == 'histogram'", "--template", "{kind} {msg}", traces),
                         "histogram blocks_of_get blocks=2\nhistogram blocks_of_get blocks=1\n")
        for several in ("blocks", "text:*"):  # a counter and a histogram; all
            refused = subprocess.run([program("ringcat"), "hist", several, traces], capture_output=True, text=True,
                                     timeout=BOUND_S, check=False)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn("a number is required unless SITE selects only histograms, or only spans", refused.stderr)

    def test_formats_with_kinds_of_statements_keep_histograms(self):
        traces = self.traced("spans")
        for name in KEEP_KINDS:
            with self.subTest(name):
                folder = tempfile.TemporaryDirectory(prefix="ringside-test.")
                self.addCleanup(folder.cleanup)
                converted = os.path.join(folder.name, "converted")
                # NetLogger has no place for the names of threads, which is reported.
                subprocess.run([program("ringcat"), "--to", name, "-o", converted, traces], stderr=subprocess.DEVNULL,
                               timeout=BOUND_S, check=True)
                self.assertEqual(self.ringcat("--from", name, "--where", "kind == 'histogram'", "--template", "{msg}", converted),
                                 "blocks_of_get blocks=2\nblocks_of_get blocks=1\n")

    def test_contexts_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("contexts"), shown("contexts"))

    def test_tasks_makes_one_track_of_each_order(self):
        directory = self.traced("tasks")
        steps = re.compile(r"task\.step=\d+ ")
        lines = self.ringcat("--utc", "--where", 'task == "order 8"', directory).splitlines()
        self.assertEqual([steps.sub("", line) for line in without_durations_within(map(without_variable_parts, lines))],
                         [steps.sub("", line) for line in without_durations_within(shown("tasks"))])
        self.assertEqual(len({THREAD.search(line).group(1) for line in lines}), 3)
        converted = os.path.join(directory, "converted")
        self.ringcat("--to", "chrome", "-o", converted, directory)
        with open(converted, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        tracks = {}
        # A coarse clock, such as that of some AArch64 processors, gives a span and the first record in it one time.
        for event in sorted((event for event in events if event["ph"] in "Xi"), key=lambda event: (event["ts"], event["ph"] == "i")):
            tracks.setdefault(names[event["tid"]], []).append((event["name"], event["ph"]))
        of_order = [("step", "X"), ("%s begins", "i")] * 3
        self.assertEqual(tracks, {f"order {6 + i} #{i}": of_order for i in (1, 2, 3)})

    def test_gates_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("gates"), shown("gates"))

    def test_run_time_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("run_time"), shown("run_time"))

    def test_bursts_leaves_the_trace_shown_with_one_time(self):
        lines = self.lines("bursts")
        self.assertEqual([without_variable_parts(line) for line in lines], shown("bursts"))
        self.assertEqual(len({TIME.match(line).group() for line in lines[:5]}), 1)
        self.assertNotEqual(TIME.match(lines[4]).group(), TIME.match(lines[5]).group())

    def test_flight_recorder_leaves_its_newest_records_after_sigkill(self):
        printed, expected = self.printed("flight_recorder", status=-signal.SIGKILL), shown("flight_recorder")
        self.assertEqual(printed[-2:], expected[-2:])
        lost = int(LOST.search(printed[0]).group(1))
        self.assertGreater(lost, 0)
        self.assertEqual(lost + len(printed[1:]), FLIGHT_RECORDER_RECORDS)
        self.assertEqual([re.sub(r"\d+", "N", line) for line in printed[:2]],
                         [re.sub(r"\d+", "N", line) for line in expected[:2]])

    def test_crash_leaves_the_story_shown(self):
        bed = TestBed()
        self.addCleanup(bed.close)
        service = bed.start([program("example_crash")], environment={"RINGSIDE_SHM_DIR": bed.shm_dir})
        self.assertEqual(service.wait(), -signal.SIGSEGV)
        bed.run_consumer_once()
        told = subprocess.run([program("ringcat"), "crash", "--utc", bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=True).stdout
        # Functions of the C library, and their number, differ.
        lines = [STORY_NUMBER.sub("N", line) for line in told.splitlines() if not OTHER_FRAME.search(line)]
        lines[0] = re.sub(" on [^ ]+:", ":", lines[0])
        self.assertEqual(lines, [STORY_NUMBER.sub("N", line) for line in story_shown("crash")])

    def test_each_example_is_short_and_listed(self):
        sources = sorted(name for name in os.listdir(FOLDER) if name.endswith((".c", ".cpp")))
        self.assertEqual(sources, sorted(re.findall(r"^\| `([\w.]+)` \|", read("README.md"), re.MULTILINE)))
        for name in sources:
            with self.subTest(name):
                self.assertLess(len(read(name).splitlines()), LINES_LIMIT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
