#!/usr/bin/env python3
"""Many senders of NetLogger messages at once, in either byte order; some of them die."""

import contextlib
import os
import resource
import signal
import socket
import struct
import tempfile
import threading
import unittest

from collector_process import CollectorProcess
from netlogger_messages import body, header
from random_traces import SEEDS, RandomTrace, events_of, ringcat


class Collector(CollectorProcess):
    def __init__(self, *options, **how):
        super().__init__("netlogger", *options, **how)

    def ends(self, connection):
        """Stops sending, and waits until the collector has closed the connection."""
        return connection.recv(1) == b""

    def catch_up(self):
        """Waits until all earlier connections and what they sent have been served."""
        with self.connect() as nonsense:
            nonsense.sendall(b"\0\0\0")
            assert self.ends(nonsense)


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))


class Collecting(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "collected.ringtrace")

    def test_many_senders_of_either_byte_order(self):
        senders, events = 60, 200

        def send(number):
            order = "<" if number % 2 else ">"
            with collector.connect() as connection:
                data = header(7, ["NL.EVNT", "sender", "n"], ["tick", number], order=order) + b"".join(
                    body(7, [i], 3_000_000_000 + i, order=order) for i in range(events))
                for at in range(0, len(data), 37):  # pieces that end anywhere
                    connection.sendall(data[at:at + 37])

        with Collector("-o", self.path) as collector:
            threads = [threading.Thread(target=send, args=(i,)) for i in range(senders)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(collector.end(), (0, ""))
        records = events_of(self.path)
        self.assertEqual(sorted((r["fields"]["sender"], r["fields"]["n"]) for r in records),
                         [(s, n) for s in range(senders) for n in range(events)])
        self.assertEqual({r["name"] for r in records}, {"tick"})
        self.assertEqual(len({r["thread"]["name"] for r in records}), senders)

    def test_no_host_is_stored_under_the_name_of_another(self):
        hosts = 203
        with Collector("-o", self.path) as collector:
            for host in range(hosts):
                with collector.connect() as connection:
                    connection.sendall(header(1, ["HOST", "host"], [f"h{host}"]) + body(1, [host]))
            collector.catch_up()
            code, said = collector.end()
        self.assertEqual(code, 0, said)
        self.assertIn("3 records: statements of hosts and programs after the 200th are in '(other hosts)'", said)
        found = [(r["host"], r["fields"]["host"]) for r in events_of(self.path)]
        self.assertEqual(len(found), hosts)
        self.assertEqual(sum(host == "(other hosts)" for host, _ in found), 3)
        self.assertTrue(all(host in (f"h{number}", "(other hosts)") for host, number in found), found)

    def test_senders_that_die_or_send_nonsense_end_alone(self):
        with Collector("-o", self.path) as collector:
            good = collector.connect()
            good.sendall(header(1, ["a"]) + body(1, [1]))
            dying = collector.connect()
            dying.sendall(header(1, ["a"]) + body(1, [2]) + body(1, [3])[:-2])
            collector.catch_up()
            dying.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            dying.close()  # by a reset
            cut = collector.connect()
            cut.sendall(header(1, ["a"], order=">")[:-1])
            cut.close()
            for nonsense in (b"GET / HTTP/1.1\r\n\r\n", header(1, ["a"], major=3), body(1), b"\0\0\0"):
                with collector.connect() as bad:
                    bad.sendall(nonsense)
                    self.assertTrue(collector.ends(bad))
            good.sendall(body(1, [1, 1]) + body(5) + body(1, [4]))
            good.close()
            collector.catch_up()
            code, said = collector.end(signal.SIGINT)
        self.assertEqual(code, 0, said)
        for words in ("2 senders ended within a message", "6 senders were disconnected because of invalid data",
                      "1 bad messages", "1 messages with an undefined identifier",
                      "after 19 bytes of it: Connection reset by peer", "after 12 bytes of it\n",
                      "version 3.0"):
            self.assertIn(words, said)
        self.assertEqual(said.count("a message precedes the first header"), 5)
        self.assertEqual(sorted(r["fields"]["a"] for r in events_of(self.path)), [1, 2, 4])

    def test_what_a_sender_of_ours_sends_arrives_as_by_a_file(self):
        with RandomTrace(SEEDS[0], records=3000) as trace:
            trace.converted("netlogger")
            by_file = events_of(trace.path_of("converted.netlogger"))
            with Collector("-o", self.path) as collector:
                code, _, _ = ringcat("--to", "netlogger", "-o", collector.address, trace.path)
                self.assertEqual((code, collector.end()[0]), (0, 0))
        names = lambda events: sorted((e["unix_ns"], e["service"], e["thread"]["id"], e["sequence"], e.get("msg"))
                                      for e in events)
        self.assertEqual(names(events_of(self.path)), names(by_file))

    def test_a_sender_with_too_many_identifiers_ends_alone(self):
        with Collector("-o", self.path) as collector, collector.connect() as good:
            good.sendall(header(1, ["a"]))
            with collector.connect() as bad:
                with contextlib.suppress(ConnectionError):
                    bad.sendall(b"".join(header(i, []) for i in range(70_000)))
                    self.assertTrue(collector.ends(bad))
            good.sendall(body(1, [1]))
            collector.catch_up()
            code, said = collector.end()
        self.assertEqual(code, 0, said)
        self.assertIn("more than 65536 identifiers", said)
        self.assertEqual([r["fields"] for r in events_of(self.path)], [{"a": 1}])

    def test_definitions_of_all_senders_have_a_limit_together(self):
        definition = header(0, [""] * 255)
        definitions = b"".join(definition[:4] + struct.pack("<I", i) + definition[8:] for i in range(4000))
        with Collector("-o", self.path) as collector, contextlib.ExitStack() as senders:
            for _ in range(2):
                senders.enter_context(collector.connect()).sendall(definitions)
            collector.catch_up()
            third = senders.enter_context(collector.connect())
            with contextlib.suppress(ConnectionError):
                third.sendall(definitions)
                self.assertTrue(collector.ends(third))
            third.close()
            # There is room for other connections again.
            with collector.connect() as fourth:
                fourth.sendall(header(1, ["a"]) + body(1, [1]))
            collector.catch_up()
            code, said = collector.end()
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("exceed 256 MiB"), 1)
        self.assertEqual([r["fields"] for r in events_of(self.path)], [{"a": 1}])

    def test_senders_without_a_free_descriptor_wait(self):
        senders = 100
        with Collector("-o", self.path, preexec_fn=few_descriptors) as collector:
            connections = [collector.connect() for _ in range(senders)]
            for number, connection in enumerate(connections):
                connection.sendall(header(1, ["n"]) + body(1, [number]))
            for connection in connections:
                connection.close()
            collector.catch_up()
            code, said = collector.end()
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("further senders wait: 16 are connected, which is the maximum"), 1)
        self.assertEqual(sorted(r["fields"]["n"] for r in events_of(self.path)), list(range(senders)))

    def test_a_sender_that_keeps_sending_does_not_keep_it_from_ending(self):
        with Collector("-o", self.path) as collector, collector.connect() as endless:
            endless.sendall(header(1, ["n"]) + body(1, [1]))
            begun, stop = threading.Event(), threading.Event()

            def send():
                with contextlib.suppress(ConnectionError):
                    while not stop.is_set():
                        endless.sendall(body(5) * 1000)  # which the collector does not have to keep
                        begun.set()

            thread = threading.Thread(target=send)
            thread.start()
            begun.wait()
            collector.catch_up()
            code, said = collector.end()
            stop.set()
            thread.join()
        self.assertEqual(code, 0, said)
        self.assertIn("messages with an undefined identifier", said)
        self.assertEqual([r["fields"] for r in events_of(self.path)], [{"n": 1}])

    def test_unwritable_output_is_reported_before_listening(self):
        with open(self.path, "wb"):
            pass
        for path in (self.path, os.path.join(self.directory.name, "none", "file")):
            code, _, said = ringcat("--listen", "tcp://127.0.0.1:0", "--from", "netlogger", "-o", path)
            self.assertEqual(code, 3, said)
            self.assertNotIn("listening", said)

    def test_without_senders_and_without_a_free_port(self):
        with Collector("-o", self.path) as collector:
            code, _, said = ringcat("--listen", collector.address, "--from", "netlogger")
            self.assertEqual((code, "cannot listen" in said), (3, True), said)
            self.assertEqual(collector.end(), (0, ""))
        self.assertEqual(events_of(self.path), [])
        self.assertEqual(ringcat("--listen", "tcp://127.0.0.1:0")[0], 2)
        self.assertEqual(ringcat("--listen", "tcp://127.0.0.1:0", "--from", "perfetto")[0], 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
