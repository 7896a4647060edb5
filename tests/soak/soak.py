#!/usr/bin/env python3
"""Real services and consumerd under kills, stops, upgrades and crashes at random moments: every record whose log call has
returned is in the trace files, once and in order.

Rounds of random faults alternate with machine crashes. The seed is printed; a failed round prints the options that repeat
it. Programs come from --build, or from the environment that meson sets."""

import argparse
import os
import random
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "end-to-end"))
sys.dont_write_bytecode = True

from host_crash import HostCrash  # noqa: E402
from struck_round import StruckRound, new_counts, other_version, version_of  # noqa: E402
from traced_processes import program  # noqa: E402

PROGRAMS = {"CONSUMERD": "consumerd/consumerd", "RINGCAT": "tools/ringcat",
            "WORKLOAD": "tests/end-to-end/e2e_workload",
            "CHECK_OUTPUT": "tests/end-to-end/e2e_check_output"}
ROUNDS_PER_HOST_CRASH = 4


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", help="build directory whose programs are used")
    parser.add_argument("--other-consumerd", action="append", default=[], metavar="PROGRAM",
                        help="another build of consumerd to upgrade to; default: a copy with another version")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("RINGSIDE_TEST_SEED", "0")))
    parser.add_argument("--rounds", type=int, default=3, help="rounds of random faults, default 3")
    parser.add_argument("--seconds", type=float, default=0, help="start new rounds for this time instead")
    parser.add_argument("--first-round", type=int, default=0, help="number of the first round, to repeat one")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 3],
                        help="of each consumerd that is started, one of these, default 1 and 3")
    parser.add_argument("--services", type=int, default=3, help="at a time, default 3")
    parser.add_argument("--blows", type=int, default=24, help="a round, default 24")
    parser.add_argument("--cuts", type=int, default=24, help="a host crash, default 24")
    return parser.parse_args()


def find_programs(build):
    if build is None:
        return
    for name, path in PROGRAMS.items():
        os.environ["RINGSIDE_TEST_" + name] = os.path.abspath(os.path.join(build, path))


def run_round(arguments, seed, number, consumers, counts):
    dice = random.Random(f"{seed} {number}")
    try:
        StruckRound(dice, consumers, counts, tuple(arguments.threads), arguments.services, arguments.blows).run()
        if number % ROUNDS_PER_HOST_CRASH == 0:
            HostCrash(dice, counts, arguments.cuts).run()
    except BaseException:
        print(f"soak: round {number} failed; --seed {seed} --first-round {number} --rounds 1 repeats it",
              file=sys.stderr, flush=True)
        raise
    counts["rounds"] += 1


def main():
    arguments = parse()
    find_programs(arguments.build)
    seed = arguments.seed or random.randrange(1, 1 << 32)
    print(f"soak: seed {seed}", flush=True)
    counts = new_counts()
    end = time.monotonic() + arguments.seconds
    number = arguments.first_round
    with tempfile.TemporaryDirectory(prefix="ringside-soak-") as directory:
        consumers = [program("consumerd"), *(map(os.path.abspath, arguments.other_consumerd))]
        if len(consumers) == 1:
            consumers.append(other_version(consumers[0], directory))
        print("soak: " + " and ".join(f"{version_of(each)}" for each in consumers), flush=True)
        try:
            while (time.monotonic() < end if arguments.seconds
                   else number < arguments.first_round + arguments.rounds):
                run_round(arguments, seed, number, consumers, counts)
                number += 1
        finally:
            for what, count in sorted(counts.items()):
                print(f"soak: {what}: {count:,}", flush=True)


if __name__ == "__main__":
    main()
