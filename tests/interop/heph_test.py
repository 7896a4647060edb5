#!/usr/bin/env python3
"""Heph traces: what inspect reports about them, and how they and random traces survive the conversion there and back."""

import base64
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest

from random_traces import BOUND_S, SEEDS, RandomTrace, events_of, program, ringcat

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heph")


def sample(name):
    return os.path.join(SAMPLES, name)


def sample_names():
    return sorted(name[:-5] for name in os.listdir(SAMPLES) if name.endswith(".heph"))


def metadata(option, value):
    name = option.encode()
    return struct.pack(">IIH", 0x75D11D4D, 10 + len(name) + len(value), len(name)) + name + value


def event(stream, counter, start, end, name="e", attributes=b"", substream=0):
    text = name.encode()
    return struct.pack(">IIIIQQQH", 0xC1FC1FB7, 42 + len(text) + len(attributes), stream, counter,
                       substream, start, end, len(text)) + text + attributes


def inspected(data, *options):
    """The exit code, the document (None if there is none), and the messages."""
    code, output, said = ringcat("inspect", "--json", "--from", "heph", *options, "-", input=data)
    return code, json.loads(output) if output else None, said


class Structure(unittest.TestCase):
    def test_samples_are_inspected_as_expected(self):
        self.assertEqual(len(sample_names()), 5)
        for name in sample_names():
            with self.subTest(name=name):
                code, output, said = ringcat("inspect", "--json", sample(name + ".heph"))
                with open(sample(name + ".json"), encoding="utf-8") as file:
                    expected = json.load(file)
                self.assertEqual((code, said), (0, ""))
                self.assertEqual(json.loads(output), expected)
                self.assertEqual(list(json.loads(output)), list(expected))

    def test_a_packet_of_many_attributes_is_shown_in_pieces(self):
        attribute = b"\0\0\4\0\0"  # an empty text without a name
        large = event(1, 0, 1, 2, attributes=attribute * 2_000_000)
        small = event(1, 1, 1, 2, name="s" * 60_000) * 20
        environment = dict(os.environ)
        environment["ASAN_OPTIONS"] = ":".join(
            [*filter(None, [os.environ.get("ASAN_OPTIONS")]), "quarantine_size_mb=1"])
        with subprocess.Popen([program("ringcat"), "inspect", "--json", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=environment) as process:
            process.stdin.write(metadata("epoch", bytes(8)) + large + small)
            # ringcat has read everything that the pipe does not hold, and has reported the large packet.
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                peak = int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) << 10
            process.stdin.close()
            told = process.stdout.read()
            self.assertEqual(process.wait(BOUND_S), 0)
        self.assertEqual(told.count(b'{"name": "", "type": "string", "value": ""}'), 2_000_000)
        self.assertLess(peak, 160 << 20)

    def test_counters_show_missing_late_and_repeated_events(self):
        data = b"".join(event(1, counter % 2**32, 1, 2) for counter in
                        (-2, -1, 0, 3, 2, 3, 4))
        code, told, _ = inspected(data)
        self.assertEqual((code, told["counts"]["missing"]), (0, 1))
        self.assertEqual(told["streams"]["1"],
                         {"events": 7, "first_counter": 2**32 - 2, "last_counter": 4, "missing": 1,
                          "late": 1, "duplicates": 1, "substreams": 1})

    def test_events_before_the_first_epoch_use_it_and_a_later_one_applies_from_there_on(self):
        many = b"".join(event(1, i, 5, 6) for i in range(100_000))  # more than inspect keeps in memory
        data = (many + metadata("epoch", struct.pack(">Q", 1000)) + event(1, 100_000, 5, 6) +
                metadata("epoch", struct.pack(">Q", 2000)) + event(1, 100_001, 5, 6))
        code, told, _ = inspected(data)
        starts = [packet["start_unix_ns"] for packet in told["packets"] if packet["kind"] == "event"]
        self.assertEqual((code, set(starts[:-1]), starts[-1]), (0, {1005}, 2005))
        self.assertEqual((len(starts), told["size"]), (100_002, len(data)))

    def test_a_bad_epoch_sets_none(self):
        bad = metadata("epoch", b"1234567")
        _, told, _ = inspected(bad + event(1, 0, 5, 6))
        self.assertIsNone(told["packets"][0]["start_unix_ns"])
        _, told, _ = inspected(bad + event(1, 0, 5, 6) + metadata("epoch", struct.pack(">Q", 1000)))
        self.assertEqual(told["packets"][0]["start_unix_ns"], 1005)

    def test_options_that_are_not_known_are_reported(self):
        code, told, said = inspected(metadata("Epoch", bytes(8)) + metadata("", b"") + event(1, 0, 5, 6))
        self.assertEqual((code, [p.get("option") for p in told["packets"]]), (0, ["Epoch", "", None]))
        self.assertIsNone(told["packets"][2]["start_unix_ns"])
        self.assertIn("2 options are unknown", said)

    def test_bad_packets_with_a_valid_size_are_skipped(self):
        unknown_type = event(1, 1, 1, 2, attributes=b"\0\1x\5" + bytes(8))
        array_of_nothing = event(1, 2, 1, 2, attributes=b"\0\1x\x80" + bytes(8))
        long_name = event(1, 3, 1, 2, attributes=b"\0\xffx")
        short_epoch = metadata("epoch", b"1234567")
        code, told, said = inspected(event(1, 0, 1, 2) + unknown_type + array_of_nothing + long_name +
                                     short_epoch + event(1, 1, 1, 2))
        self.assertEqual((code, told["counts"]),
                         (0, {"metadata": 0, "events": 2, "bad_packets": 4, "missing": 0}))
        self.assertEqual([bad["offset"] for bad in told["bad_packets"]], [43, 98, 153, 199])
        self.assertIn("4 bad packets", said)

    def test_damage_ends_the_reading_at_its_place(self):
        sound = event(1, 0, 1, 2)
        for damage in (b"\0\0\0\0\0\0\0\xff" + bytes(300), event(1, 1, 1, 2)[:-1], b"\xc1",
                       struct.pack(">II", 0xC1FC1FB7, 41) + bytes(40),
                       struct.pack(">II", 0x75D11D4D, 9) + bytes(40),
                       struct.pack(">II", 0xC1FC1FB7, 2**32 - 1) + bytes(400)):
            code, told, said = inspected(sound + damage)
            self.assertEqual((code, told["counts"]["events"], told["error"]["offset"]),
                             (1, 1, len(sound)))
            self.assertIn(f":{len(sound)}: ", said)
            code, told, said = inspected(damage)
            self.assertEqual((code, told), (2, None))
            self.assertIn(":0: ", said)


