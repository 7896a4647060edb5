#!/usr/bin/env python3
"""What ringship and ringsink tell about themselves: statuses in the server, which ringstat shows, and metrics."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(HERE, "../end-to-end")]
from shipped_traces_test import Fleet  # noqa: E402
from nats_client import NatsClient  # noqa: E402
from steady_load import Load  # noqa: E402
from free_port import free_port  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402


def free_address():
    return f"127.0.0.1:{free_port()}"


def metrics_at(address):
    """{name: value}, or None if nothing listens there."""
    try:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=BOUND_S) as page:
            text = page.read().decode()
    except OSError:
        return None
    return {name: float(value) for name, value in re.findall(r"^(ringside_\w+) (\S+)$", text, re.MULTILINE)}


def metrics_of_page(heading, without="never"):
    """`without`: the option of rows that are left out."""
    with open(os.path.join(SOURCE, "docs/reference/metrics.md"), encoding="utf-8") as file:
        part = re.search(rf"(?ms)^## {heading}\n(.*?)(?=^## |\Z)", file.read()).group(1)
    return {name for name, rest in re.findall(r"^\| `(ringside_\w+)` \|(.*)$", part, re.MULTILINE) if f"(`--{without}`)" not in rest}


class FleetStatus(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.fleet = Fleet(self.bed)
        self.init()

    def init(self):
        for _ in range(2):  # the second time, everything exists
            done = subprocess.run([program("ringship"), "init", "--server", self.fleet.url], capture_output=True, text=True,
                                  timeout=BOUND_S, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def ringstat(self, *arguments):
        done = subprocess.run([program("ringstat"), "--fleet", self.fleet.url, "--once", *arguments], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        return done.returncode, done.stderr, done.stdout

    def status(self):
        code, told, text = self.ringstat("--json")
        self.assertEqual((code, told), (0, ""))
        return json.loads(text)

    def record(self):
        consumer = self.bed.start_consumer()
        load = Load(self.bed, 0, 2, "--burst", 200, "--pause-us", 2000)
        for _ in range(10):
            load.advance()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        return sum(load.expected().values())

    def test_ringstat_shows_hosts_and_sinks(self):
        code, told, _ = self.ringstat()
        self.assertEqual(code, 3)
        self.assertIn("no host has sent its status", told)
        records = self.record()
        shipped = self.bed.start(self.fleet.ship_command("--once"))
        self.assertEqual(shipped.wait(), 0, shipped.stderr())
        sink = self.bed.start(self.fleet.sink_command("--until-idle-s", "2"))
        self.assertEqual(sink.wait(), 0, sink.stderr())
        status = self.status()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(status, file)
            file.flush()
            checked = subprocess.run(["/usr/bin/jsonschema", "-i", file.name,
                                      os.path.join(SOURCE, "tools/ringstat/ringstat_fleet.schema.json")],
                                     capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)
        (host,) = status["hosts"]
        self.assertEqual((host["tenant"], host["records"], host["lag_bytes"], host["oldest_unshipped_ms"], host["refused"], host["lost"]),
                         ("default", records, 0, 0, 0, 0))
        self.assertEqual((host["segments"], host["silent"]), (1, False))
        self.assertGreater(host["messages"], 0)
        self.assertEqual(status["stored_messages"], host["messages"])
        self.assertEqual(status["sinks"], [{"sink": "ringsink", "pending": 0, "unacknowledged": 0}])
        code, told, text = self.ringstat()
        self.assertEqual((code, told), (0, ""))
        self.assertRegex(text, rf"(?m)^{host['host'][:8]}")
        self.assertRegex(text, r"(?m)^ringsink +0 +0$")
        self.assertEqual(self.ringstat("--tenant", "other")[0], 3)

    def test_host_option_names_the_host(self):
        self.record()
        shipped = self.bed.start(self.fleet.ship_command("--once", "--host", "web-7"))
        self.assertEqual(shipped.wait(), 0, shipped.stderr())
        self.assertEqual([host["host"] for host in self.status()["hosts"]], ["web-7"])

    def test_statuses_with_any_contents_are_shown(self):
        def text(**other):
            names = ("interval_ms", "segments", "lag_bytes", "oldest_unshipped_ms", "records", "messages", "bytes", "lost", "refused",
                     "failures", "snapshots")
            return json.dumps({**dict.fromkeys(names, 0), "version": "1", "unix_ns": 1, **other}).encode()

        reader = subprocess.Popen([os.path.join(os.path.dirname(program("ringcat")), "fleet/fleet-reader")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(reader.stdout.close)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.stdin.close)
        names = ("creds", "nkey", "tls_ca", "tls_cert", "tls_key", "host", "service", "snapshot")
        request = {**dict.fromkeys(names, ""), "what": 1, "servers": self.fleet.url, "tenant": "default", "begin": 0, "begin_ns": 0,
                   "follows": False, "most_bytes": 0, "interval_ms": 10}
        reader.stdin.write(json.dumps(request) + "\n")
        reader.stdin.flush()

        def status_with(hosts, invalid):
            while True:
                kind, line = reader.stdout.readline().split(" ", 1)
                self.assertEqual(kind, "status", line)
                status = json.loads(line)
                if len(status["hosts"]) == hosts and (status["invalid"] > 0) == (invalid > 0):
                    return status

        with NatsClient(self.fleet.port) as nats:
            nats.store("rs.status.default.old", text(unix_ns=-2 ** 63))
            nats.store("rs.status.default.bad", b"not a status")
            self.assertEqual(status_with(1, 1)["invalid"], 1)
            # The next one of the same host, before that of another one.
            nats.store("rs.status.default.bad", b"not a status either")
            nats.store("rs.status.default.new", text())
            self.assertEqual(status_with(2, 1)["invalid"], 1)
            nats.store("rs.status.default.bad", text())
            status_with(3, 0)
        ages = {host["host"]: host["age_ms"] for host in self.status()["hosts"]}
        self.assertGreater(ages["old"], 2 ** 63 // 10 ** 6)
        self.assertLess(ages["old"], 2 ** 64 // 10 ** 6)

    def test_lag_is_what_the_server_has_not_stored(self):
        self.record()
        size = sum(os.path.getsize(path) for path in self.bed.traces() if os.path.isfile(path))
        address = free_address()
        shipper = self.bed.start(self.fleet.ship_command("--metrics", address))
        wait_until(lambda: (metrics_at(address) or {}).get("ringside_ship_records_total"), "shipped records")
        wait_until(lambda: metrics_at(address)["ringside_ship_lag_bytes"] == 0, "no lag")
        self.fleet.server.kill()
        self.bed.processes.remove(self.fleet.server)
        wait_until(lambda: metrics_at(address)["ringside_ship_connected"] == 0, "the loss of the connection")
        self.record()
        grown = sum(os.path.getsize(path) for path in self.bed.traces() if os.path.isfile(path))
        late = wait_until(lambda: metrics_at(address)["ringside_ship_lag_bytes"] > (grown - size) / 2 and metrics_at(address), "the lag")
        self.assertLessEqual(late["ringside_ship_lag_bytes"], grown - size)
        self.assertGreater(late["ringside_ship_oldest_unshipped_seconds"], 0)
        older = wait_until(lambda: metrics_at(address)["ringside_ship_oldest_unshipped_seconds"] >
                           late["ringside_ship_oldest_unshipped_seconds"] and metrics_at(address), "it to get older")
        self.assertGreater(older["ringside_ship_failures_total"], 0)
        self.fleet.start_server()
        wait_until(lambda: metrics_at(address)["ringside_ship_lag_bytes"] == 0, "no lag after the return of the server")
        self.assertEqual(set(metrics_at(address)), metrics_of_page("ringship"))
        wait_until(lambda: self.status()["hosts"][0]["segments"] == 2, "a status with both segments")
        self.assertTrue(shipper.running())

    def test_sink_serves_metrics(self):
        self.record()
        shipped = self.bed.start(self.fleet.ship_command("--once"))
        self.assertEqual(shipped.wait(), 0, shipped.stderr())
        address = free_address()
        self.bed.start(self.fleet.sink_command("--metrics", address))
        found = wait_until(lambda: (metrics_at(address) or {}).get("ringside_sink_extents_total") and metrics_at(address), "kept extents")
        self.assertEqual(set(found), metrics_of_page("ringsink", without="clickhouse"))
        self.assertEqual((found["ringside_sink_connected"], found["ringside_sink_refused_messages_total"]), (1, 0))
        self.assertGreater(found["ringside_sink_written_bytes_total"], 0)

    def test_used_address_of_metrics_is_reported(self):
        with socket.socket() as used:
            used.bind(("127.0.0.1", 0))
            used.listen()
            address = f"127.0.0.1:{used.getsockname()[1]}"
            for command in (self.fleet.ship_command("--metrics", address), self.fleet.sink_command("--metrics", address)):
                ended = self.bed.start(command)
                self.assertEqual(ended.wait(), 3)
                self.assertIn(f"cannot serve metrics at '{address}'", ended.stderr())

    def test_failures_of_ringstat_are_one_line(self):
        def failure(*arguments):
            done = subprocess.run([program("ringstat"), *arguments, "--once"], capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
            return done.returncode, done.stderr
        code, told = failure("--fleet", "nats://u:secret@127.0.0.1:1")
        self.assertEqual(code, 1)
        self.assertIn("nats-server is running", told)
        self.assertNotIn("secret", told)
        self.assertEqual(failure("--fleet", "http://127.0.0.1")[0], 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
