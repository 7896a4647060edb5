#!/usr/bin/env python3
"""CTF traces made by hand: ringcat and babeltrace2 read what was put into them."""

import os
import sys
import tempfile
import unittest

import ctf_streams as made
from ctf_test import babeltrace, plain_field, python_has_bt2
from random_traces import events_of, ringcat

ORDERS = ("le", "be")


def values_of(event):
    """The values that babeltrace2 has read, without the lengths before sequences."""
    return {name: plain_field(value) for name, value in event["fields"].items()}


class ByHand(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.temporary.cleanup)
        self.traces = 0

    def trace(self, metadata, streams, **how):
        self.traces += 1
        return made.write_trace(os.path.join(self.temporary.name, str(self.traces)), metadata, streams, **how)

    def read_by_both(self, directory):
        """The events from ringcat and from babeltrace2, and the counts of lost events."""
        told = [event for event in babeltrace(directory) if event["kind"] != "environment"]
        ours = events_of(directory)
        records = [event for event in ours if event["kind"] == "record"]
        theirs = [event for event in told if event["kind"] == "event"]
        self.assertEqual([(e["unix_ns"], e["category"] + ":" + e["name"]) for e in records],
                         [(e["unix_ns"], e["name"]) for e in theirs])
        losses = [[e["count"] for e in events if e["kind"] == kind] for events, kind in ((ours, "loss"), (told, "discarded"))]
        return records, theirs, *losses


