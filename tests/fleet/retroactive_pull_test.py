#!/usr/bin/env python3
"""Hosts that ship nothing, with flight recorders and with trace files: what a snapshot asks for comes from each host that has
it, under one name, and nothing else does.

Each simulated host is a ringship with shared memory, trace files and a host name of its own.
RINGSIDE_TEST_HOSTS sets their number. With many, the test prints how many bytes moved, and how long it took."""

import json
import os
import re
import secrets
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from nats_client import NatsClient  # noqa: E402
from shipped_traces_test import Fleet  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

HOSTS = int(os.environ.get("RINGSIDE_TEST_HOSTS", "4"))
RECORDS = 5000
SPANS = 20
# The name of a host is that of the kernel: a service has another one in a namespace of its own.
NAMED = ["unshare", *(["--user", "--map-root-user"] if os.geteuid() else []), "--uts", "sh", "-c", 'hostname "$0" && exec "$@"']


class Host:
    """One simulated host."""

    def __init__(self, bed, fleet, number):
        self.bed, self.fleet = bed, fleet
        self.name = f"host{number}"
        self.folder = os.path.join(bed.work_dir, self.name)
        self.shm = os.path.join(bed.shm_dir, self.name)
        self.traces = os.path.join(self.folder, "traces")
        os.makedirs(self.traces)
        os.mkdir(self.shm)
        self.shipper = None

    def start_service(self, name, overflow):
        service = self.bed.start([*NAMED, self.name, program("answering_service")], stdin=subprocess.PIPE, pipe_stdout=True,
                                 environment={"RINGSIDE_SHM_DIR": self.shm, "RINGSIDE_OVERFLOW": overflow,
                                              "RINGSIDE_SERVICE": name, "RINGSIDE_BLOCK_TIMEOUT_MS": "60000"})
        return service

    def start_consumer(self):
        return self.bed.start([program("consumerd"), "--output", self.traces, "--shm-dir", self.shm, "--verbose"])

    def start_shipper(self, *options):
        self.shipper = self.bed.start([program("ringship"), "--server", self.fleet.url, "--state", os.path.join(self.folder, "state"),
                                       "--shm-dir", self.shm, "--host", self.name, "--on-request", *options, self.traces])


def tell(service, what, count):
    service.popen.stdin.write(f"{what} {count}\n".encode())
    service.popen.stdin.flush()
    assert service.popen.stdout.readline().strip() == b"done", service.stderr()