class TemporaryFile:
    def __init__(self, data):
        self.file = tempfile.NamedTemporaryFile(prefix="ringside-test-", suffix=".heph")
        self.file.write(data)
        self.file.flush()

    def __enter__(self):
        return self.file.name

    def __exit__(self, *_):
        self.file.close()


class Import(unittest.TestCase):
    def test_events_become_spans_of_their_streams(self):
        records = events_of(sample("h05_streams.heph"))
        self.assertEqual([(r["thread"]["id"], r.get("substream", 0), r["name"], r["duration_ns"], r["fields"]["k"])
                          for r in records[:4]],
                         [(1, 1, "B outer", 10000, 5000), (1, 1, "A crossing", 10000, 10000),
                          (1, 2, "other substream", 2000, 10000), (2, 1, "parent", 800_000, 100_000)])
        self.assertEqual(records[0]["unix_ns"], 1610113734118015000)
        self.assertEqual({r["service"] for r in records}, {"heph"})
        self.assertEqual([r["fields"] for r in events_of(sample("h04_arrays.heph"))][0],
                         {"u": [1, 2, 2**64 - 1], "i": [-1, 0, 1], "f": [123.456, 789.0],
                          "s": ["a", "", "é"], "eu": [], "es": [], "after": 1})

    def test_events_come_in_the_order_of_time_and_gaps_become_losses(self):
        data = (metadata("epoch", struct.pack(">Q", 10**9)) + event(1, 0, 500, 600, "inner") +
                event(1, 1, 400, 700, "outer") + event(1, 4, 800, 900, "later"))
        with TemporaryFile(data) as path:
            told = events_of(path)
        self.assertEqual([(e["kind"], e.get("name"), e["unix_ns"]) for e in told],
                         [("record", "outer", 10**9 + 400), ("record", "inner", 10**9 + 500),
                          ("loss", None, 10**9 + 800), ("record", "later", 10**9 + 800)])
        self.assertEqual(told[2]["count"], 2)

    def test_oddities_are_reported(self):
        data = (event(1, 5, 9, 3, "backwards") + event(1, 5, 1, 2**63, attributes=b"\0\1n\5") +
                event(1, 4, 2**64 - 1, 2**64 - 1, "far"))
        with TemporaryFile(data + b"\xc1\xfc\x1f\xb7") as path:
            code, output, said = ringcat("--format", "json", path)
        records = [json.loads(line) for line in output.splitlines()]
        self.assertEqual((code, [r["name"] for r in records]), (1, ["backwards", "far"]))
        self.assertEqual((records[0]["duration_ns"], records[1]["unix_ns"]), (0, 2**63 - 1))
        for words in (f"{path}:{len(data)}: the file ends within", "1 bad packets were skipped", "no epoch is set",
                      "1 record: ends before it starts", "1 record: its time became the last", "came late"):
            self.assertIn(words, said)

    def test_what_a_record_cannot_store_is_reported(self):
        number = b"\1" + struct.pack(">Q", 7)
        many = b"".join(b"\0\3%03d" % i + number for i in range(600))
        data = (metadata("epoch", struct.pack(">Q", 10**18)) + event(1, 0, 1, 2, "many", many) +
                event(1, 1, 3, 4, "long", b"\x20\0" + b"n" * 0x2000 + number))
        with TemporaryFile(data) as path:
            code, output, said = ringcat("--format", "json", path)
        records = [json.loads(line) for line in output.splitlines()]
        self.assertEqual((code, list(records[0]["fields"])), (0, [f"{i:03}" for i in range(512)]))
        self.assertEqual(records[1]["fields"], {"n" * 4096: 7})
        self.assertIn("1 record: attributes after the 512th are left out", said)
        self.assertIn("1 record: a name of more than 4096 bytes", said)

    def test_descriptions_without_end_are_kept_in_a_field(self):
        data = (metadata("epoch", struct.pack(">Q", 10**18)) +
                b"".join(event(1, i, i, i + 1, f"request {i}") for i in range(50_003)) +
                event(1, 50_003, 50_003, 50_004, "x" * 5000))
        with TemporaryFile(data) as path:
            records = events_of(path)
            code, back, _ = ringcat("--to", "heph", path)
        self.assertEqual((records[49_999]["name"], records[49_999]["fields"]), ("request 49999", {}))
        self.assertEqual([r["fields"]["heph.description"] for r in records[50_000:]],
                         ["request 50000", "request 50001", "request 50002", "x" * 5000])
        self.assertEqual((code, back), (0, data))


