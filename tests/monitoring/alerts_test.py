#!/usr/bin/env python3
"""The alert rules: checked by promtool and a real Prometheus, and true on real services."""

import os
import re
import subprocess
import unittest

from monitored_service import ALERTS, SOURCE, MonitoredService, metric_names, text_of
from traced_processes import BOUND_S, program, wait_until

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "alerts_test.yml")


def promtool(*arguments):
    return subprocess.run(["promtool", *arguments], cwd=os.path.dirname(TESTS), text=True, timeout=BOUND_S,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def alert_names():
    return re.findall(r"- alert: (\w+)", text_of(ALERTS))


class Alerts(unittest.TestCase):
    def test_promtool_finds_them_in_order(self):
        checked = promtool("check", "rules", ALERTS)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertIn(f"{len(alert_names())} rules found", checked.stdout)

    def test_each_fires_when_it_should_and_not_otherwise(self):
        tested = promtool("test", "rules", TESTS)
        self.assertEqual(tested.returncode, 0, tested.stdout)

    def test_every_alert_is_tested(self):
        tested = set(re.findall(r'alertname="(\w+)"', text_of(TESTS)))
        self.assertEqual(tested, set(alert_names()))

    def test_every_alert_has_a_description_and_a_remedy(self):
        rules = re.split(r"- alert: ", text_of(ALERTS))[1:]
        self.assertGreater(len(rules), 20)
        for rule in rules:
            with self.subTest(rule.split()[0]):
                for part in ("summary", "description", "remedy"):
                    self.assertRegex(rule, rf"\n +{part}: \S")
                self.assertRegex(rule, r"severity: (critical|warning|info)\}")

    def test_remedies_name_options_and_variables_that_exist(self):
        programs = {name: subprocess.run([program(name), *words, "--help"], text=True, timeout=BOUND_S,
                                         stdout=subprocess.PIPE, check=True).stdout
                    for name, words in (("consumerd", []), ("ringctl", ["level"]))}
        known = " ".join(programs.values()) + " --shm-size"  # an option of container engines
        text = text_of(ALERTS)
        options = set(re.findall(r"--[a-z][a-z-]+", text))
        self.assertGreater(len(options), 5)
        for option in options:
            self.assertRegex(known, rf"{option}\b", option)
        table = text_of(os.path.join(SOURCE, "docs", "reference", "environment.md"))
        variables = set(re.findall(r"RINGSIDE_\w+", text))
        self.assertGreater(len(variables), 3)
        for variable in variables:
            self.assertIn(f"| `{variable}` |", table)

    def test_the_readme_names_them_all(self):
        table = text_of(os.path.join(os.path.dirname(ALERTS), "README.md"))
        table = table[:table.index("ringside_fleet_alerts.yml", table.index("## Alerts"))]
        cells = "".join(re.findall(r"^\| (`Ringside.*?) \|", table, re.MULTILINE))
        named = set(re.findall(r"`(Ringside\w+)`", cells))
        named |= {f"RingsideRecordsLost{ending}" for ending in re.findall(r"`\.\.\.(\w+)`", cells)}
        self.assertEqual(named, set(alert_names()))

    def test_they_work_on_the_metrics_of_a_real_consumerd(self):
        monitored = MonitoredService()
        self.addCleanup(monitored.bed.close)
        used = metric_names(" ".join(re.findall(r"expr: (.*?)\n +(?:for|labels):", text_of(ALERTS), re.DOTALL)))
        self.assertGreater(len(used), 15)
        self.assertLessEqual(used, monitored.exported_names())
        causes = set(re.findall(r'cause="(\w+)"', text_of(ALERTS)))
        exported = set(re.findall(r'cause="(\w+)"', monitored.page()))
        self.assertLessEqual(causes, exported)
        # Records that a flight recorder overwrites raise no alert, nor do those that the service itself abandons; a
        # quarantined ring has its own alert.
        self.assertEqual(exported - causes, {"overwritten", "quarantined", "abandoned"})
        prometheus = monitored.prometheus([ALERTS])
        (firing,) = wait_until(lambda: prometheus.query('ALERTS{alertstate="firing"}'), "an alert")
        self.assertEqual(firing["metric"]["alertname"], "RingsideRecordsLostNoConsumer")
        self.assertEqual(firing["metric"]["service"], "orders")
        rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
        self.assertEqual(len(rules), len(alert_names()))
        wait_until(lambda: all(rule["health"] == "ok" for group in prometheus.ask("rules")["groups"]
                               for rule in group["rules"]), "all rules to be evaluated")


if __name__ == "__main__":
    unittest.main(verbosity=2)
