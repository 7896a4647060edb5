#!/usr/bin/env python3
"""The alert rules of the fleet, checked by promtool."""

import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
ALERTS = os.path.join(SOURCE, "packaging", "monitoring", "ringside_fleet_alerts.yml")
TESTS = os.path.join(HERE, "fleet_alerts_test.yml")
BOUND_S = 100


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def promtool(*arguments):
    return subprocess.run(["promtool", *arguments], cwd=HERE, text=True, timeout=BOUND_S, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


def alert_names():
    return re.findall(r"- alert: (\w+)", text_of(ALERTS))


class FleetAlerts(unittest.TestCase):
    def test_promtool_finds_them_in_order(self):
        checked = promtool("check", "rules", ALERTS)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertIn(f"{len(alert_names())} rules found", checked.stdout)

    def test_each_fires_when_it_should_and_not_otherwise(self):
        tested = promtool("test", "rules", TESTS)
        self.assertEqual(tested.returncode, 0, tested.stdout)

    def test_every_alert_is_tested_and_described(self):
        self.assertEqual(set(re.findall(r'alertname="(\w+)"', text_of(TESTS))), set(alert_names()))
        for rule in re.split(r"- alert: ", text_of(ALERTS))[1:]:
            with self.subTest(rule.split()[0]):
                for part in ("summary", "description", "remedy"):
                    self.assertRegex(rule, rf"\n +{part}: \S")
                self.assertRegex(rule, r"severity: (critical|warning|info)\}")
        readme = text_of(os.path.join(os.path.dirname(ALERTS), "README.md"))
        for name in alert_names():
            self.assertIn(f"`{name}`", readme)

    def test_metrics_are_those_of_the_page(self):
        """`fleet_status` compares the page with what the programs serve."""
        used = set(re.findall(r"\bringside_\w+", " ".join(re.findall(r"expr: (.*?)\n +(?:for|labels):", text_of(ALERTS), re.DOTALL))))
        self.assertGreater(len(used), 4)
        page = text_of(os.path.join(SOURCE, "docs", "reference", "metrics.md"))
        self.assertEqual([name for name in used if f"| `{name}` |" not in page], [])


if __name__ == "__main__":
    if subprocess.run(["which", "promtool"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit(77)  # skipped
    unittest.main(verbosity=2)
