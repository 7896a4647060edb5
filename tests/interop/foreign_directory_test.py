#!/usr/bin/env python3
"""A directory of files of other formats is one trace, in time order, with the rules of a directory of trace files."""

import json
import os
import shutil
import tempfile
import unittest

from random_traces import ringcat

OK, DAMAGED, USAGE, UNREADABLE = 0, 1, 2, 3
START = 1763674516000000000
SAMPLES = os.path.dirname(os.path.abspath(__file__))


def line(second):
    return json.dumps({"kind": "record", "unix_ns": START + second * 10**9, "level": "INFO", "category": "", "service": "shop",
                       "pid": 101, "thread": {"id": 7, "name": "main"}, "msg": f"m{second}", "fields": {"n": second}}) + "\n"


class ForeignDirectory(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.root.cleanup)
        self.directory = os.path.join(self.root.name, "traces")
        os.mkdir(self.directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def lines(self, name, *seconds):
        self.write(name, "".join(map(line, seconds)))

    def converted(self, to, name, *seconds):
        """Writes a file of another format, by way of one outside of the directory."""
        source = os.path.join(self.root.name, "source.ndjson")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(map(line, seconds))
        code, _, said = ringcat("--to", to, "-o", self.path(name), source)
        self.assertEqual(code, OK, said)

    def mixed(self):
        self.lines("b.ndjson", 1, 4, 9)
        self.lines("a.jsonl", 2, 8)
        self.converted("nettrace", "dotnet.nettrace", 3, 10)
        self.converted("heph", "h.heph", 5)
        self.converted("ulm", "old.ulm", 6)
        self.converted("ringtrace", "own.ringtrace", 7, 11)
        self.converted("ctf", "ctf-trace", 12)

    def numbers(self, *arguments, code=OK, says=()):
        """The field n of the printed records, in their order."""
        status, output, said = ringcat("--format", "json", *arguments, self.directory)
        self.assertEqual(status, code, said)
        for words in says:
            self.assertIn(words, said)
        if not says:
            self.assertEqual(said, "")
        return [int(json.loads(one)["fields"]["n"]) for one in output.splitlines()]

    def test_all_formats_are_one_trace_in_time_order(self):
        self.mixed()
        self.assertEqual(self.numbers(), list(range(1, 13)))
        self.assertEqual(self.numbers("--where", "n > 5", "--head", "3"), [6, 7, 8])
        code, output, said = ringcat("stats", "--format", "json", self.directory)
        self.assertEqual((code, said), (OK, ""))
        self.assertEqual(json.loads(output)["records"], 12)
        code, output, said = ringcat("agg", "text:*", "--field", "n", "--format", "json", self.directory)
        self.assertEqual((code, said), (OK, ""))
        self.assertEqual(json.loads(output)["rows"][0]["sum"], 78)
        copy = os.path.join(self.root.name, "copy.ndjson")
        code, _, said = ringcat("--to", "ndjson", "-o", copy, self.directory)
        self.assertEqual((code, said), (OK, ""))
        with open(copy, encoding="utf-8") as file:
            self.assertEqual([int(json.loads(one)["fields"]["n"]) for one in file], list(range(1, 13)))

    def test_hidden_files_and_plain_directories_are_not_read(self):
        self.lines("a.ndjson", 1)
        self.lines(".b.ndjson", 2)
        os.mkdir(self.path("below"))
        self.lines("below/c.ndjson", 3)
        self.assertEqual(self.numbers(), [1])

    def test_files_of_unknown_formats_are_left_out_and_named(self):
        self.lines("a.ndjson", 1)
        self.write("notes.txt", "nothing to read\n")
        self.assertEqual(self.numbers(says=[self.path("notes.txt") + ": left out: its format is unknown"]), [1])

    def test_a_directory_of_trace_files_stays_silent_about_others(self):
        self.converted("ringtrace", "own.ringtrace", 7)
        self.write("notes.txt", "nothing to read\n")
        self.assertEqual(self.numbers(), [7])

    def test_a_damaged_file_is_named_and_the_others_are_read(self):
        self.mixed()
        with open(self.path("b.ndjson"), "a", encoding="utf-8") as file:
            file.write('{"kind": \n')
        self.assertEqual(self.numbers(code=DAMAGED, says=[self.path("b.ndjson") + ":"]), list(range(1, 13)))

    def test_a_refused_file_is_named_and_the_others_are_read(self):
        self.lines("a.ndjson", 1)
        self.write("bad.nettrace", b"Nettrace" + bytes(100))
        self.assertEqual(self.numbers(code=DAMAGED, says=[self.path("bad.nettrace") + ":"]), [1])
        os.remove(self.path("a.ndjson"))
        code, output, said = ringcat(self.directory)
        self.assertEqual((code, output), (UNREADABLE, b""))
        self.assertIn(self.path("bad.nettrace") + ":", said)

    def test_from_names_the_format_of_all_files(self):
        self.lines("a.log", 1)
        self.lines("b.log", 2)
        self.write("c.log", "no object\n")
        self.assertEqual(self.numbers("--from", "ndjson", code=DAMAGED, says=[self.path("c.log") + ":"]), [1, 2])

    def test_a_directory_without_traces_is_refused(self):
        self.write("notes.txt", "nothing to read\n")
        code, output, said = ringcat(self.directory)
        self.assertEqual((code, output), (UNREADABLE, b""))
        self.assertIn(f"{self.directory}: no trace files found", said)

    def test_files_of_real_producers(self):
        files = ["nettrace/mixed_managed_external_samples.nettrace",
                 "nettrace/eventpipe-dotnetcore5.0-win-x64-arraytypes.nettrace"]
        total = 0
        for file in files:
            shutil.copy(os.path.join(SAMPLES, file), self.directory)
            total += len(ringcat("--format", "json", os.path.join(SAMPLES, file))[1].splitlines())
        code, output, _ = ringcat("--format", "json", self.directory)
        times = [json.loads(one)["unix_ns"] for one in output.splitlines()]
        self.assertEqual((code, len(times)), (OK, total))
        self.assertEqual(times, sorted(times))


if __name__ == "__main__":
    unittest.main(verbosity=2)
