#!/usr/bin/env python3
"""Events of the .NET runtime, which NetTrace files do not describe, get names and fields."""

import csv
import io
import json
import os
import struct
import tempfile
import unittest
import uuid

from nettrace_files import RUNDOWN, RUNTIME, SAMPLER, NettraceFile, utf16
from random_traces import ringcat

GUID = "00112233-4455-6677-8899-aabbccddeeff"


def pack(form, *values):
    return struct.pack("<" + form, *values)


def typed(name, parameters):
    """One value of BulkType."""
    return pack("QQIIB", 0x10, 0x20, 7, 1, 18) + utf16(name) + pack("I", len(parameters)) + pack(
        f"{len(parameters)}Q", *parameters)


# provider, id, version, payload, name, opcode, fields
EVENTS = [
    (RUNTIME, 1, 0, pack("II", 3, 1), "GCStart", 1, {"Count": 3, "Reason": 1}),
    (RUNTIME, 1, 2, pack("IIIIHQ", 3, 2, 1, 0, 9, 2**63), "GCStart_V2", 1,
     {"Count": 3, "Depth": 2, "Reason": 1, "Type": 0, "ClrInstanceID": 9, "ClientSequenceNumber": 2**63}),
    (RUNTIME, 2, 1, pack("IIH", 3, 2, 9), "GCEnd_V1", 2, {"Count": 3, "Depth": 2, "ClrInstanceID": 9}),
    (RUNTIME, 3, 0, b"", "GCRestartEEEnd", 132, {}),
    (RUNTIME, 10, 4, pack("IIHQQ", 1, 0, 9, 5, 0x77) + utf16("System.String\u00e9") + pack("IQQ", 2, 0x88, 24),
     "GCAllocationTick_V4", 11,
     {"AllocationAmount": 1, "AllocationKind": 0, "ClrInstanceID": 9, "AllocationAmount64": 5, "TypeID": "0x77",
      "TypeName": "System.String\u00e9", "HeapIndex": 2, "Address": "0x88", "ObjectSize": 24}),
    (RUNTIME, 15, 0, pack("IH", 2, 9) + typed("A<B>", [5, 6]) + typed("C", []), "BulkType", 10,
     {"Count": 2, "ClrInstanceID": 9, "Values.TypeID": [16, 16], "Values.ModuleID": [32, 32],
      "Values.TypeNameID": [7, 7], "Values.Flags": [1, 1], "Values.CorElementType": [18, 18],
      "Values.Name": ["A<B>", "C"], "Values.TypeParameterCount": [2, 0], "Values.TypeParameters": [5, 6]}),
    (RUNTIME, 39, 0, utf16("Commit") + pack("I3sH", 3, b"\1\2\xff", 9), "GCDynamicEvent", 41,
     {"Name": "Commit", "DataSize": 3, "Data": "AQL/", "ClrInstanceID": 9}),
    (RUNTIME, 63, 0, pack("QQIH", 1, 2, 1, 9), "ThreadPoolIOEnqueue", 13,
     {"NativeOverlapped": "0x1", "Overlapped": "0x2", "MultiDequeues": True, "ClrInstanceID": 9}),
    (RUNTIME, 80, 1, utf16("E") + utf16("bad") + pack("QIHH", 0x99, 0x80131501, 16, 9), "ExceptionThrown_V1", 1,
     {"ExceptionType": "E", "ExceptionMessage": "bad", "ExceptionEIP": "0x99", "ExceptionHRESULT": 0x80131501,
      "ExceptionFlags": 16, "ClrInstanceID": 9}),
    (RUNTIME, 81, 2, pack("BHQQQ", 0, 9, 1, 2, 3), "ContentionStart_V2", 1,
     {"ContentionFlags": 0, "ClrInstanceID": 9, "LockID": "0x1", "AssociatedObjectID": "0x2",
      "LockOwnerThreadID": 3}),
    (RUNTIME, 91, 1, pack("BHd", 0, 9, 1.5), "ContentionStop_V1", 2,
     {"ContentionFlags": 0, "ClrInstanceID": 9, "DurationNs": 1.5}),
    (RUNTIME, 186, 0, b"".join(map(utf16, "abcdefghi")) + pack("I", 1) + b"too big\0" + pack("H", 9),
     "MethodJitInliningFailedAnsi", 84,
     {"MethodBeingCompiledNamespace": "a", "MethodBeingCompiledName": "b", "MethodBeingCompiledNameSignature": "c",
      "InlinerNamespace": "d", "InlinerName": "e", "InlinerNameSignature": "f", "InlineeNamespace": "g",
      "InlineeName": "h", "InlineeNameSignature": "i", "FailAlways": True, "FailReason": "too big",
      "ClrInstanceID": 9}),
    (RUNTIME, 187, 0, pack("10HIB", *range(10), 1, 2) + utf16("x.dll") + uuid.UUID(GUID).bytes_le + utf16("/clr.so"),
     "RuntimeInformationStart", 1,
     {"ClrInstanceID": 0, "Sku": 1, "BclMajorVersion": 2, "BclMinorVersion": 3, "BclBuildNumber": 4,
      "BclQfeNumber": 5, "VMMajorVersion": 6, "VMMinorVersion": 7, "VMBuildNumber": 8, "VMQfeNumber": 9,
      "StartupFlags": 1, "StartupMode": 2, "CommandLine": "x.dll", "ComObjectGuid": GUID,
      "RuntimeDllPath": "/clr.so"}),
    (RUNTIME, 303, 0, pack("IHQ", 1, 9, 5) + utf16("T") + pack("QQQ", 6, 7, 8), "AllocationSampled", 11,
     {"AllocationKind": 1, "ClrInstanceID": 9, "TypeID": "0x5", "TypeName": "T", "Address": "0x6", "ObjectSize": 7,
      "SampledByteOffset": 8}),
    (RUNDOWN, 150, 0, pack("QQBH2I2IH", 1, 0, 0, 2, 0, 4, 10, 20, 9), "MethodDCEndILToNativeMap", 42,
     {"MethodID": 1, "ReJITID": 0, "MethodExtent": 0, "CountOfMapEntries": 2, "ILOffsets": [0, 4],
      "NativeOffsets": [10, 20], "ClrInstanceID": 9}),
    (SAMPLER, 0, 0, pack("I", 2), "ThreadSample", None, {"Type": 2}),
]


