"""The frames of a trace file, read by the specification in trace-format/README.md."""

import struct

MAGIC = b"RSBK"
FRAME_BYTES = 16


def block_types(path):
    """The types of all blocks; the file must consist of whole blocks only."""
    types = []
    with open(path, "rb") as file:
        while frame := file.read(FRAME_BYTES):
            assert len(frame) == FRAME_BYTES and frame[:4] == MAGIC, f"{path} at {file.tell()}"
            payload_bytes = struct.unpack_from("<I", frame, 8)[0]
            payload = file.read(payload_bytes)
            assert len(payload) == payload_bytes, f"{path} ends within a block"
            types.append(frame[4])
    return types
