#!/usr/bin/env python3
"""Records of the largest size that a service can make pass through every format with room for them. A larger record is cut,
reported, and stays a record with its own time."""

import json
import os
import tempfile
import unittest

from random_traces import events_of, ringcat

# Texts of records from a little below 1 MiB to the maximum: 1 MiB less the record's head and the text's length.
SIZES = [983_000, 983_020, 983_040, 1_020_000, 1_048_550, 1_048_564]
TOO_LARGE = 1_048_565
FORMATS = ["chrome", "ctf", "ndjson", "nettrace", "perfetto", "ringtrace", "trcbin", "trcxml", "ulm"]
BASE_NS = 1_700_000_000_000_000_000
# The fields that these formats add need space in the record.
ADDS_FIELDS = {"chrome": 2000, "ctf": 2000, "nettrace": 2000, "perfetto": 2000, "ulm": 2000}


class LargeRecords(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.directory.cleanup)

    def path_of(self, name):
        return os.path.join(self.directory.name, name)

    def trace_of(self, sizes):
        """Returns the path, and the messages from its creation."""
        with open(self.path_of("lines.ndjson"), "w", encoding="utf-8") as file:
            for i, size in enumerate(sizes):
                json.dump({"time": BASE_NS + i, "level": "info", "msg": "large", "text": "x" * size}, file)
                file.write("\n")
        path = self.path_of("source.ringtrace")
        code, _, said = ringcat("--to", "ringtrace", "-o", path, "--force", self.path_of("lines.ndjson"))
        self.assertEqual(code, 0, said)
        return path, said

    def test_an_import_keeps_the_largest_record_whole_and_cuts_a_larger_one(self):
        path, said = self.trace_of(SIZES)
        self.assertEqual(said, "")
        self.assertEqual([len(e["fields"]["text"]) for e in events_of(path)], SIZES)
        path, said = self.trace_of([TOO_LARGE])
        self.assertIn("1 record: texts or arrays are truncated: a record has at most 1 MiB", said)
        (event,) = events_of(path)
        self.assertEqual((event["cut"], event["unix_ns"]), (True, BASE_NS))
        self.assertEqual(len(event["fields"]["text"]), TOO_LARGE - 13)  # its head uses 12 bytes to mark the cut

    def test_large_records_go_there_and_back(self):
        for name in FORMATS:
            with self.subTest(format=name):
                sizes = [size - ADDS_FIELDS.get(name, 0) for size in SIZES]
                path, _ = self.trace_of(sizes)
                converted = self.path_of("large." + name)
                code, _, said = ringcat("--to", name, "-o", converted, path)
                self.assertEqual(code, 0, said)
                code, output, told = ringcat("--format", "json", converted)
                self.assertEqual((code, told), (0, ""))
                events = [json.loads(line) for line in output.splitlines()]
                self.assertEqual([e["unix_ns"] for e in events], [BASE_NS + i for i in range(len(sizes))])
                self.assertEqual([len(e["fields"]["text"]) for e in events], sizes, said)
                self.assertFalse(any(e.get("cut") for e in events))


if __name__ == "__main__":
    unittest.main(verbosity=2)
