#!/usr/bin/env python3
"""Traces of two hosts whose CLOCK blocks state an error: what ringcat says about the order of their records. A trace of one
host is printed as without that."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../independent-reader"))
from trace_frames import FRAME_BYTES, Block, crc32c, frames  # noqa: E402
from trace_reader import CLOCK, END, HEADER, INDEX, TraceFile  # noqa: E402

RINGCAT = os.environ["RINGSIDE_TEST_RINGCAT"]
WRITE_TRACE = os.environ["RINGSIDE_TEST_WRITE_ORDERS_TRACE"]
UNKNOWN, SYNCHRONISED, UNSYNCHRONISED = 0, 1, 2
US = 1000
MS = 1000 * US
MARK = " [order unknown]"
RECORDS = 9  # of each host; and a loss


def framed(block_type, payload):
    head = struct.pack("<4sBBHI", b"RSBK", block_type, 1, 0, len(payload))
    return head + struct.pack("<I", crc32c(head, payload)) + payload


def texts(payload):
    """Service, executable and host of a HEADER."""
    found, at = [], 96
    for _ in range(3):
        size = struct.unpack_from("<H", payload, at)[0]
        found.append(payload[at + 2:at + 2 + size])
        at += 2 + size
    return found


class Host:
    """The trace of write_orders_trace as a host would have written it."""

    def __init__(self, name, number=1, boot=None, state=SYNCHRONISED, offset=0, error=0, later=0, distance=0):
        self.name, self.number, self.boot = name, number, number if boot is None else boot
        self.state, self.offset, self.error, self.later, self.distance = state, offset, error, later, distance

    def block(self, block):
        payload = block.payload
        if block.type == HEADER:
            service, executable, _ = texts(payload)
            payload = payload[:8] + bytes([self.number] * 16) + payload[24:64] + bytes([self.boot] * 16) + payload[80:96]
            for text in (service, executable, self.name.encode()):
                payload += struct.pack("<H", len(text)) + text
        elif block.type == CLOCK:
            tsc0, unix_ns, rate, monotonic, _ = struct.unpack_from("<5Q", payload)
            unix_ns += self.later
            payload = struct.pack("<5Q", tsc0, unix_ns, rate, monotonic, unix_ns + self.distance)
            if self.state != UNKNOWN:
                payload += struct.pack("<IIqQQ", self.state, 0, self.offset, self.error, self.error // 2)
        elif block.type == INDEX:
            return b""
        elif block.type == END:
            payload = payload[:24] + bytes(8)
        return framed(block.type, payload)


class ClockOrder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.orders = os.path.join(self.folder, "orders")
        subprocess.run([WRITE_TRACE, self.orders], check=True)
        with open(self.orders, "rb") as file:
            self.blocks = [block for block in frames(file.read()) if isinstance(block, Block)]

    def trace(self, host, name=None):
        path = os.path.join(self.folder, (name or host.name) + ".ringtrace")
        with open(path, "wb") as file:
            file.write(b"".join(host.block(block) for block in self.blocks))
        return path

    def ringcat(self, *arguments, status=0):
        done = subprocess.run([RINGCAT, *arguments], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done)
        return done.stdout, done.stderr

    def two(self, **of_second):
        return [self.trace(Host("db1", 1, error=200 * US)),
                self.trace(Host("web1", 2, **{"error": 900 * US, "offset": -100 * US, **of_second}))]

    def test_the_notice_states_the_sum_of_both_errors(self):
        self.assertEqual(self.ringcat("--utc", *self.two())[1],
                         "ringcat: the clocks of db1 and web1 agree within 1.2 ms; the order of their records that are closer "
                         "in time is not known\n")

    def test_the_distance_from_the_clock_of_the_host_is_part_of_the_error(self):
        self.assertIn("agree within 6.2 ms", self.ringcat("--utc", *self.two(distance=5 * MS))[1])

    def test_marks_are_for_records_closer_than_both_errors(self):
        for later, are_marked in ((1100 * US, True), (1199 * US, True), (1200 * US, False), (5 * MS, False)):
            for threads in ("1", "3"):
                with self.subTest(later=later, threads=threads):
                    lines = self.ringcat("--utc", "--mark-order", "--no-losses", "--threads", threads,
                                         *self.two(later=later))[0].splitlines()
                    self.assertEqual([line.endswith(MARK) for line in lines], [False, are_marked] * RECORDS)

    def test_marks_do_not_change_the_lines_otherwise(self):
        paths = self.two(later=MS)
        plain, marked = self.ringcat("--utc", *paths), self.ringcat("--utc", "--mark-order", *paths)
        self.assertNotIn("[order", plain[0])
        self.assertEqual(marked[0].replace(MARK, ""), plain[0])
        self.assertEqual(marked[1], plain[1])

    def test_json_has_the_error_of_each_record(self):
        for threads in ("1", "3"):
            output = self.ringcat("--format", "json", "--no-losses", "--threads", threads, "--mark-order",
                                  *self.two(later=MS))[0]
            records = [json.loads(line) for line in output.splitlines()]
            self.assertEqual([record["clock_error_ns"] for record in records], [200 * US, MS] * RECORDS)
            self.assertEqual([record.get("order_unknown") for record in records], [None, True] * RECORDS)
        output = self.ringcat("--format", "json", *self.two(later=MS))[0]
        self.assertNotIn("order_unknown", output)
        losses = [json.loads(line) for line in output.splitlines() if '"kind":"loss"' in line]
        self.assertEqual([loss["clock_error_ns"] for loss in losses], [200 * US, MS])

    def test_logfmt_has_a_mark(self):
        lines = self.ringcat("--format", "logfmt", "--no-losses", "--mark-order", *self.two(later=MS))[0].splitlines()
        self.assertEqual([line.endswith(" clock_order=unknown") for line in lines], [False, True] * RECORDS)

    def test_a_clock_that_is_not_synchronised_has_no_known_error(self):
        for state in (UNSYNCHRONISED, UNKNOWN):
            with self.subTest(state=state):
                paths = self.two(state=state, later=MS)
                output, error = self.ringcat("--format", "json", "--no-losses", "--mark-order", *paths)
                records = [json.loads(line) for line in output.splitlines()]
                self.assertEqual([record["clock_error_ns"] for record in records], [200 * US, None] * RECORDS)
                self.assertEqual([record.get("order_unknown", False) for record in records], [False] + [True] * (2 * RECORDS - 1))
                self.assertEqual(error, "ringcat: the clock error of web1 is not known (not synchronised, or not in the "
                                 "trace); the order of its records against those of other hosts is not known\n")

    def test_hosts_with_and_without_a_known_error(self):
        paths = [*self.two(), self.trace(Host("old1", 3, state=UNKNOWN)), self.trace(Host("old2", 4, state=UNKNOWN))]
        self.assertEqual(self.ringcat("--utc", *paths)[1],
                         "ringcat: the clocks of db1 and web1 agree within 1.2 ms; the order of their records that are closer "
                         "in time is not known; the clock errors of old1 and old2 are not known (not synchronised, or not in "
                         "the trace); the order of their records against those of other hosts is not known\n")

    def test_only_printed_records_count(self):
        paths = [self.trace(Host("db1", 1, error=200 * US)), self.trace(Host("web1", 2, error=MS, later=10**12))]
        self.assertEqual(self.ringcat("--utc", "--until", "2025-11-20 21:40:00", *paths)[1], "")

    def test_one_host_is_printed_as_without_errors(self):
        plain = self.trace(Host("db1", state=UNKNOWN), "plain")
        stated = self.trace(Host("db1", error=MS), "stated")
        for arguments in (["--utc"], ["--format", "json"], ["--format", "logfmt"], ["--utc", "--mark-order"]):
            self.assertEqual(self.ringcat(*arguments, stated), self.ringcat(*arguments, plain))
            self.assertEqual(self.ringcat(*arguments, stated)[1], "")

    def test_one_clock_is_one_host(self):
        for what, first, second in (("containers of one machine", Host("a", 1, boot=7, error=MS), Host("b", 2, boot=7, error=MS)),
                                    ("two starts of one machine", Host("a", 1, error=MS), Host("a", 2, error=MS))):
            with self.subTest(what):
                paths = [self.trace(first, "first"), self.trace(second, "second")]
                output, error = self.ringcat("--format", "json", "--mark-order", *paths)
                self.assertNotIn("clock_error_ns", output)
                self.assertEqual(error, "")

    def test_other_formats_refuse_marks(self):
        path = self.trace(Host("db1"))
        for arguments in (["--format", "csv"], ["--template", "{msg}"], ["--to", "perfetto"], ["--unordered"]):
            self.assertIn("--mark-order", self.ringcat("--mark-order", *arguments, path, status=2)[1])

    def test_stats_and_inspect_show_the_clocks(self):
        paths = self.two(state=UNSYNCHRONISED)
        hosts = json.loads(self.ringcat("stats", "--format", "json", *paths)[0])["hosts"]
        self.assertEqual(hosts, [{"host": "db1", "clock": "synchronised", "clock_error_ns": 200 * US, "offset_ns": 0},
                                 {"host": "web1", "clock": "not synchronised", "offset_ns": -100 * US}])
        table = self.ringcat("stats", *paths)[0]
        self.assertRegex(table, r"(?m)^ +200\.0 us +0 ns  synchronised +db1$")
        self.assertRegex(table, r"(?m)^ +unknown +-100\.0 us  not synchronised +web1$")
        clocks = [block for block in json.loads(self.ringcat("inspect", "--json", paths[0])[0])["blocks"]
                  if block["type"] == "CLOCK"]
        self.assertEqual([(block["state"], block["max_error_ns"], block["estimated_error_ns"], block["clock_error_ns"])
                          for block in clocks], [("synchronised", 200 * US, 100 * US, 200 * US)] * len(clocks))
        self.assertIn("unsynchronised, offset -100000 ns, maximum error 900000 ns", self.ringcat("inspect", paths[1])[0])

    def clocks(self, path):
        with open(path, "rb") as file:
            return [block.payload for block in frames(file.read()) if isinstance(block, Block) and block.type == CLOCK]

    def test_rewritten_files_keep_the_state(self):
        paths = self.two()
        original = sorted(self.clocks(paths[0]) + self.clocks(paths[1]))
        self.assertEqual({len(clock) for clock in original}, {72})
        merged = os.path.join(self.folder, "merged.ringtrace")
        self.ringcat("merge", "-o", merged, *paths)
        self.assertEqual(sorted(self.clocks(merged)), original)
        sliced = os.path.join(self.folder, "sliced.ringtrace")
        self.ringcat("slice", "--since", "2025-11-20 21:35:17", "-o", sliced, *paths)
        self.assertEqual({len(clock) for clock in self.clocks(sliced)}, {72})
        self.ringcat("pack", merged)
        self.assertIn("agree within 1.2 ms", self.ringcat(merged + ".zst")[1])
        self.ringcat("unpack", merged + ".zst")
        self.assertEqual(sorted(self.clocks(merged)), original)

    def test_a_reader_that_does_not_know_the_state_reads_the_same(self):
        read = []
        for path in (self.trace(Host("db1", state=UNKNOWN), "plain"), self.trace(Host("db1", error=MS), "stated")):
            with open(path, "rb") as file:
                read.append(TraceFile(file.read()))
        plain, stated = read
        self.assertEqual([section.events for section in stated.sections], [section.events for section in plain.sections])
        self.assertEqual([section.clocks for section in stated.sections], [section.clocks for section in plain.sections])
        self.assertEqual(len(stated.sections[0].events), RECORDS + 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
