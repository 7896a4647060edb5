#!/usr/bin/env python3
"""kvd under redis-benchmark: no tracing, Ringside, spdlog async, LTTng-UST, all statements on.

Prints JSON lines, row "integration" (perf/README.md); messages go to standard error. Every round runs
every tracer in turn, in a new kvd, and compares it with the kvd without tracing of the same round. That kvd is
measured twice, so that its own row shows the noise of the machine in the ratio.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import redis_load
import tracers
from processes import Process, ProcessError, processor_seconds

CASES = [(kind, pipeline) for pipeline in (1, 16) for kind in ("set", "get")]
PRELOAD_REQUESTS = 10_000  # so that GET finds its keys, and one-time costs are not measured
THREADS = 2
LEAST_RECORDS_PER_REQUEST = 6  # fewer records mean that statements were disabled
NOT_POSSIBLE = 77


def tell(text):
    print(f"run_integration: {text}", file=sys.stderr, flush=True)


def measure(program, tracer, folder, case, requests, count):
    """Runs one load on one kvd. Returns the figures of redis_load and the tracer's costs."""
    kind, pipeline = case
    folder.mkdir()
    with tracer.around(folder) as surroundings:
        with Process([program, "--port", "0", "--threads", str(THREADS)], folder / "kvd.out",
                     surroundings.environment) as kvd:
            listens = re.compile(r"^kvd: listening on .*:(\d+)$", re.MULTILINE)
            kvd.wait_until(lambda: listens.search(kvd.log()), "kvd listens")
            surroundings.served(kvd.pid)
            port = int(listens.search(kvd.log()).group(1))
            redis_load.run(port, "set", 16, PRELOAD_REQUESTS)
            pids = [kvd.pid, *surroundings.pids()]
            before_s = sum(map(processor_seconds, pids))
            figures = redis_load.run(port, kind, pipeline, requests)
            figures["processor_us"] = (sum(map(processor_seconds, pids)) - before_s) * 1e6 / requests
            kvd.stop()
        trace = surroundings.finish(count)
    shutil.rmtree(folder)
    all_requests = requests + PRELOAD_REQUESTS
    figures["trace_bytes"] = trace.size / all_requests
    if trace.lost is not None:
        figures["lost"] = trace.lost / all_requests
    if trace.records is not None and tracer.name != "none":
        per_request = (trace.records + (trace.lost or 0)) / all_requests
        if per_request < LEAST_RECORDS_PER_REQUEST:
            raise ProcessError(f"{tracer.name} recorded {trace.records} records of {all_requests} requests")
        figures["records"] = trace.records / all_requests
    return figures


def requests_for(program, tracer, folder, case, seconds):
    """The number of requests that take about this time without tracing."""
    figures = measure(program, tracer, folder, case, 10_000, False)
    return max(2_000, int(figures["rate"] * seconds) // 1000 * 1000)


class Rows:
    """Collects figures, one per round, and prints their spread."""

    def __init__(self, sink):
        self.sink = sink
        self.values = defaultdict(list)

    def add(self, subject, case, figures, base):
        def put(metric, unit, value, p=None):
            self.values[(subject, case, metric, unit, p)].append(value)

        put("requests_per_second", "1/s", figures["rate"])
        put("rate_to_none", "x", figures["rate"] / base["rate"])
        for p in redis_load.PERCENTILES:
            put("latency", "us", figures[p], p)
            put("latency_to_none", "x", figures[p] / base[p], p)
        put("processor_per_request", "us", figures["processor_us"])
        put("processor_to_none", "x", figures["processor_us"] / max(base["processor_us"], 1e-3))
        if subject != "none":
            put("trace_bytes_per_request", "bytes", figures["trace_bytes"])
            for key in ("lost", "records"):
                if key in figures:
                    put(f"{key}_per_request", "records", figures[key])

    def print(self):
        for (subject, (kind, pipeline), metric, unit, p), values in self.values.items():
            quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
            is_rate = metric in ("requests_per_second", "rate_to_none")
            row = {"row": "integration", "subject": subject, "case": kind, "pipeline": pipeline, "metric": metric,
                   "unit": unit, **({"p": p} if p else {}), "median": quartiles[1], "low": quartiles[0],
                   "high": quartiles[2], "best": (max if is_rate else min)(values), "repeats": len(values),
                   "sink": self.sink}
            print(json.dumps({key: round(value, 4) if isinstance(value, float) else value
                              for key, value in row.items()}))


def run(options, stack):
    build = Path(options.build).resolve()
    work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ringside-integration.", dir=options.dir)))
    sink = subprocess.run(["stat", "-f", "-c", "%T", work], capture_output=True, text=True, check=True).stdout.strip()
    usable = []
    for tracer in tracers.of_build(build, stack, work):
        program = build / f"perf/integration/kvd_{tracer.name}"
        why = tracer.missing() if program.exists() else f"{program.name} is not built"
        if why:
            tell(f"without {tracer.name}: {why}")
        elif not options.only or tracer.name in ("none", *options.only):
            usable.append((tracer, str(program)))
    if not usable or usable[0][0].name != "none" or len(usable) == 1:
        tell("nothing to compare")
        return NOT_POSSIBLE
    untraced, untraced_program = usable[0]

    runs = 0

    def fresh():
        nonlocal runs
        runs += 1
        return work / str(runs)

    requests = {case: requests_for(untraced_program, untraced, fresh(), case, options.seconds) for case in CASES}
    rows = Rows("tmpfs" if sink == "tmpfs" else "disk")
    start = time.monotonic()
    for number in range(options.rounds):
        for case in CASES:
            if time.monotonic() - start > options.limit:
                tell(f"out of time in round {number + 1} of {options.rounds}")
                rows.print()
                return 0 if number else 1
            # The order rotates, so that no tracer always comes first.
            turn = number % len(usable)
            taken = {tracer.name: measure(program, tracer, fresh(), case, requests[case], number == 0)
                     for tracer, program in usable[turn:] + usable[:turn]}
            again = measure(untraced_program, untraced, fresh(), case, requests[case], False)
            for name, figures in taken.items():
                rows.add(name, case, again if name == "none" else figures, taken["none"])
            tell(f"round {number + 1}, {case[0]} -P {case[1]}: " + ", ".join(
                f"{name} {figures['rate']:.0f}/s" for name, figures in taken.items()))
    rows.print()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--dir", default=os.environ.get("TMPDIR", "/tmp"), help="folder for the traces")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="duration of one load without tracing")
    parser.add_argument("--limit", type=float, default=900, help="start no load after this number of seconds")
    parser.add_argument("--only", action="append", metavar="TRACER", help="only this tracer, beside none (repeatable)")
    parser.add_argument("--quick", action="store_true", help="one short round")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 1, 0.05
    if not shutil.which("redis-benchmark") or not shutil.which("setpriv"):
        tell("redis-benchmark (package redis-tools) or setpriv (util-linux) is missing")
        return NOT_POSSIBLE
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    try:
        with contextlib.ExitStack() as stack:
            return run(options, stack)
    except (ProcessError, redis_load.LoadError) as error:
        tell(f"invalid figures: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
