#!/usr/bin/env python3
"""Events, enumerations, arrays and types with parts: from a service's log calls to ringcat, through other formats, and
through a redaction."""

import json
import os
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

MESSAGES = [
    'order.fill px=100.25 qty=0 venue="XE TR" card=4111',
    'order.fill px=100.25 qty=10 venue="XE TR" card=4111',
    'order.fill px=100.25 qty=20 venue="XE TR" card=4111',
    "moved move.from.x=1 move.from.y=2.5 move.to.x=3 move.to.y=4.5 move.side=sell arg2=9",
    "moved (from=(x=1, y=2.5), to=(x=3, y=4.5), side=sell), buy",
    "buy|sell  |bu|2",
    "unnamed 9",
    'arrays names=[a, "b c"] raw=01ff sizes.keys=[k] sizes.values=[1] none=[]',
    '["a", "b c"] (1, c) 5s',
    'parts path.x=[1, 3] path.y=[2.5, 4.5] any.1=[] any.2=["a text"] any.index=2 none.x=[] none.y=[]',
    "(x=[1, 3], y=[2.5, 4.5]) and a text",
    "value 5!",
    "accepted peer=127.0.0.1:8080",
    "from   127.0.0.1:8080",
    r"broken a\xffb",
    'stream (from=(x=1, y=2.5), to=(x=3, y=4.5), side=sell) buy ["a", "b c"] 127.0.0.1:8080 at 7ms',
    "failed error.category=generic error.value=110",
]


class TypedEvents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        service = cls.bed.start_service(which="typed_events", service="typed")
        assert service.wait() == 0, service.stderr()
        cls.bed.run_consumer_once()

    def ringcat(self, *arguments, traces=None):
        done = subprocess.run([program("ringcat"), *arguments, traces or self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_texts_show_names_and_fields(self):
        self.assertEqual(self.ringcat("--template", "{msg}"), MESSAGES)

    def test_json_has_types_and_parts(self):
        lines = list(map(json.loads, self.ringcat("--format", "json")))
        self.assertEqual((lines[1]["name"], lines[1]["fields"]),
                         ("order.fill", {"px": 100.25, "qty": 10, "venue": "XE TR", "card": "4111"}))
        self.assertEqual(lines[3]["fields"]["move.side"], "sell")
        self.assertEqual(lines[3]["fields"]["move.to.y"], 4.5)
        self.assertEqual(lines[7]["fields"],
                         {"names": ["a", "b c"], "raw": "Af8=", "sizes.keys": ["k"], "sizes.values": [1], "none": []})

    def test_conditions_find_names_constants_and_enumerators(self):
        for condition, count in (("qty > 5", 2), ("venue == 'XE TR'", 3), ("`move.side` == 'sell'", 2), ("`move.side` == 2", 2),
                                 ("`move.from.x` == 1", 2), ("px > 100", 3), ("peer == '127.0.0.1:8080'", 2)):
            self.assertEqual(len(self.ringcat("--template", "{msg}", "--where", condition)), count, condition)

    def test_another_format_keeps_them(self):
        path = os.path.join(self.bed.output_dir, os.pardir, "copy")
        with open(path + ".ndjson", "w", encoding="utf-8") as file:
            file.write("\n".join(self.ringcat("--format", "json")) + "\n")
        lines = self.ringcat("--template", "{msg}", traces=path + ".ndjson")
        self.assertEqual(lines[0], MESSAGES[0])

    def test_redaction_finds_fields_by_name(self):
        with TestBed() as bed:
            config = os.path.join(bed.output_dir, os.pardir, "consumerd.toml")
            with open(config, "w", encoding="utf-8") as file:
                file.write('[[redact]]\nfield = "card"\n')
            service = bed.start_service(which="typed_events", service="typed")
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.run_consumer_once("--config", config)
            printed = self.ringcat("--template", "{msg}", traces=bed.output_dir)
            self.assertEqual(len(printed), len(MESSAGES))
            self.assertNotIn("4111", "\n".join(printed))
            self.assertIn("px=100.25", printed[0])


class EventsInC(unittest.TestCase):
    def test_texts_are_those_of_the_page(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "how-to", "events.md")
        with open(page, encoding="utf-8") as file:
            shown = file.read().partition("## Events in C\n")[2].split("```")[3].strip().splitlines()
        with TestBed() as bed:
            service = bed.start_service(which="c_events", service="c")
            self.assertEqual(service.wait(), 0, service.stderr())
            bed.run_consumer_once()
            done = subprocess.run([program("ringcat"), "--template", "{msg}", bed.output_dir], capture_output=True, text=True,
                                  timeout=BOUND_S, check=True)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:2], shown)
        self.assertEqual(lines[2], 'literals text="two words" number=7 arg3=99')
        self.assertRegex(lines[3], r"^large unit=bytes text=x{100000,}( \[cut\])?$")
        self.assertEqual(len(lines), 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
