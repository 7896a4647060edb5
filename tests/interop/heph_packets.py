"""Heph packets, written from the specification, and their reader."""

import struct

METADATA = 0x75D11D4D
EVENT = 0xC1FC1FB7
EPOCH_NS = 1_700_000_000_000_000_000


def metadata(option, value):
    name = option.encode()
    return struct.pack(">IIH", METADATA, 10 + len(name) + len(value), len(name)) + name + value


def epoch(unix_ns=EPOCH_NS):
    return metadata("epoch", struct.pack(">Q", unix_ns))


def text_attribute(name, text):
    return struct.pack(">H", len(name)) + name + b"\4" + struct.pack(">H", len(text)) + text


def number_attribute(name, number):
    return struct.pack(">H", len(name)) + name + b"\1" + struct.pack(">Q", number)


def event(stream, counter, start, name="e", attributes=b"", substream=0, end=None):
    text = name.encode()
    return struct.pack(">IIIIQQQH", EVENT, 42 + len(text) + len(attributes), stream, counter, substream, start,
                       start + 1 if end is None else end, len(text)) + text + attributes


def packets_of(data):
    """The whole packets; raises ValueError if `data` does not consist of them."""
    packets = []
    while data:
        magic, size = struct.unpack_from(">II", data)
        if magic not in (METADATA, EVENT) or size > len(data):
            raise ValueError(f"not a packet: {data[:16]!r}")
        packets.append(data[:size])
        data = data[size:]
    return packets


def is_event(packet):
    return packet.startswith(struct.pack(">I", EVENT))


def stream_and_counter(packet):
    return struct.unpack_from(">II", packet, 8)
