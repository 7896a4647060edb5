#!/usr/bin/env python3
"""The reader of this folder, written from the specification alone, against the project's own: the same records, times,
sequence numbers, values, losses and lines from the same files."""

import json
import os
import re
import signal
import socket
import subprocess
import unittest

from told_service import ToldService
from trace_collection import OFF, ON, State
from trace_dump import dump_line
from trace_extent import KIND_CONTEXT
from trace_frames import FRAME_BYTES, frames
from trace_message import line_of
from trace_reader import CLOCK, HEADER, STREAM, Loss, TraceFile, in_order
from traced_processes import BOUND_S, TestBed, program, wait_until


POLICIES = ["block", "drop", "overwrite"]  # by their numbers, as the states
STATES = ["off", "on", "counting"]


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=BOUND_S, check=False)
    return done.returncode, done.stdout, done.stderr


def read(path):
    with open(path, "rb") as file:
        return TraceFile(file.read())


def examples_of_the_specification():
    """Heading and bytes of each hexadecimal column in the text. Examples without a HEADER follow HEADER, CLOCK and STREAM
    of the first one."""
    with open(os.environ["RINGSIDE_TEST_SPECIFICATION"], encoding="utf-8") as file:
        chapters = re.split(r"^#+ ", file.read(), flags=re.MULTILINE)
    opening = b""
    for chapter in chapters:
        for listing in re.findall(r"```\n(.*?)```", chapter, flags=re.DOTALL):
            columns = [line.partition(";")[0] for line in listing.splitlines()]
            if not all(re.fullmatch(r"(?:[0-9A-F]{2} *)*", column) for column in columns):
                continue
            data = bytes.fromhex("".join(columns))
            blocks = list(frames(data))
            if blocks[0].type == HEADER:
                opening = b"".join(data[block.offset:block.end()] for block in blocks
                                   if block.type in (HEADER, CLOCK, STREAM))
                yield chapter.splitlines()[0], data
            else:
                yield chapter.splitlines()[0], opening + data


def is_context(event):
    return not isinstance(event, Loss) and event.site.kind == KIND_CONTEXT


