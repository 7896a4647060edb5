#!/usr/bin/env python3
"""Several hosts, sinks and NATS servers, killed at random: the files of the sinks have each record of the originals once.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import hashlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from steady_load import Load  # noqa: E402
from free_port import free_port  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "5" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "20"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
HOSTS = 3


def free_ports(count):
    ports = set()
    while len(ports) < count:
        ports.add(free_port())
    return list(ports)


class Restarted:
    """A program that is killed and started again."""

    def __init__(self, bed, command):
        self.bed, self.command = bed, command
        self.process = bed.start(command)

    def kill(self):
        self.process.kill()
        self.bed.processes.remove(self.process)
        self.process = self.bed.start(self.command)

    def stop(self):
        wait_until(lambda: self.process.running(), "the program")
        self.process.send(signal.SIGTERM)
        # By the signal itself, if it has only just begun.
        assert self.process.wait() in (0, -signal.SIGTERM), self.process.stderr()
        self.bed.processes.remove(self.process)


class Servers:
    """One NATS server, or a cluster of several."""

    def __init__(self, bed, count):
        self.bed = bed
        ports = free_ports(2 * count)
        self.url = ",".join(f"nats://127.0.0.1:{port}" for port in ports[:count])
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in ports[count:])
        self.all = []
        for number, (port, route) in enumerate(zip(ports[:count], ports[count:])):
            path = os.path.join(bed.work_dir, f"server{number}.conf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'server_name: s{number}\nlisten: "127.0.0.1:{port}"\n'
                           f'jetstream {{ store_dir: "{bed.work_dir}/store{number}" }}\n')
                if count > 1:
                    file.write(f'cluster {{ name: c, listen: "127.0.0.1:{route}", routes: [{routes}] }}\n')
            self.all.append(Restarted(bed, [program("nats_server"), "-c", path]))

        self.count = count
        # A cluster first elects its leader.
        self.wait()

    def wait(self):
        """Until they answer."""
        def is_prepared():
            done = subprocess.run([program("ringship"), "init", "--server", self.url, "--replicas", str(self.count)],
                                  capture_output=True, text=True, timeout=BOUND_S, check=False)
            return done.returncode == 0

        wait_until(is_prepared, "the streams")


class Host:
    """A service, consumerd and ringship, with directories of their own."""

    def __init__(self, number, url):
        self.bed = TestBed()
        self.service = f"load{10 * number}"
        self.consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        self.load = Load(self.bed, 10 * number, 2, "--burst", 20, "--pause-us", 5000)
        self.command = [program("ringship"), "--server", url, "--state", os.path.join(self.bed.work_dir, "state")]
        self.shipper = Restarted(self.bed, [*self.command, self.bed.output_dir])

    def finish(self):
        self.load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(self.consumer)
        self.shipper.stop()
        shipped = self.bed.start([*self.command, "--once", self.bed.output_dir])
        assert shipped.wait() == 0, shipped.stderr()


def sums(directories):
    """Number of records and losses, of different ones, and the sum of their hashes."""
    template = "{service} {pid} {thread_id} {seq} {unix_ns} {level} {site} {msg}"
    count, different, total = 0, set(), 0
    with subprocess.Popen([program("ringcat"), "--unordered", "--template", template, *directories],
                          stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            digest = hashlib.blake2b(line, digest_size=8).digest()
            count += 1
            different.add(digest)
            total += int.from_bytes(digest, "little")
    assert process.returncode == 0, process.returncode
    return count, len(different), total % (1 << 64)


class FleetKills(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def sink_command(self, name, *arguments):
        return [program("ringsink"), "--server", self.servers.url, "--consumer", name, "--output", self.sunk(name), "--ack-wait-ms",
                "2000", *arguments]

    def sunk(self, name):
        return os.path.join(self.bed.work_dir, "sunk-" + name)

    def host_folders(self, name):
        path = self.sunk(name)
        return [os.path.join(path, host) for host in os.listdir(path) if not host.startswith(".")] if os.path.isdir(path) else []

    def run_kills(self, servers):
        self.servers = Servers(self.bed, servers)
        hosts = [Host(number, self.servers.url) for number in range(HOSTS)]
        for host in hosts:
            self.addCleanup(host.bed.close)
        # One for the first host, one for the others, and one for all.
        filters = {"one": ["--filter", f"rs.ext.*.*.{hosts[0].service}.>"],
                   "others": ["--filter", f"rs.ext.*.*.{hosts[1].service}.>"],
                   "all": []}
        sinks = {name: Restarted(self.bed, self.sink_command(name, *arguments)) for name, arguments in filters.items()}
        kills = {"server": 0, "shipper": 0, "sink": 0}
        for _ in range(ROUNDS):
            time.sleep(self.dice.random() * 0.5)
            kind = self.dice.choice(list(kills))
            kills[kind] += 1
            self.dice.choice({"server": self.servers.all, "shipper": [host.shipper for host in hosts],
                              "sink": list(sinks.values())}[kind]).kill()
        self.servers.wait()
        for host in hosts:
            host.finish()
        for sink in sinks.values():
            sink.stop()
        wanted = {"one": [hosts[0]], "others": [hosts[1]], "all": hosts}
        for name, arguments in filters.items():
            original = sums([host.bed.output_dir for host in wanted[name]])
            self.assertEqual(original[0], original[1])
            self.assertGreater(original[0], 0)
            for _ in range(5):
                # A sink on a slow machine can end before messages that a killed one had come again.
                sink = self.bed.start(self.sink_command(name, "--until-idle-s", "5", *arguments))
                self.assertEqual(sink.wait(), 0, sink.stderr())
                self.assertNotIn("refused:", sink.stderr())
                print(name, sink.stderr(), flush=True)
                if sums(self.host_folders(name)) == original:
                    break
            self.assertEqual(sums(self.host_folders(name)), original, f"RINGSIDE_TEST_SEED={SEED} {name} {kills}")
            print(f"{name}: {original[0]} records, sum of hashes {original[2]:016x}", flush=True)
        print(f"RINGSIDE_TEST_SEED={SEED} kills: {kills}", flush=True)

    def test_one_server(self):
        self.run_kills(1)

    def test_three_servers(self):
        self.run_kills(3)


class SeveralSinks(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.servers = Servers(self.bed, 1)

    def sink(self, directory, *arguments):
        path = os.path.join(self.bed.work_dir, directory)
        return self.bed.start([program("ringsink"), "--server", self.servers.url, "--output", path, *arguments])

    def expect(self, status, text, directory, *arguments):
        sink = self.sink(directory, "--until-idle-s", "1", *arguments)
        self.assertEqual(sink.wait(), status, sink.stderr())
        self.assertIn(text, sink.stderr())

    def test_second_directory_of_a_consumer_is_refused(self):
        self.expect(0, "0 messages refused", "first")
        self.expect(3, f"the consumer 'ringsink' belongs to the directory {socket.gethostname()}:{self.bed.work_dir}/first: ", "second")
        self.expect(0, "0 messages refused", "first")
        self.expect(0, "0 messages refused", "second", "--consumer", "other")
        self.expect(0, "0 messages refused", "second", "--take-over")
        self.expect(3, "/second: ", "first")

    def test_second_process_in_a_directory_is_refused(self):
        running = self.sink("first")
        wait_until(lambda: os.path.exists(os.path.join(self.bed.work_dir, "first/.ringsink")), "the lock")
        self.expect(3, "another ringsink writes there", "first", "--consumer", "other")
        running.kill()
        self.bed.processes.remove(running)
        self.expect(0, "0 messages refused", "first")


if __name__ == "__main__":
    unittest.main(verbosity=2)
