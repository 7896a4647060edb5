#!/usr/bin/env python3
"""NetPerf files (EventPipe versions 1 to 3) are read as traces. The writer knows the format's description only."""

import json
import os
import random
import socket
import struct
import tempfile
import unittest
import uuid

from collector_process import CollectorProcess
from live_stream_test import Stream
from netperf_files import (BEGIN, BOOLEAN, END, GUID, NULL, NUMBERS, OBJECT, RUNDOWN, RUNTIME, SAMPLER, STRING, TPL, EventType,
                           NetperfFile, sample, utf16)
from nettrace_files import NettraceFile
from random_traces import SEEDS, ringcat

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nettrace")
VERSIONS = (1, 2, 3)
OK, DAMAGED, UNREADABLE = 0, 1, 3


def read(data, *options):
    """The exit code, the output of ringcat for a file with these bytes, and the messages."""
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
        path = os.path.join(directory, "old.netperf")
        with open(path, "wb") as file:
            file.write(data)
        return ringcat(*options, path)


def records(data, code=OK):
    status, output, said = read(data, "--format", "json")
    assert status == code, (status, said)
    return [json.loads(line) for line in output.splitlines()], said


def shown(record):
    """A record in the form of those that the writer expects."""
    fields = dict(record["fields"])
    facts = {name: fields.pop("nettrace." + name, None) for name in ("event_id", "version", "stack", "opcode", "level")}
    found = {"unix_ns": record["unix_ns"], "thread": record["thread"]["id"], "pid": record["pid"], "category": record["category"],
             "event_id": facts["event_id"], "version": facts["version"], "level": record["level"],
             "keywords": int(record.get("keywords", "0"), 16), "name": record["name"], "fields": fields,
             "stack": facts["stack"] or []}
    found.update({name: record[name] for name in ("activity", "related") if name in record})
    return found


def in_order(found):
    return sorted(found, key=lambda record: json.dumps(record, sort_keys=True))


class RandomEvents:
    """Events of all types of fields, with and without stacks and activities."""

    def __init__(self, seed, version, **how):
        self.draw = random.Random(seed)
        self.file = NetperfFile(version, **how)
        kinds = [self.kind(number) for number in range(12)]
        for number in range(self.draw.randrange(50, 200)):
            kind = self.draw.choice(kinds)
            stack = [self.draw.getrandbits(8 * self.file.pointer_bytes) for _ in range(self.draw.choice((0, 0, 1, 30)))]
            ids = {name: self.draw.randbytes(16) for name in ("activity", "related") if self.draw.random() < 0.3}
            self.file.event(kind, [self.value(field) for field in kind.fields], self.draw.choice((1, 7, 2**32 - 1)),
                            5 * number + self.draw.randrange(9), stack, **ids)

    def kind(self, number):
        return EventType(f"Provider{number % 4}", self.draw.randrange(1, 9999), f"Type{number}",
                         [self.field(f"f{i}") for i in range(self.draw.randrange(9))], self.draw.randrange(1, 6),
                         self.draw.getrandbits(48), self.draw.randrange(9))

    def field(self, name, depth=0):
        code = self.draw.choice([*NUMBERS, STRING, GUID, *[OBJECT] * (depth < 3)])
        parts = [self.field(f"p{i}", depth + 1) for i in range(self.draw.randrange(1, 4))] if code == OBJECT else []
        return (code, name, *parts)

    def value(self, field):
        code, _, *parts = field
        if code == OBJECT:
            return [self.value(part) for part in parts]
        if code == STRING:
            return "".join(self.draw.choice("aZ ü€😀") for _ in range(self.draw.randrange(20)))
        if code == GUID:
            return str(uuid.UUID(int=self.draw.getrandbits(128)))
        if code == BOOLEAN:
            return self.draw.randrange(2)
        if NUMBERS[code] in ("<f", "<d"):
            return self.draw.randrange(-999, 999) / 8
        return struct.unpack(NUMBERS[code], self.draw.randbytes(struct.calcsize(NUMBERS[code])))[0]


