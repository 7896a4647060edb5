#!/usr/bin/env python3
"""Directories of LTTng sessions: every trace below them is read, and merged by time."""

import json
import os
import shutil
import sys
import unittest
import uuid

import ctf_streams as made
from ctf_handmade_test import ByHand
from ctf_test import SAMPLES, babeltrace, python_has_bt2
from random_traces import events_of, ringcat


# As in LTTng's traces; otherwise babeltrace2 does not merge.
CLOCK = made.CLOCK.replace("freq", "absolute = TRUE; freq")


def small_trace(directory, name, times):
    metadata = made.TYPES + made.trace_block("le") + CLOCK + made.stream_block() + made.event_block("uint8_t i;", name)

    def put(bits):
        for i, time in enumerate(times):
            made.event(bits, time).put(i, 8)
    own = uuid.uuid5(made.UUID, name)  # babeltrace2 treats traces with the same UUID as one
    stream = made.packet("le", put, begin=times[0], end=times[-1])
    made.write_trace(directory, metadata.replace(str(made.UUID), str(own)),
                     {"channel0_0": stream.replace(made.UUID.bytes, own.bytes)})


class Session(ByHand):
    def session(self):
        root = os.path.join(self.temporary.name, "auto-20261122")
        self.small = {"kernel": ("sched:switch", range(0, 9000, 40)),
                      "ust/pid/app-17-20261122-011220": ("app:one", range(1000, 5000, 7)),
                      "archives/20261122T011220-0/ust/uid/1000/32-bit": ("app:two", [500, 5000, 200_000_000 * 10 ** 9])}
        for place, (name, times) in self.small.items():
            small_trace(os.path.join(root, place), name, times)
            index = os.path.join(root, place, "index")
            os.mkdir(index)
            with open(os.path.join(index, "channel0_0.idx"), "wb") as file:
                file.write(b"\xc1\xf1\xdc\xc1" + bytes(200))
        self.sample = os.path.join(root, "ust/uid/1000/64-bit")
        shutil.copytree(os.path.join(SAMPLES, "lttng-ust"), self.sample)
        os.symlink(root, os.path.join(root, "ust", "loop"))
        os.symlink(self.sample, os.path.join(root, "ust", "again"))
        os.makedirs(os.path.join(root, "ust", "uid", "1001"))
        return root

    def test_all_traces_are_merged(self):
        root = self.session()
        expected = [(e["unix_ns"], e["category"] + ":" + e["name"]) for e in events_of(self.sample)]
        for name, times in self.small.values():
            expected += [(made.START_NS + time, name) for time in times]
        ours = [(e["unix_ns"], e["category"] + ":" + e["name"]) for e in events_of(root)]
        times = [time for time, _ in ours]
        self.assertTrue(times == sorted(times))
        self.assertEqual(len(ours), len(expected))
        self.assertEqual([pair for pair in zip(sorted(ours), sorted(expected)) if pair[0] != pair[1]], [])
        os.unlink(os.path.join(root, "ust", "loop"))
        os.unlink(os.path.join(root, "ust", "again"))
        for place in self.small:  # otherwise babeltrace2 would read them
            shutil.rmtree(os.path.join(root, place, "index"))
        theirs = [(e["unix_ns"], e["name"]) for e in babeltrace(root) if e["kind"] == "event"]
        self.assertEqual(len(ours), len(theirs))
        self.assertEqual([pair for pair in zip(sorted(ours), sorted(theirs)) if pair[0] != pair[1]], [])

    def test_a_broken_trace_does_not_affect_the_others(self):
        root = self.session()
        whole = events_of(root)
        with open(os.path.join(root, "kernel", "metadata"), "w", encoding="ascii") as file:
            file.write("/* CTF 1.8 */ trace { major = 2; minor = 0; };")
        with open(os.path.join(root, "ust/pid/app-17-20261122-011220", "channel0_0"), "r+b") as file:
            file.truncate(os.path.getsize(file.name) - 1)
        code, output, said = ringcat("--format", "json", root)
        self.assertEqual(code, 1)
        self.assertEqual(said.splitlines(), [
            f"ringcat: {root}:45: kernel/metadata: version 2.0 is not supported; supported version: 1.8",
            f"ringcat: {root}: ust/pid/app-17-20261122-011220/channel0_0: the file ends within the packet at 0 (at 6355)"])
        got = [json.loads(line)["unix_ns"] for line in output.splitlines()]
        self.assertEqual(got, [e["unix_ns"] for e in whole if e["name"] != "switch" and
                               (e["name"], e["unix_ns"]) != ("one", made.START_NS + 4997)])

    def test_inspect(self):
        root = self.session()
        code, output, said = ringcat("inspect", "--json", root)
        self.assertEqual((code, said), (0, ""))
        told = json.loads(output)
        self.assertEqual(told["schema"], "ctf-session-1")
        self.assertEqual([trace["path"] for trace in told["traces"]], sorted([*self.small, "ust/uid/1000/64-bit"]))
        for trace in told["traces"]:
            self.assertEqual((trace["trace"]["schema"], trace["trace"]["error"]), ("ctf-1", None))
        code, output, said = ringcat("inspect", "--csv", root)
        self.assertEqual((code, said), (0, ""))
        lines = output.decode().splitlines()
        self.assertEqual(len(lines), 1 + sum(len(trace["trace"]["packets"]) for trace in told["traces"]))
        self.assertTrue(any(line.startswith('"ust/uid/1000/64-bit/all_1",') for line in lines), lines)
        code, output, said = ringcat("inspect", root)
        self.assertEqual((code, said, output.count(b": CTF 1.8, little-endian:")), (0, "", 4))

    def test_invalid_directories(self):
        empty = os.path.join(self.temporary.name, "empty")
        os.makedirs(os.path.join(empty, "below", "it"))
        with open(os.path.join(empty, "below", "metadata"), "w", encoding="ascii") as file:
            file.write("of something else")
        code, _, said = ringcat(empty)
        self.assertEqual(code, 3)
        self.assertIn("no trace files found", said)
        deep = os.path.join(self.temporary.name, "deep")
        small_trace(os.path.join(deep, *"abcdefghijkl"), "too:deep", range(3))
        code, _, said = ringcat(deep)
        self.assertEqual(code, 3)
        small_trace(os.path.join(deep, "kernel"), "not:deep", range(3))
        code, output, said = ringcat(deep)
        self.assertEqual((code, len(output.splitlines())), (1, 3))
        self.assertIn("a/b/c/d/e/f/g/h/i/j: deeper directories are not searched; name these traces separately", said)

    def test_many_traces(self):
        root = os.path.join(self.temporary.name, "many")
        for i in range(502):
            small_trace(os.path.join(root, "ust", "pid", f"app-{i:03}"), "app:one", range(i, i + 3))
        code, output, said = ringcat("--format", "csv", root)
        self.assertEqual((code, len(output.splitlines())), (1, 1 + 500 * 3))
        self.assertIn("app-500: this and further traces are left out: more than 500 traces", said)


if __name__ == "__main__":
    if not python_has_bt2():
        sys.exit("python3-bt2 is missing; packaging/install-build-deps.sh installs it")
    unittest.main(verbosity=2)
