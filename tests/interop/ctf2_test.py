#!/usr/bin/env python3
"""CTF 2 traces made by hand from the specification: ringcat reads what was put into them."""

import json
import os
import subprocess
import unittest

import ctf_streams as made
from ctf2_fragments import ORDERS, Ctf2Traces, fragments, integer, leb128, location, structure, text_of
from random_traces import events_of

RINGCAT = os.environ["RINGSIDE_TEST_RINGCAT"]
BOUND_S = 60


class Ctf2(Ctf2Traces):
    def record(self, order, fields, put, *aliases, **how):
        directory = self.trace(text_of(fragments(order, fields, *aliases, **how)),
                               {"stream": made.packet(order, lambda bits: put(made.event(bits, 7)))})
        (record,) = [event for event in events_of(directory) if event["kind"] == "record"]
        self.assertEqual((record["unix_ns"], record["category"], record["name"]), (made.START_NS + 7, "an", "event"))
        return record

    def check(self, fields_of, put, expected, *aliases):
        for order in ORDERS:
            with self.subTest(order):
                self.assertEqual(self.record(order, fields_of(order), put, *aliases)["fields"], expected)

    def test_integers_of_any_width(self):
        def put(bits):
            bits.put(5, 3).put(2**7 - 3, 7).put(1, 1).put(2**64 - 9, 64).put(0xABC, 12)
        self.check(lambda o: {"a": integer(o, 3), "b": integer(o, 7, signed=True),
                              "c": {**integer(o, 1), "type": "fixed-length-boolean"}, "d": integer(o, 64, signed=True),
                              "e": {**integer(o, 12), "type": "fixed-length-bit-array"}},
                   put, {"a": 5, "b": -3, "c": True, "d": -9, "e": 0xABC})

    def test_floats(self):
        kind = "fixed-length-floating-point-number"
        self.check(lambda o: {"f": {**integer(o, 32), "type": kind}, "d": {**integer(o, 64), "type": kind}},
                   lambda bits: bits.real(0.5, 32).real(-1.25, 64), {"f": 0.5, "d": -1.25})

    def test_reversed_bit_order(self):
        opposite = {"le": "last-to-first", "be": "first-to-last"}
        self.check(lambda o: {"a": integer(o, 8, **{"bit-order": opposite[o]}),
                              "b": integer(o, 5, signed=True, **{"bit-order": opposite[o]}),
                              "c": integer(o, 3),
                              "d": {"type": "static-length-array", "length": 2,
                                    "element-field-class": integer(o, 8, **{"bit-order": opposite[o]})}},
                   lambda bits: bits.put(0b1101, 8).put(0b00111, 5).put(5, 3).put(1, 8).put(0x80, 8),
                   {"a": 0b10110000, "b": 0b11100 - 32, "c": 5, "d": [128, 1]})

    def test_variable_length_integers(self):
        variable = {"type": "variable-length-unsigned-integer"}
        signed = {"type": "variable-length-signed-integer"}
        numbers = [0, 127, 128, 2**32, 2**63, 2**64 - 1]
        signed_numbers = [0, -1, 63, 64, -64, -65, 2**62, -2**63, 2**63 - 1]
        fields = {f"u{i}": variable for i, _ in enumerate(numbers)} | {f"s{i}": signed for i, _ in enumerate(signed_numbers)}
        fields |= {"all": {"type": "static-length-array", "length": 3, "element-field-class": signed},
                   "odd": integer("le", 3), "n": variable,
                   "text": {"type": "dynamic-length-string", "length-field-location": {"path": ["n"]}},
                   "named": {**variable, "mappings": {"low": [[0, 9]], "high": [[299, 300]]}}}

        def put(bits):
            for number in numbers:
                leb128(bits, number)
            for number in [*signed_numbers, -300, 300, 5]:
                leb128(bits, number, signed=True)
            leb128(bits.put(5, 3), 3).put_bytes(b"abc")
            leb128(bits, 300)
        expected = {f"u{i}": number for i, number in enumerate(numbers)}
        expected |= {f"s{i}": number for i, number in enumerate(signed_numbers)}
        record = self.record("le", fields, put)
        self.assertEqual(record["fields"], {**expected, "all": [-300, 300, 5], "odd": 5, "n": 3, "text": "abc", "named": "high"})

    def test_variable_length_integers_beyond_64_bits_are_damage(self):
        for signed, data in ((False, b"\x80" * 9 + b"\x02"), (True, b"\x80" * 9 + b"\x01"), (False, b"\x80" * 10 + b"\0")):
            kind = f"variable-length-{'' if signed else 'un'}signed-integer"
            directory = self.trace(text_of(fragments("le", {"a": {"type": kind}})),
                                   {"stream": made.packet("le", lambda bits, data=data: made.event(bits, 7).put_bytes(data))})
            done = subprocess.run([RINGCAT, directory], capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("a variable-length integer has more than 64 bits", done.stderr)

    def test_strings_of_every_encoding(self):
        text = "a\u00e4\u20ac\U0001f914"
        for encoding in ("utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"):
            data = text.encode(encoding)
            nul = "\0".encode(encoding)
            of = {"encoding": encoding}
            fields = {"z": {"type": "null-terminated-string", **of},
                      "s": {"type": "static-length-string", "length": 40, **of}, "n": integer("le", 8),
                      "d": {"type": "dynamic-length-string", "length-field-location": location("n"), **of},
                      "all": {"type": "static-length-array", "length": 2,
                              "element-field-class": {"type": "null-terminated-string", **of}},
                      "in": {"type": "static-length-array", "length": 1,
                             "element-field-class": structure(s={"type": "null-terminated-string", **of})}}

            def put(bits, data=data, nul=nul):
                bits.put_bytes(data + nul).put_bytes((data + nul).ljust(40, b"x")).put(len(data), 8).put_bytes(data)
                bits.put_bytes(data + nul + nul + data + nul)
            with self.subTest(encoding):
                fields = self.record("le", fields, put)["fields"]
                self.assertEqual(json.loads(fields.pop("in")), [{"s": text}])
                self.assertEqual(fields, {"z": text, "s": text, "n": len(data), "d": text, "all": [text, ""]})

    def test_halves_of_surrogates_are_replaced_and_half_characters_damage(self):
        kind = {"type": "static-length-string", "length": 6, "encoding": "utf-16le"}
        data = b"\x00\xd8a\0\x00\xdc"
        self.assertEqual(self.record("le", {"s": kind}, lambda bits: bits.put_bytes(data))["fields"], {"s": "\ufffda\ufffd"})
        directory = self.trace(text_of(fragments("le", {"s": {**kind, "length": 3}})),
                               {"stream": made.packet("le", lambda bits: made.event(bits, 7).put_bytes(b"a\0b"))})
        done = subprocess.run([RINGCAT, directory], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertIn("a string that ends within a character", done.stderr)

    def test_strings(self):
        def put(bits):
            bits.text("äöü").put_bytes(b"ab\0xy").put(3, 8).put_bytes(b"xyz")
        self.check(lambda o: {"z": {"type": "null-terminated-string"}, "s": {"type": "static-length-string", "length": 5},
                              "n": integer(o, 8),
                              "d": {"type": "dynamic-length-string", "length-field-location": location("n")}},
                   put, {"z": "äöü", "s": "ab", "n": 3, "d": "xyz"})

    def test_arrays(self):
        def put(bits):
            bits.put(1, 16).put(2, 16).put(2, 8).put(7, 32).put(8, 32)
        self.check(lambda o: {"s": {"type": "static-length-array", "length": 2, "element-field-class": integer(o, 16)},
                              "n": integer(o, 8),
                              "d": {"type": "dynamic-length-array", "length-field-location": location("n"),
                                    "element-field-class": integer(o, 32)}},
                   put, {"s": [1, 2], "n": 2, "d": [7, 8]})

    def test_arrays_are_aligned_even_when_empty(self):
        aligned = {"type": "dynamic-length-array", "length-field-location": location("n"), "minimum-alignment": 32}

        def fields(order):
            return {"n": integer(order, 8), "a": {**aligned, "element-field-class": integer(order, 8)}, "end": integer(order, 8)}
        self.check(fields, lambda bits: bits.align(32).put(0, 8).align(32).put(7, 8), {"n": 0, "a": [], "end": 7})
        self.check(fields, lambda bits: bits.align(32).put(2, 8).align(32).put(1, 8).put(2, 8).put(7, 8), {"n": 2, "a": [1, 2], "end": 7})

    def test_blobs(self):
        self.check(lambda o: {"s": {"type": "static-length-blob", "length": 2}, "n": integer(o, 8),
                              "d": {"type": "dynamic-length-blob", "length-field-location": location("n"), "media-type": "a/b"}},
                   lambda bits: bits.put_bytes(b"\0\xff").put(3, 8).put_bytes(b"\1\0\2"), {"s": [0, 255], "n": 3, "d": [1, 0, 2]})

    def test_lengths_that_tracers_put_before_fields_are_not_fields(self):
        self.check(lambda o: {"_d_length": integer(o, 8), "_own": integer(o, 8),
                              "d": {"type": "dynamic-length-array", "length-field-location": location("_d_length"),
                                    "element-field-class": integer(o, 8)}},
                   lambda bits: bits.put(2, 8).put(9, 8).put(1, 8).put(2, 8), {"_d_length": 2, "_own": 9, "d": [1, 2]})
        self.check(lambda o: {"_d_length": integer(o, 8),
                              "d": {"type": "dynamic-length-array", "length-field-location": location("_d_length"),
                                    "element-field-class": integer(o, 8)}},
                   lambda bits: bits.put(2, 8).put(1, 8).put(2, 8), {"d": [1, 2]})

    def test_locations_from_the_enclosing_structure_and_from_the_root(self):
        def text(*path):
            return {"type": "dynamic-length-string", "length-field-location": {"path": list(path)}}
        self.check(lambda o: {"head": structure(n=integer(o, 8)), "n": integer(o, 8),
                              "a.b": structure(n=integer(o, 8), near=text("n"), out=text(None, "n"), across=text(None, "head", "n")),
                              "items": {"type": "static-length-array", "length": 2,
                                        "element-field-class": structure(n=integer(o, 8), s=text("n"))}},
                   lambda bits: bits.put(1, 8).put(2, 8).put(3, 8).put_bytes(b"abcdef").put(1, 8).put_bytes(b"x").put(2, 8).put_bytes(b"yz"),
                   {"head.n": 1, "n": 2, "a.b.n": 3, "a.b.near": "abc", "a.b.out": "de", "a.b.across": "f",
                    "items": '[{"n":1,"s":"x"},{"n":2,"s":"yz"}]'})

    def test_a_length_may_be_an_option_of_a_variant(self):
        def fields(order):
            def option(first, field_class):
                return {"selector-field-ranges": [[first, first]], "field-class": field_class}
            inner = {"type": "dynamic-length-blob", "length-field-location": location("v", "n")}
            return {"tag": integer(order, 8),
                    "v": {"type": "variant", "selector-field-location": location("tag"), "options": [
                        option(0, structure(n=integer(order, 8))),
                        option(1, structure(x=integer(order, 8), n={"type": "variable-length-unsigned-integer"}, b=inner))]},
                    "d": {"type": "dynamic-length-string", "length-field-location": location("v", "n")}}
        self.check(fields, lambda bits: bits.put(0, 8).put(3, 8).put_bytes(b"abc"), {"tag": 0, "v": '{"n":3}', "d": "abc"})
        self.check(fields, lambda bits: bits.put(1, 8).put(9, 8).put(2, 8).put_bytes(b"\1\2de"),
                   {"tag": 1, "v": '{"x":9,"n":2,"b":[1,2]}', "d": "de"})

    def test_structures_and_aliases(self):
        for order in ORDERS:
            with self.subTest(order):
                alias = {"type": "field-class-alias", "name": "word", "field-class": integer(order, 16)}
                fields = {"in": structure(a="word", b={"type": "null-terminated-string"}), "after": "word"}
                record = self.record(order, fields, lambda bits: bits.put(1, 16).text("x").put(2, 16), alias)
                self.assertEqual(record["fields"], {"in.a": 1, "in.b": "x", "after": 2})

    def test_variants_choose_by_ranges(self):
        def fields(order):
            return {"tag": integer(order, 8),
                    "v": {"type": "variant", "selector-field-location": location("tag"), "options": [
                        {"name": "low", "selector-field-ranges": [[0, 3], [9, 9]], "field-class": integer(order, 8)},
                        {"selector-field-ranges": [[4, 8]], "field-class": {"type": "null-terminated-string"}}]},
                    "end": integer(order, 8)}
        for tag, put, text in ((9, lambda bits: bits.put(200, 8), "200"), (5, lambda bits: bits.text("x"), '"x"')):
            with self.subTest(tag):
                self.check(fields, lambda bits, tag=tag, put=put: put(bits.put(tag, 8)).put(77, 8),
                           {"tag": tag, "v": text, "end": 77})

    def test_optionals_are_present_or_absent(self):
        def fields(order):
            return {"has": {**integer(order, 8), "type": "fixed-length-boolean"},
                    "o": {"type": "optional", "selector-field-location": location("has"), "field-class": integer(order, 32)},
                    "end": integer(order, 8)}
        self.check(fields, lambda bits: bits.put(1, 8).put(5, 32).put(77, 8), {"has": True, "o": "5", "end": 77})
        self.check(fields, lambda bits: bits.put(0, 8).put(77, 8), {"has": False, "o": "{}", "end": 77})

    def test_fields_without_bits_are_limited_at_any_depth(self):
        def fields(order, element):
            length = location("n")
            for _ in range(4):
                element = {"type": "dynamic-length-array", "length-field-location": length, "element-field-class": element}
            return {"has": {**integer(order, 8), "type": "fixed-length-boolean"}, "n": integer(order, 32), "a": element}
        absent = {"type": "optional", "selector-field-location": location("has"), "field-class": integer("le", 32)}
        blob = {"type": "static-length-blob", "length": 0, "media-type": "a/b"}
        for element in (absent, structure(), structure(one=absent, two=structure(three=structure())), blob):
            with self.subTest(element):
                directory = self.trace(text_of(fragments("le", fields("le", element))), {"stream": made.packet(
                    "le", lambda bits: made.event(bits, 7).put(0, 8).put(20_000, 32).put_bytes(bytes(4096)))})
                done = subprocess.run([RINGCAT, directory], capture_output=True, text=True, timeout=BOUND_S, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, "field '(a|one|two|three)': more elements or members without bits than")

    def test_names_of_the_former_version_without_a_role_have_no_meaning(self):
        record = self.record("le", {"id": integer("le", 8), "timestamp": integer("le", 64)},
                             lambda bits: bits.put(3, 8).put(2**60, 64))
        self.assertEqual(record["fields"], {"id": 3, "timestamp": 2**60})

    def test_short_and_long_event_headers(self):
        for order in ORDERS:
            parts = fragments(order, {"a": integer(order, 8)}, event={"id": 3})
            low = integer(order, 27, roles=["default-clock-timestamp"])
            full = structure(id=integer(order, 32, roles=["event-record-class-id"]),
                             timestamp=integer(order, 64, roles=["default-clock-timestamp"]))
            form = {"type": "variant", "selector-field-location": location("id", origin="event-record-header"), "options": [
                {"name": "compact", "selector-field-ranges": [[0, 30]], "field-class": structure(timestamp=low)},
                {"name": "extended", "selector-field-ranges": [[31, 31]], "field-class": full}]}
            parts[-2]["event-record-header-field-class"] = {
                **structure(id=integer(order, 5, roles=["event-record-class-id"]), v=form), "minimum-alignment": 8}

            def put(bits):
                bits.align(8).put(3, 5).put(7, 27, align=1).put(50, 8)
                bits.align(8).put(31, 5).align(8).put(3, 32).put(2**27 + 9, 64).put(51, 8)
                bits.align(8).put(3, 5).put(8, 27, align=1).put(52, 8)
            directory = self.trace(text_of(parts), {"stream": made.packet(order, put)})
            with self.subTest(order):
                self.assertEqual([(event["unix_ns"] - made.START_NS, event["fields"]["a"]) for event in events_of(directory)
                                  if event["kind"] == "record"], [(7, 50), (2**27 + 9, 51), (2**28 + 8, 52)])

    def test_levels_of_babeltrace_and_of_lttng(self):
        for namespace in ("babeltrace.org,2020", "lttng.org,2009"):
            record = self.record("le", {"a": integer("le", 8)}, lambda bits: bits.put(1, 8),
                                 event={"attributes": {namespace: {"log-level": "warning"}}})
            self.assertEqual(record["level"].lower(), "warning")

    def test_roles_within_structures_variants_and_variable_lengths(self):
        variable = {"type": "variable-length-unsigned-integer"}
        parts = fragments("le", {"a": integer("le", 8)}, event={"id": 300})
        stream = parts[-2]
        stream["packet-context-field-class"] = structure(
            inner=structure(both=integer("le", 32, roles=["packet-total-length", "packet-content-length"]),
                            begin={**variable, "roles": ["default-clock-timestamp"]}),
            has={**integer("le", 8), "type": "fixed-length-boolean"},
            lost={"type": "optional", "selector-field-location": location("has", origin="packet-context"),
                  "field-class": integer("le", 8, roles=["discarded-event-record-counter-snapshot"])})
        stream["event-record-header-field-class"] = structure(
            id={**variable, "roles": ["event-record-class-id"]}, time={**variable, "roles": ["default-clock-timestamp"]})

        def packet(begin, lost, *times):
            size = 0
            for _ in range(2):
                bits = leb128(made.head(made.Bits("le")).put(size, 32), begin)
                bits.put(7 if lost else 0, 8)
                if lost:
                    bits.put(lost, 8)
                for time in times:
                    leb128(leb128(bits, 300), time).put(4, 8)
                size = len(bits.bits)
            return bits.data()
        # The second time has 14 bits, and takes those above them from the first; the third has wrapped.
        directory = self.trace(text_of(parts), {"stream": packet(2**20, 0, 2**20 + 5, 200, 130) + packet(2**21, 3, 2**21 + 9)})
        events = events_of(directory)
        self.assertEqual([event["unix_ns"] - made.START_NS for event in events if event["kind"] == "record"],
                         [2**20 + 5, 2**20 + 200, 2**20 + 2**14 + 130, 2**21 + 9])
        self.assertEqual([event["count"] for event in events if event["kind"] != "record"], [3])

    def test_an_optional_chosen_by_ranges_of_signed_numbers(self):
        def fields(order):
            return {"n": integer(order, 8, signed=True),
                    "o": {"type": "optional", "selector-field-location": location("n"), "selector-field-ranges": [[-3, 1], [5, 5]],
                          "field-class": integer(order, 8)}}
        for number, present in ((-4, False), (-3, True), (0, True), (1, True), (2, False), (5, True)):
            with self.subTest(number):
                self.check(fields, lambda bits, number=number, present=present: bits.put(number % 256, 8).put(9, 8 if present else 0),
                           {"n": number, "o": "9" if present else "{}"})

    def test_packetised_metadata_is_read(self):
        parts = fragments("le", {"a": integer("le", 8)})
        stream = made.packet("le", lambda bits: made.event(bits, 7).put(4, 8))
        directory = self.trace(made.packetised(text_of(parts), "le"), {"stream": stream})
        self.assertEqual([event["fields"] for event in events_of(directory) if event["kind"] == "record"], [{"a": 4}])

if __name__ == "__main__":
    unittest.main(verbosity=2)
