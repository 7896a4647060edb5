#!/usr/bin/env python3
"""--to perfetto: protoc finds everything that the records hold, under Perfetto's field numbers."""

import json
import os
import struct
import unittest

from protobuf_text import decode
from random_traces import SEEDS, RandomTrace, ringcat

INCREMENTAL_STATE_CLEARED, NEEDS_INCREMENTAL_STATE = 1, 2
REALTIME = 1
KINDS = {"event_categories", "event_names", "debug_annotation_names", "source_locations",
         "debug_annotation_string_values"}


def one(message, name, otherwise=None):
    values = message.get(name, [])
    assert len(values) <= 1, (name, message)
    return values[0] if values else otherwise


class Decoded:
    """The events of a trace, assembled as a viewer does it."""

    def __init__(self, data):
        self.trace = decode(data, os.path.dirname(os.path.abspath(__file__)), "perfetto.proto",
                            "ringside.test.Trace")
        self.tracks = {}
        self.strings = {}
        self.events = []
        self.open = {}  # slices, by track
        at_times = []
        for packet in self.trace["packet"]:
            assert all(not name.isdigit() for name in packet), packet
            flags = one(packet, "sequence_flags", 0)
            if flags & INCREMENTAL_STATE_CLEARED:
                self.strings = {kind: {} for kind in KINDS}
                assert one(one(packet, "trace_packet_defaults"), "timestamp_clock_id") == REALTIME
            for kind, entries in one(packet, "interned_data", {}).items():
                for entry in entries:
                    assert one(entry, "iid") not in self.strings[kind]
                    self.strings[kind][one(entry, "iid")] = entry
            if "track_descriptor" in packet:
                track = one(packet, "track_descriptor")
                self.tracks[one(track, "uuid")] = track
            if "track_event" in packet:
                assert flags & NEEDS_INCREMENTAL_STATE
                at_times.append((one(packet, "timestamp"), self.strings, one(packet, "track_event")))
        at_times.sort(key=lambda event: event[0])
        for timestamp, self.strings, event in at_times:
            self.add(timestamp, event)
        assert not any(self.open.values())

    def thread_of(self, uuid):
        """(pid, tid, name), or (pid, 0, None) for an event without a thread."""
        track = self.tracks[uuid]
        if "thread" in track:
            thread = one(track, "thread")
            assert one(one(self.tracks[one(track, "parent_uuid")], "process"), "pid") == one(
                thread, "pid")
            return one(thread, "pid"), one(thread, "tid"), one(thread, "thread_name", "")
        if "process" in track:
            return one(one(track, "process"), "pid"), 0, None
        return self.thread_of(one(track, "parent_uuid"))

    def string(self, kind, iid):
        return one(self.strings[kind][iid], "name") if iid is not None else ""

    def value(self, annotation):
        if "array_values" in annotation:
            return [self.value(element) for element in annotation["array_values"]]
        for name in ("bool_value", "uint_value", "int_value", "double_value", "string_value"):
            if name in annotation:
                return one(annotation, name)
        if "string_value_iid" in annotation:
            return self.string("debug_annotation_string_values", one(annotation, "string_value_iid"))
        if "pointer_value" in annotation:
            return f"0x{one(annotation, 'pointer_value'):x}"
        return []

    def add(self, timestamp, event):
        kind, track = one(event, "type"), one(event, "track_uuid")
        slices = self.open.setdefault(track, [])
        if kind == "TYPE_SLICE_END":
            begun = slices.pop()
            begun["duration_ns"] = timestamp - begun["unix_ns"]
            return
        added = {"unix_ns": timestamp, "type": kind, "track": track,
                 "thread": self.thread_of(track),
                 "name": self.string("event_names", one(event, "name_iid")),
                 "category": self.string("event_categories", one(event, "category_iids")),
                 "flows": event.get("flow_ids", []),
                 "value": one(event, "counter_value", one(event, "double_counter_value"))}
        source = self.strings["source_locations"].get(one(event, "source_location_iid"), {})
        added["source"] = (one(source, "file_name", ""), one(source, "line_number", 0),
                           one(source, "function_name", ""))
        added["fields"], added["facts"] = {}, {}
        for annotation in event.get("debug_annotations", []):
            name = self.string("debug_annotation_names", one(annotation, "name_iid"))
            if name.startswith("ringside."):
                added["facts"][name[len("ringside."):]] = self.value(annotation)
            else:
                added["fields"][name] = self.value(annotation)
        if kind == "TYPE_SLICE_BEGIN":
            slices.append(added)
        self.events.append(added)


