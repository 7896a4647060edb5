#!/usr/bin/env python3
"""Gates, categories and keywords of a real service, as the tools show and select them."""

import json
import os
import subprocess
import unittest

from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program


class GatedService(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.service = ToldService(self.bed, "gated_service", service="desk")

    def run_tool(self, tool, *arguments):
        done = subprocess.run([program(tool), *map(str, arguments)], capture_output=True, text=True, timeout=BOUND_S,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def ringctl(self, *arguments):
        return self.run_tool("ringctl", *arguments, "--shm-dir", self.bed.shm_dir)

    def tell(self, times):
        for _ in range(times):
            self.service.tell("tick")

    def messages(self, *options):
        return [json.loads(line)["msg"]
                for line in self.run_tool("ringcat", "--format", "json", *options, *self.bed.traces()).splitlines()]

    def end(self):
        self.service.end()
        self.bed.run_consumer_once()

    def listed(self):
        return {one["text"]: one for one in map(json.loads, self.ringctl("list", "--statements", "--json").splitlines())}

    def test_gates_record_and_count(self):
        self.tell(10)
        suppressed = {text: one["executions"]["suppressed"] for text, one in self.listed().items()}
        self.assertEqual(suppressed, {"packet %d": 0, "slow read %d": 0, "order {}": 0, "every fourth %d": 7,
                                      "first two {}": 8, "once %d": 9, "once a day %d": 9, "fifth %d": 8})
        self.end()
        for text, numbers in {"packet": range(10), "every fourth": (0, 4, 8), "first two": (0, 1), "once": (0,),
                              "once a day": (0,), "fifth": (0, 5)}.items():
            self.assertEqual(self.messages("--where", f"msg =~ '^{text} [0-9]+$'"),
                             [f"{text} {number}" for number in numbers])

    def test_tools_select_by_category_and_keyword(self):
        self.tell(1)
        self.assertEqual({text: (one["category"], one["keywords"]) for text, one in self.listed().items()
                          if text in ("packet %d", "slow read %d", "order {}")},
                         {"packet %d": ("net", 0), "slow read %d": ("net", 1), "order {}": ("orders", 3)})
        self.ringctl("disable", "--category", "orders")
        self.tell(1)
        self.ringctl("enable", "--category", "orders")
        self.ringctl("disable", "--keyword", "0x2")
        self.tell(1)
        self.ringctl("disable", "--keyword", "0x1")
        self.tell(1)
        self.end()
        self.assertEqual(self.messages("--where", "category == 'orders'"), ["order 0", "every fourth 0"])
        self.assertEqual(self.messages("--where", "msg =~ 'slow read'"), ["slow read 0", "slow read 1", "slow read 2"])
        self.assertEqual(self.messages("--where", "category == 'net' && level >= WARNING"),
                         ["slow read 0", "slow read 1", "slow read 2"])

    def test_rules_of_consumerd_select_by_category(self):
        config = os.path.join(self.bed.work_dir, "consumerd.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write('[[redact]]\nfield = "number"\ncategory = "orders"\n')
        self.tell(5)
        self.service.end()
        self.bed.run_consumer_once("--config", config)
        self.assertIn("packet 4", self.messages())
        self.assertEqual(self.messages("--where", "category == 'orders'"),  # hidden numbers are zero
                         ["order 0", "every fourth 0", *["order 0"] * 4, "every fourth 0"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
