#!/usr/bin/env python3
"""NetTrace files are read as traces, and traces are written as NetTrace files."""

import csv
import io
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest

from random_traces import BOUND_S, SEEDS, RandomTrace, comparable, events_of, program, ringcat

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nettrace")
REAL = ["eventpipe-dotnetcore5.0-win-x64-arraytypes", "mixed_managed_external_samples"]
SMALL = ["s00_empty", "s01_uncompressed", "s02_all_flag_bytes", "s03_dropped"]
UNKNOWN_PROCESSOR = 0xFFFFFFFF


def sample(name, kind="nettrace"):
    return os.path.join(SAMPLES, f"{name}.{kind}")


def summary_of(path):
    code, output, said = ringcat("inspect", "--json", path)
    assert code == 0, said
    return json.loads(output)


def canonical_lines(path):
    code, output, said = ringcat("inspect", "--csv", path)
    assert code == 0, said
    return list(csv.reader(io.StringIO(output.decode())))


def imported(path):
    code, output, _ = ringcat("--format", "json", path)
    assert code == 0
    events = [json.loads(line) for line in output.splitlines()]
    return ([event for event in events if event["kind"] == "record"],
            [event for event in events if event["kind"] != "record"])


def sync_unix_ns(trace):
    from datetime import datetime, timezone
    time = datetime(trace["year"], trace["month"], trace["day"], trace["hour"], trace["minute"],
                    trace["second"], tzinfo=timezone.utc)
    return int(time.timestamp()) * 10**9 + trace["millisecond"] * 10**6


def number(value):
    return struct.pack("<I", value)


def text(value):
    return value.encode("utf-16-le") + b"\0\0"


def empty_trace():
    """A trace without its end tag."""
    with open(sample("s00_empty"), "rb") as file:
        return file.read()[:-1]


def with_object(data, kind, body):
    data += b"\5\5\1" + number(2) + number(2) + number(len(kind)) + kind + b"\6" + number(len(body))
    return data + bytes(-len(data) % 4) + body + b"\6"


def with_block(data, kind, blobs):
    return with_object(data, kind, struct.pack("<HHQQ", 20, 1, 0, 2**64 - 1) + blobs)


def metadata_record():
    """Of type 1, with 0 as the count of its V1 fields."""
    return number(1) + text("P") + number(7) + text("E") + bytes(8) + number(0) + number(4) + number(0)


def metadata_blob(record):
    return b"\x80\1" + bytes([len(record) & 127 | 128, len(record) >> 7]) + record