def single(number):
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return None


def is_same(json_value, value):
    """Compares a field: JSON has numbers in their shortest decimal form."""
    if isinstance(json_value, list):
        return len(json_value) == len(value) and all(map(is_same, json_value, value))
    if isinstance(value, float):
        number = float({"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(
            json_value, json_value))
        return number == value or (number != number and value != value) or single(number) == value
    return json_value == value or (isinstance(value, str) and str(json_value) == value)


class Perfetto(unittest.TestCase):
    def assert_carried(self, record, found):
        self.assertEqual(record["unix_ns"], found["unix_ns"])
        self.assertEqual((record["pid"], record["thread"]["id"], record["thread"]["name"]),
                         found["thread"])
        self.assertEqual(record["category"], found["category"])
        self.assertEqual((record["file"], record["line"], record["function"]), found["source"])
        if "name" in record:
            self.assertEqual(record["name"], found["name"])
        facts = found["facts"]
        self.assertEqual((record["sequence"], record["level"]), (facts["sequence"], facts["level"]))
        for name in ("substream", "activity", "related", "stack_id"):
            self.assertEqual(record.get(name), facts.get(name), name)
        self.assertEqual(record.get("duration_ns"), found.get("duration_ns"))
        self.assertEqual(len(found["flows"]), ("activity" in record) + ("related" in record))
        self.assertEqual(list(record["fields"]), list(found["fields"]))
        for name, value in record["fields"].items():
            self.assertTrue(is_same(value, found["fields"][name]), (name, value, found["fields"]))

    def test_carries_random_records(self):
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                data, said = trace.converted("perfetto")
                events = trace.events()
            decoded = Decoded(data)
            counters = {}  # by thread, time and track
            found = []
            for event in decoded.events:
                if event["type"] == "TYPE_COUNTER":
                    track = one(decoded.tracks[event["track"]], "name")
                    counters.setdefault((event["thread"], event["unix_ns"]), []).append(
                        (track, event["value"]))
                if event["facts"]:
                    found.append(event)
            self.assertEqual(len(found), len(events))
            self.assertRegex(said, r"^(ringcat: \d+ records?: numbers became the nearest.*\n)?$")
            seen = 0
            for event, place in zip(events, found):
                if event["kind"] == "loss":
                    self.assertEqual(place["name"], "lost records")
                    self.assertEqual(event["count"], place["facts"]["count"])
                    self.assertEqual(event["cause"], place["facts"]["cause"])
                    continue
                self.assert_carried(event, place)
                for track, value in counters.get((place["thread"], event["unix_ns"]), []):
                    field = track.removeprefix(place["name"] + " ")
                    if field == track:
                        continue  # it belongs to another record of the same time
                    number = event["fields"][field]
                    self.assertTrue(is_same(number, value) or float(number) == value, track)
                    seen += 1
            self.assertEqual(seen, sum(len(values) for values in counters.values()))
            self.assertGreater(seen, 10)

    def test_overlapping_spans_have_tracks_of_their_own(self):
        with RandomTrace(3, threads=1, processes=1, sites=1, records=200) as trace:
            decoded = Decoded(trace.converted("perfetto")[0])
        names = [one(track, "name", "") for track in decoded.tracks.values()]
        self.assertIn("overlapping 2", names)

    def test_ends_after_the_last_time_are_at_the_last(self):
        """Perfetto drops times that do not fit 63 bits, which would leave such a slice without an end."""
        line = {"time": 1_700_000_000_000_000_000, "message": "m", "duration_ns": 2**63}
        _, written, said = ringcat("--to", "perfetto", "--from", "ndjson", "-",
                                   input=json.dumps(line).encode())
        (begun,) = Decoded(written).events
        self.assertEqual(begun["unix_ns"] + begun["duration_ns"], 2**63 - 1)
        self.assertIn("numbers became the nearest", said)

    def test_changes_are_reported(self):
        with RandomTrace(1, any_bytes_in_texts=True) as trace:
            data, said = trace.converted("perfetto")
        self.assertRegex(said, r"\d+ records: bytes that are not UTF-8 became U\+FFFD")
        Decoded(data)

    def test_an_empty_trace_is_an_empty_file(self):
        with RandomTrace(1, records=0) as trace:
            self.assertEqual(trace.converted("perfetto"), (b"", ""))



if __name__ == "__main__":
    unittest.main(verbosity=2)
