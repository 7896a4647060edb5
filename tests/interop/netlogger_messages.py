"""NetLogger's binary messages, built byte by byte."""

import struct

INT, FLOAT, STRING = 1, 2, 3
# Of minor version 1; a pair of one of these and a number is a value of this type.
UINT32, INT64, UINT64, DOUBLE = 4, 5, 6, 7
EXTENSION = {UINT32: "I", INT64: "q", UINT64: "Q", DOUBLE: "d"}
NTP = 2_208_988_800


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return bytes([len(data)]) + data


def value(item, order):
    if isinstance(item, tuple):
        return struct.pack(order + "B" + EXTENSION[item[0]], *item)
    if isinstance(item, int):
        return struct.pack(order + "Bi", INT, item)
    if isinstance(item, float):
        return struct.pack(order + "Bf", FLOAT, item)
    return bytes([STRING]) + text(item)


def header(identifier, names, constants=(), order="<", major=1, minor=0):
    rest = b"".join(map(text, names)) + b"".join(value(item, order) for item in constants)
    return struct.pack(order + "HBBIBBB", 11 + len(rest), 0x80 | major, minor, identifier, order == "<",
                       len(names), len(constants)) + rest


def body(identifier, values=(), seconds=NTP + 1_000_000_000, fraction=0, order="<", more=b"", minor=0):
    rest = b"".join(value(item, order) for item in values) + more
    return struct.pack(order + "HBBIII", 16 + len(rest), 1, minor, identifier, seconds, fraction) + rest
