#!/usr/bin/env python3
"""Services, consumerd, ringship, a NATS server with JetStream and ringsink, of which the last three are killed at random
moments: ringcat prints the same lines for the files of ringsink and for the originals.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from nats_client import NatsClient  # noqa: E402
from steady_load import Load  # noqa: E402
from free_port import free_port  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "10" if os.environ.get("RINGSIDE_TEST_SANITIZED") else "30"))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))


class Fleet:
    """A server with its store, and what runs beside it on one host."""

    def __init__(self, bed):
        self.bed = bed
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.state = os.path.join(bed.work_dir, "state")
        self.sunk = os.path.join(bed.work_dir, "sunk")
        self.server = self.shipper = self.sink = None
        self.ship_options = []
        self.start_server()

    def start_server(self):
        self.server = self.bed.start([program("nats_server"), "--addr", "127.0.0.1", "--port", self.port, "--jetstream",
                                      "--store_dir", os.path.join(self.bed.work_dir, "store")])
        wait_until(lambda: "Server is ready" in self.server.stderr() or not self.server.running(), "nats-server")

    def ship_command(self, *arguments):
        return [program("ringship"), "--server", self.url, "--state", self.state, *self.ship_options, *arguments, self.bed.output_dir]

    def sink_command(self, *arguments):
        return [program("ringsink"), "--server", self.url, "--output", self.sunk, "--ack-wait-ms", "2000", *arguments]

    def start_shipper(self):
        self.shipper = self.bed.start(self.ship_command())

    def has_cursor(self):
        """Whether the server has stored a message."""
        return os.path.isdir(self.state) and any(name.endswith(".cursor") for name in os.listdir(self.state))

    def start_sink(self):
        self.sink = self.bed.start(self.sink_command())

    def kill(self, which):
        process = getattr(self, which)
        process.kill()
        self.bed.processes.remove(process)
        getattr(self, "start_" + which)()

    def finish(self, is_complete):
        """Ships and keeps the rest. Messages that a killed process had come again later, so that a sink on a slow machine
        can end before them."""
        for process in (self.shipper, self.sink):
            process.send(signal.SIGTERM)
            # By the signal itself, if it has only just begun.
            assert process.wait() in (0, -signal.SIGTERM), process.stderr()
        shipped = self.bed.start(self.ship_command("--once"))
        assert shipped.wait() == 0, shipped.stderr()
        told = ""
        for _ in range(5):
            sink = self.bed.start(self.sink_command("--until-idle-s", "5"))
            assert sink.wait() == 0, sink.stderr()
            told += sink.stderr()
            if is_complete():
                break
        return told


def printed(*paths):
    """The lines of all records and losses; the order of equal times is that of the files."""
    done = subprocess.run([program("ringcat"), "--utc", *paths], capture_output=True, text=True, timeout=BOUND_S, check=False)
    return done.returncode, done.stderr, sorted(done.stdout.splitlines())


def folders(path):
    return [os.path.join(path, name) for name in os.listdir(path) if not name.startswith(".")]


class ShippedTraces(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.fleet = Fleet(self.bed)
        done = subprocess.run([program("ringship"), "init", "--server", self.fleet.url], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def check(self):
        original = None

        def is_complete():
            nonlocal original
            original = original or printed(self.bed.output_dir)
            return len(printed(*folders(self.fleet.sunk))[2]) >= len(original[2])

        told = self.fleet.finish(is_complete)
        self.assertNotIn("refused:", told)
        self.assertIn("0 messages refused", told)
        shipped = printed(*folders(self.fleet.sunk))
        self.assertEqual(original[:2], (0, ""))
        self.assertGreater(len(original[2]), 0)
        verified = subprocess.run([program("ringcat"), "verify", *folders(self.fleet.sunk)], capture_output=True, text=True,
                                  timeout=BOUND_S, check=False)
        self.assertEqual((verified.returncode, verified.stderr), (0, ""), verified.stdout)
        self.assertEqual(shipped[:2], (0, ""), f"RINGSIDE_TEST_SEED={SEED}")
        self.assertTrue(shipped[2] == original[2], f"RINGSIDE_TEST_SEED={SEED}: {len(shipped[2])} lines instead of "
                        f"{len(original[2])}")

    def test_exit_statuses(self):
        def status(*command):
            done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False)
            return done.returncode, done.stderr.count("\n")

        ship, sink = program("ringship"), program("ringsink")
        self.assertEqual(status(ship, "--version"), (0, 0))
        self.assertEqual(status(sink, "--help"), (0, 0))
        self.assertEqual(status(ship), (2, 1))
        self.assertEqual(status(ship, "--no-such-option"), (2, 1))
        self.assertEqual(status(sink), (2, 1))
        self.assertEqual(status(ship, "--once", "--server", "nats://127.0.0.1:1", self.bed.output_dir), (3, 1))
        self.assertEqual(status(sink, "--server", "nats://127.0.0.1:1", "--output", self.fleet.sunk, "--until-idle-s", "1"), (3, 1))

    def test_files_of_the_sink_are_the_same(self):
        consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        loads = [Load(self.bed, first, 2, "--burst", 200, "--pause-us", 2000) for first in (0, 2)]
        self.fleet.start_shipper()
        self.fleet.start_sink()
        time.sleep(1)
        for load in loads:
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.check()

    def test_kills_lose_and_repeat_nothing(self):
        consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        loads = [Load(self.bed, first, 2, "--burst", 200, "--pause-us", 2000) for first in (0, 2)]
        self.fleet.start_shipper()
        self.fleet.start_sink()
        for _ in range(ROUNDS):
            time.sleep(self.dice.random() * 0.5)
            self.fleet.kill(self.dice.choice(["shipper", "sink", "server"]))
        for load in loads:
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.check()

    def selected(self, options, original_options):
        """What is shipped with these options is what ringcat selects of the originals, also if the shipper and the sink are killed."""
        self.fleet.ship_options = options
        consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        load = Load(self.bed, 0, 2, "--burst", 200, "--pause-us", 2000)
        self.fleet.start_shipper()
        self.fleet.start_sink()
        service = self.bed.start([program("answering_service")], stdin=subprocess.PIPE, pipe_stdout=True,
                                 environment={"RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "warner"})
        for _ in range(4):
            for what in (b"- 300\n", b"! 3\n"):
                service.popen.stdin.write(what)
                service.popen.stdin.flush()
                self.assertEqual(service.popen.stdout.readline(), b"done\n")
            time.sleep(self.dice.random() * 0.5)
            self.fleet.kill(self.dice.choice(["shipper", "sink"]))
        service.end_input()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        wanted = None

        def is_complete():
            nonlocal wanted
            wanted = wanted or printed(*original_options, self.bed.output_dir)
            return len(printed(*folders(self.fleet.sunk))[2]) >= len(wanted[2])

        self.assertIn("0 messages refused", self.fleet.finish(is_complete))
        everything = printed(self.bed.output_dir)
        self.assertLess(0, len(wanted[2]))
        self.assertLess(len(wanted[2]), len(everything[2]))
        self.assertEqual(printed(*folders(self.fleet.sunk)), wanted, f"RINGSIDE_TEST_SEED={SEED}")
        verified = subprocess.run([program("ringcat"), "verify", *folders(self.fleet.sunk)], capture_output=True, text=True,
                                  timeout=BOUND_S, check=False)
        self.assertEqual((verified.returncode, verified.stderr), (0, ""), verified.stdout)
        self.assertRegex(verified.stdout, r" \d+ not selected,")

    def test_a_filter_selects_what_is_shipped(self):
        self.selected(["--filter", "number < 100000 && number >= 300"], ["--where", "number < 100000 && number >= 300"])

    def test_a_level_selects_what_is_shipped(self):
        self.selected(["--level", "warn"], ["--level", "warn"])

    def test_invalid_selections_are_refused(self):
        for options, reason in ((["--filter", "number <"], "ringship: --filter: at character 9"), (["--level", "loud"], "ringship: --level: invalid level 'loud'")):
            done = subprocess.run(self.fleet.ship_command("--once", *options), capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((done.returncode, done.stderr[:len(reason)]), (2, reason))

    def test_the_bandwidth_has_a_limit(self):
        consumer = self.bed.start_consumer()
        load = Load(self.bed, 0, 2, "--burst", 2000, "--pause-us", 500)
        time.sleep(2)
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        limit = 40_000
        shipper = self.bed.start(self.fleet.ship_command("--max-bytes-per-s", limit))
        time.sleep(2.5)
        shipper.send(signal.SIGTERM)
        self.assertEqual(shipper.wait(), 0, shipper.stderr())
        sent = int(re.search(r"(\d+) bytes;", shipper.stderr())[1])
        # The burst of a second, the seconds, and one message that exceeds what is left.
        self.assertLess(sent, 4 * limit + (512 << 10))
        unlimited = self.bed.start(self.fleet.ship_command("--once"))
        self.assertEqual(unlimited.wait(), 0, unlimited.stderr())
        self.assertGreater(int(re.search(r"(\d+) bytes;", unlimited.stderr())[1]), 0)

    def test_a_bucket_that_lost_its_dictionaries_gets_them_again(self):
        consumer = self.bed.start_consumer()
        load = Load(self.bed, 0, 2, "--burst", 200, "--pause-us", 2000)
        self.fleet.start_shipper()
        time.sleep(1)
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        with NatsClient(self.fleet.port) as client:
            purged = client.request("$JS.API.STREAM.PURGE.KV_rs_dictionaries", b"")
        self.assertGreater(purged["purged"], 0)
        self.fleet.start_sink()
        wait_until(lambda: "asking the host for them" in self.fleet.sink.stderr(), "the request")
        wait_until(lambda: os.path.isdir(self.fleet.sunk) and folders(self.fleet.sunk), "a file of the sink")
        self.check()

    def test_losses_are_told(self):
        self.bed.start_service("--records", 200_000, service="lossy", overflow="drop", ring_bytes=65536).wait()
        self.bed.run_consumer_once()
        lost = [line for line in printed(self.bed.output_dir)[2] if "LOST" in line]
        self.assertNotEqual(lost, [])
        with NatsClient(self.fleet.port) as client:
            client.subscribe("rs.loss.default.*.lossy")
            shipped = self.bed.start(self.fleet.ship_command("--once"))
            self.assertEqual(shipped.wait(), 0, shipped.stderr())
            told = client.next()
        self.assertEqual((told["service"], told["version"]), ("lossy", 1))
        self.assertGreater(told["records"], 0)
        self.assertIn(told["cause"], ("ring_full", "no_consumer"))

    def test_without_cursor_everything_is_sent_again_and_kept_once(self):
        consumer = self.bed.start_consumer()
        load = Load(self.bed, 0, 2, "--burst", 200, "--pause-us", 2000)
        self.fleet.start_shipper()
        self.fleet.start_sink()
        time.sleep(0.5)
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        wait_until(lambda: os.path.isdir(self.fleet.sunk) and folders(self.fleet.sunk), "a file of the sink")
        self.fleet.shipper.send(signal.SIGTERM)
        self.assertEqual(self.fleet.shipper.wait(), 0)
        shutil.rmtree(self.fleet.state)
        self.fleet.start_shipper()
        wait_until(self.fleet.has_cursor, "a new cursor")
        self.check()


if __name__ == "__main__":
    unittest.main(verbosity=2)
