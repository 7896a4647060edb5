#!/usr/bin/env python3
"""A trace states what the log calls of its services took, up to their ends, whichever process is killed, and each call once."""

import json
import os
import signal
import struct
import subprocess
import unittest

from trace_blocks import HEADER, blocks
from traced_processes import BOUND_S, TestBed, program, wait_until

CALL_COSTS = 15
NUMBERS = ("one_in", "calls_measured", "calls_waited", "mean_ns", "p50_ns", "p99_ns", "max_ns")
MEASURED = {"RINGSIDE_COST_SAMPLING": "3"}


def sections_with_costs(path):
    """For each section of a file: the numbers of measured calls that its CALL_COSTS blocks state."""
    sections = []
    for kind, _, payload in blocks(path):
        if kind == HEADER:
            sections.append([])
        if kind == CALL_COSTS:
            count = struct.unpack_from("<I", payload, 28)[0]
            sections[-1].append(sum(struct.unpack_from("<Q", payload, 32 + 16 * i + 8)[0] for i in range(count)))
    return sections


class CallCosts(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.consumer = None

    def service(self, name="orders", measured=True, records=300, **how):
        return self.bed.start_service("--records", records, "--steps", service=name, piped=True,
                                      environment=MEASURED if measured else None, **how)

    def log(self, service):
        """All calls of this step have returned, and their records are in files."""
        steps = service.stdout().count("flushed")
        service.popen.stdin.write(b"\n")
        service.popen.stdin.flush()
        wait_until(lambda: service.stdout().count("flushed") > steps, "a flush")

    def run_tool(self, name, *arguments, statuses=(0,)):
        done = subprocess.run([program(name), *map(str, arguments)], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertIn(done.returncode, statuses, done.stderr)
        return done.stdout

    def counted(self, name="orders"):
        """What ringstat shows of a service that makes no calls at the moment."""
        status = json.loads(self.run_tool("ringstat", "--once", "--json", "--interval", "100ms", "--shm-dir", self.bed.shm_dir))
        (cost,) = [one["call_cost"] for one in status["services"] if one["service"] == name]
        return {key: cost[key] for key in NUMBERS}

    def stats(self, *paths):
        return json.loads(self.run_tool("ringcat", "stats", "--format", "json", *(paths or [self.bed.output_dir])))

    def stated(self, *paths):
        """By service and process."""
        return {(one["service"], one["pid"]): {key: one[key] for key in NUMBERS} for one in self.stats(*paths).get("call_costs", [])}

    def assert_states(self, expected, *paths):
        """The service can correct the frequency of its clock after the consumer has read it: times may differ a little."""
        stated = self.stated(*paths)
        self.assertEqual(set(stated), set(expected), paths)
        for key, numbers in stated.items():
            for name, number in numbers.items():
                slack = number * 1e-3 if name.endswith("_ns") else 0
                self.assertAlmostEqual(number, expected[key][name], delta=slack, msg=(key, name, paths))

    def end(self, service):
        service.end_input()
        self.assertEqual(service.wait(), 0)
        self.bed.wait_until_segments_are_gone()

    def start_consumer(self, *arguments):
        self.consumer = self.bed.start_consumer(*arguments)

    def verify(self):
        self.run_tool("ringcat", "verify", self.bed.output_dir)

    def test_of_two_services_the_finished_trace_has_what_ringstat_shows(self):
        self.start_consumer()
        orders, quotes, other = self.service(), self.service("quotes", records=40), self.service("other", measured=False)
        for service in (orders, quotes, other, orders):
            self.log(service)
        expected = {("orders", orders.popen.pid): self.counted(), ("quotes", quotes.popen.pid): self.counted("quotes")}
        self.assertEqual(expected[("orders", orders.popen.pid)]["one_in"], 3)
        self.assertGreater(expected[("orders", orders.popen.pid)]["calls_measured"], 100)
        for service in (orders, quotes, other):
            service.end_input()
            self.assertEqual(service.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(self.consumer)
        self.assert_states(expected)
        self.verify()
        for path in self.bed.traces():
            kinds = [line.split(",")[1] for line in self.run_tool("ringcat", "inspect", "--csv", path).splitlines()]
            self.assertEqual("CALL_COSTS" in kinds, "other" not in os.path.basename(path), path)
        text = self.run_tool("ringcat", "stats", self.bed.output_dir)
        self.assertRegex(text, rf"(?m)^ +{expected[('quotes', quotes.popen.pid)]['calls_measured']} +3 .*s  quotes {quotes.popen.pid}$")
        # Of the services that the question is about.
        chosen = json.loads(self.run_tool("ringcat", "stats", "--format", "json", "--service", "quotes", self.bed.output_dir))
        self.assertEqual([one["service"] for one in chosen["call_costs"]], ["quotes"])

    def test_without_measurements_a_trace_has_no_block_and_no_member(self):
        self.start_consumer()
        service = self.service(measured=False)
        self.log(service)
        self.end(service)
        self.assertNotIn("call_costs", self.stats())
        self.assertNotIn("one in", self.run_tool("ringcat", "stats", self.bed.output_dir))
        self.assertEqual([sections_with_costs(path) for path in self.bed.traces()], [[[]]])

    def test_a_service_that_is_killed_has_its_last_numbers(self):
        self.start_consumer()
        service = self.service()
        # The consumer has read the counters after the first step, and does that again after ten seconds.
        self.log(service)
        wait_until(self.stated, "the first numbers")
        self.log(service)
        expected = self.counted()
        service.kill()
        self.bed.wait_until_segments_are_gone()
        self.assert_states({("orders", service.popen.pid): expected})

    def test_each_rotated_file_has_the_numbers_up_to_its_end(self):
        self.start_consumer()
        service = self.service()
        counted = []
        for files in (1, 2):
            self.log(service)
            counted.append(self.counted())
            self.consumer.send(signal.SIGHUP)
            wait_until(lambda wanted=files + 1: len(self.bed.traces()) == wanted, "the next file")
        self.log(service)
        counted.append(self.counted())
        self.end(service)
        self.bed.stop_consumer(self.consumer)
        key = ("orders", service.popen.pid)
        for path, expected in zip(self.bed.traces(), counted, strict=True):
            self.assert_states({key: expected}, path)
        self.assert_states({key: counted[-1]})
        self.assertLess(counted[0]["calls_measured"], counted[1]["calls_measured"])
        self.verify()

    def test_a_consumer_that_takes_over_counts_no_call_twice(self):
        self.start_consumer()
        service = self.service()
        self.log(service)
        self.consumer.kill()
        self.start_consumer()
        self.log(service)
        self.log(service)
        self.bed.stop_consumer(self.consumer)
        between = self.counted()
        self.assert_states({("orders", service.popen.pid): between})
        self.start_consumer()
        self.log(service)
        expected = self.counted()
        self.end(service)
        self.assert_states({("orders", service.popen.pid): expected})
        stated = [section for path in self.bed.traces() for section in sections_with_costs(path)]
        self.assertGreaterEqual(sum(bool(section) for section in stated), 2, stated)
        self.verify()

    def test_a_flight_recorder_has_them_with_its_last_snapshot(self):
        self.start_consumer()
        service = self.bed.start_service("--records", 200, "--hold", service="orders", piped=True, overflow="overwrite",
                                         environment=MEASURED)
        wait_until(lambda: "done" in service.stdout(), "the last record")
        expected = self.counted()
        self.end(service)
        self.assert_states({("orders", service.popen.pid): expected})

    def test_a_running_consumer_leaves_something_for_the_reader_of_a_growing_file(self):
        """Without the end of a section."""
        service = self.service()
        self.start_consumer()
        self.log(service)
        self.consumer.kill()
        counted = self.counted()
        self.start_consumer()

        def has_all():
            return [numbers["calls_measured"] for numbers in self.stated().values()] == [counted["calls_measured"]]
        wait_until(has_all, "the numbers in the file")
        self.assert_states({("orders", service.popen.pid): counted})
        self.assertTrue(self.consumer.running())

    def test_what_rewrites_a_trace_keeps_them(self):
        self.start_consumer()
        service = self.service()
        self.log(service)
        self.consumer.send(signal.SIGHUP)
        wait_until(lambda: len(self.bed.traces()) == 2, "the next file")
        self.log(service)
        self.end(service)
        self.bed.stop_consumer(self.consumer)
        expected = self.stated()
        self.assertEqual(len(expected), 1)
        out = os.path.join(self.bed.work_dir, "out.ringtrace")
        for command in (("merge",), ("slice", "--service", "orders"), ("slice", "--since", "2000-01-01"), ("slice", "--thread", "w0")):
            self.run_tool("ringcat", *command, self.bed.output_dir, "-o", out)
            self.assert_states(expected, out)
            self.run_tool("ringcat", "verify", out)
            os.remove(out)
        # A slice has the numbers of its time.
        first, last = self.bed.traces()
        (end,) = [one["until_unix_ns"] + 1 for one in self.stats(first)["call_costs"]]
        self.run_tool("ringcat", "slice", "--until", f"@{end // 10**9}.{end % 10**9:09}", self.bed.output_dir, "-o", out)
        self.assert_states(self.stated(first), out)
        self.assertNotEqual(self.stated(first), expected)
        os.remove(out)
        with open(last, "rb") as file:
            data = file.read()
        cut = os.path.join(self.bed.work_dir, "cut.ringtrace")
        with open(cut, "wb") as file:
            file.write(data[:-1])  # within END
        self.run_tool("ringcat", "repair", cut, out, statuses=(0, 1))
        self.assert_states(expected, out)
        for path in self.bed.traces():
            self.run_tool("ringcat", "pack", path)
        self.assertEqual([path[-4:] for path in self.bed.traces()], [".zst"] * 2)
        self.assert_states(expected)
        self.bed.run_consumer_once("--keep-bytes", "1", "--keep-unshipped-bytes", "1")
        self.assertEqual(self.stats()["records"], 0)
        self.assert_states(expected)
        self.verify()


if __name__ == "__main__":
    unittest.main(verbosity=2)