def facts_and_fields(record):
    fields = record["fields"]
    return ({key: value for key, value in fields.items() if key.startswith("nettrace.")},
            {key: value for key, value in fields.items() if not key.startswith("nettrace.")})


class RuntimeEvents(unittest.TestCase):
    maxDiff = 4000

    def read(self, trace):
        code, output, said = ringcat("--format", "json", "-", input=trace.whole())
        self.assertEqual(code, 0, said)
        return [json.loads(line) for line in output.splitlines()], said

    def test_names_opcodes_and_fields_are_those_of_the_manifest(self):
        trace = NettraceFile()
        for provider, event_id, version, payload, *_ in EVENTS:
            trace.event(provider, event_id, version, payload)
        records, said = self.read(trace)
        self.assertEqual(said, "")
        self.assertEqual(len(records), len(EVENTS))
        for record, (provider, event_id, version, _, name, opcode, expected) in zip(records, EVENTS):
            facts, fields = facts_and_fields(record)
            self.assertEqual((record["category"], record["name"]), (provider, name))
            self.assertEqual(fields, expected, name)
            opcodes = {} if opcode is None else {"nettrace.opcode": opcode}
            self.assertEqual(facts, {"nettrace.event_id": event_id, "nettrace.version": version, **opcodes}, name)

    def test_pointers_have_the_size_of_the_traces(self):
        trace = NettraceFile(pointer_bytes=4)
        trace.event(RUNTIME, 29, 0, pack("IIH", 0x89ABCDEF, 2, 9))
        self.assertEqual(facts_and_fields(self.read(trace)[0][0])[1],
                         {"TypeID": "0x89abcdef", "ObjectID": "0x2", "ClrInstanceID": 9})

    def test_a_later_version_has_the_known_fields_and_the_rest_as_bytes(self):
        trace = NettraceFile()
        trace.event(RUNTIME, 1, 9, pack("IIIIHQ", 3, 2, 1, 0, 9, 4) + b"new")
        record, = self.read(trace)[0]
        facts, fields = facts_and_fields(record)
        self.assertEqual(record["name"], "GCStart_V9")
        self.assertEqual(fields["ClientSequenceNumber"], 4)
        self.assertEqual(facts["nettrace.extra"], "bmV3")

    def test_payloads_that_end_early_are_bytes(self):
        cut = [event[3][:-1] for event in EVENTS if event[3]]
        trace = NettraceFile()
        for (provider, event_id, version, payload, *_), short in zip([e for e in EVENTS if e[3]], cut):
            trace.event(provider, event_id, version, short)
            # Counts beyond the payload: all its bytes are 0xff.
            trace.event(provider, event_id, version, b"\xff" * (len(payload) - 1))
        records, said = self.read(trace)
        self.assertIn("their payload does not match the description of its type", said)
        for record in records[::2]:
            facts, fields = facts_and_fields(record)
            self.assertEqual(fields, {}, record["name"])
            self.assertIn("nettrace.payload", facts)
        self.assertEqual([record["name"] for record in records[::2]], [e[4] for e in EVENTS if e[3]])

    def test_what_the_tables_lack_and_what_the_file_describes_stays_as_it_is(self):
        trace = NettraceFile()
        trace.event(RUNTIME, 60000, 0, b"\1\2")
        described = pack("II", 1, 9) + utf16("Own")  # one field, an Int32
        trace.type_id(RUNTIME, 1, 2, "Mine", described)
        trace.event(RUNTIME, 1, 2, pack("i", -5))
        unknown, own = self.read(trace)[0]
        self.assertEqual(unknown["name"], "EventID(60000)")
        self.assertEqual((own["name"], facts_and_fields(own)[1]), ("Mine", {"Own": -5}))

    def test_events_survive_the_way_there_and_back_as_other_readers_expect_them(self):
        trace = NettraceFile()
        for provider, event_id, version, payload, *_ in EVENTS:
            trace.event(provider, event_id, version, payload)
            trace.event(provider, event_id, version, payload + b"more")
        trace.event(RUNTIME, 15, 0, b"short")
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            first, again = (os.path.join(directory, name) for name in ("first.nettrace", "again.nettrace"))
            with open(first, "wb") as file:
                file.write(trace.whole())
            code, _, said = ringcat("--to", "nettrace", "-o", again, first)
            self.assertEqual(code, 0, said)
            lines = []
            for path in (first, again):
                lines.append([line[6:] for line in csv.reader(io.StringIO(ringcat("inspect", "--csv", path)[1].decode()))])
            self.assertEqual(lines[1], lines[0])
            types = json.loads(ringcat("inspect", "--json", again)[1])["events_by_type"]
            self.assertEqual({kind["event_name"] for kind in types}, {""})


if __name__ == "__main__":
    unittest.main(verbosity=2)
