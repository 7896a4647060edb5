#!/usr/bin/env python3
"""Statements with 64 to 255 fields through the whole pipeline: a python3 process records them by the functions for
foreign-function interfaces, consumerd writes them, ringcat shows them, and each format that ringcat writes and reads
brings them back."""

import json
import os
import subprocess
import sys
import unittest

from traced_processes import BOUND_S, TestBed, program

LIBRARY = os.environ["RINGSIDE_TEST_LIBRARY"]
COUNTS = (64, 65, 254, 255)
SERVICE = """
import ctypes

class Statement(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("level", ctypes.c_uint32), ("style", ctypes.c_uint32),
                ("line", ctypes.c_uint32), ("keywords", ctypes.c_uint64),
                ("format", ctypes.c_char_p), ("format_bytes", ctypes.c_uint64),
                ("names", ctypes.c_char_p), ("names_bytes", ctypes.c_uint64),
                ("types", ctypes.c_char_p), ("type_count", ctypes.c_uint64),
                ("category", ctypes.c_char_p), ("category_bytes", ctypes.c_uint64),
                ("file", ctypes.c_char_p), ("file_bytes", ctypes.c_uint64),
                ("function", ctypes.c_char_p), ("function_bytes", ctypes.c_uint64)]

class Value(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint64), ("integer", ctypes.c_int64), ("number", ctypes.c_double),
                ("data", ctypes.c_char_p), ("bytes", ctypes.c_uint64)]

I32, TEXT = 5, 17
library = ctypes.CDLL("libringside.so.1")

def register(count):
    name = b"wide.%d" % count
    names = b",".join(b"f%d" % i for i in range(count))
    statement = Statement(struct_bytes=ctypes.sizeof(Statement), level=3, style=0, format=name, format_bytes=len(name),
                          names=names, names_bytes=len(names), types=bytes([I32] * (count - 1) + [TEXT]), type_count=count)
    return library.rs_statement_register(ctypes.byref(statement))

def record(count):
    values = [Value(type=I32, integer=i) for i in range(count - 1)] + [Value(type=TEXT, data=b"end", bytes=3)]
    return library.rs_statement_record(register(count), (Value * count)(*values), count)
"""
RECORDED = SERVICE + """
assert [record(count) for count in %r] == [1] * %d
assert register(256) == -7  # RS_REFUSED_TYPES
""" % (COUNTS, len(COUNTS))


def fields_of(count):
    return {**{f"f{i}": i for i in range(count - 1)}, f"f{count - 1}": "end"}


@unittest.skipIf(os.environ.get("RINGSIDE_TEST_SANITIZED"), "Python cannot load a library with a sanitizer")
class WideStatements(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        path = os.path.join(self.bed.work_dir, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(RECORDED)
        consumer = self.bed.start_consumer()
        process = self.bed.start([sys.executable, "-B", path], environment={
            "RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "wide", "LD_LIBRARY_PATH": os.path.dirname(LIBRARY)})
        self.assertEqual(process.wait(), 0, process.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def records(self, path):
        return {record["name"]: record for record in map(json.loads, self.ringcat("--format", "json", path).splitlines())}

    def test_all_fields_are_shown_and_found(self):
        records = self.records(self.bed.output_dir)
        self.assertEqual({name: record["fields"] for name, record in records.items()},
                         {f"wide.{count}": fields_of(count) for count in COUNTS})
        for count in COUNTS:
            found = self.ringcat("--where", f'f{count - 1} == "end" && f{count - 2} == {count - 2}', "--template",
                                 "{field:f%d}" % (count - 2), self.bed.output_dir)
            self.assertEqual(found.splitlines(), [str(count - 2)])
        self.ringcat("verify", self.bed.output_dir)

    def test_formats_bring_all_fields_back(self):
        for name in ("ringtrace", "ctf", "heph", "nettrace", "trcbin", "trcxml", "ndjson", "perfetto", "ulm"):
            with self.subTest(name):
                path = os.path.join(self.bed.work_dir, "converted." + name)
                self.ringcat("--to", name, "-o", path, self.bed.output_dir)
                records = self.records(path)
                for count in COUNTS:
                    fields = records[f"wide.{count}"]["fields"]
                    for field, value in fields_of(count).items():
                        self.assertEqual(str(fields.get(field)), str(value), (name, count, field))

    def test_the_most_fields_of_netlogger_come_back(self):
        path = os.path.join(self.bed.work_dir, "converted.netlogger")
        self.ringcat("--to", "netlogger", "-o", path, self.bed.output_dir)
        records = self.records(path)
        for count in COUNTS:
            fields = records[f"wide.{count}"]["fields"]
            expected = dict(list(fields_of(count).items())[:len(fields)])
            self.assertEqual({name: fields.get(name) for name in expected}, expected)
            self.assertGreater(len(fields), min(count, 250) - 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
