"""Pages with other data: what a page says of numbers that only very large traces have."""

import base64
import json
import re
import struct

MOST_BLOCK = 1 << 17


def packed(content):
    """A frame of zstd (RFC 8878) whose blocks are not compressed."""
    parts = [content[at:at + MOST_BLOCK] for at in range(0, len(content), MOST_BLOCK)]
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(content))
    for number, part in enumerate(parts):
        frame += struct.pack("<I", len(part) << 3 | (number + 1 == len(parts)))[:3] + part
    return frame


def with_section(page, name, value):
    """The text of a page with another value of a section."""
    data = base64.b64encode(packed(json.dumps(value).encode())).decode()
    changed, number = re.subn(f'(id="data-{name}">)[^<]*<', lambda found: found[1] + data + "<", page)
    assert number == 1, name
    return changed
