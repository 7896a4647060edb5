#!/usr/bin/env python3
"""Many senders of TPTP traces at once, in either form; some of them die."""

import os
import signal
import socket
import struct
import tempfile
import threading
import unittest

from collector_process import CollectorProcess
from random_traces import SEEDS, RandomTrace, comparable, events_of, ringcat

ANNOUNCEMENT = b"ACCEPT trcbin\n"


def head(order):
    return b"0TBF\1\0\1" + (b"\1" if order == "<" else b"\0") + struct.pack(order + "I", 12)


def option(key, value, order="<"):
    body = b"\0" + key.encode() + b"\0" + value.encode() + b"\0"
    return struct.pack(order + "HI", 1008, 6 + len(body)) + body


def option_element(key, value):
    return f'<option key="{key}" value="{value}"/>\n'.encode()


def received(connection):
    return b"".join(iter(lambda: connection.recv(4096), b""))


def announced(collector):
    """A connection that may send binary traces. Reads the announcement: closing the connection without that would reset it."""
    connection = collector.connect()
    assert connection.recv(len(ANNOUNCEMENT), socket.MSG_WAITALL) == ANNOUNCEMENT
    return connection


class Collecting(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "collected.ringtrace")

    def catch_up(self, collector):
        """Waits until all earlier connections and what they sent have been served. The message about invalid data shows it."""
        with collector.connect() as nonsense:
            nonsense.sendall(b"nonsense")
            return received(nonsense)

    def options(self):
        return sorted((r["fields"]["key"], r["fields"]["value"]) for r in events_of(self.path))

    def test_many_senders_of_either_form_and_byte_order(self):
        senders, messages = 60, 100

        def send(number):
            pairs = [(str(number), str(i)) for i in range(messages)]
            if number % 3 == 0:
                data = b"<TRACE>" + b"".join(option_element(*pair) for pair in pairs) + b"</TRACE>"
            else:
                order = "<>"[number % 2]
                data = head(order) + b"".join(option(*pair, order=order) for pair in pairs)
            with announced(collector) as connection:
                for at in range(0, len(data), 37):  # pieces that end anywhere
                    connection.sendall(data[at:at + 37])

        with CollectorProcess("trcbin", "-o", self.path) as collector:
            threads = [threading.Thread(target=send, args=(i,)) for i in range(senders)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(collector.end(), (0, ""))
        self.assertEqual(self.options(),
                         sorted((str(s), str(i)) for s in range(senders) for i in range(messages)))

    def test_binary_is_announced_only_by_receivers_that_accept_it(self):
        for form, told in (("trcbin", ANNOUNCEMENT), ("trcxml", b"")):
            with CollectorProcess(form) as collector:
                self.assertEqual(self.catch_up(collector), told)

    def test_what_senders_of_ours_send_arrives_as_it_was(self):
        for form, sent, sent_as_xml in (("trcbin", "trcbin", False), ("trcxml", "trcbin", True),
                                        ("trcbin", "trcxml", False)):
            with RandomTrace(SEEDS[0], records=3000) as trace:
                with CollectorProcess(form, "-o", self.path) as collector:
                    for _ in range(2):
                        code, _, said = ringcat("--to", sent, "-o", collector.address, trace.path)
                        self.assertEqual((code, "trcxml" in said), (0, sent_as_xml), said)
                    code, said = collector.end()
                self.assertEqual((code, said), (0, ""))
                collected = comparable(events_of(self.path))
                self.assertEqual(collected[::2], collected[1::2])
                self.assertEqual(collected[::2], comparable(trace.events()))
            os.unlink(self.path)

    def test_senders_that_die_or_send_nonsense_end_alone(self):
        with CollectorProcess("trcbin", "-o", self.path) as collector:
            good = announced(collector)
            good.sendall(head("<") + option("good", "1"))
            dying = collector.connect()
            dying.sendall(head(">") + option("dying", "1", ">") + option("dying", "2", ">")[:-2])
            self.catch_up(collector)
            dying.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            dying.close()  # by a reset
            with announced(collector) as cut:
                cut.sendall(b"<TRACE>" + option_element("cut", "1") + b"<option key=")
            for data in (b"", b"0T", head("<")[:-1], head("<"), b"<html></html>"):
                with collector.connect() as odd:
                    odd.sendall(data)
                    odd.shutdown(socket.SHUT_WR)
                    self.assertEqual(received(odd), ANNOUNCEMENT)
            good.sendall(option("good", "2"))
            good.close()
            self.catch_up(collector)
            code, said = collector.end(signal.SIGINT)
        self.assertEqual(code, 0, said)
        for words in ("at byte 27: the file ends within message 1008", ": Connection reset by peer",
                      "the file ends within the document", "ended after 2 bytes, which are not a trace",
                      "at byte 11: the file ends within its header", "2 senders were disconnected because of invalid data",
                      "6 senders sent incomplete or invalid data"):
            self.assertIn(words, said)
        self.assertEqual(said.count("not a TPTP trace"), 2)
        self.assertEqual(self.options(), [("cut", "1"), ("dying", "1"), ("good", "1"), ("good", "2")])

    def test_a_connection_that_is_reset_before_it_is_accepted_is_reported_with_its_address(self):
        with CollectorProcess("trcbin") as collector:
            collector.process.send_signal(signal.SIGSTOP)
            os.waitpid(collector.process.pid, os.WUNTRACED)
            hasty = collector.connect()
            address = "%s:%d" % hasty.getsockname()
            hasty.sendall(b"<html>")
            hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            hasty.close()
            collector.process.send_signal(signal.SIGCONT)
            self.catch_up(collector)
            code, said = collector.end()
        self.assertEqual(code, 0, said)
        self.assertIn(f"ringcat: {address}: at byte 6: ", said)

    def test_without_a_sender_it_is_a_trace_without_records(self):
        with CollectorProcess("trcbin", "-o", self.path) as collector:
            self.assertEqual(collector.end(), (0, ""))
        self.assertEqual(events_of(self.path), [])

    def test_what_has_arrived_is_taken_at_the_end(self):
        with CollectorProcess("trcxml", "-o", self.path) as collector:
            with collector.connect() as binary, collector.connect() as xml:
                binary.sendall(head("<") + option("binary", "1"))
                xml.sendall(b"<TRACE>" + option_element("xml", "1"))
                self.catch_up(collector)
                code, said = collector.end()
        self.assertEqual(code, 0, said)
        # The nonsense of catch_up(), and the document that has no end.
        self.assertIn("2 senders sent incomplete or invalid data", said)
        self.assertEqual(self.options(), [("binary", "1"), ("xml", "1")])

    def test_beyond_the_processes_of_a_trace_senders_share_one(self):
        senders = 210
        with CollectorProcess("trcxml", "-o", self.path) as collector:
            for number in range(senders):
                with collector.connect() as connection:
                    connection.sendall(option_element("n", number))
            code, said = collector.end()
        self.assertEqual(code, 0, said)
        self.assertIn("10 records: processes after the 200th", said)
        self.assertEqual(self.options(), sorted(("n", str(i)) for i in range(senders)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
