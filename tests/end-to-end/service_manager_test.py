#!/usr/bin/env python3
"""consumerd and the program that started it as a service: the protocol of sd_notify(3), with a real socket, and the levels
that the journal reads."""

import os
import signal
import socket
import threading
import time
import unittest

from checked_output import print_and_check
from traced_processes import BOUND_S, CONSUMER_EXIT_OWNED, TestBed, program, wait_until


class Manager:
    """Receives the messages of a service. `name` as in NOTIFY_SOCKET: a path, or @ and an abstract name."""

    def __init__(self, name):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)
        self.socket.settimeout(BOUND_S)

    def close(self):
        self.socket.close()

    def next(self):
        """The assignments of the next message."""
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())

    def until(self, name):
        """The messages up to the first that assigns `name`, and that one at the end."""
        seen = []
        while not seen or name not in seen[-1]:
            seen.append(self.next())
        return seen

    def discard(self):
        """The number of messages that were waiting."""
        self.socket.setblocking(False)
        count = 0
        try:
            while True:
                self.socket.recv(4096)
                count += 1
        except BlockingIOError:
            return count
        finally:
            self.socket.settimeout(BOUND_S)


class ServiceManager(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.manager = self.listen(os.path.join(self.bed.work_dir, "notify"))

    def listen(self, name):
        manager = Manager(name)
        self.addCleanup(manager.close)
        return manager

    def fill_queue(self):
        """Sends until not even a new socket can send."""
        while True:
            filler = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.addCleanup(filler.close)
            filler.setblocking(False)
            filler.connect(self.manager.name)
            sent = 0
            try:
                while True:
                    filler.send(b"X=1")
                    sent += 1
            except BlockingIOError:
                if sent == 0:
                    return

    def start(self, *arguments, manager=None, **variables):
        return self.bed.start(self.bed.consumer_command("--verbose", *arguments), environment={
            "NOTIFY_SOCKET": (manager or self.manager).name, **variables})

    def test_ready_follows_the_adoption_of_present_segments_and_stopping_precedes_the_end(self):
        service = self.bed.start_service("--records", 1000, "--hold", service="held", piped=True)
        wait_until(lambda: "done" in service.stdout(), "all records")
        consumer = self.start()
        ready = self.manager.next()
        self.assertEqual(ready, {"READY": "1", "STATUS": "serving 1 segment"})
        service.end_input()
        self.assertEqual(service.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        consumer.send(signal.SIGTERM)
        self.assertIn("STATUS", self.manager.until("STOPPING")[-1])
        self.assertEqual(consumer.wait(), 0, consumer.stderr())
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1000)

    def test_the_status_follows_the_services(self):
        self.start()
        self.assertEqual(self.manager.next()["STATUS"], "serving 0 segments")
        service = self.bed.start_service("--records", 10, "--hold", piped=True)
        self.assertEqual(self.manager.until("STATUS")[-1], {"STATUS": "serving 1 segment"})
        service.end_input()
        self.assertEqual(self.manager.until("STATUS")[-1], {"STATUS": "serving 0 segments"})

    def test_an_abstract_socket_is_reached_from_inside_the_sandbox(self):
        manager = self.listen(f"@ringside-test-{os.getpid()}")
        consumer = self.start(manager=manager)
        self.assertIn("READY", manager.next())
        consumer.send(signal.SIGTERM)
        self.assertIn("STOPPING", manager.until("STOPPING")[-1])
        self.assertEqual(consumer.wait(), 0, consumer.stderr())

    def test_a_second_consumerd_is_not_ready(self):
        service = self.bed.start_service("--records", 10, "--hold", piped=True)
        wait_until(lambda: "done" in service.stdout(), "all records")
        self.start()
        self.assertEqual(self.manager.next()["STATUS"], "serving 1 segment")
        other = self.listen(os.path.join(self.bed.work_dir, "other"))
        second = self.start(manager=other)
        self.assertEqual(second.wait(), CONSUMER_EXIT_OWNED, second.stderr())
        self.assertEqual(other.discard(), 0)

    def test_reload_is_announced_and_ends(self):
        consumer = self.start()
        self.manager.until("READY")
        consumer.send(signal.SIGHUP)
        reloading = self.manager.until("RELOADING")[-1]
        self.assertGreater(int(reloading["MONOTONIC_USEC"]), 0)
        self.assertEqual(self.manager.next()["READY"], "1")

    def test_a_watchdog_hears_from_the_loop_and_nothing_when_it_is_stopped(self):
        consumer = self.start(WATCHDOG_USEC="200000")
        self.manager.until("READY")
        for _ in range(5):
            self.assertEqual(self.manager.until("WATCHDOG")[-1], {"WATCHDOG": "1"})
        consumer.send(signal.SIGSTOP)
        self.manager.discard()
        time.sleep(0.5)
        self.assertEqual(self.manager.discard(), 0)
        consumer.send(signal.SIGCONT)
        self.manager.until("WATCHDOG")

    def test_the_watchdog_hears_at_most_twice_in_its_time(self):
        from_s = time.monotonic()
        self.start(WATCHDOG_USEC="200000", WATCHDOG_PID="")
        for _ in range(11):
            self.manager.until("WATCHDOG")
        self.assertGreaterEqual(time.monotonic() - from_s, 10 * 0.1)

    def test_no_watchdog_for_another_process(self):
        for variables in ({"WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "soon"}, {}):
            with self.subTest(variables=variables):
                consumer = self.start(**variables)
                self.manager.until("READY")
                consumer.send(signal.SIGTERM)
                self.assertEqual([m for m in self.manager.until("STOPPING") if "WATCHDOG" in m], [])
                self.assertEqual(consumer.wait(), 0, consumer.stderr())

    def test_a_manager_that_reads_nothing_delays_nothing_and_hears_the_rest_later(self):
        self.fill_queue()
        consumer = self.start()
        service = self.bed.start_service("--records", 1000)
        self.assertEqual(service.wait(), 0)
        self.bed.wait_until_segments_are_gone()
        reader = threading.Thread(target=lambda: self.manager.until("READY"))
        reader.start()
        reader.join(BOUND_S)
        self.assertFalse(reader.is_alive())
        self.bed.stop_consumer(consumer)
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1000)

    def test_an_unreachable_manager_costs_one_message(self):
        for name in ("/nowhere/notify", "relative", "@", "vsock:2:1234", "/" + "x" * 200):
            with self.subTest(name=name):
                consumer = self.bed.start(self.bed.consumer_command("--once"), environment={"NOTIFY_SOCKET": name})
                self.assertEqual(consumer.wait(), 0, consumer.stderr())
                self.assertEqual(consumer.stderr().count("cannot report to the service manager"), 1, consumer.stderr())


class JournalLevels(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def lines(self, *arguments, stream=None, status=0):
        """Standard error of a consumerd whose standard error is a file, which JOURNAL_STREAM names unless `stream` does."""
        path = os.path.join(self.bed.work_dir, "journal")
        with open(path, "wb") as journal:
            info = os.fstat(journal.fileno())
        name = stream or f"{info.st_dev}:{info.st_ino}"
        consumer = self.bed.start(["sh", "-c", 'exec "$@" 2>"$0"', path, *arguments], environment={"JOURNAL_STREAM": name})
        self.assertEqual(consumer.wait(), status)
        with open(path, encoding="utf-8") as journal:
            return journal.read().splitlines()

    def test_each_level_has_its_number(self):
        lines = self.lines(*self.bed.consumer_command("--once", "--verbose"))
        self.assertTrue(lines)
        self.assertEqual([line for line in lines if not line.startswith(("<5>consumerd: ", "<6>consumerd: "))], [])
        self.assertTrue(any(line.startswith("<6>") for line in lines), lines)
        with open(os.path.join(self.bed.shm_dir, "ringside.x.1.0123456789abcdef"), "wb") as no_segment:
            no_segment.write(b"x" * 65536)
        lines = self.lines(*self.bed.consumer_command("--once"), status=1)
        self.assertTrue(any(line.startswith("<3>consumerd: error: ") for line in lines), lines)

    def test_invalid_usage_is_an_error(self):
        lines = self.lines(program("consumerd"), "--threads", "x", "--output", self.bed.output_dir, status=2)
        self.assertTrue(lines[0].startswith("<3>consumerd: --threads must be"), lines)

    def test_json_follows_the_number(self):
        lines = self.lines(*self.bed.consumer_command("--once", "--verbose", "--log-format", "json"))
        self.assertTrue(any(line.startswith('<6>{"time":') for line in lines), lines)

    def test_elsewhere_lines_have_no_number(self):
        for stream in ("1:1", "x", "0:0 "):
            lines = self.lines(*self.bed.consumer_command("--once", "--verbose"), stream=stream)
            self.assertTrue(lines)
            self.assertEqual([line for line in lines if line.startswith("<")], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