def lines(*paths, options=()):
    done = subprocess.run([program("ringcat"), "--utc", *options, *paths], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class RetroactivePull(unittest.TestCase):
    def setUp(self):
        if subprocess.run([*NAMED, "probe", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("needs namespaces: simulated hosts have names of their own")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.fleet = Fleet(self.bed)
        done = subprocess.run([program("ringship"), "init", "--server", self.fleet.url], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.hosts = [Host(self.bed, self.fleet, number) for number in range(HOSTS)]

    def snapshot(self, *arguments):
        """The answers of the hosts, by name, and the snapshot's folder of the sink."""
        begin = time.monotonic()
        done = subprocess.run([program("ringctl"), "fleet", "snapshot", "--server", self.fleet.url, "--json", *arguments],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        took_s = time.monotonic() - begin
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        answers = {line["host"]: line for line in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(set(answers), {host.name for host in self.hosts})
        self.assertEqual({answer["error"] for answer in answers.values()}, {""})
        name, = {answer["snapshot"] for answer in answers.values()}
        return answers, os.path.join(self.fleet.sunk, "snapshots", name), took_s

    def sink(self, records, folder):
        """Runs the sink until the snapshot has so many records."""
        self.fleet.start_sink()
        paths = []

        def is_complete():
            nonlocal paths
            paths = [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []
            return bool(paths) and len(lines(*paths, options=["--no-losses"])) >= records

        wait_until(is_complete, "the snapshot")
        self.fleet.sink.send(15)
        self.assertEqual(self.fleet.sink.wait(), 0, self.fleet.sink.stderr())
        return sorted(paths)

    def start_all(self, overflow, *ship_options):
        services = [host.start_service(f"gate{number % 2}", overflow) for number, host in enumerate(self.hosts)]
        for host in self.hosts:
            host.start_shipper(*ship_options)
        for host in self.hosts:
            wait_until(lambda: os.path.isdir(os.path.join(host.folder, "state", "contents")), "the shipper")
        return services

    def check_activity(self, services):
        """One activity on some hosts, among other activities and records on all."""
        wanted = secrets.token_hex(16)
        on = [number for number in range(HOSTS) if number % 3 != 1]
        for number, service in enumerate(services):
            tell(service, "-", RECORDS)
            tell(service, secrets.token_hex(16), SPANS)
            if number in on:
                tell(service, wanted, SPANS)
            tell(service, "-", RECORDS)
        answers, folder, took_s = self.snapshot("--activity", wanted)
        self.assertEqual({name: answer["records"] for name, answer in answers.items()},
                         {host.name: SPANS if number in on else 0 for number, host in enumerate(self.hosts)})
        paths = self.sink(SPANS * len(on), folder)
        self.assertEqual([os.path.basename(path) for path in paths], sorted(self.hosts[number].name for number in on))
        found = [json.loads(line) for line in lines(*paths, options=["--format", "json", "--no-losses"])]
        self.assertEqual(len(found), SPANS * len(on))
        self.assertEqual({record["activity"] for record in found}, {wanted})
        self.assertEqual([record["unix_ns"] for record in found], sorted(record["unix_ns"] for record in found))
        moved = sum(answer["bytes"] for answer in answers.values())
        return moved, took_s

    def test_one_activity_from_flight_recorders(self):
        services = self.start_all("overwrite")
        moved, took_s = self.check_activity(services)
        answers, _, _ = self.snapshot("--service", "gate*")
        everything = sum(answer["bytes"] for answer in answers.values())
        self.assertGreater(min(answer["records"] for answer in answers.values()), 2 * RECORDS)
        # A clock with long ticks makes the times of the others so alike that they take 0.1 bytes each.
        self.assertLess(2 * moved, everything)
        print(f"{HOSTS} hosts: {moved} bytes moved for one activity, {everything} for everything; the answers of all hosts after "
              f"{took_s:.2f} s, of which the command waits 1 s for further hosts")

    def test_one_activity_from_trace_files(self):
        consumers = [host.start_consumer() for host in self.hosts]
        self.check_activity(self.start_all("block"))
        for consumer in consumers:
            self.bed.stop_consumer(consumer)

    def test_flight_recorders_of_a_service_are_sent_as_they_are(self):
        services = self.start_all("overwrite")
        for service in services:
            tell(service, "-", RECORDS)
        segments = {host.name: os.path.join(host.shm, name) for host in self.hosts for name in os.listdir(host.shm) if "gate0" in name}
        originals = {name: [re.sub("^.*? gate0", "gate0", line) for line in lines("--segment", path)] for name, path in segments.items()}
        answers, folder, _ = self.snapshot("--service", "gate0")
        self.assertEqual({name for name, answer in answers.items() if answer["records"] != 0}, set(segments))
        paths = self.sink(RECORDS * len(segments), folder)
        self.assertEqual([os.path.basename(path) for path in paths], sorted(segments))
        for path in paths:
            self.assertEqual([re.sub("^.*? gate0", "gate0", line) for line in lines(path)], originals[os.path.basename(path)])
        # Nothing but snapshots was sent.
        self.assertEqual([name for name in os.listdir(self.fleet.sunk) if name[0] != "."], ["snapshots"])

    def test_a_killed_shipper_continues_its_snapshot(self):
        # A message may always be sent whole. After the first one, this limit allows no other for hours.
        services = self.start_all("overwrite", "--max-bytes-per-s", "1")
        tell(services[0], "-", RECORDS)
        first = self.hosts[0]

        def ask(name):
            return self.bed.start([program("ringctl"), "fleet", "snapshot", "--server", self.fleet.url, "--service", "gate0",
                                   "--id", name, "--timeout", f"{BOUND_S}s"])

        requests = [ask("sent")]
        with NatsClient(self.fleet.port) as nats:
            wait_until(lambda: nats.stored("RS_EXTENTS", 1), "the first message")
        requests.append(ask("kept"))
        kept = os.path.join(first.folder, "state", "snapshots", "kept", "request.json")
        wait_until(lambda: os.path.exists(kept), "the request")
        first.shipper.kill()
        for request in requests:
            request.kill()
        self.assertTrue(os.path.exists(kept))
        services[0].kill()
        first.start_shipper()
        paths = self.sink(RECORDS, os.path.join(self.fleet.sunk, "snapshots", "kept"))
        self.assertIn(first.name, [os.path.basename(path) for path in paths])
        wait_until(lambda: not os.path.exists(kept), "the end of the snapshot")

    def test_requests_are_refused_with_their_reason(self):
        self.hosts[0].start_shipper()

        def said(*arguments):
            for option, value in (("--server", self.fleet.url), ("--timeout", "1s")):
                arguments += () if option in arguments else (option, value)
            done = subprocess.run([program("ringctl"), "fleet", "snapshot", *arguments],
                                  capture_output=True, text=True, timeout=BOUND_S, check=False)
            return done.returncode, done.stderr

        self.assertEqual(said("--activity", "12"), (2, "ringctl fleet: invalid activity '12'; use 32 lower-case hexadecimal digits\n"))
        self.assertEqual(said("--where", "x =")[0], 2)
        self.assertEqual(said("--since", "yesterday")[0], 2)
        self.assertEqual(said("--id", "a.b"), (2, "ringctl fleet: --id: invalid name 'a.b'; use letters, digits, '-' and '_'\n"))
        self.assertEqual(said("--timeout", "soon"),
                         (2, "ringctl fleet: --timeout: invalid duration 'soon'; use a number with a unit, such as 500ms or 30s\n"))
        self.assertEqual(said("--tenant", "other"),
                         (3, "ringctl fleet: no host answers; check that ringship runs on the hosts, with this server and --tenant, and that "
                             "their users may subscribe to rs.trigger.TENANT.*\n"))
        self.assertEqual(said("--server", "nats://127.0.0.1:1")[0], 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
