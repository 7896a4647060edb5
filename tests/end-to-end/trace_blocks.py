"""The blocks of a trace file, read by the specification in trace-format/README.md."""

import struct

MAGIC = b"RSBK"
FRAME_BYTES = 16
HEADER, DICTIONARY, EXTENT, CLOCK, POINT, INDEX, END, STREAM = 1, 2, 3, 4, 5, 8, 9, 10


def blocks(path):
    """(type, offset, payload) of all blocks; the file must consist of whole blocks only."""
    found = []
    with open(path, "rb") as file:
        while frame := file.read(FRAME_BYTES):
            offset = file.tell() - FRAME_BYTES
            assert len(frame) == FRAME_BYTES and frame[:4] == MAGIC, f"{path} at {offset}"
            payload_bytes = struct.unpack_from("<I", frame, 8)[0]
            payload = file.read(payload_bytes)
            assert len(payload) == payload_bytes, f"{path} ends within a block"
            found.append((frame[4], offset, payload))
    return found


def block_types(path):
    return [kind for kind, _, _ in blocks(path)]


def check_indexes(path):
    """Compares every INDEX with the blocks of its section; returns the number of indexes."""
    indexes, section = 0, []
    for kind, offset, payload in blocks(path):
        if kind == HEADER:
            section, begin = [], offset
        if kind == INDEX:
            indexes += 1
            check_index(section, offset - begin, payload)
        if kind == END:
            index_bytes = struct.unpack_from("<Q", payload, 24)[0]
            before = section[-1]
            assert before[0] == INDEX and before[1] == offset - begin - index_bytes
        section.append((kind, offset - begin, payload))
    return indexes


def check_index(section, offset, index):
    extents = [(place, *struct.unpack_from("<QQ", payload, 24),
                struct.unpack_from("<I", payload, 44)[0])
               for kind, place, payload in section if kind == EXTENT]
    own_offset, smallest, largest, metadata_count, late_count, point_count, _ = \
        struct.unpack_from("<QQQIIII", index)
    assert own_offset == offset
    assert smallest == min((low for _, low, _, _ in extents), default=2**64 - 1)
    assert largest == max((high for _, _, high, _ in extents), default=0)
    words = struct.unpack_from(f"<{metadata_count + 2 * late_count + 3 * point_count}Q", index, 40)
    assert len(index) == 40 + 8 * len(words)
    assert list(words[:metadata_count]) == \
        [place for kind, place, _ in section if kind in (CLOCK, DICTIONARY, STREAM)]
    late = words[metadata_count:metadata_count + 2 * late_count]
    assert list(zip(late[::2], late[1::2])) == \
        [(low, place) for place, low, _, flags in extents if flags & 2]
    points = words[metadata_count + 2 * late_count:]
    watermarks = {place: struct.unpack_from("<Q", payload)[0]
                  for kind, place, payload in section if kind == POINT}
    for place, watermark, before in zip(points[::3], points[1::3], points[2::3]):
        assert watermarks[place] == watermark
        assert before == max(high for extent, _, high, _ in extents if extent < place)
