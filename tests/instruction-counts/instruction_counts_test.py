#!/usr/bin/env python3
"""Counts the instructions of log calls, of first calls, of encoder and decoder and of consumerd's drain under callgrind, and the
system calls of first calls, and compares them with bounds.txt: a regression shows without any timing.

usage: instruction_counts_test.py COMPILER PROGRAM..."""

import glob
import os
import re
import subprocess
import sys
import tempfile

CALLS = 1000  # kCalls and kRecords in the programs
FIRST_CALL_PROCESSES = 3  # the least counts: names and numbers that differ by run have more or fewer digits
DRAIN_OWN_WORK = 0.5  # instructions per record beyond the copy out of the ring and its encoding, and of what differs by run
NOTHING = "first_nothing"  # what counting itself takes
SYSTEM_CALLS = "_system_calls"
COLUMNS = {"gcc": 1, "clang": 2}


def read_bounds(column):
    with open(os.path.join(os.path.dirname(__file__), "bounds.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {row[0]: float(row[column]) for row in rows}


def dumped(directory, *command, line="summary"):
    """Instructions by name, from the parts that the program asked callgrind to dump: the least of those with one name. The line
    "totals" leaves out what other threads do."""
    out = os.path.join(directory, os.path.basename(command[0]))
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command],
        # Few variables, because init() searches all.
        env={"PATH": os.environ["PATH"], "RINGSIDE_SHM_DIR": directory, "RINGSIDE_OVERFLOW": "drop",
             # What the dynamic linker does at the first use of a function is not ours.
             "LD_BIND_NOW": "1",
             # A check of the processor is a slow path every 10 ms, and under valgrind the calls take that long.
             "RINGSIDE_PROCESSOR_INTERVAL_MS": "3600000"}, capture_output=True, text=True,
        timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} under valgrind: status {done.returncode}\n{done.stderr}")
    counts = {}
    for part in glob.glob(out + ".*"):
        with open(part, encoding="utf-8") as file:
            text = file.read()
        os.remove(part)
        name = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.M)
        total = re.search(rf"^{line}: (\d+)$", text, re.M)
        if name and total:
            counts[name[1]] = min(int(total[1]), counts.get(name[1], float("inf")))
    return counts


def count(program, directory):
    """Instructions per call or record by name. Of what is dumped for two numbers of records, those for each record more, so that
    those of a round or of a file do not count."""
    counts, by_number = {}, {}
    for name, total in dumped(directory, program).items():
        stem, _, number = name.rpartition("_")
        if number.isdigit():
            by_number.setdefault(stem, {})[int(number)] = total
        else:
            counts[name] = total / CALLS
    for stem, totals in by_number.items():
        few, many = sorted(totals)
        counts[stem] = (totals[many] - totals[few]) / (many - few)
    return counts


def run_directly(*command, directory):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True,
                          env={**os.environ, "RINGSIDE_SHM_DIR": directory}).stdout


def count_first_calls(program, directory):
    """Instructions by name, and system calls by name with this suffix; without the latter if single steps are not permitted."""
    names = run_directly(program, directory=directory).split()
    counts = {name: min(dumped(directory, program, "--instructions", name, line="totals")[name]
                        for _ in range(FIRST_CALL_PROCESSES)) for name in names}
    calls = {name: int(run_directly(program, "--system-calls", name, directory=directory)) for name in names}
    del counts[NOTHING]
    of_marks = calls.pop(NOTHING)
    if of_marks < 0:
        print("tracing is not permitted here: the system calls of first calls are not counted")
        return counts
    counts.update({name + SYSTEM_CALLS: number - of_marks for name, number in calls.items() if number >= 0})
    return counts


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
    counts = {}
    with tempfile.TemporaryDirectory(prefix="ringside-counts-", dir="/dev/shm") as directory:
        for program in programs:
            if "first_calls" in program:
                counts.update(count_first_calls(program, directory))
                continue
            counts.update(count(program, directory))
            if "encoder" in program:
                counts.update(count_by_steps(program))
    for suffix in ("_wide", SYSTEM_CALLS):  # where they cannot be counted
        if not any(name.endswith(suffix) for name in counts):
            bounds = {name: bound for name, bound in bounds.items() if not name.endswith(suffix)}
    probed = {name.removeprefix("probed_"): counts.pop(name) for name in list(counts) if name.startswith("probed_")}
    wrong = costs_of_unused_sessions(counts)
    if not probed:
        wrong.append("no call is counted as a probe")
    for name, count_of_probe in sorted(probed.items()):
        # The probe is one nop, where the statement records.
        expected = counts.get(name, 0) + (name != "log_switched_off")
        print(f"{name:36} {count_of_probe:9.2f} as a probe")
        if abs(count_of_probe - expected) > 0.01:
            wrong.append(f"{name}: {count_of_probe:.2f} instructions as a probe, expected {expected:.2f}")
    for name in sorted(bounds.keys() | counts.keys()):
        if name not in counts:
            wrong.append(f"{name}: not counted")
            continue
        if name not in bounds:
            wrong.append(f"{name}: has no bound: {counts[name]:.2f}")
            continue
        print(f"{name:36} {counts[name]:9.2f} of {bounds[name]:.0f}")
        if counts[name] > bounds[name]:
            wrong.append(f"{name}: {counts[name]:.2f} instructions, more than {bounds[name]:.0f}")
        elif counts[name] < 0.85 * bounds[name] - 1:
            wrong.append(f"{name}: {counts[name]:.2f} instructions, far fewer than "
                         f"{bounds[name]:.0f}: lower the bound")
    if wrong:
        sys.exit("\n".join(wrong) + f"\nbounds: {os.path.dirname(__file__)}/bounds.txt")


if __name__ == "__main__":
    main()