class IndependentReader(unittest.TestCase):
    def assert_same_events(self, *paths):
        """Compares each field with the library's. Returns the events. A context is shown with other records only."""
        events = [event for event in in_order([read(path) for path in paths]) if not is_context(event[2])]
        status, dump, complaint = run(program("dump_trace"), *paths)
        self.assertEqual(status, 0, complaint)
        expected = dump.decode().splitlines()
        got = [dump_line(*event) for event in events]
        for ours, theirs in zip(got, expected):
            self.assertEqual(ours, theirs)
        self.assertEqual(len(got), len(expected))
        return events

    def assert_same_lines(self, *paths):
        """Compares each byte with ringcat's output."""
        status, lines, complaint = run(program("ringcat"), "--utc", "--raw", *paths)
        self.assertEqual((status, complaint), (0, b""))
        events = [event for event in in_order([read(path) for path in paths]) if not is_context(event[2])]
        self.assertEqual([line_of(*event) for event in events], lines.split(b"\n")[:-1])

    def assert_whole(self, path):
        file = read(path)
        self.assertEqual((file.problems, file.unfinished_bytes), ([], 0))
        for section in file.sections:
            self.assertEqual(section.end.records,
                             sum(not isinstance(event, Loss) for event in section.events))
            self.assert_extents_keep_their_word(section)
        return file

    def assert_extents_keep_their_word(self, section):
        """The heads of extents agree with their records, and sequence points with what follows them."""
        times, heads = {}, {}
        for event in section.events:
            if not isinstance(event, Loss):
                times[event.stream_id, event.sequence] = event.ticks
                heads[event.stream_id, event.sequence] = event.ticks + (event.duration if event.is_stamped_at_end else 0)
        points = iter(sorted((offset, kind) for offset, kind in section.blocks if kind == 5))
        following, watermark, number = next(points, None), 0, 0
        for offset, extent in section.extents:
            while following and following[0] < offset:
                watermark, number = section.points[number].watermark, number + 1
                following = next(points, None)
            numbers = range(extent.first_sequence, extent.first_sequence + extent.record_count)
            inside = [times[extent.stream_id, i] for i in numbers]
            tags = [heads[extent.stream_id, i] for i in numbers]
            if not inside:
                continue
            self.assertEqual((extent.base, extent.smallest, extent.largest), (tags[0], min(inside), max(tags)))
            goes_back = any(time < tag for time, tag in zip(inside[1:], tags))
            self.assertEqual(bool(extent.flags & 1), goes_back)
            if not extent.flags & 2:
                self.assertGreaterEqual(extent.smallest, watermark)

    def test_the_examples_of_the_specification(self):
        examples = dict(examples_of_the_specification())
        self.assertEqual(list(examples), ["Worked example", "Two sites, texts, numbers",
                                          "Losses, extensions, a time that goes back",
                                          "A thread that moves"])
        messages, processors = {}, {}
        for heading, data in examples.items():
            with self.subTest(heading), TestBed() as bed:
                path = os.path.join(bed.output_dir, "example.ringtrace")
                with open(path, "wb") as file:
                    file.write(data)
                self.assertEqual(read(path).problems, [])
                events = self.assert_same_events(path)
                self.assert_same_lines(path)
                processors[heading] = [event.processor for _, _, event in events if not isinstance(event, Loss)]
                messages[heading] = [line_of(*event).split(b"] ")[1].decode() for event in events]
        self.assertEqual(messages["Worked example"], ["n=5", "n=6", "n=6"])
        self.assertEqual(messages["Two sites, texts, numbers"],
                         ["ab 1.5", "n=5", "cd 2", "n=4", "ab 1.5", "n=4"])
        self.assertEqual(
            messages["Losses, extensions, a time that goes back"],
            ["n=-5", "2 records: the ring was full", "n=1000 [cut]", "n=-5",
             "4 records: the ring was full, partly without a consumer"])
        self.assertEqual(messages["A thread that moves"], ["n=5", "n=6"])
        self.assertEqual(processors["A thread that moves"], [2, 0])
        self.assertEqual(processors["Worked example"], [None] * 3)

    def test_random_records_of_all_types(self):
        in_context = in_task = 0
        for seed in range(1, 13):
            with self.subTest(seed), TestBed() as bed:
                path = os.path.join(bed.output_dir, "random.ringtrace")
                self.assertEqual(run(program("random_trace"), str(seed), path)[0], 0)
                self.assertEqual(read(path).problems, [])
                events = self.assert_same_events(path)
                self.assertGreater(len(events), 200)
                in_context += sum(bool(event.context) for _, _, event in events if not isinstance(event, Loss))
                in_task += sum(event.substream is not None and event.substream == event.context.values[1]
                               for _, _, event in events if not isinstance(event, Loss) and event.context
                               and len(event.context.values) > 2)
                processors = {event.processor for _, _, event in events if not isinstance(event, Loss)}
                self.assertGreater(len(processors), 3)
        self.assertGreater(in_context, 600)
        self.assertGreater(in_task, 100)

    def test_the_records_of_a_service(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            service = bed.start_service("--threads", 3, "--records", 1000)
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            for path in bed.traces():
                self.assert_whole(path)
            events = self.assert_same_events(*bed.traces())
            self.assertEqual(len(events), 3000)
            # Each message contains the service's own count: thread/number.
            for _, section, event in events:
                thread = section.streams[event.stream_id].name
                self.assertEqual(b"%s/%d" % (thread[1:].encode(), event.sequence),
                                 line_of(0, section, event).split(b"] ")[1].split(b" ")[0])
            self.assert_same_lines(*bed.traces())

    def test_losses(self):
        with TestBed() as bed:
            service = bed.start_service("--threads", 2, "--records", 3000, overflow="drop",
                                        ring_bytes=1 << 16)
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.run_consumer_once()
            file = self.assert_whole(bed.traces()[0])
            events = self.assert_same_events(*bed.traces())
            lost = sum(event.count for _, _, event in events if isinstance(event, Loss))
            self.assertGreater(lost, 0)
            self.assertEqual(lost, file.sections[0].end.dropped)
            self.assertEqual(lost, int(service.values()["dropped"]))

    def test_cut_texts(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            service = bed.start_service(1 << 16, which="long_texts", ring_bytes=1 << 16)
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            events = self.assert_same_events(*bed.traces())
            self.assertGreater(sum(event.cut for _, _, event in events), 10)
            self.assert_same_lines(*bed.traces())

    def test_sections_of_two_consumers(self):
        with TestBed() as bed:
            service = bed.start_service("--records", 300, "--steps", piped=True)
            consumer = bed.start_consumer()
            for lines in (1, 2):
                service.popen.stdin.write(b"\n")
                service.popen.stdin.flush()
                wait_until(lambda: service.stdout().count("flushed") == lines, "a flush")
                consumer.kill()
                consumer = bed.start_consumer()
            service.end_input()
            self.assertEqual(service.wait(), 0)
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            events = self.assert_same_events(*bed.traces())
            self.assertEqual([event.sequence for _, _, event in events], list(range(600)))
            self.assertGreater(sum(len(read(path).sections) for path in bed.traces()), 1)
            self.assert_same_lines(*bed.traces())

    def test_what_was_collected(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            service = ToldService(bed, "steered_service", service="desk")
            wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
            for command in (("level", "warning"), ("disable", "is late", "--for", "100s"), ("policy", "drop")):
                self.assertEqual(run(program("ringctl"), *command, "--shm-dir", bed.shm_dir)[0], 0)
            service.end()
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            (path,) = bed.traces()
            (section,) = self.assert_whole(path).sections
            ours = [one for one in section.collected if isinstance(one, State)]
            status, lines, complaint = run(program("ringcat"), "collected", "--format", "json", path)
            self.assertEqual((status, complaint), (0, b""))
            theirs = [json.loads(line) for line in lines.splitlines()]
            self.assertEqual(len(ours), len(theirs))
            for state, other in zip(ours, theirs):
                self.assertEqual((section.unix_ns(state.until), POLICIES[state.policy], state.block_timeout_ms),
                                 (other["unix_ns"], other["overflow"], other["block_timeout_ms"]))
                self.assertEqual([(one.site_id, STATES[one.state]) for one in state.statements],
                                 [(one["site"], one["state"]) for one in other["statements"]])
                self.assertEqual([section.unix_ns(one.time_limit) for one in state.statements if one.time_limit],
                                 [one["until_unix_ns"] for one in other["statements"] if "until_unix_ns" in one])
                self.assertEqual([(section.unix_ns(one.ticks), one.command, one.ids) for one in state.changes],
                                 [(one["unix_ns"], one["command"], (one["uid"], one["pid"])) for one in other["changes"]])
            self.assertEqual([change.command for state in ours for change in state.changes],
                             ["ringctl level warning", "ringctl disable 'is late' --for 100s", "ringctl policy drop"])
            late = next(one for one in ours[-1].statements if one.time_limit)
            warning = 5
            self.assertEqual(ours[-1].state_of(late.site_id, warning, late.time_limit - 1), OFF)
            self.assertEqual(ours[-1].state_of(late.site_id, warning, late.time_limit), ON)

    def test_the_example_service(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            service = bed.start_service("--port", 0, which="kvd", service="kvd")
            port = wait_until(lambda: re.search(r"listening on [\d.]+:(\d+)\n", service.stdout()),
                              "kvd to listen").group(1)
            with socket.create_connection(("127.0.0.1", int(port)), timeout=BOUND_S) as connection:
                for command in (b"SET key value", b"GET key", b"GET none", b"NOSUCH x"):
                    connection.sendall(command + b"\r\n")
                    self.assertTrue(connection.recv(4096))
            service.send(signal.SIGTERM)
            service.wait()
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.assertGreater(len(self.assert_same_events(*bed.traces())), 8)
            self.assert_same_lines(*bed.traces())

    def test_damage_costs_the_same_records(self):
        """Damages one byte of each block in turn: neither reader loses more than the other."""
        with TestBed() as bed:
            path = os.path.join(bed.output_dir, "random.ringtrace")
            self.assertEqual(run(program("random_trace"), "7", path)[0], 0)
            with open(path, "rb") as file:
                data = file.read()
            file = TraceFile(data)
            blocks = [(offset, kind) for offset, kind in file.sections[0].blocks if kind in (3, 4, 10)]
            for offset, kind in blocks[::2]:
                if kind == 10 or offset == blocks[0][0]:
                    continue  # names of threads are not compared here; no event precedes the first clock
                with self.subTest(offset=offset, kind=kind):
                    bad = bytearray(data)
                    bad[offset + FRAME_BYTES + 3] ^= 0x55
                    with open(path, "wb") as file:
                        file.write(bad)
                    self.assertEqual(len(read(path).problems), 1)
                    self.assert_same_events(path)

    def test_a_file_may_end_anywhere(self):
        with TestBed() as bed:
            path = os.path.join(bed.output_dir, "random.ringtrace")
            self.assertEqual(run(program("random_trace"), "5", path)[0], 0)
            with open(path, "rb") as file:
                data = file.read()
            for cut in range(200, len(data), len(data) // 40):
                with self.subTest(cut=cut):
                    with open(path, "wb") as file:
                        file.write(data[:cut])
                    self.assertEqual(read(path).problems, [])
                    self.assert_same_events(path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
