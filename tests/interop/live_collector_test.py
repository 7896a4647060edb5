#!/usr/bin/env python3
"""`ringcat --listen` prints records as they arrive, in each format that senders send, and loses nothing when it ends."""

import fcntl
import signal
import socket
import struct
import termios
import threading
import unittest

from collector_process import CollectorProcess
from heph_packets import epoch, event
from netlogger_messages import body, header
from random_traces import BOUND_S, SEEDS, RandomTrace, ringcat

FORMATS = ("heph", "netlogger", "ulm", "nettrace", "trcbin", "trcxml")
LINE = "{unix_ns} {level} {msg}"


class Output:
    """Reads the rest of standard output from another thread."""

    def __init__(self, process):
        self.data = None
        self.thread = threading.Thread(target=lambda: setattr(self, "data", process.stdout.read()))
        self.thread.start()

    def lines(self):
        self.thread.join(BOUND_S)
        return self.data.splitlines(keepends=True)


def taken(sender):
    """Waits until the collector has taken everything."""
    sender.shutdown(socket.SHUT_WR)
    while sender.recv(100):
        pass


class LiveCollector(unittest.TestCase):
    def test_each_format_is_printed_as_it_arrives(self):
        for form in FORMATS:
            with self.subTest(form=form), RandomTrace(SEEDS[0], records=3000) as trace:
                data, _ = trace.converted(form)
                _, output, _ = ringcat("--template", LINE, trace.path_of("converted." + form))
                wanted = output.decode().splitlines(keepends=True)
                with CollectorProcess(form, "--template", LINE) as collector, collector.connect() as sender:
                    middle = 2 * len(data) // 3
                    sender.sendall(data[:middle])
                    first = collector.lines(1)
                    self.assertIn(first[0], wanted)
                    rest = Output(collector.process)
                    sender.sendall(data[middle:])
                    taken(sender)
                    collector.process.send_signal(signal.SIGTERM)
                    output = rest.lines()
                    self.assertEqual(collector.process.wait(BOUND_S), 0)
                self.assertEqual(sorted(first + output), sorted(wanted))

    def test_records_of_several_senders_come_one_by_one(self):
        with CollectorProcess("heph", "--template", "{thread_id} {msg}") as collector:
            senders = [collector.connect() for _ in range(5)]
            for number, sender in enumerate(senders):
                sender.sendall(epoch() + event(number, 0, 10, "hello"))
                self.assertEqual(collector.lines(1), [f"{number} hello\n"])
            for n in range(1, 10):
                for number, sender in enumerate(senders):
                    sender.sendall(event(number, n, 10 + n, f"n{n}"))
                    self.assertEqual(collector.lines(1), [f"{number} n{n}\n"])
            for sender in senders:
                sender.close()
            self.assertEqual(collector.end()[0], 0)

    def test_datagrams_are_printed_as_they_arrive(self):
        with CollectorProcess("heph", "--template", "{msg}", scheme="udp") as collector:
            with collector.datagram_socket() as sender:
                sender.send(epoch())
                for n in range(10):
                    sender.send(event(1, n, 10 * n, f"n{n}"))
                    self.assertEqual(collector.lines(1), [f"n{n}\n"])
                # Without an epoch they are not kept for ever.
                with collector.datagram_socket() as other:
                    other.send(event(1, 0, 10, "without"))
                    self.assertEqual(collector.lines(1), ["without\n"])
            code, said = collector.end()
        self.assertEqual(code, 0)
        self.assertIn("1 events came without an epoch", said)

    def test_senders_that_die_or_send_nonsense_end_alone(self):
        for form, good, nonsense in (("heph", epoch() + event(1, 0, 10, "good"), b"GET / HTTP/1.1\r\n\r\n"),
                                     ("heph", epoch() + event(1, 0, 10, "good"), event(1, 0, 10)[:-1]),
                                     ("nettrace", None, b"Nettrace" + bytes(100)),
                                     ("nettrace", None, b"nonsense")):
            with self.subTest(form=form, nonsense=nonsense[:10]), CollectorProcess(form, "--template", "{msg}") as collector:
                with collector.connect() as bad:
                    bad.sendall(nonsense)
                    bad.shutdown(socket.SHUT_WR)
                    self.assertEqual(bad.recv(1), b"")
                if good is not None:
                    with collector.connect() as sender:
                        sender.sendall(good)
                        self.assertEqual(collector.lines(1), ["good\n"])
                code, said = collector.end()
                self.assertEqual(code, 0)
                self.assertIn("1 senders sent incomplete or invalid data", said)

    def test_invalid_lines_of_ulm_are_skipped(self):
        with CollectorProcess("ulm", "--template", "{msg}") as collector, collector.connect() as sender:
            sender.sendall(b"DATE=20200102030405 NL.EVNT=a\nnonsense\nDATE=20200102030406 NL.EVNT=b\n")
            self.assertEqual(collector.lines(2), ["a\n", "b\n"])
            sender.shutdown(socket.SHUT_WR)
            self.assertEqual(sender.recv(1), b"")
            self.assertEqual(collector.end()[0], 0)

    def test_large_packets_and_the_bound_for_what_waits(self):
        attribute = b"\0\1t\4\xff\xff" + b"x" * 65535
        large = event(1, 0, 10, "large", attribute * 40)
        with CollectorProcess("heph", "--template", "{msg}") as collector:
            with collector.connect() as sender:
                sender.sendall(epoch() + large)
                self.assertRegex(collector.lines(1)[0], r"^large t=x{65535} t=x")
            # Five senders begin packets of 60 MiB: together more than the collector keeps.
            senders = [collector.connect() for _ in range(5)]
            begun = epoch() + b"\xC1\xFC\x1F\xB7" + (60 << 20).to_bytes(4, "big")
            ended = 0
            for sender in senders:
                try:
                    sender.sendall(begun + bytes((60 << 20) - 100))
                except ConnectionError:
                    ended += 1
            with collector.connect() as sender:
                sender.sendall(epoch() + event(1, 0, 10, "still there"))
                self.assertEqual(collector.lines(1), ["still there\n"])
            for sender in senders:
                sender.close()
            _, said = collector.end()
            self.assertIn("exceeds 256 MiB", said)

    def test_a_second_signal_loses_nothing(self):
        records = 30_000
        for options in (("--to", "ndjson"), ("--tail", str(records))):
            with self.subTest(options=options), CollectorProcess("netlogger", *options) as collector:
                with collector.connect() as sender:
                    sender.sendall(header(1, ["NL.EVNT", "n"], ["tick"]))
                    sender.sendall(b"".join(body(1, [n], 3_000_000_000 + n) for n in range(records)))
                    taken(sender)
                collector.process.send_signal(signal.SIGINT)
                # It writes, and cannot go on because nothing reads.
                output = collector.process.stdout
                room = fcntl.fcntl(output.fileno(), fcntl.F_GETPIPE_SZ)
                while self.bytes_in(output) < room // 2:
                    self.assertIsNone(collector.process.poll())
                for how in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
                    collector.process.send_signal(how)
                    self.assertIn("still writing what has arrived", collector.process.stderr.readline())
                lines = Output(collector.process).lines()
                self.assertEqual(collector.process.wait(BOUND_S), 0)
                self.assertEqual(len(lines), records)

    @staticmethod
    def bytes_in(pipe):
        return struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, bytes(4)))[0]

    def test_it_ends_with_the_reader_of_its_output(self):
        with CollectorProcess("heph", "--template", "{msg}") as collector, collector.connect() as sender:
            sender.sendall(epoch() + event(1, 0, 10, "one"))
            self.assertEqual(collector.lines(1), ["one\n"])
            collector.process.stdout.close()
            self.assertEqual(collector.process.wait(BOUND_S), 0)
            collector.process.stdout = None


if __name__ == "__main__":
    unittest.main(verbosity=2)
