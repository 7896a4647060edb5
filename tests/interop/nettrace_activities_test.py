#!/usr/bin/env python3
"""Start and Stop events of one activity become a span, in records and in what viewers get."""

import json
import os
import random
import tempfile
import unittest

import otlp_test
from nettrace_files import SAMPLER, NettraceFile
from random_traces import SEEDS, ringcat

START, STOP, OTHER = 1, 2, 10
LOST = "a Start event has no duration: its Stop is missing"


def activity(number):
    return number.to_bytes(16, "little")


class Trace(NettraceFile):
    IDS = {}

    def phase(self, name, opcode, number, at, thread=1, provider="Web", stack=(), payload=b""):
        """An event of an activity, at a time in microseconds."""
        event_id = self.IDS.setdefault((provider, name), len(self.IDS) + 1)
        self.event(provider, event_id, 0, payload, thread, stack, name, opcode, activity=activity(number), at=at)


class Activities(unittest.TestCase):
    def converted(self, trace, *options):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            path = os.path.join(directory, "trace.nettrace")
            with open(path, "wb") as file:
                file.write(trace.whole())
            code, output, said = ringcat(*options, path)
        self.assertEqual(code, 0, said)
        return output, said

    def records(self, trace):
        output, said = self.converted(trace, "--format", "json")
        return [json.loads(line) for line in output.splitlines()], said

    def durations(self, trace):
        """(name, time, duration) in microseconds."""
        return [(r["name"], (r["unix_ns"] - trace.START_NS) / 1000, r["duration_ns"] / 1000 if "duration_ns" in r else None)
                for r in self.records(trace)[0]]

    def test_a_start_lasts_to_the_stop_of_its_activity(self):
        trace = Trace()
        trace.phase("RequestStart", START, 1, 10)
        trace.phase("QueryStart", START, 2, 20, thread=2)
        trace.phase("Log", OTHER, 1, 25)
        trace.phase("QueryStop", STOP, 2, 50, thread=1)
        trace.phase("RequestStop", STOP, 1, 90, thread=3)
        self.assertEqual(self.durations(trace), [("RequestStart", 10, 80), ("QueryStart", 20, 30), ("Log", 25, None),
                                                 ("QueryStop", 50, None), ("RequestStop", 90, None)])
        records, said = self.records(trace)
        self.assertEqual((said, records[0]["thread"]["id"]), ("", 1))
        self.assertEqual(records[0]["activity"], "00000001" + 24 * "0")

    def test_other_activities_providers_and_tasks_do_not_end_a_span(self):
        trace = Trace()
        trace.phase("RequestStart", START, 1, 10)
        trace.phase("RequestStop", STOP, 2, 20)
        trace.phase("RequestStop", STOP, 1, 30, provider="Database")
        trace.phase("QueryStop", STOP, 1, 40)
        trace.phase("RequestStop", STOP, 1, 45)
        trace.phase("RequestStop", STOP, 0, 50)
        trace.phase("RequestStart", START, 0, 5)
        self.assertEqual([(name, duration) for name, _, duration in self.durations(trace) if duration],
                         [("RequestStart", 35)])
        self.assertEqual(self.records(trace)[1], "")

    def test_a_start_without_a_stop_has_no_duration_which_is_reported(self):
        trace = Trace()
        trace.phase("RequestStart", START, 1, 10)
        trace.phase("RequestStart", START, 2, 20)
        trace.phase("RequestStop", STOP, 2, 30)
        self.assertEqual(self.durations(trace), [("RequestStart", 10, None), ("RequestStart", 20, 10), ("RequestStop", 30, None)])
        self.assertIn(f"1 record: {LOST}", self.records(trace)[1])

    def test_tasks_of_one_activity_are_ended_by_their_names(self):
        trace = Trace()
        trace.phase("OuterStart", START, 1, 10)
        trace.phase("InnerBegin", START, 1, 20)
        trace.phase("OuterStart", START, 1, 25)
        trace.phase("InnerEnd", STOP, 1, 30)
        trace.phase("OuterStop", STOP, 1, 40)
        trace.phase("Done", STOP, 1, 50)  # no task: ends what is open
        self.assertEqual([(name, at, duration) for name, at, duration in self.durations(trace) if duration],
                         [("OuterStart", 10, 40), ("InnerBegin", 20, 10), ("OuterStart", 25, 15)])

    def test_blocks_of_threads_come_in_any_order(self):
        """Random nesting by activities, events shuffled: the durations are those of the original order."""
        for seed in SEEDS:
            draw, now, events, expected = random.Random(seed), 0, [], {}
            for number in range(1, 200):
                begin = now = now + draw.randrange(1, 9)
                end = begin + draw.randrange(1, 500)
                events += [("RequestStart", START, number, begin, draw.randrange(1, 5)),
                           ("RequestStop", STOP, number, end, draw.randrange(1, 5))]
                expected[activity(number)[::-1].hex()] = end - begin
            draw.shuffle(events)
            trace = Trace()
            for event in events:
                trace.phase(*event)
            records, said = self.records(trace)
            found = {number: record["duration_ns"] / 1000 for record in records if "duration_ns" in record
                     for number in [bytes.fromhex(record["activity"])[:4].hex()]}
            self.assertEqual((said, found), ("", {number[-8:]: duration for number, duration in expected.items()}))
            self.assertEqual([r["unix_ns"] for r in records], sorted(r["unix_ns"] for r in records))

    def test_values_and_stacks_of_a_start_are_kept(self):
        trace = Trace()
        trace.phase("RequestStart", START, 1, 10, stack=(0x20000, 0x10000), payload=b"abc")
        trace.phase("RequestStop", STOP, 1, 30)
        (start, _), _ = self.records(trace)
        self.assertEqual((start["duration_ns"], start["fields"]["nettrace.stack"]), (20_000, ["0x20000", "0x10000"]))
        self.assertEqual(start["fields"]["nettrace.payload"], "YWJj")

    def test_spans_come_back_from_a_written_file(self):
        trace = Trace()
        trace.phase("RequestStart", START, 1, 10)
        trace.phase("RequestStop", STOP, 1, 30, thread=2)
        trace.phase("RequestStart", START, 2, 40)
        written, said = self.converted(trace, "--to", "nettrace")
        self.assertEqual(said, f"ringcat: 1 record: {LOST}\n")
        code, output, _ = ringcat("--format", "json", "--from", "nettrace", "-", input=written)
        self.assertEqual((code, [json.loads(line).get("duration_ns") for line in output.splitlines()]),
                         (0, [20_000, None, None]))


