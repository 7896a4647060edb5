#!/usr/bin/env python3
"""A measuring program of another tracer prints valid result lines in its shortest run.

usage: peer_lines_test.py NAME [PROGRAM]     without PROGRAM it is skipped: the tracer is not installed
"""

import json
import math
import subprocess
import sys

ROWS = ["back_to_back", "sustained", "bytes_per_record"]
KEYS = {"row", "subject", "case", "metric", "unit", "median", "low", "high", "best", "repeats"}
NOT_POSSIBLE = 77


def wrong(line, name):
    """The reason why the line is not a valid result of that tracer; None if it is one."""
    missing = KEYS - line.keys()
    if missing:
        return f"lacks {', '.join(sorted(missing))}"
    if line["subject"] not in (name, "floor") or line["case"] not in ("static", "tsc"):
        return "has another name"
    numbers = [line[key] for key in ("median", "low", "high", "best")]
    if not all(isinstance(n, (int, float)) and math.isfinite(n) and n > 0 for n in numbers):
        return "has a value that is not a positive number"
    if not line["low"] <= line["median"] <= line["high"]:
        return "has quartiles out of order"
    return None


def main():
    if len(sys.argv) == 2:
        print(f"skipped: {sys.argv[1]} was not installed when the build was set up "
              "(packaging/install-perf-peers.sh)", file=sys.stderr)
        return NOT_POSSIBLE
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    name, program = sys.argv[1:]
    command = [program, "--quick", "--case", "static"] + [word for row in ROWS for word in ("--row", row)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == NOT_POSSIBLE:
        print("skipped: see the reason above", file=sys.stderr)
        return NOT_POSSIBLE
    failures = [] if done.returncode == 0 else [f"status {done.returncode}"]
    lines = [json.loads(text) for text in done.stdout.splitlines()]
    failures += [f"{line}: {wrong(line, name)}" for line in lines if wrong(line, name)]
    failures += [f"no line of row {row}" for row in ROWS if row not in {line.get("row") for line in lines}]
    print("\n".join(failures) or f"{len(lines)} lines, all valid")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