class Reading(unittest.TestCase):
    def test_every_event_is_a_record_with_its_time_thread_and_type(self):
        for name in REAL + SMALL:
            with self.subTest(name):
                trace = summary_of(sample(name))["trace"]
                records, _ = imported(sample(name))
                expected = sorted(
                    (sync_unix_ns(trace) + (int(time) - trace["sync_time_qpc"]) * 10**9
                     // trace["qpc_frequency"], int(thread), int(capture_thread), int(processor),
                     provider, int(event_id))
                    for time, capture_thread, thread, _, processor, _, provider, event_id, _, _
                    in canonical_lines(sample(name)))
                found = sorted(
                    (record["unix_ns"], record["thread"]["id"],
                     record["fields"].get("nettrace.capture_thread", record["thread"]["id"]),
                     record["fields"].get("nettrace.processor", UNKNOWN_PROCESSOR),
                     record["category"], record["fields"]["nettrace.event_id"])
                    for record in records)
                self.assertEqual(found, expected)

    def test_payloads_are_decoded_by_their_metadata(self):
        records, _ = imported(sample(REAL[0]))
        records = [r for r in records if r["category"] == "TestEventSource0"]
        with open(sample(REAL[0], "events.jsonl"), encoding="utf-8") as file:
            expected = [json.loads(line) for line in file]
        self.assertEqual(len(records), len(expected))
        for record, event in zip(records, expected):
            fields = record["fields"]
            self.assertEqual(record["name"], event["event_name"])
            for name, value in event["payload"].items():
                if isinstance(value, list) and isinstance(value[0], str):  # code units
                    value = [ord(unit) for unit in value]
                self.assertEqual(fields[name], value)
            self.assertEqual(fields["nettrace.stack"], event["stack"])
            self.assertEqual(fields["nettrace.version"], event["version"])
            self.assertEqual(fields.get("nettrace.opcode"), event["opcode"])

    def test_events_without_metadata_are_counted_with_the_others(self):
        data = with_block(empty_trace(), b"EventBlock", b"\x81\7\1\3abc") + b"\1"
        code, output, said = ringcat("inspect", "--json", "-", input=data)
        summary = json.loads(output)
        self.assertEqual((code, summary["events"], summary["events_without_metadata"]), (0, 1, 1), said)
        self.assertEqual([(kind["count"], kind["payload_bytes"]) for kind in summary["events_by_type"]], [(1, 3)])
        self.assertEqual(summary["events_by_provider"], {"": 1})

    def test_types_that_are_described_again_take_no_memory_while_an_event_waits_for_its_stack(self):
        metadata = metadata_blob(metadata_record())
        data = with_block(empty_trace(), b"MetadataBlock", metadata)
        data = with_block(data, b"EventBlock", b"\x89\1\5\1\0")
        data = with_block(data, b"MetadataBlock", metadata * 500_000) + b"\1"
        environment = dict(os.environ)
        environment["ASAN_OPTIONS"] = ":".join(
            [*filter(None, [os.environ.get("ASAN_OPTIONS")]), "quarantine_size_mb=1"])
        with subprocess.Popen([program("ringcat"), "--format", "json", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, env=environment) as process:
            process.stdin.write(data)
            # ringcat has read everything that the pipe does not hold.
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                peak = int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) << 10
            process.stdin.close()
            self.assertEqual(process.wait(BOUND_S), 0)
        self.assertLess(peak, 200 << 20)

    def test_many_stacks_do_not_make_later_sequence_points_slow(self):
        stacks = 1_000_000
        data = with_object(empty_trace(), b"StackBlock", number(1) + number(stacks) + bytes(4 * stacks))
        data = with_object(data, b"SPBlock", bytes(12))
        point = with_object(data, b"SPBlock", bytes(12))[len(data):]
        self.assertEqual(len(point) % 4, 0)  # so that it can be repeated
        points = 400_000
        # Takes hundreds of seconds if each event clears a table as large as that of the stacks; otherwise one.
        with tempfile.NamedTemporaryFile(prefix="ringside-test-", suffix=".nettrace") as file:
            file.write(data + point * points + b"\1")
            file.flush()
            self.assertEqual(imported(file.name), ([], []))
            self.assertEqual(summary_of(file.name)["sequence_points"], points + 1)

    def test_an_invalid_thread_name_is_a_record(self):
        with RandomTrace(SEEDS[0], records=200) as trace:
            data, _ = trace.converted("nettrace")
            path = trace.path_of("damaged.nettrace")
            sound, _ = imported(trace.path_of("converted.nettrace"))
            # Makes the metadata's second field a number instead of a text, so that its tag is invalid.
            name = "name".encode("utf-16-le") + b"\0\0"
            before = struct.pack("<I", 18) + name
            self.assertEqual(data.count(before), 1)
            with open(path, "wb") as file:
                file.write(data.replace(before, struct.pack("<I", 12) + name))
            damaged, _ = imported(path)
        names = [record for record in damaged if record.get("name") == "thread name"]
        self.assertTrue(names)
        self.assertEqual(len(damaged), len(sound) + len(names))

    def test_dropped_events_are_losses(self):
        _, losses = imported(sample("s03_dropped"))
        self.assertEqual([(loss["thread"]["id"], loss["count"]) for loss in losses],
                         [(1, 2), (1, 3), (3, 1)])

    def test_activities_read_as_dotnet_prints_them(self):
        records, _ = imported(sample("s01_uncompressed"))
        with open(sample("s01_uncompressed"), "rb") as file:
            data = file.read()
        activities = [record["activity"] for record in records if "activity" in record]
        self.assertEqual(len(activities), 2)
        for activity in activities:
            a, b, c = struct.unpack(">IHH", bytes.fromhex(activity[:16]))
            self.assertIn(struct.pack("<IHH", a, b, c) + bytes.fromhex(activity[16:]), data)

    def test_what_precedes_damage_is_delivered(self):
        with open(sample("s03_dropped"), "rb") as file:
            whole = file.read()
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            path = os.path.join(directory, "cut.nettrace")
            with open(path, "wb") as file:
                file.write(whole[:-40])
            code, output, said = ringcat("--format", "json", path)
            self.assertNotEqual(code, 0)
            self.assertIn("ends within", said)
            self.assertTrue(output)
            with open(path, "wb") as file:
                file.write(b"\x14\0\0\0!FastSerialization.1" + whole[32:])
            code, output, said = ringcat("--format", "json", path)
            self.assertNotEqual(code, 0)
            self.assertIn("not an object", said)  # a NetPerf file has others
            self.assertFalse(output)

    def test_a_pipe_is_read_too(self):
        with open(sample("s02_all_flag_bytes"), "rb") as file:
            code, output, _ = ringcat("--format", "json", "-", stdin=file)
        self.assertEqual(code, 0)
        self.assertEqual(len(output.splitlines()), 256)


