#!/usr/bin/env python3
"""Counts the instructions that the compiler executes for a file of log statements, and compares them with compile_bounds.txt: what
statements cost the compiler shows without any timing.

usage: compile_instructions_test.py gcc|clang VERSION SOURCE_ROOT

VERSION is that of the compiler that builds the project. The bounds hold for the compilers that they name; with another version
the test is skipped.
"""

import os
import re
import subprocess
import sys
import tempfile

STATEMENTS = 30
PROGRAMS = {"gcc": "g++", "clang": "clang++"}
BOUND_S = 600  # for one file, on a busy machine
SKIPPED = 77
BOUNDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compile_bounds.txt")


def read_bounds(compiler):
    """The version that the bounds hold for, and millions of instructions by style."""
    with open(BOUNDS, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    column = rows[0].index(compiler)
    return rows[1][column], {row[0]: float(row[column]) for row in rows[2:]}


def millions_of_instructions(command, folder):
    """Of all processes that the compiler's driver starts."""
    # The tests' runner has malloc fill what it allocates and frees, which would count.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes", "--cachegrind-out-file=/dev/null", *command],
        capture_output=True, text=True, timeout=BOUND_S, check=False, cwd=folder,
        env={**environment, "CCACHE_DISABLE": "1"})
    counts = [int(count.replace(",", "")) for count in re.findall(r"I\s+refs:\s+([\d,]+)", done.stderr)]
    if done.returncode != 0 or not counts:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr[-2000:]}")
    return sum(counts) / 1e6


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    compiler, version, root = sys.argv[1:]
    bounded_version, bounds = read_bounds(compiler)
    if version.split(".")[0] != bounded_version:
        print(f"the bounds hold for {compiler} {bounded_version}, this is {version}")
        sys.exit(SKIPPED)
    sys.path.insert(0, os.path.join(root, "perf"))
    import compile_cost  # pylint: disable=import-outside-toplevel,import-error
    wrong = []
    if set(bounds) != set(compile_cost.SUBJECTS):
        wrong.append("the bounds are not those of the styles in perf/compile_cost.py")
    with tempfile.TemporaryDirectory(prefix="ringside-compile-instructions.") as folder:
        for style, bound in bounds.items():
            header, statement, options = compile_cost.SUBJECTS[style]
            with open(os.path.join(folder, "statements.cpp"), "w", encoding="utf-8") as file:
                file.write(compile_cost.source(header, statement, STATEMENTS))
            count = millions_of_instructions([PROGRAMS[compiler], "-std=c++20", "-O2", *options, "-S", "statements.cpp"], folder)
            print(f"{style:8} {count:8.1f} of {bound:.0f} million instructions", flush=True)
            if count > bound:
                wrong.append(f"{style}: {count:.1f} million instructions, more than {bound:.0f}")
            elif count < 0.85 * bound:
                wrong.append(f"{style}: {count:.1f} million instructions, far fewer than {bound:.0f}: lower the bound")
    if wrong:
        sys.exit("\n".join(wrong) + f"\nbounds: {BOUNDS}")


if __name__ == "__main__":
    main()
