"""A service, its consumerd with metrics, and a Prometheus that scrapes them; the alerts and the dashboard."""

import json
import os
import re
import subprocess
import urllib.request

from prometheus_server import Prometheus, free_port
from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

SOURCE = os.environ["RINGSIDE_TEST_SOURCE"]
FOLDER = os.path.join(SOURCE, "packaging", "monitoring")
ALERTS = os.path.join(FOLDER, "ringside_alerts.yml")
DASHBOARD = os.path.join(FOLDER, "ringside_dashboard.json")

# Values for the variables in a dashboard's expressions, which Grafana would supply.
VARIABLES = {"$__rate_interval": "1m", "$instance": ".*", "$service": ".*", "${datasource}": "prometheus"}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def dashboard():
    return json.loads(text_of(DASHBOARD))


def dashboard_targets():
    """(title of the panel, target) of all panels."""
    return [(panel["title"], target) for panel in dashboard()["panels"] for target in panel.get("targets", [])]


def without_variables(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


def metric_names(expression):
    """The metrics of Ringside and of its process that the expression uses; a histogram by its own name."""
    names = re.findall(r"\b(?:ringside|process)_\w+", expression)
    return {re.sub(r"_duration_seconds_(bucket|count|sum)$", "_duration_seconds", name) for name in names}


class MonitoredService:
    """The service "orders", which has lost records, measures its log calls and has fired a trigger, and "desk", which has
    counted and suppressed executions. Closed with the bed."""

    def __init__(self):
        self.bed = TestBed()
        self.port = free_port()
        service = self.bed.start_service("--records", 20000, "--hold", service="orders", piped=True,
                                         overflow="drop", ring_bytes=65536,
                                         environment={"RINGSIDE_COST_SAMPLING": "8"})
        wait_until(lambda: "done" in service.stdout(), "the records")
        desk = ToldService(self.bed, "steered_service", service="desk")
        subprocess.run([program("ringctl"), "count", "*", "--service", "desk", "--shm-dir",
                        self.bed.shm_dir], capture_output=True,
                       check=True, timeout=BOUND_S)
        desk.tell("tick 1")
        desk.tell("skip 3")
        config = os.path.join(self.bed.work_dir, "consumerd.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write('[[trigger]]\nname = "any record"\nsnapshot = true\n')
        self.consumer = self.bed.start_consumer("--metrics", f"127.0.0.1:{self.port}", "--config", config)
        for line in ('ringside_processes{service="orders"} 1', "ringside_statement_suppressed_total{"):
            wait_until(lambda line=line: line in self.page(), line)

    def page(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=BOUND_S) as answer:
                return answer.read().decode()
        except OSError:
            assert self.consumer.running(), self.consumer.stderr()
            return ""

    def exported_names(self):
        return set(re.findall(r"^# TYPE (\w+) ", self.page(), re.MULTILINE))

    def prometheus(self, rule_files=()):
        """A Prometheus that has scraped the metrics often enough for rates."""
        server = Prometheus(self.bed, self.port, rule_files)
        wait_until(lambda: server.query("count_over_time(ringside_records_total[1m]) > 2"), "some scrapes")
        return server
