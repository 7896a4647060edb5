#!/usr/bin/env python3
"""The forms that CTF metadata can have: ringcat and babeltrace2 read the same."""

import os
import sys
import unittest

import ctf_streams as made
from ctf_handmade_test import ByHand, values_of
from ctf_test import python_has_bt2
from random_traces import ringcat

BYTE = {"i": 7}


def whole(types="", fields="uint8_t i;", more=""):
    return (made.TYPES + types + made.trace_block("le") + made.CLOCK + more + made.stream_block() +
            made.event_block(fields))


def byte(bits):
    bits.put(7, 8)


def two_bytes(bits):
    bits.put(7, 8).put(8, 8)


# Metadata, the bytes of the event, and the values read from it.
FORMS = {
    "comments": (whole().replace("\n", " // x */ \n") + "/* a ** b /* c */ //\n", byte, BYTE),
    "carriage returns": (whole().replace("\n", "\r\n"), byte, BYTE),
    "octal and hexadecimal numbers": (
        whole("typealias integer { size = 010; align = 0x8; } := o;\n", "o i;"), byte, BYTE),
    "numbers with suffixes": (whole("typealias integer { size = 8UL; } := o;\n", "o i;"), byte, BYTE),
    "env": (whole(more='env { a = 1; b = -5; c = 0x10; d = 010; e = "x\\ny\\"z"; };\n'), byte, BYTE),
    "names of several words": (
        whole("typealias integer { size = 8; } := unsigned long int;\n", "unsigned long int i;"), byte, BYTE),
    "names of pointers": (whole("typealias integer { size = 8; } := char *;\n", "char * i;"), byte, BYTE),
    "typedef of several names": (
        whole("typedef uint8_t a_t, b_t[1];\n", "a_t i; b_t j;"), two_bytes, {"i": 7, "j": [8]}),
    "typedef of a type without a name": (whole("typedef integer { size = 8; } o;\n", "o i;"), byte, BYTE),
    "several fields of a type": (whole(fields="uint8_t i, j;"), two_bytes, {"i": 7, "j": 8}),
    "types among the fields": (
        whole(fields="typealias integer { size = 8; } := z; z i; struct in { uint8_t k; } s; struct in t;"),
        lambda bits: two_bytes(bits.put(7, 8)), BYTE | {"s": {"k": 7}, "t": {"k": 8}}),
    "byte order before its declaration": (
        made.TYPES + made.CLOCK + made.stream_block() + made.event_block("uint16_t i;") + made.trace_block("le"),
        two_bytes, {"i": 0x807}),
    "the event before its stream": (
        made.TYPES + made.trace_block("le") + made.event_block("uint8_t i;") + made.stream_block() + made.CLOCK,
        byte, BYTE),
    "keywords as labels": (whole(fields="enum : uint8_t { event = 7, stream } i;"), byte, {"i": "event"}),
    "labels that overlap": (whole(fields="enum : uint8_t { a = 7, b = 5 ... 9 } i;"), byte, {"i": "a"}),
    "a length in a structure": (
        whole(fields="struct { uint8_t n; } s; uint8_t i[s.n];"), lambda bits: byte(bits.put(1, 8)),
        {"s": {"n": 1}, "i": [7]}),
    "a length by its whole name": (
        whole(fields="uint8_t n; uint8_t i[event.fields.n];"), lambda bits: byte(bits.put(1, 8)), {"n": 1, "i": [7]}),
    "a length in the header": (whole(fields="uint8_t none[stream.event.header.id]; uint8_t i;"), byte, {"none": []} | BYTE),
    "a variant that is chosen later": (
        whole("enum tag : uint8_t { x = 1, y = 7 };\nvariant v { uint8_t x; uint8_t y; };\n",
              "enum tag t; variant v <t> i;"), two_bytes, {"t": "y", "i": 8}),
    "call sites": (whole() + 'callsite { name = "an:event"; func = "f"; file = "x.c"; line = 5; ip = 0x40; };\n',
                   byte, BYTE),
    "unknown attributes": (whole().replace("minor = 8;", 'minor = 8; foo = "x"; bar.baz = 5;'), byte, BYTE),
    "words for numbers": (
        whole("typealias integer { size = 8; base = hexadecimal; encoding = none; signed = FALSE; } := o;\n", "o i;"),
        byte, BYTE),
}


def flat(values, prefix=""):
    found = {}
    for name, value in values.items():
        found |= flat(value, prefix + name + ".") if isinstance(value, dict) else {prefix + name: value}
    return found


class Forms(ByHand):
    def test_both_read_them_alike(self):
        for form, (metadata, put, expected) in FORMS.items():
            with self.subTest(form):
                stream = made.packet("le", lambda bits, put=put: put(made.event(bits, 1)))
                (record,), (event,), *_ = self.read_by_both(self.trace(metadata, {"stream": stream}))
                self.assertEqual(values_of(event), expected)
                ours = dict(record["fields"])
                if "variant" in metadata:  # as text
                    ours["i"] = int(ours["i"])
                self.assertEqual(ours, flat(expected))

    def test_a_trace_without_events(self):
        for streams in ({}, {"stream": b""}, {"stream": made.packet("le", lambda bits: None)}):
            directory = self.trace(whole(), streams)
            self.assertEqual(self.read_by_both(directory), ([], [], [], []))
            again = os.path.join(directory, "again")
            self.assertEqual(ringcat("--to", "ctf", "-o", again, directory), (0, b"", ""))
            self.assertEqual(self.read_by_both(again), ([], [], [], []))

    def test_errors_are_reported_with_their_place(self):
        for metadata, place, message in (
                ("trace { major = 2; };", 34, "metadata: version 2.0 is not supported; supported version: 1.8"),
                ("struct { nothing a; };", 32, "metadata: unknown type 'nothing a'"),
                ("trace { major = 99999999999999999999; };", 30, "metadata: invalid number, or more than 64 bits"),
                ("/* never ends", 14, "metadata: unterminated comment"),
                ("typealias integer { size = 65; } := a;", 47, "metadata: an integer of 65 bits; 1 to 64 are supported"),
                ("clock { freq = 0; };", 33, "metadata: a clock has a frequency of 0 Hz")):
            directory = self.trace(metadata, {})
            code, output, said = ringcat(directory)
            self.assertEqual((code, output), (3, b""), said)
            self.assertRegex(said, rf":\d+: {message}\n$")
            self.assertLessEqual(abs(int(said.split(directory + ":")[1].split(":")[0]) - place), 3, said)


if __name__ == "__main__":
    if not python_has_bt2():
        sys.exit("python3-bt2 is missing; packaging/install-build-deps.sh installs it")
    unittest.main(verbosity=2)
