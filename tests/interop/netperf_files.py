#!/usr/bin/env python3
"""Writes NetPerf files (EventPipe versions 1 to 3) with the records that a reader must find in them, from PerfView's
"EventPipe NetPerf Format" and "Event Serialization", and what the runtime's releases 2.0 to 2.2 write.

usage: netperf_files.py FOLDER   writes the samples p1.netperf to p3.netperf"""

import os
import struct
import sys
import uuid

RUNTIME = "Microsoft-Windows-DotNETRuntime"
RUNDOWN = "Microsoft-Windows-DotNETRuntimeRundown"
SAMPLER = "Microsoft-DotNETCore-SampleProfiler"
TPL = "System.Threading.Tasks.TplEventSource"
GUIDS = {
    RUNTIME: "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4",
    RUNDOWN: "a669021c-c450-4609-a035-5af59af4df18",
    "Microsoft-Windows-DotNETRuntimeStress": "cc2bcbba-16b6-4cf3-8990-d74c2e8af500",
    "Microsoft-Windows-DotNETRuntimePrivate": "763fd754-7086-4dfe-95eb-c01a46faf4ca",
    SAMPLER: "3c530d44-97ae-513a-1e6d-783e8f8e03a9",
    TPL: "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5",
    "System.Diagnostics.Eventing.FrameworkEventSource": "8e9f5090-2d75-4d03-8a81-e5afbf85daf1",
}
LEVELS = {0: "INFO", 1: "CRITICAL", 2: "ERROR", 3: "WARNING", 4: "INFO", 5: "DEBUG"}
NULL, BEGIN, END = b"\1", b"\4", b"\6"
NO_ID = bytes(16)
# .NET's TypeCode, and how a value is packed.
OBJECT, STRING, GUID, BOOLEAN = 1, 18, 17, 3
NUMBERS = {BOOLEAN: "<I", 4: "<H", 5: "<b", 6: "<B", 7: "<h", 8: "<H", 9: "<i", 10: "<I", 11: "<q", 12: "<Q", 13: "<f",
           14: "<d", 16: "<Q"}


def utf16(text):
    return text.encode("utf-16-le") + b"\0\0"


def pack(code, value, parts=()):
    if code == OBJECT:
        return b"".join(pack(part[0], one, part[2:]) for part, one in zip(parts, value))
    if code == STRING:
        return utf16(value)
    if code == GUID:
        return uuid.UUID(value).bytes_le
    return struct.pack(NUMBERS[code], value)


def description(fields):
    """`fields`: (code, name) each; after those of an object, the fields in it."""
    out = struct.pack("<I", len(fields))
    for code, name, *parts in fields:
        out += struct.pack("<I", code) + (description(parts) if code == OBJECT else b"") + utf16(name)
    return out


def columns(fields, values, prefix=""):
    """The names and values of the fields, as a reader shows them."""
    for (code, name, *parts), value in zip(fields, values):
        if code == OBJECT:
            yield from columns(parts, value, f"{prefix}{name}.")
        else:
            yield prefix + name, bool(value) if code == BOOLEAN else value


class EventType:
    def __init__(self, provider, event_id, name="", fields=(), level=4, keywords=0, version=0, described=True):
        self.provider, self.event_id, self.name, self.fields = provider, event_id, name, list(fields)
        self.level, self.keywords, self.version, self.described = level, keywords, version, described
        self.label = None  # the id of its metadata

    def provider_shown(self, file_version):
        guid = self.provider_guid()
        return self.provider if file_version > 1 or self.provider in GUIDS else str(guid)

    def provider_guid(self):
        return uuid.UUID(GUIDS[self.provider]) if self.provider in GUIDS else uuid.uuid5(uuid.NAMESPACE_DNS, self.provider)


