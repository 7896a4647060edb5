"""CTF 2 metadata, and traces that it describes."""

import json
import os
import tempfile
import unittest

import ctf_streams as made

ORDERS = {"le": "little-endian", "be": "big-endian"}
UUID_BYTES = list(made.UUID.bytes)


def integer(order, bits, signed=False, **more):
    return {"type": f"fixed-length-{'' if signed else 'un'}signed-integer", "length": bits, "byte-order": ORDERS[order],
            "alignment": 8 if bits % 8 == 0 else 1, **more}


def structure(**fields):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": of} for name, of in fields.items()]}


def leb128(bits, number, signed=False):
    """As few bytes as the number needs."""
    while not -64 <= number < (64 if signed else 128):
        bits.put(number % 128 + 128, 8)
        number //= 128
    return bits.put(number % 128, 8)


def location(*path, origin="event-record-payload"):
    return {"origin": origin, "path": list(path)}


def fragments(order, fields, *aliases, names=None, event=None):
    """The fields of heads are identified by roles, not by names."""
    n = names or (lambda name: "some " + name)

    def role(bits, *roles):
        return integer(order, bits, roles=list(roles))
    header = structure(**{n("a"): role(32, "packet-magic-number"),
                          n("b"): {"type": "static-length-blob", "length": 16, "roles": ["metadata-stream-uuid"]},
                          n("c"): role(32, "data-stream-class-id")})
    context = structure(**{n("a"): role(64, "default-clock-timestamp"), n("b"): role(64, "packet-end-default-clock-timestamp"),
                           n("c"): role(64, "packet-content-length"), n("d"): role(64, "packet-total-length"),
                           n("e"): role(64, "discarded-event-record-counter-snapshot")})
    event_header = structure(**{n("a"): role(16, "event-record-class-id"), n("b"): role(64, "default-clock-timestamp")})
    return [{"type": "preamble", "version": 2, "uuid": UUID_BYTES},
            *aliases,
            {"type": "trace-class", "packet-header-field-class": header, "environment": {"hostname": "h", "number": 7}},
            {"type": "clock-class", "id": "steady", "frequency": 1_000_000_000,
             "offset-from-origin": {"seconds": 1_700_000_000, "cycles": 5}},
            {"type": "data-stream-class", "default-clock-class-id": "steady", "packet-context-field-class": context,
             "event-record-header-field-class": event_header},
            {"type": "event-record-class", "id": 0, "name": "an:event", "payload-field-class": structure(**fields), **(event or {})}]


def text_of(parts):
    return "".join("\x1e" + json.dumps(part) + "\n" for part in parts)


class Ctf2Traces(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.temporary.cleanup)
        self.traces = 0

    def trace(self, metadata, streams):
        self.traces += 1
        return made.write_trace(os.path.join(self.temporary.name, str(self.traces)), metadata, streams, text="")
