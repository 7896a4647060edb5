"""NetTrace files of the .NET runtime, built from the format's description and the runtime's manifest."""

import struct

RUNTIME = "Microsoft-Windows-DotNETRuntime"
RUNDOWN = "Microsoft-Windows-DotNETRuntimeRundown"
SAMPLER = "Microsoft-DotNETCore-SampleProfiler"


def utf16(value):
    return value.encode("utf-16-le") + b"\0\0"


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


class NettraceFile:
    """Events come in the order in which they are added, 1 us apart, from Unix time 1,700,000,000 on."""

    START_NS = 1_700_000_000 * 10**9

    def __init__(self, pointer_bytes=8):
        self.pointer = {4: "<I", 8: "<Q"}[pointer_bytes]
        self.data = b"Nettrace" + struct.pack("<I", 20) + b"!FastSerialization.1"
        # 2023-11-14 22:13:20 UTC
        trace = struct.pack("<8H", 2023, 11, 2, 14, 22, 13, 20, 0)
        trace += struct.pack("<qqiiii", 0, 10**9, pointer_bytes, 4711, 4, 1_000_000)
        self.data += b"\5" + self.type_of(b"Trace", 4) + trace + b"\6"
        self.types = {}
        self.sequences = {}
        self.metadata, self.events, self.stacks = b"", b"", []
        self.count = 0

    @staticmethod
    def type_of(name, version):
        return b"\5\1" + struct.pack("<III", version, version, len(name)) + name + b"\6"

    def type_id(self, provider, event_id, version=0, name="", fields=b"\0\0\0\0", level=4, opcode=None):
        key = (provider, event_id, version, opcode)
        if key not in self.types:
            self.types[key] = len(self.types) + 1
            record = struct.pack("<I", self.types[key]) + utf16(provider) + struct.pack("<I", event_id) + utf16(name)
            record += struct.pack("<QII", 0x8000, version, level) + fields
            if opcode is not None:
                record += struct.pack("<IBB", 1, 1, opcode)
            self.metadata += self.blob(0, 0, 0, b"", record)
        return self.types[key]

    def blob(self, type_id, thread, sequence, stack, payload, activity=bytes(16), related=bytes(16), at=None):
        """A blob with an uncompressed header. `at`: microseconds, instead of the number of the event."""
        stack_id = 0
        if stack:
            packed = b"".join(struct.pack(self.pointer, address) for address in stack)
            if packed not in self.stacks:
                self.stacks.append(packed)
            stack_id = self.stacks.index(packed) + 1
        head = struct.pack("<IIQQIIQ", type_id, sequence, thread, thread, 0xFFFFFFFF, stack_id,
                           1000 * (self.count if at is None else at))
        head += activity + related + struct.pack("<I", len(payload))
        padding = -(4 + len(head) + len(payload)) % 4
        return struct.pack("<I", len(head) + len(payload) + padding) + head + payload + bytes(padding)

    def event(self, provider, event_id, version, payload, thread=1, stack=(), name="", opcode=None, **how):
        type_id = self.type_id(provider, event_id, version, name, opcode=opcode)
        self.sequences[thread] = self.sequences.get(thread, 0) + 1
        self.count += 1
        self.events += self.blob(type_id, thread, self.sequences[thread], stack, payload, **how)

    def method(self, start, size, name, module=0, namespace="App.Type", method_id=None, event=(RUNDOWN, 144, 1)):
        payload = struct.pack("<QQQIII", start if method_id is None else method_id, module, start, size, 0, 0)
        if event[1] in (143, 144):
            payload += utf16(namespace) + utf16(name) + utf16("void  ()")
        self.event(*event, payload + struct.pack("<HQ", 0, 0)[:2 + 8 * (event[2] == 2)], thread=99)

    def module(self, module, path, event=(RUNDOWN, 154, 1)):
        self.event(*event, struct.pack("<QQII", module, 0, 0, 0) + utf16(path) + utf16("") + bytes(2), thread=99)

    def sample(self, thread, *stack):
        self.event(SAMPLER, 0, 0, struct.pack("<I", 2), thread, stack)

    def whole(self):
        data = self.data

        def block(kind, body):
            start = data + b"\5" + self.type_of(kind, 2) + struct.pack("<I", len(body))
            return start + bytes(-len(start) % 4) + body + b"\6"

        header = struct.pack("<HHQQ", 20, 0, 0, 2**63)
        data = block(b"MetadataBlock", header + self.metadata)
        stacks = b"".join(struct.pack("<I", len(stack)) + stack for stack in self.stacks)
        data = block(b"StackBlock", struct.pack("<II", 1, len(self.stacks)) + stacks)
        data = block(b"EventBlock", header + self.events)
        return data + b"\1"
