#!/usr/bin/env python3
"""Invalid or unsupported CTF 2 metadata: ringcat reports the problem, and reads nothing."""

import os
import subprocess
import unittest

import ctf_streams as made
from ctf2_fragments import UUID_BYTES, Ctf2Traces, fragments, integer, location, structure, text_of

RINGCAT = os.environ["RINGSIDE_TEST_RINGCAT"]
BOUND_S = 60


class Ctf2Metadata(Ctf2Traces):
    def refusal(self, parts):
        text = parts if isinstance(parts, str) else text_of(parts)
        directory = self.trace(text, {"stream": made.packet("le", lambda bits: made.event(bits, 7))})
        done = subprocess.run([RINGCAT, directory], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("terminate called", done.stderr)
        return done.stderr

    def test_unsupported_and_invalid_field_classes_are_refused_by_name(self):
        clashing = structure(a=integer("le", 8), b=integer("le", 8))
        clashing["member-classes"][1]["name"] = "a"
        for field_class, why in (
                ({"type": "fixed-length-joke"}, "invalid property 'length': it is missing"),
                ({**integer("le", 8), "type": "fixed-length-joke"}, "unknown field class type 'fixed-length-joke'"),
                (integer("le", 65), "a length of 65 bits"),
                ({**integer("le", 16), "type": "fixed-length-floating-point-number"}, "floating-point numbers of 16 bits"),
                ({**integer("le", 8), "byte-order": "middle"}, "invalid byte order 'middle'"),
                ({**integer("le", 8), "bit-order": "inside-out"}, "invalid bit order 'inside-out'"),
                ({**integer("le", 8), "alignment": 3}, "invalid property 'alignment': 3 is not a power of two"),
                ({**integer("le", 8), "alignment": "8"}, "invalid property 'alignment'"),
                ({**integer("le", 8), "mappings": {"a": [[2, 1]]}}, "invalid integer ranges"),
                ({**integer("le", 8), "extensions": {"some": {"thing": 1}}}, "extensions of CTF 2 are not supported: 'some'"),
                ({"type": "null-terminated-string", "encoding": "ebcdic"}, "unknown encoding 'ebcdic'"),
                ("word", "no field class alias 'word'"),
                (clashing, "two members of the name 'a'"),
                ({"type": "dynamic-length-string", "length-field-location": location("no")}, "which is not an integer before it"),
                ({"type": "dynamic-length-string", "length-field-location": location("s")}, "needs a field of another type than 's'"),
                ({"type": "dynamic-length-string", "length-field-location": {"path": [None, None, "x"]}}, "not an integer before it"),
                ({"type": "dynamic-length-string", "length-field-location": {"path": ["x", None]}}, "a field location without"),
                ({"type": "dynamic-length-string"}, "a field location is missing"),
                ({"type": "optional", "selector-field-location": location("x"), "field-class": integer("le", 8)}, "another type than 'x'"),
                ({"type": "variant", "selector-field-location": location("x"), "options": []}, "a variant without options"),
                ({"type": "variant", "selector-field-location": location("x"), "options": [
                    {"field-class": integer("le", 8), "selector-field-ranges": [[1]]}]}, "invalid integer ranges")):
            with self.subTest(why):
                fields = {"x": integer("le", 8), "s": integer("le", 8, signed=True), "a": field_class}
                self.assertIn(why, self.refusal(fragments("le", fields)))

    def test_aliases_that_grow_without_end_are_refused(self):
        aliases = [{"type": "field-class-alias", "name": "a0", "field-class": integer("le", 8)}]
        for i in range(1, 62):
            aliases.append({"type": "field-class-alias", "name": f"a{i}", "field-class": structure(x=f"a{i - 1}", y=f"a{i - 1}")})
        self.assertIn("nested more than 60 deep", self.refusal(fragments("le", {"a": "a61"}, *aliases)))
        self.assertIn("more than half a million fields", self.refusal(fragments("le", {"a": "a30"}, *aliases[:31])))

    def test_locations_that_are_too_long_are_refused(self):
        option = {"field-class": structure(n=integer("le", 8))}
        variant = {"type": "variant", "selector-field-location": location("x"),
                   "options": [{**option, "selector-field-ranges": [[i, i]]} for i in range(4)]}

        def text(*path):
            return {"type": "dynamic-length-string", "length-field-location": {"path": [*path, "v", "n"]}}
        for path, why in ((("s", None) * 100, "more than 200 names"), (("v", None) * 90, "lead through too many variants"),
                          (("s", None) * 500_000, "more than 200 names")):
            with self.subTest(why):
                fields = {"x": integer("le", 8), "s": structure(n=integer("le", 8)), "v": variant, "a": text(*path)}
                self.assertIn(why, self.refusal(fragments("le", fields)))

    def test_wrong_fragments_are_refused(self):
        good = fragments("le", {"a": integer("le", 8)})
        preamble, trace, clock, stream, event = good

        def with_header(role, field_class=None):
            field_class = {**(field_class or integer("le", 8)), "roles": [role]}
            return {**trace, "packet-header-field-class": structure(a=field_class)}
        for parts, why in ((good[1:], "the first fragment is not a preamble"),
                           ([{"type": "preamble", "version": 3}], "version 3"),
                           ([{**preamble, "uuid": UUID_BYTES[1:]}], "a UUID that is not 16 bytes"),
                           ([preamble, preamble], "a second preamble"),
                           ([preamble, {"type": "joke"}], "unknown type 'joke'"),
                           ([preamble, {"type": "clock-class", "id": "x"}], "invalid property 'frequency': it is missing"),
                           ([preamble, {"type": "clock-class", "frequency": 1}], "invalid property 'id': it is missing"),
                           ([preamble, {**clock, "offset-from-origin": {"cycles": 10**9}}], "are a second or more"),
                           ([preamble, clock, clock], "a second clock class 'steady'"),
                           ([preamble, {"type": "data-stream-class", "default-clock-class-id": "x"}], "no clock class 'x'"),
                           ([preamble, clock, stream, stream], "a second data stream class 0"),
                           ([preamble, clock, stream, trace], "a trace class after a data stream class"),
                           ([preamble, trace, trace], "a second trace class"),
                           ([preamble, {"type": "event-record-class"}], "no data stream class 0"),
                           ([*good, event], "a second event record class 0 of data stream class 0"),
                           ([preamble, trace, {k: v for k, v in stream.items() if k != "default-clock-class-id"}],
                            "a timestamp of a data stream class without a default clock class"),
                           ([preamble, with_header("packet-magic-number")], "a packet magic number that does not have 32 bits"),
                           ([preamble, with_header("metadata-stream-uuid")], "a metadata stream UUID that is not a BLOB"),
                           ([preamble, with_header("data-stream-id", integer("le", 8, signed=True))], "a signed integer with a role"),
                           ([{"type": "preamble", "version": 2}, *good[1:]], "packets have a metadata stream UUID, but the preamble has none"),
                           ([{**preamble, "extensions": {"a": {"b": {}}}}], "extensions"),
                           ("\x1e{\"type\": \"preamble\", ", "metadata:")):
            with self.subTest(why):
                self.assertIn(why, self.refusal(parts))

    def test_a_packet_of_another_trace_is_refused(self):
        parts = fragments("le", {"a": integer("le", 8)})
        parts[0]["uuid"] = UUID_BYTES[::-1]
        self.assertIn("its UUID differs from that of the metadata", self.refusal(parts))

    def test_metadata_cut_anywhere_ends_no_reader(self):
        text = text_of(fragments("le", {"a": integer("le", 8)}))
        for end in range(2, len(text), 37):
            self.refusal_or_nothing(text[:end])

    def refusal_or_nothing(self, text):
        directory = self.trace(text, {"stream": made.packet("le", lambda bits: made.event(bits, 7).put(1, 8))})
        done = subprocess.run([RINGCAT, directory], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertGreaterEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
