"""Block framing: whole blocks of a trace file, and what lies between them, as specified in trace-format/README.md, "Block
framing"."""

import struct
from dataclasses import dataclass

MAGIC = b"RSBK"
FRAME_BYTES = 16
MAX_PAYLOAD_BYTES = 1 << 26
CRITICAL = 1


def _crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_CRC_TABLE = _crc_table()


def crc32c(*pieces):
    """CRC-32C (Castagnoli) of the pieces, one after the other."""
    crc = 0xFFFFFFFF
    for piece in pieces:
        for byte in piece:
            crc = _CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


@dataclass
class Block:
    """One valid block."""

    offset: int
    type: int
    version: int
    flags: int
    payload: bytes

    def end(self):
        return self.offset + FRAME_BYTES + len(self.payload)


@dataclass
class Damage:
    """Bytes that do not belong to a valid block."""

    offset: int
    bytes: int
    # The file ends within the beginning of a block: it is being written, or its writer died.
    unfinished: bool


def _block_at(data, offset):
    if data[offset:offset + 4] != MAGIC or len(data) - offset < FRAME_BYTES:
        return None
    kind, version, flags, payload_bytes, crc = struct.unpack_from("<BBHII", data, offset + 4)
    begin = offset + FRAME_BYTES
    if payload_bytes > MAX_PAYLOAD_BYTES or payload_bytes > len(data) - begin:
        return None
    payload = data[begin:begin + payload_bytes]
    if crc32c(data[offset:offset + 12], payload) != crc:
        return None
    return Block(offset, kind, version, flags, payload)


def _is_unfinished(data, offset):
    """Whether a block seems to begin at `offset` and the end of the file cuts it off."""
    rest = data[offset:offset + FRAME_BYTES]
    if len(rest) < FRAME_BYTES:
        return rest[:4] == MAGIC[:len(rest)]
    payload_bytes = struct.unpack_from("<I", rest, 8)[0]
    return (rest[:4] == MAGIC and payload_bytes <= MAX_PAYLOAD_BYTES
            and payload_bytes > len(data) - offset - FRAME_BYTES)


def frames(data):
    """Yields Block and Damage in the order of the file; together they cover every byte."""
    at = 0
    while at < len(data):
        block = _block_at(data, at)
        if block is not None:
            yield block
            at = block.end()
            continue
        begin = at
        while True:
            at = data.find(MAGIC, at + 1)
            if at < 0 or _block_at(data, at) is not None:
                break
        if at < 0:
            at = len(data)
        yield Damage(begin, at - begin, at == len(data) and _is_unfinished(data, begin))
