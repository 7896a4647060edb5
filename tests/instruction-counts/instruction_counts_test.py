#!/usr/bin/env python3
"""Counts the instructions of log calls, of the encoder and of consumerd's drain under callgrind and compares them with
bounds.txt: a regression shows without any timing.

usage: instruction_counts_test.py COMPILER PROGRAM..."""

import glob
import os
import re
import subprocess
import sys
import tempfile

CALLS = 1000  # kCalls and kRecords in the programs
DRAINED = (1000, 4000)  # kRecords of counted_drain
DRAIN_OWN_WORK = 0.5  # instructions per record beyond the copy out of the ring and its encoding, and of what differs by run
COLUMNS = {"gcc": 1, "clang": 2}


def read_bounds(column):
    with open(os.path.join(os.path.dirname(__file__), "bounds.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {row[0]: float(row[column]) for row in rows}


def count(program, directory):
    """Instructions per call by name, from the parts that the program asked callgrind to dump."""
    out = os.path.join(directory, os.path.basename(program))
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program],
        env={**os.environ, "RINGSIDE_SHM_DIR": directory, "RINGSIDE_OVERFLOW": "drop",
             # A check of the processor is a slow path every 10 ms, and under valgrind the calls take that long.
             "RINGSIDE_PROCESSOR_INTERVAL_MS": "3600000"}, capture_output=True, text=True,
        timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} under valgrind: status {done.returncode}\n{done.stderr}")
    counts = {}
    for part in glob.glob(out + ".*"):
        with open(part, encoding="utf-8") as file:
            text = file.read()
        name = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.M)
        total = re.search(r"^(?:summary|totals): (\d+)$", text, re.M)
        if name and total:
            counts[name[1]] = min(int(total[1]) / CALLS, counts.get(name[1], float("inf")))
    return counts


def per_drained_record(counts):
    """Replaces the two counts of each kind of drain by the instructions for each record more, so that those of a round do not
    count."""
    few, many = DRAINED
    for name in [name for name in counts if name.endswith(f"_{few}")]:
        stem = name.removesuffix(f"_{few}")
        counts[stem] = (counts.pop(f"{stem}_{many}") - counts.pop(name)) * CALLS / (many - few)


def costs_of_unused_sessions(counts):
    """What is wrong: without a session, nothing is done for each record except its copy and its encoding."""
    alone, never, after = (counts.get(f"drain_{name}") for name in ("copy_and_encode", "no_session", "after_session"))
    if None in (alone, never, after):
        return ["the drain is not counted"]
    wrong = []
    if never - alone > DRAIN_OWN_WORK:
        wrong.append(f"without a session, draining takes {never - alone:.2f} instructions per record more than a copy "
                     f"and its encoding, more than {DRAIN_OWN_WORK}")
    if after - never > DRAIN_OWN_WORK:
        wrong.append(f"after a session, draining takes {after:.2f} instructions per record, before it {never:.2f}")
    return wrong


def count_by_steps(program):
    """The same for code that valgrind cannot run; empty where the processor cannot run it either."""
    done = subprocess.run([program, "--steps"], capture_output=True, text=True, timeout=300,
                          check=True)
    counts = {name: float(count) for name, count in map(str.split, done.stdout.splitlines())}
    if any(count < 0 for count in counts.values()):
        print("single steps are not permitted here: the encoder's wide kernels are not counted")
        return {}
    if not counts:
        print("this processor has none of the encoder's wide kernels: they are not counted")
    return counts


def main():
    compiler, programs = sys.argv[1], sys.argv[2:]
    bounds = read_bounds(COLUMNS[compiler])
    counts, wide = {}, {}
    with tempfile.TemporaryDirectory(prefix="ringside-counts-", dir="/dev/shm") as directory:
        for program in programs:
            counts.update(count(program, directory))
            if "encoder" in program:
                wide = count_by_steps(program)
                counts.update(wide)
    per_drained_record(counts)
    if not wide:
        bounds = {name: bound for name, bound in bounds.items() if not name.endswith("_wide")}
    probed = {name.removeprefix("probed_"): counts.pop(name) for name in list(counts) if name.startswith("probed_")}
    wrong = costs_of_unused_sessions(counts)
    if not probed:
        wrong.append("no call is counted as a probe")
    for name, count_of_probe in sorted(probed.items()):
        # The probe is one nop, where the statement records.
        expected = counts.get(name, 0) + (name != "log_switched_off")
        print(f"{name:28} {count_of_probe:8.2f} as a probe")
        if abs(count_of_probe - expected) > 0.01:
            wrong.append(f"{name}: {count_of_probe:.2f} instructions as a probe, expected {expected:.2f}")
    for name in sorted(bounds.keys() | counts.keys()):
        if name not in counts or name not in bounds:
            wrong.append(f"{name}: {'not counted' if name in bounds else 'has no bound'}")
            continue
        print(f"{name:28} {counts[name]:8.2f} of {bounds[name]:.0f}")
        if counts[name] > bounds[name]:
            wrong.append(f"{name}: {counts[name]:.2f} instructions, more than {bounds[name]:.0f}")
        elif counts[name] < 0.85 * bounds[name] - 1:
            wrong.append(f"{name}: {counts[name]:.2f} instructions, far fewer than "
                         f"{bounds[name]:.0f}: lower the bound")
    if wrong:
        sys.exit("\n".join(wrong) + f"\nbounds: {os.path.dirname(__file__)}/bounds.txt")


if __name__ == "__main__":
    main()