class NetperfFile:
    """Times are in ticks of 100 ns after the trace's start, 2018-02-09 23:53:00.806 UTC."""

    START_NS = 1518220380_806000000
    TICK_NS = 100
    FIRST_TICK = 137501448395619

    def __init__(self, version, pointer_bytes=8, process=4711, block_bytes=100 * 1024):
        self.version, self.block_bytes = version, block_bytes
        self.pointer_bytes = pointer_bytes if version >= 3 else 8
        self.process = process if version >= 3 else 0
        self.data = struct.pack("<I", 20) + b"!FastSerialization.1"
        trace = struct.pack("<8Hqq", 2018, 2, 5, 9, 23, 53, 0, 806, self.FIRST_TICK, 10**9 // self.TICK_NS)
        if version >= 3:
            trace += struct.pack("<4I", pointer_bytes, process, 4, 1_000_000)
            self.data += self.begin(b"Trace", version) + trace + END
        else:  # first the number of the position that the table at the end has
            self.data += self.begin(b"Microsoft.DotNet.Runtime.EventPipeFile", version) + struct.pack("<I", 0) + trace
        self.block = b""
        self.types = 0
        self.expected = []  # records, in the order of the file

    @staticmethod
    def begin(name, version):
        return BEGIN + BEGIN + NULL + struct.pack("<III", version, 0, len(name)) + name + END

    def put(self, event):
        if self.version < 3:
            self.data += event
            return
        if len(self.block) + len(event) > self.block_bytes:
            self.end_block()
        self.block += event

    def end_block(self):
        self.data += self.begin(b"EventBlock", 1) + struct.pack("<I", len(self.block))
        if self.block:
            self.data += bytes(-len(self.data) % 4) + self.block
        self.data += END
        self.block = b""

    def blob(self, label, thread, at, payload, stack=(), activity=NO_ID, related=NO_ID):
        addresses = b"".join(address.to_bytes(self.pointer_bytes, "little") for address in stack)
        body = struct.pack("<IIq", label, thread, self.FIRST_TICK + at) + activity + related
        body += struct.pack("<I", len(payload)) + payload + struct.pack("<I", len(addresses)) + addresses
        if self.version >= 3:
            body += bytes(-len(body) % 4)
        return struct.pack("<I", len(body)) + body

    def describe(self, kind, thread=1, at=0):
        """Writes the metadata of a type, once."""
        if kind.label is not None:
            return kind.label
        more = struct.pack("<I", kind.event_id) + utf16(kind.name) + struct.pack("<QII", kind.keywords, kind.version, kind.level)
        more += description(kind.fields)
        if self.version >= 3:
            self.types += 1
            kind.label = self.types
            payload = struct.pack("<I", kind.label) + utf16(kind.provider) + more
        else:
            kind.label = len(self.data)
            payload = kind.provider_guid().bytes_le if self.version == 1 else utf16(kind.provider)
            more = more if kind.described else b""
            payload += struct.pack("<III", kind.event_id, kind.version, len(more)) + more
        self.put(self.blob(0, thread, at, payload))
        return kind.label

    def event(self, kind, values=(), thread=1, at=0, stack=(), payload=None, **ids):
        """Returns the record that a reader must find; events of the runtime have names and fields by their tables."""
        label = self.describe(kind, thread, at)
        if payload is None:
            payload = b"".join(pack(field[0], value, field[2:]) for field, value in zip(kind.fields, values))
        self.put(self.blob(label, thread, at, payload, stack, **ids))
        known = kind.described or self.version >= 3  # whether level, keywords and name are in the file
        record = {"unix_ns": self.START_NS + self.TICK_NS * at, "thread": thread, "pid": self.process,
                  "category": kind.provider_shown(self.version), "event_id": kind.event_id, "version": kind.version,
                  "level": LEVELS[kind.level] if known else "INFO", "keywords": kind.keywords if known else 0,
                  "name": kind.name, "fields": dict(columns(kind.fields, values)),
                  "stack": [f"0x{address:x}" for address in stack]}
        for name, value in ids.items():
            if value != NO_ID:
                record[name] = uuid.UUID(bytes_le=value).hex
        self.expected.append(record)
        return record

    def whole(self):
        if self.version >= 3:
            if self.block:
                self.end_block()
            return self.data + NULL
        # The end of the trace object, the table of positions, the position of the table, and the position of that number.
        end = len(self.data)
        return self.data + END + struct.pack("<IIII", 1, end, end + 1, end + 9)


def sample(version):
    """A small file with everything that a version has."""
    file = NetperfFile(version, block_bytes=600)
    request = [(STRING, "path"), (9, "size"), (OBJECT, "user", (12, "id"), (BOOLEAN, "known"), (GUID, "key"))]
    start = EventType("Shop", 1, "RequestStart", request, keywords=0xF000_0000_0001)
    stop = EventType("Shop", 2, "RequestStop", level=5)
    sampled = EventType(SAMPLER, 0, described=False)
    activity, parent = uuid.UUID(int=0x1234).bytes_le, uuid.UUID(int=0x99).bytes_le
    file.event(start, ("/cart", -3, (7, 1, str(uuid.UUID(int=2**100)))), thread=12, at=1000, stack=(0x7F00_0000_1000, 0x2000),
               activity=activity, related=parent)
    file.event(sampled, payload=struct.pack("<I", 2), thread=13, at=1500, stack=(0x7F00_0000_1008,))
    file.event(stop, thread=14, at=3000, activity=activity)
    file.event(EventType("Shop", 3, "Late", [(6, "odd")], level=2), (5,), thread=12, at=2500)
    return file


if __name__ == "__main__":
    for number in (1, 2, 3):
        with open(os.path.join(sys.argv[1], f"p{number}.netperf"), "wb") as output:
            output.write(sample(number).whole())