class Reading(unittest.TestCase):
    maxDiff = 3000

    def test_random_files_have_exactly_the_records_that_were_written(self):
        for seed in SEEDS:
            for version, pointer_bytes in ((1, 8), (2, 8), (3, 8), (3, 4)):
                with self.subTest(seed=seed, version=version, pointer_bytes=pointer_bytes):
                    file = RandomEvents(seed, version, pointer_bytes=pointer_bytes, block_bytes=3000).file
                    found, said = records(file.whole())
                    self.assertEqual(said, "")
                    self.assertEqual(in_order(map(shown, found)), in_order(file.expected))
                    self.assertEqual([record["unix_ns"] for record in found], sorted(record["unix_ns"] for record in found))

    def test_samples_are_what_the_writer_writes(self):
        for version in VERSIONS:
            with open(os.path.join(SAMPLES, f"p{version}.netperf"), "rb") as file:
                self.assertEqual(file.read(), sample(version).whole())

    def test_events_of_the_runtime_get_names_and_fields(self):
        """Versions 1 and 2 do not state the level and the keywords of these types."""
        for version in VERSIONS:
            file = NetperfFile(version)
            file.event(EventType(RUNTIME, 2, version=1, described=False, keywords=1), payload=struct.pack("<IIH", 5, 2, 0))
            file.event(EventType(SAMPLER, 0, described=False), payload=struct.pack("<I", 1), at=1)
            (collection, sampled), said = records(file.whole())
            self.assertEqual(said, "")
            self.assertEqual((collection["category"], collection["name"], collection["level"]), (RUNTIME, "GCEnd_V1", "INFO"))
            self.assertEqual({name: collection["fields"][name] for name in ("Count", "Depth", "ClrInstanceID", "nettrace.opcode")},
                             {"Count": 5, "Depth": 2, "ClrInstanceID": 0, "nettrace.opcode": 2})
            self.assertNotIn("nettrace.level", collection["fields"])
            self.assertEqual((sampled["name"], sampled["fields"]["Type"]), ("ThreadSample", 1))

    def test_providers_of_version_1_are_known_by_their_guids(self):
        file = NetperfFile(1)
        for name in (RUNTIME, RUNDOWN, SAMPLER, TPL, "Microsoft-Windows-DotNETRuntimePrivate",
                     "Microsoft-Windows-DotNETRuntimeStress", "System.Diagnostics.Eventing.FrameworkEventSource", "Shop"):
            file.event(EventType(name, 9999, "E"))
        found, _ = records(file.whole())
        self.assertEqual([record["category"] for record in found], [record["category"] for record in file.expected])
        self.assertEqual(found[-1]["category"], str(uuid.uuid5(uuid.NAMESPACE_DNS, "Shop")))

    def test_stacks_become_frames_with_the_names_of_methods(self):
        for version, pointer_bytes in ((1, 8), (2, 8), (3, 4)):
            file = NetperfFile(version, pointer_bytes)
            sampler, method = EventType(SAMPLER, 0, described=False), EventType(RUNDOWN, 144, version=1, described=False)
            for _ in range(3):
                file.event(sampler, payload=struct.pack("<I", 2), thread=7, stack=(0x20008, 0x10010))
            for start, name in ((0x10000, "Main"), (0x20000, "Work")):
                payload = struct.pack("<QQQIII", start, 0, start, 0x100, 0, 0) + utf16("App.Program") + utf16(name) + utf16("void ()")
                file.event(method, payload=payload + bytes(2))
            code, output, _ = read(file.whole(), "--to", "folded")
            self.assertEqual((code, output.split(b";", 1)[1]), (OK, b"-7;App.Program.Main;App.Program.Work 3\n"))

    def test_types_whose_names_end_with_start_and_stop_are_spans_of_their_activities(self):
        for version in VERSIONS:
            file = NetperfFile(version)
            first, second = b"1" * 16, b"2" * 16
            for at, name, ids in ((10, "RequestStart", {"activity": first}), (20, "querystart", {"activity": second}),
                                  (30, "RequestStop", {}), (50, "querystop", {"activity": second}),
                                  (60, "RequestStop", {"activity": first}), (70, "Started", {"activity": first})):
                file.event(EventType("Web", at, name), at=at, **ids)
            found, said = records(file.whole())
            self.assertEqual(said, "")
            self.assertEqual([record.get("duration_ns") for record in found], [5000, 3000, None, None, None, None])

    def test_a_block_without_events_has_no_padding(self):
        for unpadded in (True, False):
            file = NetperfFile(3)
            record = file.event(EventType("P", 1, "E"))
            file.end_block()
            file.data += file.begin(b"EventBlock", 1) + struct.pack("<I", 0)
            self.assertNotEqual(len(file.data) % 4, 0)
            file.data += END if unpadded else bytes(-len(file.data) % 4) + END
            file.event(EventType("P", 2, "F"), at=1)
            found, said = records(file.whole())
            self.assertEqual((said, [shown(one) for one in found]), ("", file.expected))
            self.assertEqual(found[0]["unix_ns"], record["unix_ns"])

    def test_inspect_counts_what_was_written(self):
        for version in VERSIONS:
            file = RandomEvents(SEEDS[0], version).file
            code, output, said = read(file.whole(), "inspect", "--json")
            self.assertEqual((code, said), (OK, ""))
            summary = json.loads(output)
            self.assertEqual(summary["trace"]["type_version"], version)
            self.assertEqual((summary["trace"]["process_id"], summary["trace"]["pointer_size"]), (file.process, 8))
            self.assertEqual(summary["trace"]["number_of_processors"], 4 if version == 3 else 0)
            self.assertEqual(summary["trace"]["expected_cpu_sampling_rate"], 1_000_000 if version == 3 else 0)
            self.assertEqual(summary["events"], len(file.expected))
            self.assertEqual(summary["metadata_records"], len({(r["category"], r["event_id"]) for r in file.expected}))
            self.assertEqual(summary["stacks"]["events_with_frames"], sum(bool(r["stack"]) for r in file.expected))
            self.assertEqual(summary["stacks"]["frames"], sum(len(r["stack"]) for r in file.expected))
            self.assertEqual((summary["ended_with_null_reference"], summary["trailing_bytes"]), (True, 0))
            self.assertEqual((summary["dropped"]["total"], summary["dropped"]["regressions"]), (0, 0))
            self.assertEqual(summary["block_timestamp_range_violations"], 0)
            code, output, _ = read(file.whole(), "inspect")
            self.assertTrue(output.startswith(b"NetPerf, trace version %d" % version))

    def test_they_can_be_written_as_nettrace_of_version_4(self):
        for version in VERSIONS:
            file = RandomEvents(SEEDS[0], version).file
            code, written, said = read(file.whole(), "--to", "nettrace")
            self.assertEqual((code, said, written[:8]), (OK, "", b"Nettrace"))
            found = [shown(record) for record in records(written)[0]]
            self.assertEqual(in_order(found), in_order(file.expected))

    def test_a_directory_with_other_files_is_one_trace(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            new = NettraceFile()
            new.sample(1)
            files = {"new.nettrace": new.whole(), **{f"old{version}.netperf": sample(version).whole() for version in VERSIONS}}
            for name, data in files.items():
                with open(os.path.join(directory, name), "wb") as file:
                    file.write(data)
            code, output, said = ringcat("--format", "json", directory)
            self.assertEqual((code, said, len(output.splitlines())), (OK, "", 1 + 3 * 4))

    def test_a_stream_is_shown_while_its_writer_pauses(self):
        for version in VERSIONS:
            with self.subTest(version), Stream("--template", "{category} {field:n}") as stream:
                file, sent = NetperfFile(version), 0
                kind = EventType(SAMPLER, 1, "Tick", [(9, "n")])
                for n in range(5):
                    file.event(kind, (n,), at=n)
                    if version == 3:
                        file.end_block()
                    stream.write(file.data[sent:])
                    sent = len(file.data)
                    self.assertEqual(stream.line(), f"{SAMPLER} {n}\n")
                stream.write(file.whole()[sent:])
                self.assertEqual(stream.end(), (OK, [], ""))

    def test_senders_can_send_them(self):
        with CollectorProcess("nettrace", "--template", "{category} {thread_id}") as collector:
            for version in VERSIONS:
                with collector.connect() as sender:
                    file = NetperfFile(version)
                    file.event(EventType(SAMPLER, 1, "Tick"), thread=version)
                    sender.sendall(file.whole())
                    sender.shutdown(socket.SHUT_WR)
                    self.assertEqual(collector.lines(1), [f"{SAMPLER} {version}\n"])
            code, said = collector.end()
        self.assertEqual(code, OK, said)
        self.assertNotIn("incomplete", said)


class Damage(unittest.TestCase):
    def names(self, data, code, says):
        found, said = records(data, code)
        self.assertIn(says, said)
        return [record["name"] for record in found]

    def two(self, version):
        """A file of two events, and the position of the second one."""
        file = NetperfFile(version)
        kind = EventType("P", 1, "One")
        file.event(kind)
        file.event(kind, at=1, stack=(1, 2, 3))
        data, end = file.whole(), 2 if version == 3 else 17
        return data, len(data) - end - len(file.blob(kind.label, 1, 1, b"", (1, 2, 3)))

    def test_what_precedes_a_cut_is_delivered(self):
        for version in VERSIONS:
            data, second = self.two(version)
            self.assertEqual(self.names(data[:second + 60], DAMAGED, "ends within an event"), ["One"])
            self.assertEqual(self.names(data[:second - 1], DAMAGED, "ends within an event"), [])
        # The runtime was killed: everything is there, except for the end.
        data, second = self.two(2)
        self.assertEqual(self.names(data[:-17], OK, "the end of the trace is missing: the file may be truncated"), ["One"] * 2)
        data, second = self.two(3)
        self.assertEqual(self.names(data[:-1], OK, "the null reference at the end of the file is missing"), ["One"] * 2)

    def test_invalid_lengths_end_the_reading(self):
        for version in VERSIONS:
            data, second = self.two(version)
            for at, size in ((0, 55), (52, 1000), (56, 1000), (56, 2**32 - 1)):
                damaged = bytearray(data)
                struct.pack_into("<I", damaged, second + at, size)
                self.assertEqual(self.names(damaged, DAMAGED, "not an event: invalid lengths"), ["One"], (version, at))
        data, second = self.two(1)
        damaged = bytearray(data)
        struct.pack_into("<I", damaged, second, 2**31)
        self.assertEqual(self.names(damaged, DAMAGED, "the maximum is 67108864"), ["One"])

    def test_metadata_that_is_too_short_ends_the_reading(self):
        for version in VERSIONS:
            file = NetperfFile(version)
            file.event(EventType("P", 1, "One"))
            file.put(file.blob(0, 1, 0, b"12345"))
            self.assertEqual(self.names(file.whole(), DAMAGED, "metadata record: it ends within its header"), ["One"])

    def test_events_of_a_type_without_metadata_keep_their_payload(self):
        for version in VERSIONS:
            file = NetperfFile(version)
            file.put(file.blob(9999, 1, 0, b"abc", (1,)))
            (found,), said = records(file.whole())
            self.assertIn("the file does not describe their type", said)
            self.assertEqual((found["fields"]["nettrace.payload"], found["fields"]["nettrace.stack"]), ("YWJj", ["0x1"]))

    def test_bytes_after_the_end_are_reported(self):
        for version in VERSIONS:
            data, _ = self.two(version)
            self.assertEqual(self.names(data + bytes(100), OK, "100 bytes after the end of the trace are left out"), ["One"] * 2)

    def test_unknown_objects_of_version_3_are_skipped(self):
        for kind in (b"Later", b"StackBlock"):
            file = NetperfFile(3)
            file.data += file.begin(kind, 1) + struct.pack("<I", 5)
            file.data += bytes(-len(file.data) % 4) + b"\6\5\4\3\2" + END
            file.event(EventType("P", 1, "One"))
            self.assertEqual(self.names(file.whole(), OK, "1 object of the unknown type " + kind.decode()), ["One"])

    def test_other_files_and_versions_are_refused(self):
        head = NetperfFile(3).data[:24]
        for data, says in ((head, "the file ends before its trace object"),
                           (head + NULL, "the file has no trace object"),
                           (head + NetperfFile.begin(b"Trace", 4) + bytes(48) + END, "the trace has version 4"),
                           (head + NetperfFile.begin(b"Trace", 0) + bytes(48) + END, "the trace has version 0"),
                           (head + NetperfFile.begin(b"Trace", 3) + bytes(47), "the file ends within its trace object"),
                           (head + NetperfFile.begin(b"Graphs.MemoryGraph", 3), 'not a trace object, but "Graphs.MemoryGraph"'),
                           (head + BEGIN + BEGIN + BEGIN + bytes(40), "not the type of an object"),
                           (NetperfFile(3).data + NetperfFile.begin(b"EventBlock", 0) + bytes(8), "EventBlock has version 0")):
            code, output, said = read(data, "--format", "json")
            self.assertEqual((code, output), (UNREADABLE, b""), said)
            self.assertIn(says, said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