def carried(event):
    """The event without the parts that NetTrace cannot store."""
    def text(value):
        if isinstance(value, list):
            return [text(element) for element in value]
        return value.split("\0")[0] if isinstance(value, str) else value

    thread = {key: text(value) for key, value in event["thread"].items()}
    event = {**event, "msg": None, "cause": None, "thread": thread}
    if "fields" in event:
        event["fields"] = {name: text(value) for name, value in event["fields"].items()}
    return event


class Writing(unittest.TestCase):
    maxDiff = 2000

    def test_random_traces_survive_the_way_there_and_back(self):
        for seed in SEEDS:
            with self.subTest(seed), RandomTrace(seed) as trace:
                _, said = trace.converted("nettrace")
                for line in said.splitlines():
                    self.assertRegex(line, "cause of losses|null character")
                expected = comparable(trace.events())
                found = comparable(events_of(trace.path_of("converted.nettrace")))
                self.assertEqual(len(found), len(expected))
                for one, other in zip(found, expected):
                    self.assertEqual(carried(one), carried(other))

    def test_what_is_written_is_valid(self):
        with RandomTrace(SEEDS[0], records=9000, threads=20) as trace:
            trace.converted("nettrace")
            summary = summary_of(trace.path_of("converted.nettrace"))
            events = trace.events()
        losses = sum(e["count"] for e in events if e["kind"] == "loss")
        named = {(e["pid"], e["thread"]["id"]) for e in events if e["thread"].get("name")}
        self.assertTrue(named)
        self.assertEqual(summary["events"], 9000 + len(named))
        self.assertTrue(summary["ended_with_null_reference"])
        self.assertEqual(summary["dropped"]["total"], losses)
        for fault in ("events_without_metadata", "out_of_order_events",
                      "events_outside_sequence_point_bounds", "block_timestamp_range_violations",
                      "metadata_redefinitions"):
            self.assertEqual(summary[fault], 0, fault)
        self.assertEqual(summary["payload_decode"]["too_short"], 0)
        self.assertEqual(summary["payload_decode"]["extra_bytes"], 0)

    def test_nettrace_files_survive_the_way_there_and_back(self):
        alike = ("events", "events_by_type", "events_by_provider", "payload_bytes",
                 "events_with_activity_id", "events_with_related_activity_id", "threads",
                 "capture_threads", "processors")
        for name in REAL + SMALL:
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
                path = os.path.join(directory, "again.nettrace")
                code, _, said = ringcat("--to", "nettrace", "-o", path, sample(name))
                self.assertEqual(code, 0, said)
                before, after = summary_of(sample(name)), summary_of(path)
                self.assertEqual({key: after[key] for key in alike},
                                 {key: before[key] for key in alike})
                for stacks in ("events_with_frames", "events_unresolved"):
                    self.assertEqual(after["stacks"][stacks], before["stacks"][stacks])
                self.assertEqual(after["dropped"]["total"], before["dropped"]["total"])
                self.assertEqual(self.lines_in_ns(path, after), self.lines_in_ns(sample(name), before))

    def lines_in_ns(self, path, summary):
        """Sorted, because the order of threads is not kept for events at the same time."""
        trace = summary["trace"]
        return sorted(
            [sync_unix_ns(trace) + (int(line[0]) - trace["sync_time_qpc"]) * 10**9
             // trace["qpc_frequency"], *line[1:3], line[4], *line[6:]]
            for line in canonical_lines(path))

    def written_of(self, events):
        """The summary, the size and the losses of `events` after conversion to a NetTrace file."""
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            source = os.path.join(directory, "events.ndjson")
            path = os.path.join(directory, "written.nettrace")
            with open(source, "w", encoding="utf-8") as file:
                for time, (kind, thread, members) in enumerate(events):
                    file.write(json.dumps({"kind": kind, "unix_ns": 10**9 + time, "service": "s", "pid": 1,
                                           "thread": {"id": thread, "name": ""}, **members}) + "\n")
            code, _, said = ringcat("--to", "nettrace", "-o", path, source)
            self.assertEqual(code, 0, said)
            _, losses = imported(path)
            return summary_of(path), os.path.getsize(path), [loss["count"] for loss in losses], said

    def test_losses_beyond_half_of_the_numbers_are_reported_in_full(self):
        counts = [5, 2**31 - 1, 2**31, 2**32, 5 * 10**9]
        events = []
        for count in counts:
            events += [("loss", 7, {"count": count, "cause": "ring_full"}),
                       ("record", 7, {"level": "INFO", "category": "c", "name": "n", "fields": {}})]
        summary, _, losses, _ = self.written_of(events)
        self.assertEqual(losses, counts)
        self.assertEqual(summary["dropped"]["total"], sum(counts))
        self.assertEqual(summary["dropped"]["sequence_point_below_last"], 0)
        self.assertEqual(summary["dropped"]["regressions"], 0)
        summary, size, _, said = self.written_of([("loss", 7, {"count": 2**61, "cause": "ring_full"})])
        self.assertEqual(summary["dropped"]["total"], 64 * (2**31 - 1))
        self.assertIn("lost in one place", said)
        self.assertLess(size, 10_000)

    def test_losses_of_many_threads_do_not_each_list_all_threads(self):
        record = {"level": "INFO", "category": "c", "name": "n", "fields": {}}
        threads = range(1, 1001)
        events = [("record", thread, record) for thread in threads]
        for thread in threads:
            events += [("loss", thread, {"count": thread, "cause": "ring_full"}), ("record", thread, record)]
        summary, size, losses, _ = self.written_of(events)
        self.assertEqual(losses, list(threads))
        self.assertEqual(summary["dropped"]["total"], sum(threads))
        self.assertLess(size, 300 * len(events))

    def test_a_trace_without_events_is_one(self):
        with RandomTrace(SEEDS[0]) as trace:
            data, _ = trace.converted("nettrace", "--grep", "there is no such text")
            summary = summary_of(trace.path_of("converted.nettrace"))
        # Losses pass the filter, together with the names of their threads.
        self.assertEqual({kind["event_name"] for kind in summary["events_by_type"]}, {"thread name"})
        self.assertEqual(len(data), summary["size"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
