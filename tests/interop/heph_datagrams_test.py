#!/usr/bin/env python3
"""Heph in datagrams: several senders, loss, reordering, repetition, truncation, and datagrams from anywhere."""

import json
import os
import random
import signal
import socket
import struct
import tempfile
import unittest

from collector_process import CollectorProcess
from heph_packets import (EPOCH_NS, epoch, event, is_event, metadata, number_attribute, packets_of,
                          stream_and_counter, text_attribute)
from random_traces import SEEDS, RandomTrace, events_of, ringcat


class Collector(CollectorProcess):
    def __init__(self, *options, **how):
        super().__init__("heph", *options, scheme="udp", **how)


class Receiving(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "collected.ringtrace")

    def collect(self, send, **how):
        """What arrives, and what is reported. A datagram on the loopback interface has arrived when it is sent."""
        with Collector("-o", self.path, **how) as collector:
            send(collector)
            code, said = collector.end()
        self.assertEqual(code, 0, said)
        return events_of(self.path), said

    def send_all(self, *datagrams, **how):
        def send(collector):
            with collector.datagram_socket() as sender:
                for datagram in datagrams:
                    sender.send(datagram)
        return self.collect(send, **how)

    def test_one_or_several_packets_in_a_datagram(self):
        events, said = self.send_all(
            epoch(), event(7, 0, 10, "one", number_attribute(b"n", 5)),
            event(7, 1, 20, "two", substream=9, end=25) + event(8, 0, 30, "three", text_attribute(b"t", b"x y")))
        self.assertEqual(said, "")
        self.assertEqual([(e["name"], e["unix_ns"] - EPOCH_NS, e["duration_ns"], e["thread"]["id"], e["fields"])
                          for e in events],
                         [("one", 10, 1, 7, {"n": 5}), ("two", 20, 5, 7, {}), ("three", 30, 1, 8, {"t": "x y"})])
        self.assertEqual(events[1]["substream"], 9)
        self.assertEqual({e["host"] for e in events}, {"127.0.0.1"})

    def test_streams_and_epochs_of_several_senders_are_apart(self):
        senders = 50

        def send(collector):
            sockets = [collector.datagram_socket() for _ in range(senders)]
            for number, sender in enumerate(sockets):
                sender.send(epoch(EPOCH_NS + number))
            for counter in range(20):
                for number, sender in enumerate(sockets):
                    sender.send(event(1, counter, 1000 * counter, "e", number_attribute(b"sender", number)))
            for sender in sockets:
                sender.close()

        events, said = self.collect(send)
        self.assertEqual(said, "")
        self.assertEqual(sorted((e["fields"]["sender"], e["unix_ns"] - EPOCH_NS) for e in events),
                         [(number, 1000 * counter + number) for number in range(senders) for counter in range(20)])
        self.assertEqual(len({e["thread"]["name"] for e in events}), senders)

    def test_missing_datagrams_are_losses_at_their_place(self):
        numbers = [0, 1, 4, 5, 6, 10]
        events, said = self.send_all(epoch(), *(event(3, n, 100 * n) for n in numbers))
        self.assertEqual(said, "")
        self.assertEqual([(e["kind"], e.get("count"), e["unix_ns"] - EPOCH_NS) for e in events if e["kind"] == "loss"],
                         [("loss", 2, 400), ("loss", 3, 1000)])
        self.assertEqual(sum(e["kind"] == "record" for e in events), len(numbers))

    def test_reordered_datagrams_are_not_losses(self):
        rng = random.Random(SEEDS[0])
        packets = [event(1, n % 2**32, 10 * (n + 600)) for n in range(-500, 500)]  # the numbers wrap around
        first = packets.pop(0)
        for at in range(0, len(packets), 50):
            part = packets[at:at + 50]
            rng.shuffle(part)
            packets[at:at + 50] = part
        events, said = self.send_all(epoch(), first, *packets)
        self.assertEqual(said, "")
        self.assertEqual([e["unix_ns"] - EPOCH_NS for e in events], [10 * (n + 600) for n in range(-500, 500)])

    def test_repeated_datagrams_count_once(self):
        packets = [event(1, n, 10 * n) for n in range(20)]
        events, said = self.send_all(epoch(), *(p for packet in packets for p in (packet, packet)), packets[3])
        self.assertEqual([e["unix_ns"] - EPOCH_NS for e in events], [10 * n for n in range(20)])
        self.assertIn("21 events arrived twice", said)

    def test_a_sender_without_numbers_loses_nothing(self):
        events, said = self.send_all(epoch(), *(event(1, 0, 10 * n) for n in range(20)))
        self.assertEqual(len(events), 20)
        self.assertIn("19 events have the number of the event before", said)

    def test_a_trace_that_begins_again_is_not_a_loss(self):
        events, _ = self.send_all(epoch(), *(event(1, 5000 + n, n) for n in range(3)),
                                  epoch(EPOCH_NS + 10**9), *(event(1, n, n) for n in range(3)))
        self.assertEqual([(e["kind"], e["unix_ns"] - EPOCH_NS) for e in events],
                         [("record", n) for n in range(3)] + [("record", 10**9 + n) for n in range(3)])
        events, said = self.send_all_again(epoch(), *(event(1, 5000 + n, n) for n in range(3)),
                                           *(event(1, n, 10 + n) for n in range(3)))
        self.assertEqual([e["kind"] for e in events], ["record"] * 6)
        self.assertIn("1 streams began their numbers again", said)

    def send_all_again(self, *datagrams):
        os.unlink(self.path)
        return self.send_all(*datagrams)

    def test_events_wait_for_an_epoch_that_was_overtaken(self):
        events, said = self.send_all(event(1, 0, 10), event(1, 1, 20), epoch(), event(1, 2, 30))
        self.assertEqual((said, [e["unix_ns"] - EPOCH_NS for e in events]), ("", [10, 20, 30]))

    def test_without_its_epoch_a_trace_counts_from_1970(self):
        events, said = self.send_all(event(1, 0, 10), event(1, 1, 20))
        self.assertEqual([e["unix_ns"] for e in events], [10, 20])
        self.assertIn("2 events came without an epoch: their times count from the beginning of 1970", said)
        # What waits for an epoch has a bound.
        large = text_attribute(b"t", b"x" * 30_000)
        events, said = self.send_all_again(*(event(1, n, n, attributes=large) for n in range(5)), epoch(),
                                           event(1, 5, 5))
        self.assertEqual([e["unix_ns"] for e in events], [0, 1, 2, 3, 4, EPOCH_NS + 5])
        self.assertIn("5 events came without an epoch", said)

    def test_truncated_and_hostile_datagrams_are_counted_and_left_out(self):
        whole = event(1, 1, 20, "whole", number_attribute(b"n", 1))
        bad = [b"", b"GET / HTTP/1.1\r\n\r\n", os.urandom(1400), struct.pack(">II", 0xC1FC1FB7, 41) + bytes(60),
               struct.pack(">II", 0x75D11D4D, 0) + bytes(60)]
        cut = [b"\0", whole[:1], whole[:7], whole[:-1], struct.pack(">II", 0xC1FC1FB7, 2**32 - 1) + bytes(60),
               struct.pack(">II", 0xC1FC1FB7, 2**26) + bytes(60), event(1, 2, 30) + whole[:30]]
        faulty = [metadata("epoch", b"\0"), struct.pack(">IIIIQQQH", 0xC1FC1FB7, 42, 1, 1, 0, 0, 0, 9),
                  event(1, 1, 20, attributes=b"\0\1x\7"), event(1, 1, 20, attributes=b"\0\1x\x80\0\1")]
        events, said = self.send_all(epoch(), event(1, 0, 10), *bad, *cut, *faulty, whole + os.urandom(40))
        self.assertEqual([e["unix_ns"] - EPOCH_NS for e in events if e["kind"] == "record"], [10, 20, 30])
        self.assertIn(f"{len(bad) + 1} datagrams were not Heph", said)
        self.assertIn(f"{len(cut)} datagrams ended within a packet", said)
        self.assertIn(f"{len(faulty)} bad packets were skipped", said)
        self.assertIn("neither the magic number of metadata nor of events", said)

    def test_random_damage_never_ends_the_collector(self):
        rng = random.Random(SEEDS[0])
        packets = [epoch(), metadata("other", b"value")] + [
            event(n % 3, n, 10 * n, "name", text_attribute(b"t", b"text") + number_attribute(b"n", n)) for n in range(30)]

        def damaged():
            data = bytearray(rng.choice(packets) + rng.choice(packets))
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            return bytes(data[:rng.randrange(len(data) + 1)])

        self.send_all(*(damaged() for _ in range(5000)), event(1, 0, 10))

    def test_any_number_of_senders(self):
        senders = 5000  # more than are remembered

        def send(collector):
            for number in range(senders):
                with collector.datagram_socket() as sender:
                    sender.send(epoch() + event(1, 0, number))

        events, said = self.collect(send)
        if "were dropped here" not in said:
            self.assertEqual([e["unix_ns"] - EPOCH_NS for e in events], list(range(senders)))

    def test_datagrams_that_the_host_drops_are_reported(self):
        sent = 0

        def flood(collector):
            nonlocal sent
            collector.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, collector.process.pid, os.WSTOPPED | os.WNOWAIT)
            attribute = text_attribute(b"t", b"x" * 60_000)
            with collector.datagram_socket() as sender:
                sender.send(epoch())
                for sent in range(1, 1001):
                    sender.send(event(1, sent, sent, attributes=attribute))
                collector.process.send_signal(signal.SIGCONT)
                # Numbers after the gap show how large it is, once there is room again.
                while collector.process.poll() is None and not os.path.exists(self.path):
                    sent += 1
                    sender.send(event(1, sent, sent))
                    if sent > 1500:
                        break

        events, said = self.collect(flood)
        self.assertRegex(said, r"\d+ datagrams were dropped here: .*net\.core\.rmem_max")
        records = [e for e in events if e["kind"] == "record"]
        lost = sum(e["count"] for e in events if e["kind"] == "loss")
        self.assertGreater(lost, 0)
        last = max(e["unix_ns"] for e in records) - EPOCH_NS
        self.assertEqual(len(records) + lost, last)

    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError as error:
            self.skipTest(f"no IPv6: {error}")
        events, said = self.send_all(epoch(), event(1, 0, 10), host="::1")
        self.assertEqual((said, [e["host"] for e in events]), ("", ["::1"]))
        self.assertTrue(events[0]["thread"]["name"].startswith("[::1]:"))


