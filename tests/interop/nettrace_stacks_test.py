#!/usr/bin/env python3
"""Samples of the .NET runtime's profiler become flame graphs with the names of methods."""

import collections
import json
import os
import struct
import subprocess
import tempfile
import unittest

from nettrace_files import RUNTIME, NettraceFile, utf16
from protobuf_text import decode
from random_traces import BOUND_S, ringcat

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "speedscope.schema.json")
SAMPLES = os.path.join(HERE, "nettrace")

MAIN, WORK, LEAF, UNKNOWN = 0x10000, 0x20000, 0x30000, 0xABCDEF00


def sampled(pointer_bytes=8):
    """The events about methods follow the samples, and those about modules follow the methods, as in the runtime's files."""
    trace = NettraceFile(pointer_bytes)
    trace.sample(7, WORK + 5, MAIN + 0x20)
    trace.sample(7, LEAF, WORK + 0x40, MAIN + 0x20)
    trace.sample(7, LEAF + 1, WORK + 0x40, MAIN + 0x20)
    trace.sample(8, UNKNOWN, MAIN + 0x20)
    trace.method(MAIN, 0x100, "Main", module=1, namespace="App.Program")
    trace.method(WORK, 0x40, "Work", module=2, namespace="Lib.Worker", event=(RUNTIME, 143, 2))
    trace.method(LEAF, 0x10, "Leaf", module=3, namespace="")
    trace.module(1, "C:\\bin\\App.dll")
    trace.module(2, "/lib/Lib.Core.dll", event=(RUNTIME, 152, 1))
    return trace


FRAMES = {("App!App.Program.Main", "Lib.Core!Lib.Worker.Work"): 1,
          ("App!App.Program.Main", "Lib.Core!Lib.Worker.Work", "Leaf"): 2,
          ("App!App.Program.Main", "0xabcdef00"): 1}


