#!/usr/bin/env python3
"""Each program of libagent/examples leaves the trace that its README shows: run for real, drained by consumerd, printed by
ringcat."""

import os
import re
import signal
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

FOLDER = os.environ["RINGSIDE_TEST_AGENT_EXAMPLES"]
LINES_LIMIT = 60
# The time and the process number, which differ in every run.
VARIABLE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} |\[\d+ ", re.MULTILINE)
TIME = re.compile(r"[^ ]+ [^ ]+")
THREAD = re.compile(r"\[([^]]*)\]")
LOST = re.compile(r" LOST \[[^]]*\] (\d+) records")
FLIGHT_RECORDER_RECORDS = 100_001


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def without_variable_parts(line):
    return VARIABLE.sub(lambda match: "[" if match.group().startswith("[") else "", line)


def shown(name):
    """The lines below the heading `## name` of the README."""
    block = re.search(rf"^## {name}\n.*?^```\n(.*?)^```$", read("README.md"), re.MULTILINE | re.DOTALL)
    assert block, f"libagent/examples/README.md shows no output of {name}"
    return [without_variable_parts(line) for line in block.group(1).splitlines()]


class AgentExamples(unittest.TestCase):
    def printed(self, name, status=0):
        return [without_variable_parts(line) for line in self.lines(name, status)]

    def lines(self, name, status=0):
        bed = TestBed()
        self.addCleanup(bed.close)
        service = bed.start([program("example_" + name)], environment={"RINGSIDE_SHM_DIR": bed.shm_dir})
        self.assertEqual(service.wait(), status, service.stderr())
        bed.run_consumer_once()
        done = subprocess.run([program("ringcat"), "--utc", bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_hello_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("hello"), shown("hello"))

    def test_levels_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("levels"), shown("levels"))

    def test_printf_style_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("printf_style"), shown("printf_style"))

    def test_brace_style_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("brace_style"), shown("brace_style"))

    def test_c_service_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("c_service"), shown("c_service"))

    def test_streams_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("streams"), shown("streams"))

    def test_threads_leaves_the_trace_shown_in_the_order_of_each_thread(self):
        by_thread = lambda line: THREAD.search(line).group(1)
        self.assertEqual(sorted(self.printed("threads"), key=by_thread), shown("threads"))

    def test_events_leaves_the_trace_shown(self):
        self.assertEqual(self.printed("events"), shown("events"))

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

    def test_each_example_is_short_and_listed(self):
        sources = sorted(name for name in os.listdir(FOLDER) if name.endswith((".c", ".cpp")))
        self.assertEqual(sources, sorted(re.findall(r"^\| `([\w.]+)` \|", read("README.md"), re.MULTILINE)))
        for name in sources:
            with self.subTest(name):
                self.assertLess(len(read(name).splitlines()), LINES_LIMIT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
