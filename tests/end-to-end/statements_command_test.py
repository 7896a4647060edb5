#!/usr/bin/env python3
"""`ringcat statements` of a real service: what a person would list, executed or not, each statement once."""

import csv
import io
import json
import os
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

HERE = os.path.dirname(os.path.abspath(__file__))


def lines_with(name, text):
    """The numbers of the lines of a source file that contain `text`."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if text in line]


class Statements(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        # Two processes of the service: their statements are the same.
        for _ in range(2):
            service = cls.bed.start_service(which="listed_statements", service="listed")
            assert service.wait() == 0, service.stderr()
        cls.bed.run_consumer_once()

    def ringcat(self, *arguments, status=0):
        done = subprocess.run([program("ringcat"), "statements", *arguments], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def listed(self, *arguments):
        return [json.loads(line) for line in self.ringcat("--format", "json", *arguments, self.bed.output_dir).splitlines()]

    def test_every_statement_is_listed_once(self):
        (never,) = lines_with("listed_statements.cpp", "never executed")
        (event,) = lines_with("listed_statements.cpp", "order.fill")
        (entered,) = lines_with("listed_statements.hpp", "entered")
        (measured,) = lines_with("listed_statements.hpp", "measured")
        (value,) = lines_with("listed_statements.hpp", "value {}")
        self.assertEqual([(os.path.basename(one["file"]), one["line"], one["level"], one["name"], one["format"], one["records"])
                          for one in self.listed()], [
            ("listed_statements.cpp", event, "INFO", "order.fill", "order.fill", 6),
            ("listed_statements.cpp", never, "ERROR", "", "never executed %d of %d", 0),
            ("listed_statements.hpp", entered, "NOTICE", "", "entered with %d", 4),
            ("listed_statements.hpp", measured, "WARNING", "", "measured %s", 6),
            ("listed_statements.hpp", value, "DEBUG", "", "value {}", 6)])
        self.assertEqual({one["service"] for one in self.listed()}, {"listed"})

    def test_copies_have_their_ids_fields_and_counts(self):
        event, never, entered, _, value = self.listed()
        self.assertEqual(event["variants"][0]["fields"],
                         [{"name": "qty", "type": "i32"}, {"name": "side", "type": "string"}])
        self.assertEqual(never["variants"][0]["records"], 0)
        self.assertEqual(never["function"], "main")
        # A static function of a header: a copy in each source file.
        self.assertEqual([len(one["sites"]) for one in entered["variants"]], [2])
        self.assertEqual({one["fields"][0]["type"]: one["records"] for one in value["variants"]}, {"f64": 2, "i32": 4})
        self.assertEqual(value["style"], "brace")
        ids = [site for one in self.listed() for variant in one["variants"] for site in variant["sites"]]
        self.assertEqual(len(ids), len(set(ids)))

    def test_ids_are_those_of_the_records(self):
        done = subprocess.run([program("ringcat"), "--format", "json", self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=True)
        seen = {}
        for record in map(json.loads, done.stdout.splitlines()):
            seen.setdefault((record["line"], record["format"] if "format" in record else record["name"]), set()).add(record["site"])
        for one in self.listed():
            ids = {site for variant in one["variants"] if variant["records"] for site in variant["sites"]}
            self.assertEqual(seen.get((one["line"], one["format"]), set()), ids, one)

    def test_a_part_of_the_text_selects(self):
        for chosen, texts in (("executed", ["never executed %d of %d"]), ("value", ["value {}"]),
                              ("order.*", ["order.fill"]), ("listed_statements.hpp", ["entered with %d", "measured %s", "value {}"])):
            self.assertEqual([one["format"] for one in self.listed("--site", chosen)], texts, chosen)
        self.assertEqual([one["level"] for one in self.listed("--level", "warning")], ["ERROR", "WARNING"])
        self.assertEqual(len(self.listed("--service", "listed")), 5)
        said = self.ringcat("--site", "absent", self.bed.output_dir, status=2)
        self.assertIn("no such statement in the trace", said)

    def test_tables(self):
        text = self.ringcat(self.bed.output_dir).splitlines()
        self.assertEqual(text[0].split(), ["records", "collected", "id", "level", "place", "service", "text", "fields"])
        self.assertRegex(text[2], r"^ +0  on +\d+ +ERROR +listed_statements.cpp:\d+ +listed +never executed %d of %d +"
                                  r"argc i32, arg2 i32$")
        self.assertRegex(text[5], r"value \{\} +value (i32\|f64|f64\|i32)$")
        rows = list(csv.DictReader(io.StringIO(self.ringcat("--format", "csv", self.bed.output_dir))))
        self.assertEqual([row["records"] for row in rows], ["6", "0", "4", "6", "6"])
        self.assertEqual(rows[1]["fields"], "argc i32, arg2 i32")

    def test_a_file_of_another_format(self):
        log = os.path.join(HERE, os.pardir, "interop", "nanolog", "cpp17.log")
        statements = [json.loads(line) for line in self.ringcat("--format", "json", log).splitlines()]
        self.assertEqual(sum(one["records"] for one in statements), 42)
        self.assertEqual(len(statements), len({(one["file"], one["line"], one["format"]) for one in statements}))

    def test_damage_is_reported(self):
        whole = next(os.path.join(self.bed.output_dir, name) for name in sorted(os.listdir(self.bed.output_dir)))
        damaged = os.path.join(self.bed.work_dir, "damaged.ringtrace")
        with open(whole, "rb") as file:
            content = bytearray(file.read())
        content[content.index(b"never executed")] ^= 0xff
        with open(damaged, "wb") as file:
            file.write(content)
        self.assertIn("damaged", self.ringcat(damaged, status=1))
        self.assertIn("missing.ringtrace", self.ringcat(os.path.join(self.bed.work_dir, "missing.ringtrace"), status=3))


if __name__ == "__main__":
    unittest.main(verbosity=2)
