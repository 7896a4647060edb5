#!/usr/bin/env python3
"""Creates the golden segments and staging files of a release, with the output of its readers.

usage: make_golden_memory.py FOLDER [NAME...], with the environment of the test `golden_memory` and the programs of the release"""

import os
import re
import subprocess
import sys

from golden_memory import committed_bytes, is_staging, restore, store
from traced_processes import BOUND_S, TestBed, program, wait_until


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def output_of(*arguments):
    return subprocess.run(arguments, capture_output=True, check=False, timeout=BOUND_S).stdout


def service(bed, what, **how):
    return bed.start_service(what, which="golden_service", service="golden", overflow="drop", ring_bytes=1 << 16,
                             environment={"RINGSIDE_MAX_THREADS": "4"}, **how)


def segment(bed, what):
    """A service without a consumerd: everything is in its segment."""
    assert service(bed, what).wait() == 0


def killed_consumer(bed):
    """A consumerd that was killed before it had written what it had taken: the rest is in the segment and in the staging file."""
    consumer = bed.start_consumer()
    wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
    process = service(bed, "kinds")
    staging = next(os.path.join(bed.shm_dir, name) for name in bed.shm_names() if is_staging(name))
    wait_until(lambda: committed_bytes(staging) > 0, "bytes that are not written yet")
    consumer.kill()
    assert process.wait() == 0
    assert committed_bytes(staging) > 0


def store_case(folder, name, make, *arguments):
    for _ in range(50):
        with TestBed() as bed:
            try:
                make(bed, *arguments)
            except (AssertionError, StopIteration):
                continue
            store(bed, os.path.join(folder, name))
            break
    else:
        sys.exit(f"{name}: not reached in 50 attempts")
    with TestBed() as bed:
        restore(os.path.join(folder, name), bed)
        for path in (os.path.join(bed.shm_dir, one) for one in bed.segments()):
            write(os.path.join(folder, name + ".salvaged"), output_of(program("ringcat"), "--utc", "--raw", "--segment", path))
        bed.run_consumer_once()
        write(os.path.join(folder, name + ".txt"), output_of(program("ringcat"), "--utc", "--raw", *bed.traces()))


def killed_in_contexts(bed):
    """A service without a consumerd, killed in two contexts, while it waits for a flush."""
    process = service(bed, "contexts")
    lines = ()
    while len(lines) < 5:
        lines = output_of(program("ringcat"), "--segment", *(os.path.join(bed.shm_dir, one) for one in bed.segments())).splitlines()
    process.kill()


CASES = {name: (segment, name) for name in ("kinds", "losses", "spans")}
CASES |= {"killed_consumer": (killed_consumer,), "killed_in_contexts": (killed_in_contexts,)}


def main(folder, *names):
    os.makedirs(folder, exist_ok=True)
    for name in names or CASES:
        store_case(folder, name, *CASES[name])
    for name in os.listdir(folder):
        assert re.fullmatch(r"\w+(\.txt|\.salvaged)?", name), name


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
