#!/usr/bin/env python3
"""Values of NetTrace payloads that no field of a record has a type for: arrays of GUIDs, of arrays and of objects, decimals."""

import json
import struct
import unittest

from nettrace_files import varint
from nettrace_test import empty_trace, metadata_blob, metadata_record, number, text, with_block
from random_traces import ringcat


class Values(unittest.TestCase):
    maxDiff = 4000

    def read_fields(self, described, payload, times=1):
        """The records of `times` events of one type with these V2 fields, {name: type}, and what ringcat reports."""
        listed = [text(name) + kind for name, kind in described.items()]
        fields = number(len(listed)) + b"".join(number(len(field) + 4) + field for field in listed)
        metadata = metadata_record() + number(len(fields)) + b"\2" + fields
        data = with_block(empty_trace(), b"MetadataBlock", metadata_blob(metadata))
        # A later event has the payload size of the previous one.
        events = b"\x81\1\1" + varint(len(payload)) + payload + (b"\0\1" + payload) * (times - 1)
        code, output, said = ringcat("--format", "json", "-", input=with_block(data, b"EventBlock", events) + b"\1")
        self.assertEqual(code, 0, said)
        return [json.loads(line)["fields"] for line in output.splitlines()], said

    def test_arrays_of_guids_are_texts(self):
        (fields,), said = self.read_fields({"ids": number(19) + number(17)}, struct.pack("<H", 2) + bytes(range(32)))
        self.assertEqual((fields["ids"], said), (["03020100-0504-0706-0809-0a0b0c0d0e0f", "13121110-1514-1716-1819-1a1b1c1d1e1f"], ""))

    def test_arrays_of_arrays_keep_their_values_as_text(self):
        rows = struct.pack("<HHiiHi", 2, 2, 1, -2, 1, 3)
        names = struct.pack("<HH", 1, 2) + text("a\"b") + text("")
        guids = struct.pack("<HH", 1, 1) + bytes(range(16))
        floats = struct.pack("<HHdd", 1, 2, 0.5, float("nan"))
        flags = struct.pack("<HHIIH", 2, 2, 0, 7, 0)
        array = number(19)
        (fields,), said = self.read_fields(
            {"rows": array + array + number(9), "names": array + array + number(18), "guids": array + array + number(17),
             "floats": array + array + number(14), "flags": array + array + number(3), "last": number(9)},
            rows + names + guids + floats + flags + number(77))
        self.assertEqual(said, "")
        self.assertEqual({name: fields[name] for name in ("rows", "names", "guids", "floats", "flags", "last")},
                         {"rows": "[[1,-2],[3]]", "names": '[["a\\"b",""]]',
                          "guids": '[["03020100-0504-0706-0809-0a0b0c0d0e0f"]]', "floats": '[[0.5,"NaN"]]',
                          "flags": "[[false,true],[]]", "last": 77})

    def test_arrays_of_objects_keep_their_values_as_text(self):
        def member(name, kind):
            return number(len(text(name) + kind) + 4) + text(name) + kind
        pair = number(1) + number(2) + member("id", number(12)) + member("of", number(19) + number(7))
        payload = struct.pack("<HQHhQH", 2, 2**64 - 1, 1, -5, 3, 0)
        (fields,), said = self.read_fields({"pairs": number(19) + pair, "last": number(9)}, payload + number(77))
        self.assertEqual((fields["pairs"], fields["last"], said),
                         ('[{"id":18446744073709551615,"of":[-5]},{"id":3,"of":[]}]', 77, ""))

    def test_elements_without_bytes_do_not_make_a_large_text(self):
        empty = number(19) + number(19) + number(1) + number(0)  # arrays of objects without fields
        payload = struct.pack("<H100H", 100, *[65535] * 100)
        records, said = self.read_fields({"nothing": empty, "last": number(9)}, payload + number(77), times=20)
        self.assertEqual([fields["last"] for fields in records], [77] * 20)
        self.assertLess(len(records[0]["nothing"]), 20_000)
        self.assertIn("20 records: the text of an array of arrays or objects is cut", said)

    @staticmethod
    def decimal(digits, scale=0):
        value = abs(digits)
        return struct.pack("<IIQ", scale << 16 | (digits < 0) << 31, value >> 64, value & (2**64 - 1))

    def test_decimals_are_numbers(self):
        prices = [self.decimal(*price) for price in ((-1250, 2), (0, 0), (5, 28), (2**64 * 10**6, 6))]
        records, said = self.read_fields({"price": number(15), "prices": number(19) + number(15), "last": number(9)},
                                         self.decimal(12345, 3) + struct.pack("<H", 4) + b"".join(prices) + number(77), times=3)
        self.assertEqual([record["price"] for record in records], [12.345] * 3)
        self.assertEqual((records[0]["prices"], records[0]["last"]), ([-12.5, 0, 5e-28, 2.0**64], 77))
        self.assertEqual(said, "ringcat: 3 records: decimals of more than 15 digits were rounded to 64 bits\n")

    def test_invalid_decimals_are_reported(self):
        for odd in (struct.pack("<IIQ", 29 << 16, 0, 1), struct.pack("<IIQ", 1, 0, 1)):
            (fields,), said = self.read_fields({"price": number(15), "last": number(9)}, odd + number(77))
            self.assertEqual(fields["last"], 77)
            self.assertEqual(said, "ringcat: 1 record: invalid decimals became NaN\n")

    def test_decimals_in_nested_arrays_keep_all_digits(self):
        rows = struct.pack("<HH", 1, 3) + self.decimal(-(2**96 - 1), 28) + self.decimal(5, 2) + self.decimal(100)
        (fields,), said = self.read_fields({"rows": number(19) + number(19) + number(15)}, rows)
        self.assertEqual((fields["rows"], said), ("[[-7.9228162514264337593543950335,0.05,100]]", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
