#!/usr/bin/env python3
"""CTF: babeltrace2 reads what ringcat writes, and ringcat reads other producers' traces as babeltrace2 does."""

import base64
import json
import math
import os
import struct
import subprocess
import sys
import unittest
from fractions import Fraction

from random_traces import BOUND_S, SEEDS, RandomTrace, comparable, events_of, ringcat

# The Python that the distribution's python3-bt2 is for.
PYTHON = "/usr/bin/python3"
HERE = os.path.dirname(os.path.abspath(__file__))
BABELTRACE_EVENTS = os.path.join(HERE, "babeltrace_events.py")
SAMPLES = os.path.join(HERE, "ctf")


def python_has_bt2():
    return os.path.exists(PYTHON) and subprocess.run([PYTHON, "-c", "import bt2"], check=False).returncode == 0


def babeltrace(directory):
    done = subprocess.run([PYTHON, BABELTRACE_EVENTS, directory], capture_output=True, timeout=BOUND_S,
                          check=False)
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr.decode()[-700:])
    return [json.loads(line) for line in done.stdout.splitlines()]


def written(trace, *options):
    """Returns the directory and the messages."""
    path = trace.path_of("ctf")
    code, output, said = ringcat("--to", "ctf", "-o", path, *options, trace.path)
    assert code == 0 and not output, (code, output[:1000], said)
    return path, said


def number_text(number):
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def shortest_f32(number):
    """The double nearest to the shortest decimals that identify this float."""
    for digits in range(1, 10):
        text = f"{number:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", number):
            return float(text)
    return number


def as_printed(field, kind):
    """A field that babeltrace2 has read, in the form in which ringcat --format json prints its type."""
    if kind.endswith("[]"):
        return [as_printed(element, kind[:-2]) for element in field]
    if kind == "bool":
        return bool(field)
    if kind == "char":
        return bytes([field]).decode(errors="replace")
    if kind == "pointer":
        return f"0x{field:x}"
    if kind in ("i128", "u128"):
        return field["high"] * 2 ** 64 + field["low"]
    if kind == "f80":
        power = (field["sign_exponent"] & 0x7FFF) - 16383 - 63
        number = float(field["mantissa"] * Fraction(2) ** power)
        return -number if field["sign_exponent"] & 0x8000 else number
    if kind in ("f32", "f64"):
        number = float.fromhex(field["hex"])
        return number_text(shortest_f32(number) if kind == "f32" and math.isfinite(number) else number)
    if kind == "bytes":
        # In arrays, bytes are strings of digits.
        return base64.b64encode(bytes.fromhex(field) if isinstance(field, str) else bytes(field)).decode()
    if kind == "enum":
        return field["number"] if isinstance(field, dict) else field
    return field


def extensions_of(fields):
    found = {}
    for name, printed in (("substream", "substream"), ("stack", "stack_id"), ("duration_ns", "duration_ns")):
        if "ringside_" + name in fields:
            found[printed] = fields["ringside_" + name]
    for name, printed in (("activity", "activity"), ("related_activity", "related")):
        if "ringside_" + name in fields:
            found[printed] = bytes(fields["ringside_" + name]).hex()
    return found


def as_record(event, facts):
    """ringcat's output for the record that babeltrace2 has read."""
    values = [value for name, value in event["fields"].items()
              if not (name.startswith("_") and name.endswith("_length"))]
    record = {"unix_ns": event["unix_ns"], "pid": event["context"]["vpid"],
              "thread": {"id": event["context"]["vtid"], "name": event["context"]["procname"]},
              "category": facts["category"], "level": facts["level"], "line": facts["line"],
              "file": facts["file"], "function": facts["function"], **extensions_of(event["fields"])}
    record["fields"] = {}
    for field, value in zip(facts["fields"], values, strict=False):  # extensions follow the fields
        named = field["type"] == "enum" and value["names"]
        record["fields"][field["name"]] = value["names"][0] if named else as_printed(value, field["type"])
    return record


def of_interest(record):
    kept = ("unix_ns", "pid", "thread", "category", "level", "line", "file", "function", "substream", "stack_id",
            "duration_ns", "activity", "related", "fields")
    return {name: record[name] for name in kept if name in record}


def cut_at_nul(value):
    """Strings as CTF stores them."""
    if isinstance(value, str):
        return value.split("\0")[0]
    if isinstance(value, list):
        return [cut_at_nul(element) for element in value]
    return value


