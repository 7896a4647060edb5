#!/usr/bin/env python3
"""Events with stacks: each has the functions that called it, in any thread and in a handler, and a statement that is switched
off walks no stack."""

import json
import re
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

COUNT = 200
FRAME = re.compile(r"^ +(\d+) (?:0x[0-9a-f]{16}|inlined +) (.*)$")
LINE = re.compile(r"^\d{4}-")


class RingcatCase(unittest.TestCase):
    """Tests of the traces of `self.bed`."""

    bed = None

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments, self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def stacks(self, *arguments):
        """[(line of the record, [text of each frame])]"""
        found = []
        for line in self.ringcat("stacks", *arguments).splitlines():
            if LINE.match(line):
                found.append((line, []))
            else:
                found[-1][1].append(FRAME.match(line).group(2))
        return found


class Stacks(RingcatCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        service = cls.bed.start([program("stacked_service"), str(COUNT)], environment={"RINGSIDE_SHM_DIR": cls.bed.shm_dir})
        assert service.wait() == 0, service.stderr()
        cls.evaluated = int(service.values()["evaluated"])
        cls.bed.run_consumer_once()

    def test_each_record_has_its_callers(self):
        records = self.stacks("--site", "slow")
        self.assertEqual(len(records), 2 * COUNT)
        for line, frames in records:
            number = int(re.search(r" number=(\d+) ", line).group(1))
            caller = "match_order" if number % 2 == 0 else "settle_order"
            self.assertIn("report_slow(int) at stacked_service.cpp:", frames[0])
            self.assertIn(f"{caller}(int) at stacked_service.cpp:", frames[1])

    def test_threads_have_their_own_callers(self):
        records = self.stacks("--site", "slow")
        in_main = [frames for _, frames in records if any(frame.startswith("main ") for frame in frames)]
        self.assertEqual(len(in_main), COUNT)

    def test_a_handler_that_interrupts_a_log_call_records_its_stack(self):
        records = self.stacks("--site", "in a handler")
        self.assertEqual(len(records), 1)
        self.assertIn("on_signal(int)", records[0][1][0])
        self.assertTrue(any("log_interrupted()" in frame for frame in records[0][1]), records[0][1])

    def test_only_enabled_statements_walk_the_stack(self):
        self.assertEqual(self.evaluated, 1)

    def test_each_module_is_recorded_once(self):
        lines = self.ringcat("--site", "ringside.module", "--format", "json").splitlines()
        paths = [json.loads(line)["fields"]["path"] for line in lines]
        self.assertEqual(sorted(paths), sorted(set(paths)))
        self.assertIn(program("stacked_service"), paths)

    def test_a_stack_is_an_array_of_addresses(self):
        lines = self.ringcat("--site", "slow", "--format", "json", "--head", "1").splitlines()
        stack = json.loads(lines[0])["fields"]["stack"]
        self.assertGreater(len(stack), 3)
        self.assertLessEqual(len(stack), 32)
        for address in stack:
            self.assertRegex(address, r"^0x[0-9a-f]+$")


class ModulesOfStacks(RingcatCase):
    """Each stack has its names, although the records of modules are few."""

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def run_service(self, way, **environment):
        service = self.bed.start([program("module_service"), way], environment={"RINGSIDE_SHM_DIR": self.bed.shm_dir, **environment})
        self.assertEqual((service.wait(), service.stderr()), (0, ""))
        self.bed.run_consumer_once()

    def stacks_at(self, where):
        """The frames of each stack."""
        return [frames for line, frames in self.stacks("--site", "where") if f"where={where}" in line.replace('"', "")]

    def modules(self):
        lines = self.ringcat("--site", "ringside.module", "--format", "json").splitlines()
        # A line about lost records has no fields.
        return [record["fields"] for record in map(json.loads, lines) if "fields" in record]

    def test_a_child_that_was_forked_while_modules_were_recorded_has_names(self):
        self.run_service("forked")
        stacks = self.stacks_at("child")
        self.assertEqual(len(stacks), 10)
        for frames in stacks:
            self.assertTrue(any(frame.startswith("main ") for frame in frames), frames)

    def test_stacks_after_the_end_of_the_main_thread_have_names(self):
        self.run_service("main_ended")
        stacks = self.stacks_at("after main")
        self.assertEqual(len(stacks), 1)
        self.assertTrue(any("record_after_main(" in frame for frame in stacks[0]), stacks[0])
        own = [module for module in self.modules() if module["path"] == program("module_service")]
        self.assertEqual(len(own), 1)
        self.assertTrue(own[0]["build_id"])

    def test_a_flight_recorder_repeats_modules(self):
        self.run_service("recorder", RINGSIDE_OVERFLOW="overwrite", RINGSIDE_RING_BYTES="65536")
        stacks = self.stacks_at("recorder")
        self.assertGreater(len(stacks), 10)
        for frames in (stacks[0], stacks[-1]):
            self.assertTrue(any(frame.startswith("main ") for frame in frames), frames)
        # About four times in what a ring keeps, not with each stack.
        paths = [module["path"] for module in self.modules()]
        self.assertLessEqual(paths.count(program("module_service")), 6)

    def test_modules_are_repeated_after_a_minute(self):
        self.run_service("later")
        paths = [module["path"] for module in self.modules()]
        self.assertEqual(paths.count(program("module_service")), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
