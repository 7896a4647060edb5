#!/usr/bin/env python3
"""Perfetto traces from other producers, encoded by protoc from text, and how random traces survive the conversion there and
back."""

import json
import os
import subprocess
import tempfile
import unittest
import zlib

from perfetto_test import is_same
from random_traces import SEEDS, RandomTrace, comparable, events_of, ringcat

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "perfetto")
UNIX = 1_700_000_000_000_000_000


def encoded(text):
    """The Trace message that this text describes."""
    return subprocess.run(["protoc", "--proto_path", HERE, "--encode", "ringside.test.Trace", "perfetto.proto"],
                          input=text.encode(), capture_output=True, check=True, timeout=120).stdout


def sample(name):
    return os.path.join(SAMPLES, name + ".perfetto")


def sample_names():
    return sorted(name.split(".")[0] for name in os.listdir(SAMPLES) if name.endswith(".textproto"))


def read(data, *options):
    """Returns the exit code, the records and losses, and the messages."""
    with tempfile.NamedTemporaryFile(prefix="ringside-test-") as file:
        file.write(data)
        file.flush()
        code, output, said = ringcat("--format", "json", *options, file.name)
        return code, [json.loads(line) for line in output.splitlines()], said.replace(file.name, "FILE")


def inspected(data):
    code, output, said = ringcat("inspect", "--json", "--from", "perfetto", "-", input=data)
    return code, json.loads(output) if output else None, said


# Precedes the packets of a test: REALTIME is Unix time, and the clock that counts.
HEAD = f"""packet {{ trusted_packet_sequence_id: 1 sequence_flags: 1
  clock_snapshot {{ clocks {{ clock_id: 6 timestamp: 0 }} clocks {{ clock_id: 1 timestamp: {UNIX} }} }} }}
packet {{ trusted_packet_sequence_id: 1 track_descriptor {{ uuid: 1 thread {{ pid: 5 tid: 6 thread_name: "t" }} }} }}
"""


def event(timestamp, fields, packet="", track=1):
    return (f"packet {{ timestamp: {timestamp} trusted_packet_sequence_id: 1 sequence_flags: 2 {packet} "
            f"track_event {{ track_uuid: {track} {fields} }} }}\n")


BEGIN, END, INSTANT, COUNTER = (f"type: TYPE_{name}" for name in
                                ("SLICE_BEGIN", "SLICE_END", "INSTANT", "COUNTER"))