class Viewers(unittest.TestCase):
    converted = Activities.converted

    def test_folded_output_has_one_unit(self):
        trace = Trace()
        trace.phase("RequestStart", START, 1, 10, stack=(0x10000,))
        trace.phase("RequestStop", STOP, 1, 30, stack=(0x10000,))
        output, said = self.converted(trace, "--to", "folded")
        self.assertEqual(output, b"nettrace-4711;-1;RequestStart 20000\n")
        self.assertIn("1 record: stacks of events that are not samples are left out", said)
        trace.sample(1, 0x20000, 0x10000)
        output, said = self.converted(trace, "--to", "folded")
        self.assertEqual(output, b"nettrace-4711;-1;0x10000;0x20000 1\n")
        self.assertIn("1 record: spans are left out", said)
        output, _ = self.converted(trace, "--to", "folded", "--site", "Request*")
        self.assertEqual(output, b"nettrace-4711;-1;RequestStart 20000\n")

    def test_otlp_has_spans_and_the_names_of_stacks(self):
        trace = Trace()
        trace.phase("RequestStart", START, 1, 10, stack=(0x20005, 0x10010))
        trace.sample(1, 0x20000, 0xABC)
        trace.sample(1)
        trace.phase("RequestStop", STOP, 1, 30)
        trace.method(0x10000, 0x100, "Main", namespace="App.Program")
        trace.method(0x20000, 0x100, "Work", namespace="Lib.\"Worker\"")
        decoded = otlp_test.Decoded(self.converted(trace, "--to", "otlp")[0])
        ((span,), stacks) = decoded.spans, [log["attributes"].get("code.stacktrace") for log in decoded.logs
                                            if log["scope"] == SAMPLER]
        self.assertEqual((span["name"], int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])), ("RequestStart", 20_000))
        self.assertEqual(span["attributes"]["code.stacktrace"], "at Lib.\"Worker\".Work\nat App.Program.Main")
        self.assertEqual(stacks, ["at Lib.\"Worker\".Work\nat 0xabc", None])

    def test_a_trace_of_the_runtime_has_the_stack_of_every_sample_in_otlp(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nettrace", "mixed_managed_external_samples.nettrace")
        code, output, _ = ringcat("--to", "otlp", "--category", SAMPLER, path)
        self.assertEqual(code, 0)
        stacks = [log["attributes"]["code.stacktrace"] for log in otlp_test.Decoded(output).logs]
        self.assertEqual(len(stacks), 6331)
        for stack in stacks:
            self.assertTrue(stack.endswith("at NoNativeStacks!NoNativeStacks.Program.Main"), stack)


if __name__ == "__main__":
    unittest.main(verbosity=2)
