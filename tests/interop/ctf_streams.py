"""CTF 1.8 traces made by hand, bit by bit, for the tests of its reader."""

import os
import struct
import uuid

MAGIC = 0xC1FC1FC1
METADATA_MAGIC = 0x75D11D57
UUID = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")


class Bits:
    """Numbers of any width one after the other: "le" fills each byte from its lowest bit up, "be" from its highest bit
    down."""

    def __init__(self, order):
        self.order = order
        self.bits = []  # in the order in which fields fill them

    def align(self, bits):
        self.bits += [0] * (-len(self.bits) % bits)
        return self

    def put(self, number, bits, align=None):
        self.align(align or (8 if bits % 8 == 0 else 1))
        digits = [number >> i & 1 for i in range(bits)]
        self.bits += digits if self.order == "le" else reversed(digits)
        return self

    def put_bytes(self, data):
        self.align(8)
        for byte in data:
            self.put(byte, 8)
        return self

    def text(self, text):
        return self.put_bytes(text.encode() + b"\0")

    def real(self, number, bits, align=8):
        layout = "<" + {32: "f", 64: "d"}[bits]
        return self.put(int.from_bytes(struct.pack(layout, number), "little"), bits, align)

    def data(self):
        bits = self.bits + [0] * (-len(self.bits) % 8)
        weights = range(8) if self.order == "le" else range(7, -1, -1)
        return bytes(sum(bit << weight for bit, weight in zip(bits[at:at + 8], weights, strict=True))
                     for at in range(0, len(bits), 8))


CLOCK = """clock {
  name = "steady"; freq = 1000000000; offset_s = 1700000000; offset = 5;
};
"""
START_NS = 1_700_000_000_000_000_005

TYPES = """typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.steady.value; } := stamp_t;
"""

HEADER = """  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
"""
CONTEXT = """  packet.context := struct {
    stamp_t timestamp_begin; stamp_t timestamp_end; uint64_t content_size; uint64_t packet_size;
    uint64_t events_discarded;
  };
"""
EVENT_HEADER = "  event.header := struct { uint16_t id; stamp_t timestamp; };\n"


def trace_block(order, header=HEADER):
    return f'trace {{\n  major = 1; minor = 8; uuid = "{UUID}"; byte_order = {order};\n{header}}};\n'


def stream_block(context=CONTEXT, event_header=EVENT_HEADER, more="", stream=0):
    return f"stream {{\n  id = {stream};\n{context}{event_header}{more}}};\n"


def event_block(fields, name="an:event", number=0, stream=0, more=""):
    return (f'event {{\n  name = "{name}"; id = {number}; stream_id = {stream};\n{more}'
            f"  fields := struct {{ {fields} }};\n}};\n")


def head(bits, stream=0):
    return bits.put(MAGIC, 32).put_bytes(UUID.bytes).put(stream, 32)


def packet(order, events, begin=0, end=10**9, discarded=0, stream=0, padding=0):
    """A packet with HEADER and CONTEXT; `events` is called with the bits that follow them."""
    used = 0
    for _ in range(2):  # the size precedes the bytes that it counts
        bits = head(Bits(order), stream)
        bits.put(begin, 64).put(end, 64)
        bits.put(used, 64).put(-(-used // 8) * 8 + padding * 8, 64).put(discarded, 64)
        events(bits)
        used = len(bits.bits)
    return bits.data() + bytes(padding)


def event(bits, time, number=0):
    """The header of an event, as declared in EVENT_HEADER."""
    return bits.put(number, 16).put(time, 64)


def write_trace(directory, metadata, streams, text="/* CTF 1.8 */\n"):
    """`metadata`: a text, or the bytes of the file."""
    os.makedirs(directory)
    files = {"metadata": (text + metadata).encode() if isinstance(metadata, str) else metadata, **streams}
    for name, data in files.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)
    return directory


def packetised(text, order, most=100):
    """Metadata in packets of at most `most` bytes of text, padded, as LTTng writes it."""
    mark = "<" if order == "le" else ">"
    data = b""
    encoded = text.encode()
    for at in range(0, len(encoded), most):
        part = encoded[at:at + most]
        used = 37 + len(part)
        size = -(-used // 64) * 64
        data += struct.pack(mark + "I16sIIIBBBBB", METADATA_MAGIC, UUID.bytes, 0, used * 8, size * 8, 0, 0, 0, 1, 8)
        data += part + bytes(size - used)
    return data
