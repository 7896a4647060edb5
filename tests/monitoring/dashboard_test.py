#!/usr/bin/env python3
"""The dashboard has the structure that Grafana requires, and every expression has a result on the metrics of a real
consumerd."""

import itertools
import re
import unittest

from monitored_service import (DASHBOARD, MonitoredService, dashboard, dashboard_targets, metric_names, text_of,
                               without_variables)

COLUMNS = 24


def overlap(one, other):
    return (one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"] and
            one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"])


class Dashboard(unittest.TestCase):
    def test_has_the_structure_that_grafana_requires(self):
        found = dashboard()
        self.assertGreaterEqual(found["schemaVersion"], 36)
        for name, kind in (("title", str), ("uid", str), ("panels", list), ("tags", list), ("version", int)):
            self.assertIsInstance(found[name], kind, name)
        self.assertLessEqual(len(found["uid"]), 40)
        self.assertNotIn("id", found)  # each Grafana assigns its own
        self.assertEqual(set(found["time"]), {"from", "to"})

    def test_variables_choose_the_data_source_consumers_and_services(self):
        variables = {one["name"]: one for one in dashboard()["templating"]["list"]}
        self.assertEqual(set(variables), {"datasource", "instance", "service"})
        self.assertEqual((variables["datasource"]["type"], variables["datasource"]["query"]), ("datasource", "prometheus"))
        for name in ("instance", "service"):
            self.assertEqual(variables[name]["type"], "query")
            self.assertTrue(variables[name]["multi"] and variables[name]["includeAll"])
            self.assertRegex(variables[name]["query"]["query"], rf"^label_values\(.*, {name}\)$")
        used = set(re.findall(r"\$\{?(\w+)", text_of(DASHBOARD)))
        self.assertEqual(used - {"__rate_interval", "__all"}, set(variables))

    def test_panels_have_their_own_ids_and_places(self):
        panels = dashboard()["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        self.assertEqual(len({panel["title"] for panel in panels}), len(panels))
        for panel in panels:
            place = panel["gridPos"]
            self.assertTrue(0 <= place["x"] and place["x"] + place["w"] <= COLUMNS, panel["title"])
            self.assertTrue(0 <= place["y"] and place["w"] > 0 and place["h"] > 0, panel["title"])
        for one, other in itertools.combinations(panels, 2):
            self.assertFalse(overlap(one["gridPos"], other["gridPos"]), (one["title"], other["title"]))

    def test_every_panel_asks_the_chosen_data_source(self):
        for panel in dashboard()["panels"]:
            if panel["type"] == "row":
                self.assertEqual((panel["panels"], panel["collapsed"]), ([], False))
                continue
            with self.subTest(panel["title"]):
                self.assertIn(panel["type"], ("stat", "timeseries"))
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                self.assertTrue(panel["targets"])
                ids = [target["refId"] for target in panel["targets"]]
                self.assertEqual(len(set(ids)), len(ids))
                for asking in (panel, *panel["targets"]):
                    self.assertEqual(asking["datasource"], {"type": "prometheus", "uid": "${datasource}"})
                for target in panel["targets"]:
                    self.assertTrue(target["expr"])
                    self.assertIn('instance=~"$instance"', target["expr"])

    def test_series_of_services_can_be_narrowed_to_some(self):
        service_page = re.compile(r"\b(ringside_\w+)\{(.*?)\}")
        with_service = {name for _, target in dashboard_targets()
                        for name, labels in service_page.findall(target["expr"]) if "$service" in labels}
        without = {name for _, target in dashboard_targets()
                   for name, labels in service_page.findall(target["expr"]) if "$service" not in labels}
        self.assertEqual(with_service & without, set())

    def test_every_expression_has_a_result_from_a_real_consumerd(self):
        monitored = MonitoredService()
        self.addCleanup(monitored.bed.close)
        exported = monitored.exported_names()
        expressions = [target["expr"] for _, target in dashboard_targets()]
        self.assertEqual(metric_names(" ".join(expressions)), exported, "shown, but not exported; or the reverse")
        labelled = set(re.findall(r'^(\w+)\{.*?service="', monitored.page(), re.MULTILINE))
        for expression in expressions:
            for name, labels in re.findall(r"\b(ringside_\w+)\{(.*?)\}", expression):
                self.assertEqual("service=" in labels, name in labelled, expression)
        prometheus = monitored.prometheus()
        for title, target in dashboard_targets():
            self.assertTrue(prometheus.query(without_variables(target["expr"])), title)
        for variable in dashboard()["templating"]["list"][1:]:
            metric, label = re.fullmatch(r"label_values\((\w+).*, (\w+)\)", variable["query"]["query"]).groups()
            self.assertTrue(prometheus.query(f'{metric}{{{label}!=""}}'))
        for annotation in dashboard()["annotations"]["list"]:
            prometheus.query(without_variables(annotation["expr"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
