#!/usr/bin/env python3
"""The example service under load from outside, traced while consumerd runs, dies or starts late."""

import json
import os
import random
import re
import shutil
import socket
import subprocess
import unittest

from checked_output import print_raw
from traced_processes import BOUND_S, TestBed, program, wait_until

REQUESTS = 20_000
# At least these per request: parsed, command, lookup or stored, reply.
RECORDS_PER_REQUEST = 4


class TracedKvd(unittest.TestCase):
    def setUp(self):
        if not shutil.which("redis-benchmark"):
            self.skipTest("redis-benchmark is not installed")

    def start_kvd(self, bed):
        kvd = bed.start_service("--port", 0, which="kvd", service="kvd")
        line = wait_until(lambda: re.search(r"listening on [\d.]+:(\d+)\n", kvd.stdout()),
                          "kvd to listen")
        return kvd, line.group(1)

    def run_benchmark(self, port, requests=REQUESTS):
        done = subprocess.run(
            ["redis-benchmark", "-p", port, "-n", str(requests), "-t", "set,get", "-c", "10",
             "-P", "4", "-q"], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("SET: ", done.stdout)
        self.assertIn("GET: ", done.stdout)

    def stop(self, bed, kvd, consumer):
        kvd.popen.terminate()
        self.assertEqual(kvd.wait(), 0, kvd.stderr())
        bed.wait_until_segments_are_gone()
        bed.stop_consumer(consumer)

    def check(self, bed, losses_expected=False):
        lines = print_raw(*bed.traces())
        times = [line[:29] for line in lines]
        self.assertEqual(times, sorted(times))
        lost = sum(b" LOST [" in line for line in lines)
        if not losses_expected:
            self.assertEqual(lost, 0)
        return lines

    def count_commands(self, lines, command):
        """The number of INFO lines about this command."""
        return sum(b" INFO " in line and command in line.split(b"] ", 1)[1].lower()
                   for line in lines)

    def test_every_request_is_traced(self):
        with TestBed() as bed:
            consumer = bed.start_consumer()
            kvd, port = self.start_kvd(bed)
            self.run_benchmark(port)
            self.stop(bed, kvd, consumer)
            lines = self.check(bed)
            self.assertGreater(len(lines), 2 * REQUESTS * RECORDS_PER_REQUEST)
            self.assertGreaterEqual(self.count_commands(lines, b"set"), REQUESTS)
            self.assertGreaterEqual(self.count_commands(lines, b"get"), REQUESTS)
            self.check_spans(bed, lines)

    def check_spans(self, bed, lines):
        """A span for each command, with the numbers that users ask for."""
        done = subprocess.run([program("ringcat"), "agg", "kvd.execute", "--field", "@duration_ns", "--by", "name", "--percentiles",
                               "50,99", "--format", "json", *bed.traces()], capture_output=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
        for name in ("set", "get"):
            self.assertEqual(rows[name]["count"], sum(f": command {name} '".encode() in line for line in lines))
            self.assertLessEqual(rows[name]["p50"], rows[name]["p99"])
        self.assertEqual(sum(row["count"] for row in rows.values()), sum(b": command " in line for line in lines))

        self.check_contexts(bed)

    def check_contexts(self, bed):
        """Each record of a connection has the connection's number as its context."""
        done = subprocess.run([program("ringcat"), "--format", "json", "--grep", "^(conn [0-9]+|kvd.execute)", *bed.traces()],
                              capture_output=True, timeout=BOUND_S, check=False, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        # The thread that accepts connections hands them to workers, whose context begins there.
        self.assertTrue(all("accepted" in record["msg"] for record in records if "context" not in record))
        records = [record for record in records if "context" in record]
        connections = {record["context"]["connection"] for record in records}
        self.assertGreaterEqual(len(connections), 10)
        for record in records:
            number = record["fields"]["conn"] if record.get("name") == "kvd.execute" else int(re.match(r"conn (\d+)", record["msg"])[1])
            self.assertEqual(record["context"], {"connection": number})
        chosen = max(connections)
        done = subprocess.run([program("ringcat"), "agg", "kvd.execute", "--where", f"connection == {chosen}", "--format", "json",
                               *bed.traces()], capture_output=True, timeout=BOUND_S, check=False)
        self.assertEqual(json.loads(done.stdout)["rows"][0]["count"],
                         sum(record.get("name") == "kvd.execute" and record["context"]["connection"] == chosen for record in records))

    def exported(self, bed, *words):
        """What ringcat writes of the traces."""
        done = subprocess.run([program("ringcat"), *words], capture_output=True, timeout=BOUND_S, check=False, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_exported_spans_are_those_of_its_own_account(self):
        account = {}
        with TestBed() as bed:
            consumer = bed.start_consumer()
            kvd, port = self.start_kvd(bed)
            for connection in range(1, 7):
                with socket.create_connection(("127.0.0.1", int(port)), timeout=BOUND_S) as client:
                    names = random.Random(connection).choices(["set", "get", "incr", "del"], k=50)
                    for name in names:
                        client.sendall(f"{name} k{connection}{' 1' if name == 'set' else ''}\r\n".encode())
                        # A value is two lines, all other replies are one.
                        reply = b""
                        while reply.count(b"\n") < (2 if reply[:1] == b"$" and reply[:2] != b"$-" else 1):
                            reply += client.recv(100)
                account[connection] = names
            with socket.create_connection(("127.0.0.1", int(port)), timeout=BOUND_S) as client:
                client.sendall(b"info\r\n")
                processed = int(re.search(rb"total_commands_processed:(\d+)", client.recv(4000))[1])
                account[7] = ["info"]
            self.assertEqual(processed, sum(map(len, account.values())))
            self.stop(bed, kvd, consumer)
            expected = sorted((connection, request, name) for connection, names in account.items()
                              for request, name in enumerate(names, 1))
            # Perfetto's own format, read back.
            perfetto = os.path.join(bed.work_dir, "spans.pftrace")
            self.exported(bed, "--to", "perfetto", "-o", perfetto, *bed.traces())
            records = map(json.loads, self.exported(bed, "--format", "json", perfetto).splitlines())
            spans = [record for record in records if record.get("name") == "kvd.execute"]
            self.assertEqual(sorted((span["fields"]["conn"], span["fields"]["request"], span["fields"]["name"]) for span in spans),
                             expected)
            # A flame graph has the sum of the times of each thread.
            times = {}
            for span in spans:
                times[span["thread"]["id"]] = times.get(span["thread"]["id"], 0) + span["duration_ns"]
            folded = re.findall(r"kvd-\d+;kvd-worker-\d+-(\d+);kvd.execute (\d+)\n", self.exported(bed, "--to", "folded", *bed.traces()))
            self.assertEqual({int(thread): int(time) for thread, time in folded}, times)

    def test_deaths_of_consumerd_lose_nothing(self):
        with TestBed() as bed:
            kvd, port = self.start_kvd(bed)
            for _ in range(3):
                consumer = bed.start_consumer()
                self.run_benchmark(port, REQUESTS // 4)
                consumer.kill()
            consumer = bed.start_consumer()
            self.run_benchmark(port, REQUESTS // 4)
            self.stop(bed, kvd, consumer)
            lines = self.check(bed)
            requests = 4 * (REQUESTS // 4)
            self.assertGreaterEqual(self.count_commands(lines, b"set"), requests)
            self.assertGreaterEqual(self.count_commands(lines, b"get"), requests)

    def test_it_serves_without_consumerd(self):
        with TestBed() as bed:
            kvd = bed.start_service("--port", 0, which="kvd", service="kvd", timeout_ms=100)
            port = wait_until(lambda: re.search(r"listening on [\d.]+:(\d+)\n", kvd.stdout()),
                              "kvd to listen").group(1)
            self.run_benchmark(port)
            kvd.popen.terminate()
            self.assertEqual(kvd.wait(), 0, kvd.stderr())
            bed.run_consumer_once()
            lines = self.check(bed, losses_expected=True)
            self.assertTrue(any(b" LOST [" in line for line in lines))
            self.assertGreater(len(lines), 1000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