class Stacks(unittest.TestCase):
    def converted(self, form, trace, *options):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            path = os.path.join(directory, "trace.nettrace")
            with open(path, "wb") as file:
                file.write(trace.whole())
            code, output, said = ringcat("--to", form, *options, path)
        self.assertEqual(code, 0, said)
        return output, said

    def folded(self, trace, *options):
        """Folded stacks without process and thread."""
        stacks = collections.Counter()
        output, said = self.converted("folded", trace, *options)
        for line in output.decode().splitlines():
            stack, count = line.rsplit(" ", 1)
            process, thread, *frames = stack.split(";")
            self.assertEqual(process, "nettrace-4711")
            self.assertIn(thread, ("-7", "-8"))
            stacks[tuple(frames)] += int(count)
        return dict(stacks), said

    def test_folded_stacks_count_the_samples_of_each_stack(self):
        for pointer_bytes in (4, 8):
            stacks, said = self.folded(sampled(pointer_bytes))
            self.assertEqual(stacks, FRAMES)
            # The 5 records are the events about methods and modules; samples are not left out.
            self.assertIn("5 records: records without a duration are left out", said)

    def test_speedscope_has_a_profile_of_samples_for_each_thread(self):
        document, _ = self.converted("speedscope", sampled())
        with tempfile.NamedTemporaryFile(prefix="ringside-test-") as file:
            file.write(document)
            file.flush()
            checked = subprocess.run(["/usr/bin/jsonschema", "-i", file.name, SCHEMA], capture_output=True,
                                     text=True, timeout=BOUND_S, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        data = json.loads(document)
        frames = [frame["name"] for frame in data["shared"]["frames"]]
        stacks = collections.Counter()
        for profile in data["profiles"]:
            self.assertEqual((profile["type"], profile["unit"], profile["startValue"]), ("sampled", "none", 0))
            self.assertEqual(profile["endValue"], sum(profile["weights"]))
            for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
                stacks[tuple(frames[frame] for frame in stack)] += weight
        self.assertEqual(dict(stacks), FRAMES)
        self.assertEqual([profile["endValue"] for profile in data["profiles"]], [3, 1])

    def test_perfetto_has_the_callstack_of_each_event(self):
        """Assembled as Perfetto's trace processor does it: each frame needs a mapping and a function name."""
        trace = sampled()
        trace.sample(8)  # a stack without frames
        data, said = self.converted("perfetto", trace)
        self.assertEqual(said, "")
        decoded = decode(data, HERE, "perfetto.proto", "ringside.test.Trace")
        tables = collections.defaultdict(dict)
        stacks, events = collections.Counter(), 0
        for packet in decoded["packet"]:
            for interned in packet.get("interned_data", []):
                for table, entries in interned.items():
                    for entry in entries:
                        self.assertNotIn(entry["iid"][0], tables[table])
                        tables[table][entry["iid"][0]] = entry
            for event in packet.get("track_event", []):
                events += 1
                for callstack in event.get("callstack_iid", []):
                    frames = [tables["frames"][frame] for frame in tables["callstacks"][callstack]["frame_ids"]]
                    self.assertTrue(all(frame["mapping_id"][0] in tables["mappings"] for frame in frames))
                    names = [tables["function_names"][frame["function_name_id"][0]]["str"][0] for frame in frames]
                    stacks[tuple(names)] += 1
        self.assertEqual(dict(stacks), FRAMES)
        self.assertEqual(events, 4 + 1 + 5)  # samples; the one without frames; methods and modules
        code, output, said = ringcat("--format", "json", "-", input=data)
        self.assertEqual((code, len(output.splitlines()), said), (0, events, ""))

    def test_methods_have_names_whatever_a_filter_leaves(self):
        stacks, _ = self.folded(sampled(), "--thread", "8")
        self.assertEqual(stacks, {("App!App.Program.Main", "0xabcdef00"): 1})
        stacks, _ = self.folded(sampled(), "--where", "Type == 2", "--head", "1")
        self.assertEqual(sum(stacks.values()), 1)
        self.assertIn(("App!App.Program.Main", "Lib.Core!Lib.Worker.Work"), stacks)
        self.assertEqual(self.folded(sampled(), "--where", "Type == 1")[0], {})

    def test_a_trace_of_ringside_has_the_names_too(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            first, own = (os.path.join(directory, name) for name in ("t.nettrace", "t.ringtrace"))
            with open(first, "wb") as file:
                file.write(sampled().whole())
            self.assertEqual(ringcat("--to", "ringtrace", "-o", own, first)[0], 0)
            lines = ringcat("--to", "folded", own)[1].decode()
        self.assertIn(";App!App.Program.Main;Lib.Core!Lib.Worker.Work;Leaf 2\n", lines)

    def test_a_method_without_a_name_has_that_of_its_entry_point(self):
        trace = NettraceFile()
        trace.sample(7, 0x1008)
        trace.method(0x1000, 0x10, "", method_id=77, event=(RUNTIME, 141, 1))
        trace.event(RUNTIME, 159, 0, struct.pack("<Q", 77) + utf16("N.T") + utf16("Ready") + utf16("void  ()") +
                    struct.pack("<QH", 0x1000, 0), thread=99)
        self.assertEqual(self.folded(trace)[0], {("N.T.Ready",): 1})

    def test_a_trace_without_rundown_has_the_names_of_entry_points(self):
        """Code of files that were compiled ahead of time has entry points, but no sizes."""
        trace = NettraceFile()
        trace.sample(7, 0x5010, 0x6000, 0x6001, 0x9000)  # the second frame returns to where Next begins: its call precedes it
        for method, (name, entry) in enumerate((("Leaf", 0x5000), ("Main", 0x5F00), ("Next", 0x6000), ("None", 0))):
            trace.event(RUNTIME, 159, 0, struct.pack("<Q", 70 + method) + utf16("N.T") + utf16(name) + utf16("void  ()") +
                        struct.pack("<QH", entry, 0), thread=99)
        self.assertEqual(self.folded(trace)[0], {("0x9000", "~N.T.Next", "~N.T.Main", "~N.T.Leaf"): 1})

    def test_other_stacks_are_drawn_where_there_are_no_samples(self):
        trace = sampled()
        trace.event(RUNTIME, 80, 1, utf16("E") + utf16("bad") + bytes(16), 7, (WORK, MAIN))
        stacks, said = self.folded(trace)
        self.assertEqual(stacks, FRAMES)
        self.assertIn("1 record: stacks of events that are not samples are left out", said)
        stacks, said = self.folded(trace, "--site", "Exception*")
        self.assertEqual(stacks, {("App!App.Program.Main", "Lib.Core!Lib.Worker.Work"): 1})
        self.assertNotIn("stacks of events", said)
        self.assertNotIn("records without a duration", said)

    def test_a_trace_of_the_runtime_itself(self):
        path = os.path.join(SAMPLES, "mixed_managed_external_samples.nettrace")
        code, output, _ = ringcat("--to", "folded", path)
        lines = output.decode().splitlines()
        self.assertEqual(code, 0)
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines), 6331)
        self.assertNotIn("0x", output.decode())
        for line in lines:
            self.assertTrue(line.startswith("nettrace-65636;-1484341;NoNativeStacks!NoNativeStacks.Program.Main"), line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