class Values(ByHand):
    def check_values(self, order, types, fields, put, ours, theirs=None):
        """Compares how both readers read one event with these fields."""
        metadata = (made.TYPES + types + made.trace_block(order) + made.CLOCK + made.stream_block() +
                    made.event_block(fields))
        directory = self.trace(metadata, {"stream": made.packet(order, lambda bits: put(made.event(bits, 7)))})
        with self.subTest(order=order, fields=fields):
            (record,), (event,), *_ = self.read_by_both(directory)
            self.assertEqual(record["unix_ns"], made.START_NS + 7)
            self.assertEqual(values_of(event), ours if theirs is None else theirs)
            self.assertEqual(record["fields"], ours)

    def test_bit_fields_across_bytes(self):
        widths = (3, 7, 1, 13, 27, 33, 64, 5, 17, 63, 8, 2)
        types = "".join(f"typealias integer {{ size = {w}; align = 1; }} := u{w};\n"
                        f"typealias integer {{ size = {w}; align = 1; signed = true; }} := s{w};\n" for w in widths)
        fields = "".join(f"u{w} a{w}; s{w} b{w}; " for w in widths)
        expected = {}
        for w in widths:
            expected[f"a{w}"] = 0x9E3779B97F4A7C15 >> (64 - w)
            expected[f"b{w}"] = -(0x5DEECE66DA5A5A5A >> (64 - w)) - (1 if w == 1 else 0)
        for order in ORDERS:
            def put(bits):
                for w in widths:
                    bits.put(expected[f"a{w}"], w, 1).put(expected[f"b{w}"], w, 1)
            self.check_values(order, types, fields, put, expected)

    def test_the_other_byte_order_within(self):
        for order, other in (ORDERS, ORDERS[::-1]):
            types = "".join(f"typealias integer {{ size = {w}; align = 8; byte_order = {other}; }} := o{w};\n"
                            for w in (16, 24, 32, 40, 64))
            types += f"typealias floating_point {{ exp_dig = 11; mant_dig = 53; byte_order = {other}; align = 8; }} := of64;\n"

            def put(bits):
                for w in (16, 24, 32, 40, 64):
                    bits.put_bytes((0x1122334455667788 >> (64 - w)).to_bytes(w // 8, "big" if other == "be" else "little"))
                number = made.Bits(other).real(-2.5, 64)
                bits.put_bytes(number.data())
            expected = {f"a{w}": 0x1122334455667788 >> (64 - w) for w in (16, 24, 32, 40, 64)} | {"f": -2.5}
            self.check_values(order, types, "".join(f"o{w} a{w}; " for w in (16, 24, 32, 40, 64)) + "of64 f;", put, expected)

    def test_whole_bytes_one_after_the_other(self):
        numbers = [(f"{kind}{8 << i}{order}", kind, 8 << i, order) for order in ORDERS for i in range(4) for kind in "us"]
        types = "".join(f"typealias integer {{ size = {bits}; align = 8; signed = {str(kind == 's').lower()}; "
                        f"byte_order = {order}; }} := {name};\n" for name, kind, bits, order in numbers)
        types += "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := f32;\n"
        types += "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;\n"
        types += "typealias integer { size = 3; align = 1; } := u3;\n"
        fields = "".join(f"{name} a_{name}; " for name, *_ in numbers)
        # At the end of the packet, and with enough bytes after it; the length of a sequence among them; after a field that
        # does not fill a byte.
        for after in (0, 20):
            all_fields = (f"{fields} f32 f; f64 g; uint8_t n; uint16_t many[n]; u3 bits; uint16_t last; "
                          f"uint8_t after[{after}];")
            expected = {f"a_{name}": -(0x5DEECE66DA5A5A5A >> (64 - bits)) if kind == "s" else 0xFEDCBA9876543210 >> (64 - bits)
                        for name, kind, bits, _ in numbers}
            for order in ORDERS:
                def put(bits):
                    for name, kind, width, byte_order in numbers:
                        bits.put_bytes(expected["a_" + name].to_bytes(
                            width // 8, "big" if byte_order == "be" else "little", signed=kind == "s"))
                    bits.real(0.125, 32).real(-1e300, 64).put(2, 8).put(7, 16).put(8, 16).put(5, 3).put(65000, 16)
                    bits.put_bytes(bytes(after))
                self.check_values(order, types, all_fields, put, expected | {
                    "f": 0.125, "g": -1e300, "n": 2, "many": [7, 8], "bits": 5, "last": 65000, "after": [0] * after})

    def test_alignments(self):
        types = ("typealias integer { size = 32; align = 32; } := u32a;\ntypealias integer { size = 5; align = 4; } := u5a4;\n"
                 "typealias integer { size = 12; align = 16; } := u12a16;\n"
                 "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 64; } := f32a;\n")
        fields = ("uint8_t a; u32a b; u5a4 c; u12a16 d; f32a e; struct { uint8_t x; u32a y; } s; uint8_t g; "
                  "struct { uint8_t z; } align(64) t; u12a16 k[3]; string u;")
        for order in ORDERS:
            def put(bits):
                bits.align(64).put(1, 8).put(0xDEADBEEF, 32, 32).put(21, 5, 4).put(0xABC, 12, 16).real(1.5, 32, 64)
                bits.align(32).put(2, 8).put(3, 32, 32).put(4, 8).align(64).put(5, 8)
                for i in range(3):
                    bits.put(i + 100, 12, 16)
                bits.text("end")
            plain = {"a": 1, "b": 0xDEADBEEF, "c": 21, "d": 0xABC, "e": 1.5}
            rest = {"g": 4, "k": [100, 101, 102], "u": "end"}
            self.check_values(order, types, fields, put, plain | {"s.x": 2, "s.y": 3, "t.z": 5} | rest,
                              plain | {"s": {"x": 2, "y": 3}, "t": {"z": 5}} | rest)

    def test_texts_arrays_and_sequences(self):
        types = ("typealias integer { size = 8; align = 8; signed = true; encoding = UTF8; } := char;\n"
                 "typealias integer { size = 8; align = 8; encoding = ASCII; } := ascii;\n"
                 "typealias integer { size = 12; align = 4; } := u12;\n")
        fields = ("string s; string { encoding = ASCII; } a; char c[6]; ascii d[3]; uint8_t n; ascii e[n]; "
                  "uint16_t fixed[2]; uint16_t count; u12 many[count]; string texts[2]; uint8_t none[0]; "
                  "uint8_t m; string more[m];")
        for order in ORDERS:
            def put(bits):
                bits.text("grün €").text("plain").put_bytes(b"ab\0cde").put_bytes(b"xyz").put(2, 8).put_bytes(b"hi")
                bits.put(500, 16).put(65535, 16).put(3, 16)
                for i in (1, 2048, 4095):
                    bits.put(i, 12, 4)
                bits.text("one").text("two").put(1, 8).text("three")
            self.check_values(order, types, fields, put, {
                "s": "grün €", "a": "plain", "c": "ab", "d": "xyz", "n": 2, "e": "hi", "fixed": [500, 65535], "count": 3,
                "many": [1, 2048, 4095], "texts": ["one", "two"], "none": [], "m": 1, "more": ["three"]})

    def test_enumerations(self):
        types = ("typealias integer { size = 5; align = 1; } := u5;\n"
                 "typealias integer { size = 16; align = 8; signed = true; } := s16;\n"
                 "enum colour : u5 { RED, GREEN = 3, BLUE, \"dark red\" = 10 ... 20, };\n"
                 "typealias integer { size = 32; align = 8; signed = true; } := int;\n")
        fields = ("enum colour a; enum colour b; enum colour c; enum colour d; enum : s16 { LOW = -300 ... -200, ZERO = 0 } e; "
                  "enum { ONE = 1, TWO } f; enum colour g[2];")
        for order in ORDERS:
            def put(bits):
                bits.put(0, 5).put(4, 5).put(15, 5).put(31, 5).put(-250, 16).put(2, 32).put(3, 5).put(0, 5)
            theirs = {"a": "RED", "b": "BLUE", "c": "dark red", "d": 31, "e": "LOW", "f": "TWO", "g": ["GREEN", "RED"]}
            # Ranges of more than 64 numbers stay numbers.
            self.check_values(order, types, fields, put, theirs | {"e": -250, "g": [3, 0]}, theirs)

    def test_variants(self):
        types = "enum tag : uint8_t { number = 0, text = 1 ... 4, pair = 200, more = 201 };\n"
        fields = ("enum tag t; variant <t> { uint32_t number; string text; struct { uint8_t a; string b; } pair; "
                  "uint16_t more[2]; } v; uint8_t after;")
        for order in ORDERS:
            for tag, label, put, ours, theirs in (
                    (0, "number", lambda bits: bits.put(77, 32), "77", 77),
                    (3, "text", lambda bits: bits.text("seven"), '"seven"', "seven"),
                    (200, "pair", lambda bits: bits.put(1, 8).text("b"), '{"a":1,"b":"b"}', {"a": 1, "b": "b"}),
                    (201, "more", lambda bits: bits.put(5, 16).put(6, 16), "[5,6]", [5, 6])):
                self.check_values(order, types, fields, lambda bits, tag=tag, put=put: put(bits.put(tag, 8)).put(9, 8),
                                  {"t": label, "v": ours, "after": 9}, {"t": label, "v": theirs, "after": 9})

    def test_structures_within_and_floats(self):
        types = ("typealias floating_point { exp_dig = 8; mant_dig = 24; align = 1; } := f32;\n"
                 "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 1; } := f64;\n"
                 "struct point { f32 x; f64 y; };\ntypealias struct point := point_t;\ntypedef point_t pair_t[2];\n")
        fields = "uint8_t n; struct { struct point p; struct { string s; } deep; } o; pair_t pair; point_t many[n];"
        for order in ORDERS:
            def put(bits):
                bits.put(1, 8).real(0.5, 32).real(-1e300, 64).text("deep").real(1, 32).real(2, 64).real(3, 32).real(4, 64)
                bits.real(5, 32).real(6.25, 64)
            self.check_values(order, types, fields, put, {
                "n": 1, "o.p.x": 0.5, "o.p.y": -1e300, "o.deep.s": "deep", "pair": '[{"x":1,"y":2},{"x":3,"y":4}]',
                "many": '[{"x":5,"y":6.25}]'}, {
                "n": 1, "o": {"p": {"x": 0.5, "y": -1e300}, "deep": {"s": "deep"}},
                "pair": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "many": [{"x": 5, "y": 6.25}]})


class WrittenAgain(ByHand):
    def test_names_that_meet(self):
        """Keywords, names with leading underscores, and names of lengths: babeltrace2 reads what is written for them."""
        fields = ("uint8_t _struct; uint8_t _event; uint8_t _align; uint8_t n; uint8_t data[n]; uint8_t data_length; "
                  "uint8_t __data_length; uint8_t __x; uint8_t x; uint8_t x_length; string x__length; "
                  'enum : integer { size = 64; signed = true; } { "a \\"b" = -9223372036854775808, '
                  '"ü" = 9223372036854775807 } e;')
        names = ("string:struct", '\\"quoted\\"', "", "only:", ":only", "env")
        metadata = (made.TYPES + made.trace_block("le") + made.CLOCK + made.stream_block() +
                    "".join(made.event_block(fields, name, number) for number, name in enumerate(names)))

        def put(bits):
            for number in range(len(names)):
                made.event(bits, number, number).put_bytes([1, 2, 3, 1, 9, 4, 5, 6, 7, 8]).text("end").put(2 ** 63 - number % 2, 64)
        directory = self.trace(metadata, {"stream": made.packet("le", put)})
        again = os.path.join(directory, "again")
        self.assertEqual(ringcat("--to", "ctf", "-o", again, directory), (0, b"", ""))
        self.assertEqual([{**e, "site": None, "service": None} for e in events_of(again)],
                         [{**e, "site": None, "service": None} for e in events_of(directory)])
        told = [values_of(event) for event in babeltrace(again) if event["kind"] == "event"]
        self.assertEqual(len(told), len(names))
        for number, values in enumerate(told):
            self.assertEqual([value for value in values.values()],
                             [1, 2, 3, 1, 1, [9], 4, 5, 6, 7, 8, "end", "ü" if number % 2 else 'a "b'])


if __name__ == "__main__":
    if not python_has_bt2():
        sys.exit("python3-bt2 is missing; packaging/install-build-deps.sh installs it")
    unittest.main(verbosity=2)
