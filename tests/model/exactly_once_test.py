#!/usr/bin/env python3
"""Spin explores exactly_once.pml and encoder_threads.pml: the protocol must hold in every state, and Spin must find each
fault.

With --larger, also explores sizes that take longer.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ONE_THREAD = HERE / "exactly_once.pml"
SEVERAL_THREADS = HERE / "encoder_threads.pml"
TWO_RINGS = ("RECORDS=2", "RECORDS_1=1", "KILLS=2")
ONE_RING_REUSED = ("RECORDS=1", "RECORDS_1=0", "OWNERS=2", "DROPS=1", "CAPACITY=1", "KILLS=1")
LARGER = (
    ("RECORDS=3", "RECORDS_1=1", "KILLS=2"),
    ("RECORDS=2", "RECORDS_1=2", "KILLS=2"),
)
FAULTS = {
    "PUBLISH_BEFORE_BYTES": TWO_RINGS,
    "NO_SPACE_CHECK": ("RECORDS=3", "RECORDS_1=1", "KILLS=1"),
    "RELEASE_BEFORE_COMMIT": TWO_RINGS,
    "COMMIT_IN_TWO": TWO_RINGS,
    "POSITION_BEFORE_SEQUENCE": TWO_RINGS,
    "FREE_BEFORE_WRITTEN": TWO_RINGS,
    "RECOVERY_AT_THE_END": TWO_RINGS,
    "OFFSET_BEFORE_RECOVERY": TWO_RINGS,
    "REMOVED_BEFORE_POSITIONS": TWO_RINGS,
    "RECOVERY_WITHOUT_POSITIONS": TWO_RINGS,
    "RECOVERY_MOVES_BACK": TWO_RINGS,
    "LEAVE_IF_DRAINED_BEFORE_DEATH": TWO_RINGS,
    "REUSE_BEFORE_DRAIN": ONE_RING_REUSED,
    "ANY_GENERATION": ONE_RING_REUSED,
}
TWO_KILLS = ("RECORDS=2", "KILLS=2")
FAULTS_OF_THREADS = ("RECOVERS_ONE_THREAD", "CONTINUES_IN_FIRST_FILE", "MOVES_DURING_ROUND", "MOVES_BACK",
                     "UNITES_IN_OLD_FILE")


def explore(model, defines, memory_mb, optimise="-O1"):
    """The output of Spin's verifier for the model with these definitions."""
    with tempfile.TemporaryDirectory() as directory:
        def run(*command):
            done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
            return done.stdout
        run("spin", "-a", *(f"-D{name}" for name in defines), str(model))
        # NOREDUCE: a kill is a rendezvous in an escape, for which the reduction is not sound.
        run("gcc", "-w", optimise, "-DSAFETY", "-DNOREDUCE", "-DCOLLAPSE", f"-DMEMLIM={memory_mb}",
            "-o", "pan", "pan.c")
        # A larger depth than any path has; the check below fails if the search was cut.
        return run("./pan", "-m100000", "-w20")


def states(output):
    return int(re.search(r"(\d+) states, stored", output).group(1))


def verdict(output):
    if "Search not completed" in output and "errors: 0" in output:
        return "search not completed"
    if "max search depth too small" in output:
        return "search cut off"
    if "errors: 0" in output:
        return "holds"
    return re.search(r"pan:1: (.*)", output).group(1)


def main():
    failed = False
    sound = [(ONE_THREAD, TWO_RINGS), (ONE_THREAD, ONE_RING_REUSED), (SEVERAL_THREADS, TWO_KILLS)]
    sound += [(ONE_THREAD, defines) for defines in LARGER if "--larger" in sys.argv]
    wrong = [(ONE_THREAD, name, defines) for name, defines in FAULTS.items()]
    wrong += [(SEVERAL_THREADS, name, TWO_KILLS) for name in FAULTS_OF_THREADS]
    memory_mb = 800 if "--larger" in sys.argv else 400
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(explore, model, defines, memory_mb) for model, defines in sound]
        faulty = {name: pool.submit(explore, model, (*defines, f"FAULT_{name}"), memory_mb, "-O0")
                  for model, name, defines in wrong}
        for (model, defines), result in zip(sound, runs):
            output = result.result()
            print(f"{model.stem} {' '.join(defines)}: {verdict(output)}, {states(output)} states")
            failed |= verdict(output) != "holds"
        for name, result in faulty.items():
            output = result.result()
            found = verdict(output).startswith(("assertion violated", "invalid end state"))
            print(f"fault {name}: {'refuted' if found else 'NOT REFUTED'} after {states(output)} states: {verdict(output)}")
            failed |= not found
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
