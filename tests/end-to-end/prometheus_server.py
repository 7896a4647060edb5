"""A real Prometheus that scrapes the metrics of a test's consumerd."""

import json
import os
import socket
import urllib.error
import urllib.parse
import urllib.request

from traced_processes import BOUND_S, wait_until


def free_port(host="127.0.0.1"):
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as one:
        one.bind((host, 0))
        return one.getsockname()[1]


class Prometheus:
    def __init__(self, bed, target_port, rule_files=()):
        config = os.path.join(bed.work_dir, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            # JSON is also YAML.
            json.dump({"global": {"scrape_interval": "500ms", "evaluation_interval": "500ms"},
                       "rule_files": list(rule_files),
                       "scrape_configs": [{"job_name": "ringside", "static_configs": [
                           {"targets": [f"127.0.0.1:{target_port}"]}]}]}, file)
        self.port = free_port()
        self.server = bed.start(["prometheus", f"--config.file={config}",
                                 f"--storage.tsdb.path={bed.work_dir}/tsdb",
                                 f"--web.listen-address=127.0.0.1:{self.port}"])
        wait_until(self.is_ready, "Prometheus")

    def is_ready(self):
        if not self.server.running():
            raise AssertionError(f"Prometheus has ended: {self.server.stderr()[-2000:]}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=BOUND_S):
                return True
        except (urllib.error.URLError, ConnectionError):
            return False

    def ask(self, path, **parameters):
        """Returns the `data` of the response."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=BOUND_S) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(f"{path} {parameters}: {error.read().decode()}") from None

    def query(self, expression):
        return self.ask("query", query=expression)["result"]
