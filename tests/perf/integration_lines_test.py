#!/usr/bin/env python3
"""The integration benchmark's shortest run: valid lines, some from every installed tracer, nothing lost by Ringside, and no
process left running.

usage: integration_lines_test.py RUN_INTEGRATION BUILD
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

METRICS = {"requests_per_second", "rate_to_none", "latency", "latency_to_none"}
NOT_POSSIBLE = 77


def running_in(folder):
    """Command lines of processes that name the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if folder in command:
            found.append(command)
    return found


def failures_of(lines, folder):
    numbers = ("median", "low", "high", "best")
    failures = [f"no finite numbers: {line}" for line in lines
                if line["row"] != "integration" or not all(math.isfinite(line[key]) for key in numbers)]
    by_subject = {}
    for line in lines:
        by_subject.setdefault(line["subject"], set()).add(line["metric"])
    failures += [f"no lines of {name}" for name in ("none", "ringside") if name not in by_subject]
    failures += [f"{name} lacks {METRICS - metrics}" for name, metrics in by_subject.items() if METRICS - metrics]
    failures += [f"lost: {line}" for line in lines
                 if (line["subject"], line["metric"]) == ("ringside", "lost_per_request") and line["high"] > 0]
    failures += [f"left running: {command}" for command in running_in(folder)]
    failures += [f"not removed: {path}" for path in Path(folder).iterdir()]
    return failures


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        done = subprocess.run([sys.executable, sys.argv[1], "--build", sys.argv[2], "--dir", folder, "--quick"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == NOT_POSSIBLE:
            print("skipped: see the reason above", file=sys.stderr)
            return NOT_POSSIBLE
        failures = [] if done.returncode == 0 else [f"status {done.returncode}"]
        lines = [json.loads(text) for text in done.stdout.splitlines()]
        failures += failures_of(lines, folder)
    print("\n".join(failures) or f"{len(lines)} lines, all valid")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
