#!/usr/bin/env python3
"""The metrics of consumerd: valid by promtool's rules, read by a real Prometheus, and equal to what happened."""

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

from prometheus_server import Prometheus, free_port
from traced_processes import BOUND_S, TestBed, wait_until

SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")


class Metrics(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.host, self.port = "127.0.0.1", free_port()

    def start(self, *arguments):
        consumer = self.bed.start_consumer("--metrics", f"{self.host}:{self.port}", *arguments)
        wait_until(lambda: "metrics on" in consumer.stderr() or not consumer.running(), "the server")
        self.assertTrue(consumer.running(), consumer.stderr())
        return consumer

    def get(self, path):
        """Returns the status and the text."""
        try:
            with urllib.request.urlopen(f"http://{self.host}:{self.port}{path}", timeout=BOUND_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def samples(self):
        """Values by (name, labels)."""
        status, text = self.get("/metrics")
        self.assertEqual(status, 200)
        found = {}
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = SAMPLE.fullmatch(line).groups()
            key = (name, tuple(sorted((labels or "").split(","))))
            self.assertNotIn(key, found)
            found[key] = float(value)
        return found

    def of(self, service, name, **labels):
        """None if there is no such series."""
        wanted = {"service": service, **labels} if service else labels
        key = tuple(sorted(f'{label}="{value}"' for label, value in wanted.items())) or ("",)
        return self.samples().get((name, key))

    def of_consumer(self, name):
        return self.of(None, name)

    def test_counts_are_those_of_the_service_and_keep_promtools_rules(self):
        consumer = self.start()
        service = self.bed.start_service("--records", 5000, "--threads", 2, "--hold",
                                         service="orders", piped=True)
        wait_until(lambda: "done" in service.stdout(), "the records")
        wait_until(lambda: self.of("orders", "ringside_records_total") == 10000, "all records")
        self.assertEqual(self.of("orders", "ringside_lost_records_total", cause="ring_full"), 0)
        self.assertGreater(self.of("orders", "ringside_ring_bytes_total"),
                           self.of("orders", "ringside_trace_bytes_total"))
        wait_until(lambda: self.of("orders", "ringside_unwritten_bytes") == 0, "all to be written")
        self.assertEqual(self.of("orders", "ringside_processes"), 1)
        self.assertGreater(self.of("orders", "ringside_ring_size_bytes"), 0)
        self.assertGreater(self.of("orders", "ringside_ring_peak_ratio"), 0)
        _, page = self.get("/metrics")
        checked = subprocess.run(["promtool", "check", "metrics"], input=page, text=True,
                                 capture_output=True, timeout=BOUND_S, check=False)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))
        service.end_input()
        self.bed.wait_until_segments_are_gone()
        wait_until(lambda: self.of_consumer("ringside_segments") == 0, "the service to go")
        self.assertEqual(self.of_consumer("ringside_segments_adopted_total"), 1)
        self.assertEqual(self.of("orders", "ringside_trace_files_finished_total"), 1)
        (trace,) = self.bed.traces()
        self.assertEqual(self.of_consumer("ringside_written_bytes_total"), os.path.getsize(trace))
        self.bed.stop_consumer(consumer)

    def test_what_sampling_leaves_out_has_a_count_of_its_own(self):
        config = os.path.join(self.bed.work_dir, "consumerd.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write('[[sample]]\nservice = "ord*"\nkeep-one-in = 4\n')
        self.start("--config", config)
        self.bed.start_service("--records", 1000, service="orders").wait()
        self.bed.wait_until_segments_are_gone()
        totals = ("ringside_records_total", "ringside_sampled_records_total")
        wait_until(lambda: sum(self.of("orders", name) or 0 for name in totals) == 1000, "all records")
        kept = self.of("orders", "ringside_records_total")
        # The first of every four records of each of its statements.
        self.assertGreaterEqual(kept, 250)
        self.assertLess(kept, 500)
        self.assertEqual(self.of("orders", "ringside_lost_records_total", cause="missing"), None)

    def test_cost_of_log_calls_is_a_histogram_of_those_measured(self):
        self.start()
        name = "ringside_log_call_duration_seconds"
        self.bed.start_service("--records", 100, service="quotes").wait()
        for calls in (1000, 2000):  # including threads and processes that have ended
            self.bed.start_service("--records", 500, "--threads", 2, service="orders",
                                   environment={"RINGSIDE_COST_SAMPLING": "1"}).wait()
            wait_until(lambda: self.of("orders", "ringside_records_total") == calls, "the records")
            wait_until(lambda: self.of("orders", "ringside_processes") == 0, "its end")
            self.assertEqual(self.of("orders", name + "_count"), calls)
        self.assertGreater(self.of("orders", name + "_sum"), 0)
        buckets = sorted((float(dict(label.split("=") for label in labels)["le"].strip('"')), value)
                         for (one, labels), value in self.samples().items()
                         if one == name + "_bucket" and 'service="orders"' in labels)
        self.assertEqual(len(buckets), 16)
        self.assertEqual(buckets[-1], (float("inf"), 2000))
        self.assertEqual([count for _, count in buckets], sorted(count for _, count in buckets))
        self.assertIsNone(self.of("quotes", name + "_count"))
        _, page = self.get("/metrics")
        checked = subprocess.run(["promtool", "check", "metrics"], input=page, text=True,
                                 capture_output=True, timeout=BOUND_S, check=False)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_triggers_are_counted_by_name_and_their_hooks_failures(self):
        config = os.path.join(self.bed.work_dir, "consumerd.toml")
        loud = '[[trigger]]\nname = "first \\"of\\" many"\npause = "10h"\nsnapshot = true\n'
        quiet = '[[trigger]]\nname = "quiet"\non = "death"\nsnapshot = true\n'
        failing = '[[trigger]]\nname = "failing"\npause = "10h"\nhook = ["false"]\n'
        with open(config, "w", encoding="utf-8") as file:
            file.write(loud + quiet + failing)
        before = time.time()
        consumer = self.start("--config", config)

        def of(trigger, name):
            return self.of(None, "ringside_trigger_" + name, trigger=trigger)

        names = ("fired_total", "held_back_total", "hook_failures_total", "last_fired_timestamp_seconds")
        wait_until(lambda: of("quiet", "fired_total") == 0, "triggers that have not fired")
        for trigger in (r'first \"of\" many', "quiet", "failing"):
            self.assertEqual([of(trigger, name) for name in names], [0] * 4)
        self.bed.start_service("--records", 100, service="orders").wait()
        wait_until(lambda: of("failing", "hook_failures_total") == 1, "the hook to fail")
        wait_until(lambda: self.of("orders", "ringside_records_total") == 100, "the records")
        for trigger, failures in ((r'first \"of\" many', 0), ("failing", 1)):
            fired, held_back, failed, last = [of(trigger, name) for name in names]
            self.assertEqual((fired, held_back, failed), (1, 99, failures))
            self.assertTrue(before <= last <= time.time(), last)
        self.assertEqual([of("quiet", name) for name in names], [0] * 4)
        _, page = self.get("/metrics")
        checked = subprocess.run(["promtool", "check", "metrics"], input=page, text=True,
                                 capture_output=True, timeout=BOUND_S, check=False)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))
        with open(config, "w", encoding="utf-8") as file:
            file.write(failing)
        consumer.send(signal.SIGHUP)
        wait_until(lambda: of("quiet", "fired_total") is None, "the removed service to disappear")
        self.assertEqual(of("failing", "fired_total"), 1)

    def test_totals_of_processes_that_ended_stay(self):
        self.start()
        for expected in (1000, 2000, 3000):
            self.bed.start_service("--records", 1000, service="orders").wait()
            wait_until(lambda: self.of("orders", "ringside_records_total") == expected, "its records")
            wait_until(lambda: self.of("orders", "ringside_processes") == 0, "its end")
        self.assertEqual(self.of("orders", "ringside_threads"), 0)

    def test_losses_are_reported_by_cause(self):
        service = self.bed.start_service("--records", 20000, "--hold", service="loud", piped=True,
                                         overflow="drop", ring_bytes=65536)
        wait_until(lambda: "done" in service.stdout(), "the records")
        self.start()
        lost = wait_until(lambda: self.of("loud", "ringside_lost_records_total",
                                          cause="no_consumer"), "losses")
        wait_until(lambda: self.of("loud", "ringside_records_total") + lost == 20000,
                   "every record to be counted")

    def test_a_trace_that_cannot_be_written_is_reported(self):
        self.start()
        service = self.bed.start_service("--records", 10, "--hold", service="orders", piped=True)
        wait_until(lambda: self.of("orders", "ringside_records_total") == 10, "the records")
        wait_until(lambda: self.of("orders", "ringside_unwritten_bytes") == 0, "all to be written")
        self.assertEqual(self.get("/readyz")[0], 200)
        shutil.rmtree(self.bed.output_dir)
        wait_until(lambda: self.of("orders", "ringside_stalled_processes") == 1, "it to stall")
        self.assertEqual(self.get("/readyz")[0], 503)
        self.assertIn("cannot be written", self.get("/readyz")[1])
        self.assertEqual(self.get("/healthz")[0], 200)
        os.mkdir(self.bed.output_dir)
        wait_until(lambda: self.of("orders", "ringside_stalled_processes") == 0, "it to continue")
        self.assertEqual(self.get("/readyz")[0], 200)
        service.end_input()

    def test_slow_scrapers_block_neither_draining_nor_the_end(self):
        consumer = self.start()
        dawdlers = []
        for sent in (b"", b"GET /metrics HTTP/1.1\r\n", b"GET /metrics HTTP/1.1\r\n\r\n", b"\0" * 70000):
            one = socket.create_connection(("127.0.0.1", self.port), BOUND_S)
            self.addCleanup(one.close)
            one.sendall(sent)
            dawdlers.append(one)
        self.bed.start_service("--records", 10000, service="orders").wait()
        self.bed.wait_until_segments_are_gone()
        wait_until(lambda: self.of("orders", "ringside_records_total") == 10000, "the records")
        self.bed.stop_consumer(consumer)

    def test_silent_connections_block_no_scraper(self):
        consumer = self.start()
        idle = []
        for _ in range(40):
            one = socket.create_connection(("127.0.0.1", self.port), BOUND_S)
            self.addCleanup(one.close)
            idle.append(one)
        stop = threading.Event()

        def stay_awake():  # so that the timeout for silent connections does not apply
            while not stop.wait(0.2):
                for one in idle:
                    try:
                        one.send(b"X", socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT)
                    except OSError:
                        pass

        sender = threading.Thread(target=stay_awake)
        sender.start()
        try:
            for _ in range(5):
                self.assertEqual(self.get("/healthz"), (200, "ok\n"))
        finally:
            stop.set()
            sender.join()
        self.bed.stop_consumer(consumer)

    def test_is_not_ready_while_a_segment_is_refused(self):
        self.start()
        wait_until(lambda: self.get("/readyz") == (200, "ok\n"), "it to be ready")
        self.bed.start_service("--records", 1, "--hold", service="held", piped=True)
        wait_until(lambda: self.bed.traces(), "it to be drained")
        self.assertEqual(self.get("/readyz"), (200, "ok\n"))
        name = self.bed.segments("held.")[0].replace("held", "copy")
        path = os.path.join(self.bed.shm_dir, name)
        with open(path, "wb") as file:
            file.write(os.urandom(1 << 16))
        wait_until(lambda: self.get("/readyz")[0] == 503, "it to miss the segment")
        self.assertIn(name, self.get("/readyz")[1])
        os.unlink(path)
        wait_until(lambda: self.get("/readyz") == (200, "ok\n"), "it to be ready again")

    def test_signals_are_the_poll_loops(self):
        consumer = self.start()
        masks = {}
        for thread in os.listdir(f"/proc/{consumer.pid}/task"):
            with open(f"/proc/{consumer.pid}/task/{thread}/status", encoding="ascii") as status:
                masks[int(thread)] = int(re.search(r"SigBlk:\t(\w+)", status.read())[1], 16)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            takers = [thread for thread, mask in masks.items() if not mask >> (number - 1) & 1]
            if os.environ["RINGSIDE_TEST_SANITIZED"] != "1":  # a sanitizer may run its own thread
                self.assertEqual(takers, [consumer.pid])
            self.assertIn(consumer.pid, takers)
        self.assertGreater(len(masks), 1)

    def test_serves_ipv6(self):
        try:
            self.port = free_port("::1")
        except OSError as error:
            self.skipTest(f"this machine has no IPv6: {error}")
        self.host = "[::1]"
        self.start()
        self.assertEqual(self.get("/healthz"), (200, "ok\n"))

    def test_only_get_requests_are_served(self):
        self.start()
        for method, status in (("HEAD", 200), ("POST", 405), ("PUT", 405), ("DELETE", 405)):
            request = urllib.request.Request(f"http://127.0.0.1:{self.port}/metrics", method=method)
            try:
                with urllib.request.urlopen(request, timeout=BOUND_S) as answer:
                    self.assertEqual((answer.status, answer.read()), (status, b""), method)
            except urllib.error.HTTPError as error:
                with error:
                    self.assertEqual(error.code, status, method)
        for path in ("/", "/etc/passwd", "/metrics/x", "/..%2f..%2fetc/passwd"):
            self.assertEqual(self.get(path)[0], 404, path)

    def test_health_and_readiness(self):
        consumer = self.start()
        wait_until(lambda: self.get("/readyz") == (200, "ok\n"), "it to be ready")
        self.assertEqual(self.get("/healthz"), (200, "ok\n"))
        self.assertEqual(self.get("/else")[0], 404)
        shutil.rmtree(self.bed.shm_dir)
        wait_until(lambda: self.get("/readyz")[0] == 503, "it to miss the directory")
        self.assertIn(self.bed.shm_dir, self.get("/readyz")[1])
        self.assertEqual(self.get("/healthz")[0], 200)
        os.mkdir(self.bed.shm_dir)
        wait_until(lambda: self.get("/readyz")[0] == 200, "it to be ready again")
        self.bed.stop_consumer(consumer)

    def test_a_port_in_use_and_a_foreign_address_are_refused_with_the_remedy(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", self.port))
            taken.listen()
            consumer = self.bed.start_consumer("--metrics", f"127.0.0.1:{self.port}")
            self.assertEqual(consumer.wait(), 1)
            self.assertIn("in use", consumer.stderr())
            self.assertIn("choose another --metrics", consumer.stderr())
        consumer = self.bed.start_consumer("--metrics", f"192.0.2.1:{self.port}")  # an address that no machine here has
        self.assertEqual(consumer.wait(), 1)
        self.assertIn("choose another --metrics", consumer.stderr())

    def test_prometheus_scrapes_it(self):
        self.start()
        service = self.bed.start_service("--records", 1000, "--hold", service="orders", piped=True)
        wait_until(lambda: "done" in service.stdout(), "the records")
        prometheus = Prometheus(self.bed, self.port)
        (one,) = wait_until(lambda: prometheus.query("ringside_records_total == 1000"), "Prometheus to have it")
        self.assertEqual(one["metric"]["service"], "orders")


if __name__ == "__main__":
    unittest.main(verbosity=2)