class Samples(unittest.TestCase):
    def test_they_equal_their_text(self):
        self.assertEqual(len(sample_names()), 3)
        for name in sample_names():
            with open(os.path.join(SAMPLES, name + ".textproto"), encoding="utf-8") as text, \
                    open(sample(name), "rb") as file:
                self.assertEqual(encoded(text.read()), file.read(), name)

    def test_slices_become_spans_at_their_begins(self):
        records = events_of(sample("p01_threads"))
        self.assertEqual([(r["unix_ns"] - UNIX - 5_000_000_000, r["name"], r.get("duration_ns"), r["fields"])
                          for r in records],
                         [(1000, "request", 3000, {"bytes": 1234, "path": "/orders"}),
                          (2000, "query", 1000, {"rows": -1}),
                          (2500, "queue", None, {"perfetto.unit": "jobs", "value": 30}),
                          (3500, "queue", None, {"perfetto.unit": "jobs", "value": 20}),
                          (5000, "idle", None, {})])
        self.assertEqual([r["sequence"] for r in records], [0, 1, 2, 3, 4])
        request = records[0]
        self.assertEqual((request["category"], request["file"], request["line"], request["function"]),
                         ("net,slow", "src/shop.cpp", 12, "serve"))
        self.assertEqual((request["service"], request["pid"], request["thread"]),
                         ("shop", 77, {"id": 78, "name": "worker"}))
        self.assertEqual(int(request["activity"], 16), 258)
        self.assertEqual(records[4]["related"], request["activity"])
        self.assertEqual(records[2]["category"], "load")

    def test_values_of_all_types_are_fields(self):
        code, output, said = ringcat("--format", "json", sample("p02_values"))
        records = {r["name"]: r for r in map(json.loads, output.splitlines())}
        self.assertEqual((code, said), (0, "ringcat: 2 records: packets of the kind ftrace_events are left out\n"))
        self.assertEqual(records["values"]["fields"], {
            "b": True, "u": 2**64 - 1, "i": -5, "d": 2.5, "s": "x", "p": "0x1000", "j": '{"k":1}', "o": "AQI=",
            "n": '{"a":1,"b":["q",true,0.5]}', "t.x": 1, "t.y.z": "deep", "a": [1, -2], "as": ["k", ""],
            "mixed": '[1,{"e":"f"}]', "empty": [], "perfetto.correlation_id": "c-1"})
        # The time of a clock that counts microseconds since the previous packet, starting at the snapshot.
        self.assertEqual(records["values"]["unix_ns"], 1_600_000_000_000_001_000 + 103_000)
        self.assertEqual(records["log"]["unix_ns"], records["values"]["unix_ns"] + 4000)
        log = records["log"]
        self.assertEqual((log["level"], log["file"], log["line"], log["fields"]),
                         ("ERROR", "disk.cc", 5, {"message": "disk is full"}))
        flip = records["flip"]
        self.assertEqual((flip["unix_ns"], flip["thread"]["name"], flip["substream"], int(flip["activity"], 16)),
                         (1_600_000_000_000_009_000, "GPU", 99, 1))
        self.assertEqual(flip["fields"], {"perfetto.flow_ids": [2, 3], "perfetto.correlation_id": 7})
        self.assertEqual([records[f"track {uuid}"]["fields"]["value"] for uuid in (50, 51)], [5, 1.5])

    def test_what_is_missing_becomes_losses(self):
        code, output, said = ringcat("--format", "json", sample("p03_losses"))
        events = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(code, 0)
        self.assertEqual([(e["kind"], e["unix_ns"], e.get("name"), e.get("count"), e.get("cause"))
                          for e in events if e["pid"] == 0],
                         [("loss", 2000, None, 1, "unknown"), ("record", 2000, "four", None, None),
                          ("loss", 4000, None, 2, "overwritten"), ("record", 4000, "other four", None, None),
                          ("record", 6000, None, None, None)])
        for words in ("no clock snapshot has Unix time", "1 record: is left out: the end of a slice",
                      "1 record: refers to strings", "1 record: the slice has no end"):
            self.assertIn(words, said)

    def test_old_producers_are_read(self):
        records = [r for r in ringcat_events(sample("p03_losses")) if r["pid"] == 40]
        self.assertEqual([(r["name"], r["unix_ns"], r.get("duration_ns"), r["thread"], r["service"])
                          for r in records],
                         [("complete", 7000, 4000, {"id": 41, "name": "main"}, "old"),
                          ("delta", 10_000, None, {"id": 41, "name": "main"}, "old"),
                          ("absolute", 50_000, None, {"id": 41, "name": "main"}, "old")])

    def test_inspect_tells_their_structure(self):
        with open(sample("p03_losses"), "rb") as file:
            code, told, _ = inspected(file.read())
        self.assertEqual((code, told["schema"], told["error"]), (0, "perfetto-1", None))
        self.assertEqual(told["counts"], {"packets": 11, "events": 7, "bad_packets": 0, "dropped": 1,
                                          "without_state": 2})
        self.assertEqual({kind["kind"]: kind["packets"] for kind in told["kinds"]},
                         {"track_event": 9, "process_descriptor": 1, "thread_descriptor": 1})
        self.assertEqual(told["events"], {"other": 3, "slice_begin": 1, "slice_end": 1, "instant": 2, "counter": 0})
        self.assertEqual([(s["id"], s["packets"], s["events"], s["cleared"], s["dropped"], s["without_state"])
                          for s in told["sequences"]], [(2, 6, 4, 2, 1, 2), (3, 5, 3, 1, 0, 0)])
        code, output, _ = ringcat("inspect", "--json", sample("p01_threads"))
        self.assertEqual([(t["uuid"], t["parent"], t["kind"], t["name"], t["pid"], t["tid"])
                          for t in json.loads(output)["tracks"]],
                         [(10, 0, "process", "", 77, 0), (20, 10, "thread", "worker", 77, 78),
                          (30, 20, "counter", "queue", 0, 0)])


def ringcat_events(path):
    return [json.loads(line) for line in ringcat("--format", "json", path)[1].splitlines()]