class ThereAndBack(unittest.TestCase):
    def test_samples_come_back_byte_by_byte(self):
        for name in sample_names()[1:]:
            with self.subTest(name=name), open(sample(name + ".heph"), "rb") as file:
                code, output, _ = ringcat("--to", "heph", sample(name + ".heph"))
                self.assertEqual((code, output), (0, file.read()))

    def test_unknown_options_are_kept(self):
        data = (metadata("epoch", struct.pack(">Q", 10**9)) + metadata("colour", b"\0blue") +
                event(7, 0, 5, 9) + metadata("end", b""))
        with TemporaryFile(data) as path:
            code, output, said = ringcat("--to", "heph", path)
        self.assertEqual((code, len(said.splitlines())), (0, 1))
        self.assertIn("2 options are unknown", said)
        self.assertEqual(inspected(output)[1]["counts"], inspected(data)[1]["counts"])
        options = [(p["option"], p["value_hex"]) for p in inspected(output)[1]["packets"]
                   if p["kind"] == "metadata"]
        self.assertEqual(options[1:], [("colour", b"\0blue".hex()), ("end", "")])

    def equal(self, there, back):
        """Compares a value with its converted form: integers of more than 64 bits and enumerations become texts, bytes
        become hexadecimal texts, floating-point numbers have 64 bits."""
        if isinstance(there, list):
            return len(there) == len(back) and all(map(self.equal, there, back))
        if isinstance(there, str):
            if not isinstance(back, str):
                return int(there, 16) == back
            return there == back or base64.b64decode(there, validate=True) == bytes.fromhex(back)
        if isinstance(back, str):
            return str(there) == back
        return there == back or abs(there - back) <= 1e-7 * abs(there)

    def test_a_wall_clock_after_events_without_one_is_kept(self):
        times = [0, 5, 10**18, 10**18 + 7]
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            source, path = (os.path.join(directory, name) for name in ("events.ndjson", "events.heph"))
            for count, known in ((2, False), (4, True)):
                with open(source, "w", encoding="utf-8") as file:
                    for time in times[:count]:
                        file.write(json.dumps({"kind": "record", "unix_ns": time, "level": "INFO",
                                               "category": "c", "name": "n", "fields": {}, "pid": 1,
                                               "service": "s", "thread": {"id": 1, "name": ""}}) + "\n")
                code, _, said = ringcat("--to", "heph", "-o", path, "--force", source)
                self.assertEqual(code, 0, said)
                with open(path, "rb") as file:
                    _, told, _ = inspected(file.read())
                self.assertEqual([packet["start_unix_ns"] for packet in told["packets"]
                                  if packet["kind"] == "event"], times[:count] if known else [None] * count)

    def test_random_traces_keep_what_a_heph_trace_can_store(self):
        for seed in SEEDS:
            with RandomTrace(seed, records=1000) as trace:
                there = trace.events()
                _, said = trace.converted("heph")
                back = events_of(trace.path_of("converted.heph"))
            order = lambda e: (e["unix_ns"], e["thread"]["id"], e["sequence"])
            records = sorted((e for e in there if e["kind"] == "record"), key=order)
            again = sorted((e for e in back if e["kind"] == "record"), key=order)
            self.assertEqual(len(records), len(again))
            for one, other in zip(records, again):
                for member in ("unix_ns", "substream", "duration_ns"):
                    self.assertEqual(one.get(member, 0), other.get(member, 0))
                self.assertEqual(one["thread"]["id"], other["thread"]["id"])
                self.assertEqual(one.get("name") or one["msg"][:len(other.get("name", ""))],
                                 other.get("name", ""))
                self.assertEqual(list(one["fields"]), list(other["fields"]))
                for name, value in one["fields"].items():
                    self.assertTrue(self.equal(value, other["fields"][name]), (name, value, other))
            untold = re.search(r"(\d+) records?: lost before the first", said)
            self.assertEqual(sum(e["count"] for e in there if e["kind"] == "loss"),
                             sum(e["count"] for e in back if e["kind"] == "loss") + int(untold[1] if untold else 0))
            self.assertIn("levels are left out", said)

    def test_rewriting_a_written_trace_changes_nothing(self):
        with RandomTrace(SEEDS[0], any_bytes_in_texts=True) as trace:
            written, _ = trace.converted("heph")
            code, again, said = ringcat("--to", "heph", trace.path_of("converted.heph"))
        self.assertEqual((code, said), (0, ""))
        key = lambda p: (p.get("start", 0), p.get("stream", 0), p.get("counter", 0))
        packets = [[{**p, "offset": 0} for p in sorted(inspected(data)[1]["packets"], key=key)]
                   for data in (written, again)]
        self.assertEqual(packets[0], packets[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
