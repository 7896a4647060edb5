#!/usr/bin/env python3
"""ringctl adds stacks to the records of running services' statements: each has the functions that its service called."""

import json
import re
import signal
import subprocess
import unittest

from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program

STYLES = ["printf", "brace", "event", "stream", "text", "consumer_clock", "many", "in_c", "c_event"]
FRAME = re.compile(r"^ +(\d+) (?:0x[0-9a-f]{16}|inlined +) (.*)$")
LINE = re.compile(r"^\d{4}-")


def style_of(message):
    """The style of a statement of the service, by the text that it logs."""
    words = message.split()
    if words[0] in ("c", "consumer"):
        return {"c": "in_c", "consumer": "consumer_clock"}[words[0]]
    return words[0]


class StackSwitches(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def service(self, **how):
        return ToldService(self.bed, "stack_switched_service", service="desk", **how)

    def ringctl(self, *arguments, status=0):
        done = subprocess.run([program("ringctl"), *arguments, "--shm-dir", self.bed.shm_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments, self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def records(self):
        """[(message, stack or None)] of the service's own statements, in order."""
        lines = [json.loads(line) for line in self.ringcat("--format", "json").splitlines() if '"msg":' in line]
        return [(line["msg"], line["fields"].get("stack")) for line in lines if not line["msg"].startswith("ringside.")]

    def stacks(self):
        """[(line of the record, [text of each frame])]"""
        found = []
        for line in self.ringcat("stacks").splitlines():
            if LINE.match(line):
                found.append((line, []))
            else:
                found[-1][1].append(FRAME.match(line).group(2))
        return found

    def numbers_with_stacks(self, word):
        return [int(message.split()[1]) for message, stack in self.records() if message.startswith(word) and stack]

    def test_records_have_stacks_while_their_statement_is_switched_on(self):
        service = self.service()
        service.tell("all 1")
        self.ringctl("stacks", "on", "*")
        service.tell("all 2")
        service.tell("thread 3")
        self.ringctl("stacks", "off", "*")
        service.tell("all 4")
        service.end()
        self.bed.run_consumer_once()
        stacks = self.stacks()
        self.assertEqual(len(stacks), 2 * len(STYLES))
        for style in STYLES:
            of_style = [frames for _, frames in stacks if any(f"log_{style}(" in frame or f"log_{style} " in frame
                                                              for frame in frames)]
            self.assertEqual(len(of_style), 2, style)
            for frames in of_style:
                self.assertRegex(frames[0], rf"^(\(anonymous namespace\)::)?log_{style}\b")
                self.assertRegex(frames[1], rf"^(\(anonymous namespace\)::)?call_{style}\b")
            self.assertEqual([any(frame.startswith("main ") for frame in frames) for frames in of_style], [True, False])

    def test_messages_are_the_same_with_stacks(self):
        service = self.service()
        service.tell("all 1")
        self.ringctl("stacks", "on", "*")
        service.tell("all 1")
        service.end()
        self.bed.run_consumer_once()
        messages = [message for message, _ in self.records()]
        events = [message for message in messages if style_of(message) in ("event", "c_event")]
        others = sorted(message for message in messages if message not in events and style_of(message) != "large")
        self.assertEqual(others[::2], others[1::2])
        self.assertEqual(len(others), 2 * (len(STYLES) - 2))
        self.assertIn("printf 1 of two", others)
        self.assertEqual(len(events), 4)

    def test_only_the_selected_statement_has_stacks(self):
        service = self.service()
        out = self.ringctl("stacks", "on", "printf %d")
        self.assertIn("desk", out)
        self.assertIn("1 statement with stacks", out)
        service.tell("all 1")
        service.end()
        self.bed.run_consumer_once()
        self.assertEqual([style_of(message) for message, stack in self.records() if stack], ["printf"])

    def test_list_shows_each_statement_once_and_its_stacks(self):
        service = self.service()
        self.ringctl("stacks", "on", "printf %d")
        service.tell("all 1")
        listed = [json.loads(line) for line in self.ringctl("list", "--statements", "--json").splitlines()]
        texts = [one["text"] for one in listed]
        self.assertEqual(len(texts), len(set(texts)))
        self.assertEqual([one["text"] for one in listed if one["stacks"]], ["printf %d of %s"])
        self.assertIn("on with stacks", self.ringctl("list", "--site", "printf %d"))
        service.end()

    def test_a_gate_keeps_its_rate(self):
        service = self.service()
        self.ringctl("stacks", "on", "gated")
        service.tell("gate 100")
        self.ringctl("stacks", "off", "gated")
        service.tell("gate 20")
        service.end()
        self.bed.run_consumer_once()
        records = self.records()
        self.assertEqual([message for message, stack in records if stack], [f"gated {i}" for i in range(0, 100, 10)])
        self.assertEqual(sum(message.startswith("beside") for message, _ in records), 120)

    def test_a_suppressed_execution_leaves_no_stack_for_a_later_one(self):
        service = self.service()
        self.ringctl("stacks", "on", "solo")
        service.tell("solo 15")
        self.ringctl("stacks", "off", "solo")
        service.tell("solo 15")
        service.end()
        self.bed.run_consumer_once()
        self.assertEqual([(message, stack is not None) for message, stack in self.records()],
                         [("solo 0", True), ("solo 10", True), ("solo 5", False)])

    def test_disabling_ends_stacks_and_a_level_that_keeps_the_statement_does_not(self):
        service = self.service()
        self.ringctl("stacks", "on", "printf %d")
        self.ringctl("level", "info")
        self.ringctl("enable", "printf %d", "--for", "1h")
        service.tell("loop 1")
        self.ringctl("disable", "printf %d")
        service.tell("loop 1")
        self.ringctl("enable", "printf %d")
        service.tell("loop 1")
        service.end()
        self.bed.run_consumer_once()
        self.assertEqual([stack is not None for _, stack in self.records()], [True, False])

    def test_a_handler_within_a_record_with_a_stack(self):
        service = self.service()
        self.ringctl("stacks", "on", "*")
        service.tell("handler 7")
        service.end()
        self.bed.run_consumer_once()
        stacks = {line.split()[-1]: frames for line, frames in self.stacks()}
        self.assertEqual(sorted(stacks), ["7", "interrupted"])
        self.assertIn("rs_reserve at abi.h", stacks["interrupted"][0])
        self.assertIn("log_interrupted(int)", stacks["interrupted"][1])
        self.assertIn("on_signal(int)", stacks["7"][0])
        self.assertTrue(any("log_interrupted(int)" in frame for frame in stacks["7"]), stacks)

    def test_a_handler_that_does_not_return(self):
        service = self.service()
        self.ringctl("stacks", "on", "*")
        for number in range(20):
            service.tell(f"jump {number}")
        service.tell("all 3")
        service.end()
        self.bed.run_consumer_once()
        records = self.records()
        jumps = [f"{word} {number}" for number in range(20) for word in ("handler", "after the jump")]
        self.assertEqual([message for message, stack in records if stack][:40], jumps)
        self.assertEqual(sum(stack is not None for _, stack in records), 40 + len(STYLES))

    def test_a_child_has_stacks_of_its_own(self):
        service = self.service()
        self.ringctl("stacks", "on", "*")
        service.tell("fork 1")
        service.tell("all 2")
        service.end()
        self.bed.run_consumer_once()
        self.assertEqual(self.numbers_with_stacks("printf"), [2])
        self.assertEqual(sum(message.startswith("printf") for message, _ in self.records()), 2)

    def test_records_survive_a_kill_of_the_service_and_of_consumerd(self):
        service = self.service()
        self.ringctl("stacks", "on", "*")
        consumer = self.bed.start_consumer()
        for turn in range(4):
            service.tell("loop 500")
            consumer.send(signal.SIGKILL)
            consumer.wait()
            if turn != 3:
                consumer = self.bed.start_consumer()
        service.kill()
        self.bed.run_consumer_once()
        records = self.records()
        self.assertEqual([message for message, stack in records], [f"printf {i} of two" for i in range(500)] * 4)
        self.assertTrue(all(stack for _, stack in records))

    def test_small_rings_have_shorter_stacks_or_none(self):
        service = self.service(ring_bytes=4096)
        self.ringctl("stacks", "on", "*")
        consumer = self.bed.start_consumer()
        for turn in range(3):
            service.tell(f"all {turn}")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        records = self.records()
        self.assertEqual(len(records), 3 * (len(STYLES) + 1))
        self.assertEqual(self.numbers_with_stacks("printf"), [0, 1, 2])
        # It takes all the space that a record can have.
        self.assertEqual([stack for message, stack in records if message.startswith("large")], [None] * 3)

    def test_a_flight_recorder_has_stacks(self):
        service = self.service(overflow="overwrite", ring_bytes=65536)
        self.ringctl("stacks", "on", "*")
        service.tell("loop 5000")
        service.end()
        self.bed.run_consumer_once()
        numbers = self.numbers_with_stacks("printf")
        self.assertGreater(len(numbers), 50)
        self.assertEqual(numbers, list(range(5000 - len(numbers), 5000)))

    def test_measured_calls_have_stacks(self):
        service = self.service(environment={"RINGSIDE_COST_SAMPLING": "1"})
        self.ringctl("stacks", "on", "*")
        service.tell("loop 300")
        service.end()
        self.bed.run_consumer_once()
        self.assertEqual(self.numbers_with_stacks("printf"), list(range(300)))

    def test_invalid_requests_are_reported(self):
        service = self.service()
        self.assertIn("no matching statement", self.ringctl("stacks", "on", "no such text", status=3))
        self.assertIn("only spans, contexts", self.ringctl("stacks", "on", "lookup", status=3))
        self.assertIn("no statements selected", self.ringctl("stacks", "on", status=2))
        self.assertIn("sideways: invalid state", self.ringctl("stacks", "sideways", "*", status=2))
        service.tell("span 1")
        service.end()
        self.ringctl("stacks", "on", "*", status=3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