class Reading(unittest.TestCase):
    def test_slices_of_tracks_of_one_thread_end_separately(self):
        data = encoded(HEAD + 'packet { track_descriptor { uuid: 2 parent_uuid: 1 name: "side" } }' +
                       event(10, BEGIN + ' name: "a"') + event(11, BEGIN + ' name: "b"', track=2) +
                       event(12, END) + event(13, INSTANT + ' name: "c"') + event(14, END, track=2))
        code, records, said = read(data)
        self.assertEqual((code, said), (0, ""))
        self.assertEqual([(r["name"], r["unix_ns"] - UNIX, r.get("duration_ns"), r.get("substream"), r["fields"])
                          for r in records],
                         [("a", 10, 2, None, {}), ("b", 11, 3, 2, {"perfetto.track": "side"}),
                          ("c", 13, None, None, {})])

    def test_a_slice_that_encloses_more_than_memory_holds_keeps_its_duration(self):
        many = encoded(event(2, INSTANT + ' name: "tick" debug_annotations { name: "x" string_value: "' +
                             "y" * 1000 + '" }'))
        data = (encoded(HEAD + event(1, BEGIN + ' name: "around"')) + 40_000 * many +
                encoded(event(3, END + ' debug_annotations { name: "late" int_value: 4 }')))
        code, records, said = read(data)
        around = [r for r in records if r["name"] == "around"]
        self.assertEqual((code, len(records), said), (0, 40_001, ""))
        self.assertEqual([(r["unix_ns"] - UNIX, r["duration_ns"], r["fields"]) for r in around],
                         [(1, 2, {"late": 4})])

    def test_compressed_packets_are_read(self):
        inner = encoded(event(5, INSTANT + ' name: "in"') + event(6, INSTANT + ' name: "side"'))
        packed = zlib.compress(inner)
        text = "".join(f"\\{byte:03o}" for byte in packed)
        outer = 'packet { compressed_packets: "%s" }'
        after = event(7, INSTANT + ' name: "after"')
        code, records, said = read(encoded(HEAD + outer % text + after))
        self.assertEqual((code, [r["name"] for r in records], said), (0, ["in", "side", "after"], ""))
        cut = "".join(f"\\{byte:03o}" for byte in packed[:-6])
        head = encoded(HEAD)
        code, records, said = read(head + encoded(outer % cut + after))
        self.assertEqual((code, [r["name"] for r in records]), (0, ["after"]))
        self.assertIn(f"1 bad packet was skipped, the first at {len(head)}", said)
        bomb = "".join(f"\\{byte:03o}" for byte in zlib.compress(bytes(17 << 20)))
        code, records, said = read(head + encoded(outer % bomb + after))
        self.assertEqual((code, [r["name"] for r in records]), (0, ["after"]))
        self.assertIn("1 bad packet", said)

    def test_damage_ends_the_reading_at_its_place(self):
        sound = encoded(HEAD + event(5, INSTANT + ' name: "one"'))
        for damage in (b"\x12\x02\x40\x01", b"\x0a", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0a\x7f\x40",
                       b"\x0a\x80\x80\x80\x40" + bytes(100), b"\xff" * 30):
            code, records, said = read(sound + damage)
            self.assertEqual((code, [r["name"] for r in records]), (1, ["one"]), damage)
            self.assertIn(f"FILE:{len(sound)}: ", said)
            code, told, _ = inspected(sound + damage)
            self.assertEqual((code, told["counts"]["events"], told["error"]["offset"]), (1, 1, len(sound)))
            self.assertEqual(inspected(damage)[0], 2)

    def test_names_without_end_are_kept_in_a_field(self):
        names = "".join(event(i, INSTANT + f' name: "request {i}"') for i in range(50_002))
        code, records, said = read(encoded(HEAD + names))
        self.assertEqual((code, len(records), said), (0, 50_002, ""))
        self.assertEqual((records[49_999]["name"], records[49_999]["fields"]), ("request 49999", {}))
        self.assertEqual([(r["name"], r["fields"]["perfetto.name"]) for r in records[50_000:]],
                         [("perfetto", "request 50000"), ("perfetto", "request 50001")])

    def test_a_text_is_not_a_trace(self):
        # Texts whose first bytes look like a packet.
        for text in (b"\n(kind record)\n", b"\n\n", b"\n", b"\nab\n" * 100):
            code, records, said = read(text)
            self.assertTrue(code != 0 and not records and "packet" not in said, (text, said))

    def test_a_pipe_and_an_empty_trace_are_read(self):
        with open(sample("p01_threads"), "rb") as file:
            code, output, said = ringcat("--format", "json", "-", input=file.read())
        self.assertEqual((code, len(output.splitlines()), said), (0, 5, ""))
        self.assertEqual(ringcat("--format", "json", "--from", "perfetto", "-", input=b""), (0, b"", ""))
        self.assertEqual(inspected(b"")[1]["counts"]["packets"], 0)


def same_value(there, back):
    """Compares a field: a type that Perfetto lacks becomes a text or has 64 bits."""
    if isinstance(there, list):
        return len(there) == len(back) and all(map(same_value, there, back))
    if isinstance(back, float) or isinstance(there, float):
        return is_same(there, float({"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(back, back)))
    return there == back or str(there) == back


class ThereAndBack(unittest.TestCase):
    def test_random_traces_keep_what_a_perfetto_trace_can_store(self):
        for seed in SEEDS:
            with RandomTrace(seed, records=1000) as trace:
                trace.converted("perfetto")
                there = comparable(trace.events())
                back = comparable(events_of(trace.path_of("converted.perfetto")))
            self.assertEqual(len(there), len(back))
            for one, other in zip(there, back):
                self.assertEqual({**one, "fields": 0, "msg": 0}, {**other, "fields": 0, "msg": 0})
                fields, again = one.get("fields", {}), other.get("fields", {})
                self.assertEqual(list(fields), list(again))
                for name, value in fields.items():
                    self.assertTrue(same_value(value, again[name]), (name, value, again[name]))
                if list(fields) == ["number", "text"] or not fields:
                    self.assertEqual(one.get("msg"), other.get("msg"))

    def test_samples_survive_the_way_there_and_back(self):
        # Threads with numbers, and flows whose numbers change.
        first = ringcat_events(sample("p01_threads"))
        code, again, said = read(ringcat("--to", "perfetto", sample("p01_threads"))[1])
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(again[0]["activity"], again[4]["related"])
        self.assertEqual(comparable(again), comparable(first))


if __name__ == "__main__":
    unittest.main(verbosity=2)