def in_order(records):
    return sorted(records, key=lambda r: (r["unix_ns"], r["pid"], r["thread"]["id"], json.dumps(r, sort_keys=True)))


class Written(unittest.TestCase):
    maxDiff = 4000

    def assert_equal_records(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        for one, other in zip(ours, theirs):
            for name, value in one["fields"].items():
                # 80 bits printed in decimal and read as 64 bits.
                if isinstance(value, float) and isinstance(other["fields"][name], float):
                    self.assertTrue(math.isclose(value, other["fields"][name], rel_tol=4e-16), (one, other))
                    other["fields"][name] = value
                self.assertEqual(value, other["fields"][name], (name, one))
            self.assertEqual(one, other)

    def compare(self, seed, **shape):
        with RandomTrace(seed, **shape) as trace:
            directory, said = written(trace)
            told = babeltrace(directory)
            entries = told[0]["entries"]
            facts = {int(name.rsplit("_", 1)[1]): json.loads(text)
                     for name, text in entries.items() if name.startswith("ringside_event_")}
            events = trace.events()
        if said:
            self.assertRegex(said, r"^ringcat: \d+ records?: strings are truncated at their first NUL byte, which ends strings in CTF\n$")
        ours = [of_interest(event) for event in events if event["kind"] == "record"]
        for record in ours:
            record["fields"] = {name: cut_at_nul(value) for name, value in record["fields"].items()}
        theirs = [as_record(event, facts[event["id"]]) for event in told if event["kind"] == "event"]
        for record in theirs:  # a character can also be NUL
            record["fields"] = {name: cut_at_nul(value) for name, value in record["fields"].items()}
        self.assert_equal_records(in_order(ours), in_order(theirs))
        losses = sorted((e["unix_ns"], e["count"]) for e in events if e["kind"] == "loss")
        self.assertGreater(len(losses), 0)
        self.assertEqual(losses, sorted((e["unix_ns"], e["count"]) for e in told if e["kind"] == "discarded"))

    def test_babeltrace_reads_every_value(self):
        for seed in SEEDS:
            self.compare(seed)

    def test_many_packets(self):
        self.compare(11, records=1500, processes=1, threads=1)


def without_nuls(event):
    """The event as CTF stores it: its line of text changes, too."""
    return {**event, "msg": None, "fields": {name: cut_at_nul(value) for name, value in event.get("fields", {}).items()}}


def losses_of(events):
    """By thread: the number of losses, and the time of the last one."""
    found = {}
    for event in events:
        if event["kind"] == "loss":
            key = event["pid"], event["thread"]["id"], event["thread"]["name"]
            count, until = found.get(key, (0, 0))
            found[key] = count + event["count"], max(until, event["unix_ns"])
    return found


class ReadAgain(unittest.TestCase):
    maxDiff = 4000

    def test_what_is_written_comes_back(self):
        for seed in SEEDS:
            with RandomTrace(seed) as trace:
                directory, _ = written(trace)
                self.assertEqual(list(map(without_nuls, comparable(events_of(directory)))),
                                 list(map(without_nuls, comparable(trace.events()))))
                again = trace.path_of("again")
                self.assertEqual(ringcat("--to", "ctf", "-o", again, directory), (0, b"", ""))
                self.assertEqual(events_of(again), events_of(directory))

    def test_what_babeltrace_writes_from_it_comes_back(self):
        """babeltrace2's sink.ctf.fs writes all packets of a stream into one file, with its own metadata."""
        for seed in SEEDS[:3]:
            with RandomTrace(seed) as trace:
                directory, _ = written(trace)
                copy = trace.path_of("copy")
                subprocess.run(["babeltrace2", directory, "--output-format=ctf", "--output", copy], check=True,
                               stdout=subprocess.DEVNULL, timeout=BOUND_S)
                (found,) = [folder for folder, _, files in os.walk(copy) if "metadata" in files]
                before, after = events_of(directory), events_of(found)
                first, second = ([{**e, "sequence": None, "msg": None} for e in comparable(events) if e["kind"] == "record"]
                                 for events in (before, after))
                self.assertEqual(len(first), len(second))
                for one, other in zip(first, second):
                    other["fields"] = {name: with_empty_texts_of(one["fields"].get(name), value)
                                       for name, value in other["fields"].items()}
                    self.assertEqual(other, one)
                self.assertEqual(losses_of(after), losses_of(before))


def with_empty_texts_of(one, other):
    """For an empty string, babeltrace 2.0 writes the previous string."""
    if isinstance(one, list) and isinstance(other, list):
        return [with_empty_texts_of(*pair) for pair in zip(one, other, strict=True)]
    return "" if one == "" else other


class LttngTraces(unittest.TestCase):
    """The traces in ctf/, compared with what babeltrace2 reads from them."""

    def compare(self, name):
        directory = os.path.join(SAMPLES, name)
        told = babeltrace(directory)
        theirs = [event for event in told if event["kind"] == "event"]
        events = events_of(directory)
        ours = [event for event in events if event["kind"] == "record"]
        self.assertEqual(len(ours), len(theirs))
        key = lambda e: (e["unix_ns"], e["context"].get("vtid", 0), e["context"].get("cpu_id", 0))
        for one, other in zip(ours, sorted(theirs, key=key)):
            self.assertEqual((one["unix_ns"], one["category"] + ":" + one["name"]),
                             (other["unix_ns"], other["name"]))
            if "vtid" in other["context"]:
                self.assertEqual((one["pid"], one["thread"]),
                                 (other["context"]["vpid"], {"id": other["context"]["vtid"],
                                                             "name": other["context"]["procname"]}))
            fields = {field: plain_field(value) for field, value in other["fields"].items()
                      if not (field.startswith("_") and field.endswith("_length"))}
            self.assertEqual(fields | {"ctf.cpu_id": one["fields"]["ctf.cpu_id"]}, one["fields"])
        self.assertEqual(sum(e["count"] for e in events if e["kind"] == "loss"),
                         sum(e["count"] for e in told if e["kind"] == "discarded"))
        return events

    def test_all_types_and_contexts(self):
        self.assertEqual(len(self.compare("lttng-ust")), 38)

    def test_discarded_events_and_several_packets(self):
        events = self.compare("lttng-ust-lossy")
        self.assertEqual([(e["count"], e["cause"]) for e in events if e["kind"] == "loss"],
                         [(2880, "ring_full"), (2923, "ring_full")])


class Inspected(unittest.TestCase):
    def test_json_has_events_and_packets(self):
        code, output, said = ringcat("inspect", "--json", os.path.join(SAMPLES, "lttng-ust-lossy"))
        self.assertEqual((code, said), (0, ""))
        told = json.loads(output)
        self.assertEqual((told["schema"], told["version"], told["byte_order"], told["error"]), ("ctf-1", "1.8", "le", None))
        self.assertEqual([event["name"] for event in told["events"]], ["sample:numbers", "sample:texts", "sample:nothing"])
        self.assertEqual([(p["file"], p["sequence"], p["discarded"]) for p in told["packets"]][:3],
                         [("all_0", 0, 0), ("all_0", 1, 2880), ("all_0", 2, 5803)])

    def test_text_and_csv(self):
        for style in ((), ("--csv",)):
            code, output, said = ringcat("inspect", *style, os.path.join(SAMPLES, "lttng-ust"))
            self.assertEqual((code, said, b"all_1" in output), (0, "", True))


def plain_field(field):
    if isinstance(field, list):
        return [plain_field(element) for element in field]
    if isinstance(field, dict) and "hex" in field:
        number = float.fromhex(field["hex"])
        # The sample has floats of both sizes; ringcat prints those of 32 bits with few digits.
        return shortest_f32(number) if struct.unpack("f", struct.pack("f", number))[0] == number else number
    if isinstance(field, dict) and field.keys() == {"number", "names"}:
        return field["names"][0] if field["names"] else field["number"]
    if isinstance(field, dict):
        return {name: plain_field(member) for name, member in field.items()}
    return field


class Directory(unittest.TestCase):
    def test_it_must_be_named_and_must_not_exist(self):
        with RandomTrace(1, records=10) as trace:
            code, _, said = ringcat("--to", "ctf", trace.path)
            self.assertEqual((code, "ctf is a directory; name one with -o" in said), (2, True), said)
            path, _ = written(trace)
            code, _, said = ringcat("--to", "ctf", "-o", path, trace.path)
            self.assertEqual(code, 3)
            self.assertIn("cannot create the directory: File exists; name another with -o", said)
            self.assertTrue(os.path.exists(os.path.join(path, "metadata")))


if __name__ == "__main__":
    if not python_has_bt2():
        sys.exit("python3-bt2 is missing; packaging/install-build-deps.sh installs it")
    unittest.main(verbosity=2)
