"""redis-benchmark: one kind of request against one server, and what it reports."""

import re
import subprocess

CLIENTS = 20
KEYS = 1000
VALUE_BYTES = 16
# redis-benchmark lists percentiles at distances from 100 % that halve each time, so 99.9 is 99.902.
PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p99.9": 99.9, "max": 100.0}

RATE = re.compile(r"throughput summary: ([0-9.]+) requests per second")
SUMMARY = re.compile(r"avg +min +p50 +p95 +p99 +max\s+([0-9. ]+)")
LISTED = re.compile(r"^([0-9.]+)% <= ([0-9.]+) milliseconds \(cumulative count", re.MULTILINE)


class LoadError(Exception):
    """redis-benchmark failed, or its output is not as expected."""


def parse(text):
    """{"rate": requests per second, "p50": latency in us, ...} from its long output."""
    rate = RATE.search(text)
    summary = SUMMARY.search(text)
    # The first list is by percentile; the second, of round latencies, starts after this heading.
    listed = LISTED.findall(text.split("Cumulative distribution of latencies")[0])
    if not rate or not summary or not listed:
        raise LoadError(f"unexpected output of redis-benchmark: {text[-400:]}")
    _, _, p50, p95, p99, longest = (float(ms) for ms in summary.group(1).split())
    p999 = next(float(ms) for percent, ms in listed if float(percent) >= PERCENTILES["p99.9"])
    in_ms = {"p50": p50, "p95": p95, "p99": p99, "p99.9": p999, "max": longest}
    return {"rate": float(rate.group(1)), **{name: 1000 * ms for name, ms in in_ms.items()}}


def run(port, kind, pipeline, requests, bound_s=120):
    """`kind` is "set" or "get"."""
    command = ["redis-benchmark", "-h", "127.0.0.1", "-p", str(port), "-t", kind, "-n", str(requests),
               "-c", str(CLIENTS), "-P", str(pipeline), "-r", str(KEYS), "-d", str(VALUE_BYTES),
               "--precision", "3"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=bound_s, check=False)
    except subprocess.TimeoutExpired:
        raise LoadError(f"{' '.join(command)} did not end within {bound_s} s") from None
    if done.returncode != 0:
        raise LoadError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr[-400:]}")
    return parse(done.stdout)
