#!/usr/bin/env python3
"""A CTF trace cut after every few bytes, and with bytes changed: never a crash; everything before the damage is read."""

import json
import unittest

import ctf_streams as made
from ctf_handmade_test import ByHand
from random_traces import ringcat

TYPES = "enum tag : uint8_t { number = 0, pair = 200 };\n"
FIELDS = ("enum tag t; variant <t> { uint32_t number; struct { uint8_t a; string b; } pair; } v; "
          "uint8_t n; struct { uint8_t q; string s[q]; } many[n]; uint16_t z[2][2];")
METADATA = ("/* CTF 1.8 */\n" + made.TYPES + TYPES + made.trace_block("le") + made.CLOCK + made.stream_block() +
            made.event_block(FIELDS)).encode()
EVENTS = 4


def put_events(bits):
    for i in range(EVENTS):
        made.event(bits, i + 5).put(200, 8).put(1, 8).text("bb").put(2, 8)
        bits.put(1, 8).text("one").put(2, 8).text("two").text("")
        for number in range(4):
            bits.put(number, 16)


STREAM = made.packet("le", put_events, padding=9)
# The offset of the counter of discarded events, after head, times and sizes.
DISCARDED_AT = 24 + 4 * 8


class Damage(ByHand):
    def read(self, metadata, stream):
        """Returns the exit code and the number of records."""
        directory = self.trace(metadata, {"stream": stream})
        code, output, said = ringcat("--from", "ctf", "--format", "json", directory)
        self.assertIn(code, (0, 1, 3), (metadata, stream, said))
        self.assertEqual(bool(said), code != 0 or "2^40" in said, said)
        if code != 0:
            self.assertRegex(said, rf"^ringcat: {directory}:\d+: ")
        return code, sum(json.loads(line)["kind"] == "record" for line in output.splitlines())

    def test_streams_cut_short(self):
        head = len(made.packet("le", lambda bits: None))
        event = (len(STREAM) - 9 - head) // EVENTS
        for length in range(len(STREAM)):
            whole = max(0, min(length - head, event * EVENTS)) // event
            self.assertEqual(self.read(METADATA, STREAM[:length]), (0 if length == 0 else 1, whole), length)

    def test_streams_with_a_byte_changed(self):
        for at in range(len(STREAM)):
            code, records = self.read(METADATA, STREAM[:at] + bytes([STREAM[at] ^ 0xFF]) + STREAM[at + 1:])
            self.assertLessEqual(records, 2 * EVENTS)
            if at < 4:
                self.assertEqual((code, records), (1, 0))

    def test_metadata_cut_short(self):
        for length in range(0, len(METADATA), 7):
            code, records = self.read(METADATA[:length], STREAM)
            self.assertTrue(code != 0 or records == 0, length)

    def test_metadata_with_a_byte_changed(self):
        for at in range(3, len(METADATA), 5):
            self.read(METADATA[:at] + bytes([METADATA[at] ^ 0x15]) + METADATA[at + 1:], STREAM)

    def test_impossible_counts(self):
        stream = STREAM[:DISCARDED_AT] + b"\xff" * 8 + STREAM[DISCARDED_AT + 8:]
        directory = self.trace(METADATA, {"stream": stream + STREAM + stream})
        code, output, said = ringcat("--format", "json", directory)
        losses = [event["count"] for event in map(json.loads, output.splitlines()) if event["kind"] == "loss"]
        self.assertEqual((code, sum(losses)), (0, 2 ** 40 + 1 + 2 ** 40), said)
        self.assertEqual(said.count("an implausible count of discarded events became 2^40"), 1)

    def test_types_that_need_more_than_the_machine_has(self):
        """Each of these types would need more memory or time than any machine has."""
        doubled = "struct s0 { uint8_t a; };\n" + "".join(
            f"struct s{i} {{ struct s{i - 1} a; struct s{i - 1} b; }};\n" for i in range(1, 31))
        nested = "uint8_t " + "a" + "[2]" * 30 + ";"
        labels = ", ".join(f"l{i} = {i}" for i in range(3000))
        for types, fields in ((doubled, "struct s30 a;"), ("", nested), ("", "uint8_t a[18446744073709551615];"),
                              ("", "uint32_t n; struct { } a[n];"),
                              (f"enum many : uint16_t {{ {labels} }};\n", "enum many a[100]; " + "".join(
                                  f"enum many b{i}; " for i in range(3000)))):
            metadata = (made.TYPES + types + made.trace_block("le") + made.CLOCK + made.stream_block() +
                        made.event_block(fields))
            stream = made.packet("le", lambda bits: made.event(bits, 1).put(2 ** 32 - 1, 32))
            directory = self.trace(metadata, {"stream": stream})
            code, _, said = ringcat("--from", "ctf", directory)
            self.assertEqual(code, 1, said)

    def read_one(self, fields, put, types="", padding=4096):
        """One event with these fields, followed by many bytes in its packet."""
        metadata = (made.TYPES + types + made.trace_block("le") + made.CLOCK + made.stream_block() +
                    made.event_block(fields))
        stream = made.packet("le", lambda bits: put(made.event(bits, 1)).put_bytes(bytes(padding)))
        return ringcat("--from", "ctf", "--format", "json", self.trace(metadata, {"stream": stream}))

    def test_fields_without_bits_are_limited_at_any_depth(self):
        """Each of these claims more such fields than can be counted in a lifetime."""
        def length(bits):
            return bits.put(20_000, 32)
        members = " ".join(f"struct {{ }} m{i}[20000];" for i in range(50))
        for fields, put, name in (
                ("struct { } a[20000][20000][20000];", lambda bits: bits, "a"),
                ("uint32_t n; struct { } a[n][n][n];", length, "a"),
                ("uint32_t n; struct { struct { } inner[20000]; } a[n][20000];", length, "a|inner"),
                ("uint32_t n; struct { struct { } b; struct { struct { } c[n]; } d[n]; } a[n];", length, "[abcd]"),
                ("enum tag t; uint32_t n; variant <t> { struct { } none; uint8_t one; } a[n][n][n];",
                 lambda bits: length(bits.put(0, 8)), "a"),
                (f"uint32_t n; struct {{ {members} }} a[n];", length, "a|m[0-9]+")):
            types = "enum tag : uint8_t { none = 0, one = 1 };\n"
            code, _, said = self.read_one(fields, put, types)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, rf"field '({name})': more elements or members without bits than a packet")

    def test_few_fields_without_bits_are_read(self):
        code, output, said = self.read_one("uint8_t n; struct { } a[3][n]; uint16_t last;", lambda bits: bits.put(2, 8).put(77, 16),
                                           padding=0)
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(json.loads(output)["fields"], {"n": 2, "a": "[[{},{}],[{},{}],[{},{}]]", "last": 77})


if __name__ == "__main__":
    unittest.main(verbosity=2)