class Sending(unittest.TestCase):
    def send(self, trace, family=socket.AF_INET, host="127.0.0.1"):
        with socket.socket(family, socket.SOCK_DGRAM) as receiver:
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
            receiver.bind((host, 0))
            shown = f"[{host}]" if ":" in host else host
            done = ringcat("--to", "heph", "-o", f"udp://{shown}:{receiver.getsockname()[1]}", trace)
            datagrams = []
            receiver.setblocking(False)
            while True:
                try:
                    datagrams.append(receiver.recv(65536))
                except BlockingIOError:
                    return done, datagrams

    def test_each_packet_is_a_datagram(self):
        with RandomTrace(SEEDS[0], records=300) as trace:
            written, said = trace.converted("heph")
            for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
                try:
                    socket.create_server((host, 0), family=family).close()
                except OSError as error:
                    print(f"without {host}: {error}")
                    continue
                done, datagrams = self.send(trace.path, family, host)
                self.assertEqual(done, (0, b"", said))
                for datagram in datagrams:
                    self.assertEqual(packets_of(datagram), [datagram])
                wanted = packets_of(written)
                self.assertEqual([d for d in datagrams if is_event(d)], [p for p in wanted if is_event(p)])
                # The epoch comes again, for receivers that start late or lost it.
                epochs = [p for p in wanted if not is_event(p)]
                self.assertEqual(datagrams[0], wanted[0])
                self.assertGreaterEqual(sum(d in epochs for d in datagrams), len(datagrams) // 300)

    def test_packets_that_no_datagram_holds_are_left_out_and_reported(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            path = os.path.join(directory, "large.heph")
            large = text_attribute(b"a", b"x" * 40_000) + text_attribute(b"b", b"x" * 40_000)
            with open(path, "wb") as file:
                file.write(epoch() + event(1, 0, 0) + event(1, 1, 1, attributes=large) + event(1, 2, 2))
            (code, _, said), datagrams = self.send(path)
        self.assertEqual(code, 0, said)
        self.assertIn("1 record: are left out: their packets exceed 65507 bytes", said)
        # Its number is missing, so that the receiver finds the loss.
        self.assertEqual([stream_and_counter(d) for d in datagrams if is_event(d)], [(1, 0), (1, 2)])

    def test_without_a_receiver_sending_fails(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        with RandomTrace(SEEDS[0], records=20) as trace:
            code, _, said = ringcat("--to", "heph", "-o", f"udp://127.0.0.1:{port}", trace.path)
        self.assertEqual((code, "nothing listens there; check that the receiver is running" in said), (3, True), said)

    def test_what_a_sender_of_ours_sends_arrives(self):
        with RandomTrace(SEEDS[0], records=500) as trace:
            trace.converted("heph")
            by_file = events_of(trace.path_of("converted.heph"))
            collected = trace.path_of("collected.ringtrace")
            with Collector("-o", collected) as collector:
                code, _, said = ringcat("--to", "heph", "-o", collector.address, trace.path)
                self.assertEqual(code, 0, said)
                code, said = collector.end()
                self.assertEqual((code, said), (0, ""))
            facts = lambda events: sorted((e["kind"], e["unix_ns"], e["thread"]["id"], e.get("msg"), e.get("count"),
                                           json.dumps(e.get("fields"))) for e in events)
            self.assertEqual(facts(events_of(collected)), facts(by_file))


class Refusals(unittest.TestCase):
    def test_unsupported_schemes_are_named(self):
        with RandomTrace(SEEDS[0], records=3) as trace:
            for output in ("http://127.0.0.1:80", "sctp://127.0.0.1:1", "unix:///tmp/x", "file:///tmp/x"):
                code, _, said = ringcat("--to", "heph", "-o", output, trace.path)
                self.assertEqual((code, f"scheme '{output.split(':')[0]}://' is not supported" in said), (2, True), said)
                code, _, said = ringcat("slice", "--since", "@0", "-o", output, trace.path)
                self.assertEqual((code, f"scheme '{output.split(':')[0]}://' is not supported" in said), (3, True), said)
                code, _, said = ringcat(output)
                self.assertEqual((code, f"scheme '{output.split(':')[0]}://' is not supported" in said), (3, True), said)
                code, _, said = ringcat("--listen", output, "--from", "heph")
                self.assertEqual((code, f"scheme '{output.split(':')[0]}://' is not supported" in said), (2, True), said)
            code, _, said = ringcat("udp://127.0.0.1:1")
            self.assertEqual((code, "--listen" in said), (3, True), said)
            for form in ("netlogger", "ndjson", "ctf"):
                code, _, said = ringcat("--to", form, "-o", "udp://127.0.0.1:1", trace.path)
                self.assertEqual((code, "use tcp://" in said or "directory" in said), (2, True), said)
            for text in ("udp://", "udp://127.0.0.1", "udp://:1", "udp://localhost:", "udp://::1:80", "udp://a:99999"):
                code, _, said = ringcat("--to", "heph", "-o", text, trace.path)
                self.assertEqual((code, "invalid" in said), (3, True), said)
            code, _, said = ringcat("--listen", "udp://127.0.0.1:0", "--from", "netlogger")
            self.assertEqual((code, "use tcp://" in said), (2, True), said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
