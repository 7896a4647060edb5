#!/usr/bin/env python3
"""`ringcat -f --to FORMAT -o tcp://...` sends a growing trace, connects again, and tells the truth about what was lost."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import unittest

from heph_packets import is_event, packets_of
from random_traces import BOUND_S, SEEDS, RandomTrace, events_of, program, ringcat


class Growing:
    """A trace file that grows, and its forwarder."""

    def __init__(self, trace, output, form="ndjson", *options):
        with open(trace.path, "rb") as file:
            self.data = file.read()
        self.path = trace.path_of("growing.ringtrace")
        self.at = 0
        self.file = open(self.path, "wb")
        # So much that the order of the first records is certain.
        self.grow(2 * len(self.data) // 3)
        self.process = subprocess.Popen(
            [program("ringcat"), "-f", "--to", form, "-o", output, *options, self.path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def grow(self, size=None):
        end = len(self.data) if size is None else min(self.at + size, len(self.data))
        self.file.write(self.data[self.at:end])
        self.file.flush()
        self.at = end

    def told(self, words):
        """Waits until standard error has a line with these words."""
        while True:
            line = self.process.stderr.readline()
            assert line, f"no '{words}'"
            if words in line:
                return line

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=BOUND_S)
        return self.process.returncode, said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.file.close()


class Receiver:
    """Accepts one connection after the other at one port, and keeps what each sends."""

    def __init__(self, port=0):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.listener.settimeout(BOUND_S)
        self.port = self.listener.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"

    def accept(self):
        connection, _ = self.listener.accept()
        connection.settimeout(BOUND_S)
        return connection

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def read_lines(connection, count):
    """At least `count` lines, and what came with them."""
    parts = []
    while count > 0:
        parts.append(connection.recv(65536))
        assert parts[-1], parts[-2:]
        count -= parts[-1].count(b"\n")
    return b"".join(parts)


def read_all(connection):
    return b"".join(iter(lambda: connection.recv(65536), b""))


def keys_of(lines):
    """What identifies each record or loss."""
    found = []
    for line in lines.splitlines():
        event = json.loads(line)
        found.append((event["kind"], event["pid"], event["thread"]["id"], event["sequence"], event["unix_ns"]))
    return sorted(found)


class Forwarding(unittest.TestCase):
    def wanted(self, trace):
        return keys_of(ringcat("--to", "ndjson", trace.path)[1])

    def test_everything_arrives_while_the_trace_grows_in_each_format(self):
        for form in ("ndjson", "netlogger", "heph", "ulm", "otlp", "csv"):
            with self.subTest(form=form), RandomTrace(SEEDS[0], records=2000) as trace, Receiver() as receiver, \
                    Growing(trace, receiver.address, form) as growing, receiver.accept() as connection:
                got = connection.recv(65536)
                self.assertTrue(got)
                rest = []
                reader = threading.Thread(target=lambda: rest.append(read_all(connection)))
                reader.start()
                growing.grow()
                code, said = growing.end()
                reader.join()
                self.assertEqual(code, 0, said)
                path = trace.path_of("received." + form)
                with open(path, "wb") as file:
                    file.write(got + rest[0])
                if form in ("otlp", "csv"):
                    whole, _ = trace.converted(form)
                    count = lambda data: (data.count(b"timeUnixNano") + data.count(b"startTimeUnixNano")
                                          if form == "otlp" else data.count(b"\n"))
                    self.assertEqual(count(got + rest[0]), count(whole))
                    continue
                trace.converted(form)
                facts = lambda events: sorted((e["kind"], e["unix_ns"], e["thread"]["id"], e.get("msg", ""), e["sequence"])
                                              for e in events)
                self.assertEqual(facts(events_of(path)), facts(events_of(trace.path_of("converted." + form))))

    def test_a_receiver_that_comes_later_gets_everything(self):
        with RandomTrace(SEEDS[0], records=2000) as trace:
            with Receiver() as receiver:
                port = receiver.port
            with Growing(trace, f"tcp://127.0.0.1:{port}") as growing:
                said = growing.told("cannot connect")
                self.assertIn("Connection refused; trying again until it succeeds", said)
                growing.grow()
                with Receiver(port) as receiver, receiver.accept() as connection:
                    growing.told("connected after")
                    got = read_lines(connection, len(self.wanted(trace)))
                    code, said = growing.end()
                    self.assertEqual(code, 0, said)
                    self.assertEqual(read_all(connection), b"")
            self.assertEqual(keys_of(got), self.wanted(trace))

    def test_a_receiver_that_ends_and_comes_back_misses_only_what_is_reported(self):
        with RandomTrace(SEEDS[0], records=3000) as trace:
            with Receiver() as receiver:
                port = receiver.port
                growing = Growing(trace, receiver.address)
                with growing:
                    with receiver.accept() as connection:
                        receiver.listener.close()
                        first = read_lines(connection, 1)
                        connection.shutdown(socket.SHUT_WR)
                        first += read_all(connection)  # until the forwarder has seen the end
                    growing.told("the receiver ended the connection")
                    growing.grow()
                    with Receiver(port) as again, again.accept() as connection:
                        second = []
                        reader = threading.Thread(target=lambda: second.append(read_all(connection)))
                        reader.start()
                        code, said = growing.end()
                        reader.join()
            whole = [line for line in first.splitlines(keepends=True) if line.endswith(b"\n")]
            got = keys_of(b"".join(whole)) + keys_of(second[0])
            wanted = self.wanted(trace)
            self.assertEqual(len(set(got)), len(got), "nothing is sent twice")
            self.assertLessEqual(set(got), set(wanted))
            missing = len(wanted) - len(got)
            doubtful = re.search(r"(\d+) were sent and may be lost", said)
            self.assertEqual(code, 1 if doubtful else 0, said)
            self.assertLessEqual(missing, int(doubtful.group(1)) if doubtful else 0)

    def test_a_reset_loses_at_most_what_is_reported(self):
        with RandomTrace(SEEDS[0], records=20_000) as trace, Receiver() as receiver:
            with Growing(trace, receiver.address) as growing:
                with receiver.accept() as connection:
                    first = read_lines(connection, 1)
                    # Unread data makes closing a reset.
                    while not len(connection.recv(1, socket.MSG_PEEK)):
                        pass
                growing.told("the connection ended")
                growing.grow()
                with receiver.accept() as connection:
                    second = []
                    reader = threading.Thread(target=lambda: second.append(read_all(connection)))
                    reader.start()
                    code, said = growing.end()
                    reader.join()
            whole = [line for line in first.splitlines(keepends=True) if line.endswith(b"\n")]
            got = keys_of(b"".join(whole)) + keys_of(second[0])
            self.assertEqual(len(set(got)), len(got))
            self.assertIn(code, (0, 1), said)
            self.assertLessEqual(set(got), set(self.wanted(trace)))
            self.assertGreater(len(second[0]), 0)

    def test_a_slow_reader_delays_but_loses_nothing(self):
        with RandomTrace(SEEDS[0], records=20_000) as trace, Receiver() as receiver:
            receiver.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            with Growing(trace, receiver.address) as growing, receiver.accept() as connection:
                growing.grow()
                parts = [read_lines(connection, 100)]
                wanted = self.wanted(trace)
                missing = len(wanted) - parts[0].count(b"\n")
                # It reads slowly: memory stays bounded meanwhile.
                while missing > 0:
                    parts.append(connection.recv(3000))
                    self.assertTrue(parts[-1])
                    missing -= parts[-1].count(b"\n")
                with open(f"/proc/{growing.process.pid}/status", encoding="utf-8") as status:
                    peak = int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) << 10
                code, said = growing.end()
            self.assertEqual((code, said), (0, ""))
            self.assertEqual(keys_of(b"".join(parts)), wanted)
            self.assertLess(peak, 400 << 20)

    def test_a_receiver_that_never_comes_is_the_truth_at_the_end(self):
        with Receiver() as receiver:
            address = receiver.address
        with RandomTrace(SEEDS[0], records=500) as trace, Growing(trace, address) as growing:
            growing.told("cannot connect")
            growing.grow()
            code, said = growing.end()
            self.assertEqual(code, 3)
            self.assertIn(f"nothing was sent: {len(self.wanted(trace))} records exist", said)

    def test_a_receiver_that_reads_nothing_is_given_up_after_a_signal(self):
        with RandomTrace(SEEDS[0], records=30_000) as trace, Receiver() as receiver:
            receiver.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            with Growing(trace, receiver.address) as growing, receiver.accept():
                growing.grow()
                code, said = growing.end()
            self.assertEqual(code, 1, said)
            numbers = re.search(r"of (\d+) records, (\d+) were received by the receiver's system, (\d+) were sent and "
                                r"may be lost, (\d+) were not sent", said)
            total, received, doubtful, unsent = map(int, numbers.groups())
            self.assertEqual(total, len(self.wanted(trace)))
            self.assertEqual(received + doubtful + unsent, total)
            self.assertGreater(unsent, 0)

    def test_a_chosen_number_of_records_ends_it(self):
        with RandomTrace(SEEDS[0], records=2000) as trace, Receiver() as receiver:
            with Growing(trace, receiver.address, "ndjson", "--head", "10") as growing, receiver.accept() as connection:
                got = read_all(connection)
                self.assertEqual(growing.process.wait(BOUND_S), 0)
        self.assertEqual(got.count(b"\n"), 10)

    def test_standard_output_gets_records_as_they_come(self):
        with RandomTrace(SEEDS[0], records=2000) as trace, Growing(trace, "-") as growing:
            first = growing.process.stdout.readline()
            self.assertTrue(json.loads(first))
            growing.grow()
            growing.process.send_signal(signal.SIGTERM)
            # communicate() would not return what readline() has read ahead.
            rest, said = growing.process.stdout.read(), growing.process.stderr.read()
            growing.process.wait(BOUND_S)
            # Records of another process come later in the file than newer ones.
            self.assertRegex(said, r"^(ringcat: \d+ records arrived late, after newer ones were printed\n)?$")
            self.assertEqual(growing.process.returncode, 0)
            self.assertEqual(keys_of(first + rest), self.wanted(trace))

    def test_heph_is_forwarded_as_datagrams(self):
        # So few that they fit the socket's buffer.
        with RandomTrace(SEEDS[0], records=60) as trace, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(BOUND_S)
            wanted = [p for p in packets_of(trace.converted("heph")[0]) if is_event(p)]
            with Growing(trace, f"udp://127.0.0.1:{receiver.getsockname()[1]}", "heph") as growing:
                datagrams = [receiver.recv(65536)]
                self.assertFalse(is_event(datagrams[0]))
                growing.grow()
                growing.process.send_signal(signal.SIGTERM)
                while sum(map(is_event, datagrams)) < len(wanted):
                    datagrams.append(receiver.recv(65536))
                _, said = growing.process.communicate(timeout=BOUND_S)
            self.assertEqual(growing.process.returncode, 0, said)
            self.assertEqual(sorted(d for d in datagrams if is_event(d)), sorted(wanted))

    def test_what_cannot_be_forwarded_is_refused(self):
        with RandomTrace(SEEDS[0], records=3) as trace:
            for arguments, words in ((("--to", "perfetto", "-o", "tcp://127.0.0.1:1"), "while the trace grows"),
                                     (("--to", "ndjson", "-o", trace.path_of("file")), "complete only at the end"),
                                     (("--to", "ndjson", "-o", "tcp://127.0.0.1"), "invalid address"),
                                     (("--to", "ndjson", "-o", "http://127.0.0.1:1"), "'http://' is not supported"),
                                     (("--to", "netlogger", "-o", "udp://127.0.0.1:1"), "use tcp://")):
                code, _, said = ringcat("-f", *arguments, trace.path)
                self.assertEqual((code, words in said), (2, True), said)
            self.assertFalse(os.path.exists(trace.path_of("file")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
