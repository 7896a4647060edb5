#!/usr/bin/env python3
"""Measures figures of chapter 9 of NanoLog's dissertation: prints a JSON line for each value; render.py makes EVALUATION.md.

usage: evaluate.py [--quick] [--records N] [--folder FOLDER] BUILD_FOLDER PART...

PART  throughput   figure 9.2, table 9.4's load: rate of 1 to 16 threads for six messages, until the last byte is in the file
      text         figure 9.3, table 9.5: text of traces of 1 to 4,096 threads, ordered and not, to the disk and to /dev/null
      aggregation  figure 9.4: one statement's minimum, mean and maximum, from the trace and from its text by C++, awk and Python,
                   with 0, 1, 50 and 100 % of the records wanted; also with the files out of the page cache, if permitted
      size         section 9.4: bytes of the dictionary for each statement

--quick takes few records, two messages and two numbers of threads, to check that it runs.
FOLDER (default: $TMPDIR) is where the traces and texts are written; they are removed. Traces there pass through the page cache."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

MESSAGES = ("static", "string39", "integer", "two_integers", "double", "five_arguments")
THREADS = (1, 2, 4, 8, 16)
THREADS_OF_TEXT = (1, 4, 16, 64, 256, 1024, 4096)
MATCHING = (0, 1, 50, 100)
BOUND_S = 1800
PATTERN = "Hello World # ([0-9]+)"
AWK = ('match($0, /Hello World # [0-9]+/) { n = substr($0, RSTART + 14, RLENGTH - 14) + 0; s += n; c++; '
       'if (c == 1 || n < l) l = n; if (n > m) m = n } END { if (c) print c, l, s / c, m; else print 0 }')
PYTHON = ('import re, sys\nwanted = re.compile(r".*Hello World # (\\d+)")\nc = s = m = 0\nl = None\n'
          'for line in open(sys.argv[1]):\n    found = wanted.match(line)\n    if found:\n        n = int(found.group(1))\n'
          '        c += 1\n        s += n\n        l = n if l is None or n < l else l\n        m = max(m, n)\n'
          'print(c, l, s / max(c, 1), m)')


def say(**fields):
    print(json.dumps(fields), flush=True)


class Traced:
    """consumerd and one run of the load; `trace` is the folder of the trace, without consumerd."""

    def __init__(self, build, parent, message, threads, records):
        self.place = tempfile.TemporaryDirectory(prefix="ringside-evaluation-", dir=parent)
        self.shm = tempfile.TemporaryDirectory(prefix="ringside-evaluation-", dir="/dev/shm")
        self.trace = os.path.join(self.place.name, "trace")
        os.mkdir(self.trace)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        environment["RINGSIDE_SHM_DIR"] = self.shm.name
        environment["RINGSIDE_BLOCK_TIMEOUT_MS"] = "forever"  # a busy machine must not lose records
        if threads > 64:
            environment["RINGSIDE_MAX_THREADS"] = str(threads + 1)
            environment["RINGSIDE_RING_BYTES"] = "64K"
        with subprocess.Popen([build / "consumerd" / "consumerd", "--shm-dir", self.shm.name, "--output", self.trace],
                              stderr=subprocess.DEVNULL, env=environment) as consumerd:
            try:
                done = subprocess.run([build / "perf" / "evaluation" / "load", "--message", message, "--threads", str(threads),
                                       "--records", str(records)], env=environment, timeout=BOUND_S, capture_output=True,
                                      text=True, check=False)
            finally:
                consumerd.terminate()
        if done.returncode != 0:
            sys.exit(f"evaluate: {message} by {threads} threads: {done.stdout}{done.stderr}")
        told = json.loads(done.stdout)
        self.seconds, self.records = told["seconds"], told["records"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.cleanup()
        self.shm.cleanup()

    def bytes(self):
        return sum(entry.stat().st_size for entry in os.scandir(self.trace))


def timed_s(command, output=subprocess.DEVNULL):
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=output) as program:
        # Without a time limit: Python would look for the end only every 50 ms.
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - begin
    if program.returncode != 0:
        sys.exit(f"evaluate: {command[0]} failed with status {program.returncode}")
    return seconds


def throughput(build, options):
    for message in options.few(MESSAGES):
        for threads in options.few(THREADS):
            with Traced(build, options.folder, message, threads, options.records) as traced:
                say(part="throughput", message=message, threads=threads, rate=traced.records / traced.seconds,
                    bytes=traced.bytes() / traced.records)


def text(build, options):
    ringcat = build / "tools" / "ringcat"
    for threads in options.few(THREADS_OF_TEXT):
        for message in options.few(MESSAGES):
            with Traced(build, options.folder, message, threads, options.records) as traced:
                for order in ("ordered", "unordered"):
                    command = [ringcat, *(["--unordered"] if order == "unordered" else []), traced.trace]
                    say(part="text", message=message, threads=threads, order=order, sink="/dev/null",
                        rate=traced.records / timed_s(command))
                    with open(os.path.join(traced.place.name, "text"), "wb") as file:
                        say(part="text", message=message, threads=threads, order=order, sink="disk",
                            rate=traced.records / timed_s(command, file))


def forget_pages():
    """Whether the page cache could be emptied."""
    os.sync()
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")
    except OSError:
        return False
    return True


def aggregation(build, options):
    for matching in options.few(MATCHING):
        with Traced(build, options.folder, f"matching_{matching}", 1, options.records) as traced:
            lines = os.path.join(traced.place.name, "text")
            with open(lines, "wb") as file:
                timed_s([build / "tools" / "ringcat", traced.trace], file)
            by_c = build / "perf" / "evaluation" / "text_aggregate"
            commands = {
                "ringcat agg": [build / "tools" / "ringcat", "agg", "--field", "#1", "Hello World", traced.trace],
                "C++": [by_c, lines], "awk": ["awk", AWK, lines], "Python": [sys.executable, "-c", PYTHON, lines],
                "simple read": [by_c, "--read", lines]}
            if matching == 0:  # that statement never runs, so the trace lacks it: takes the other one
                commands["ringcat agg"] = [build / "tools" / "ringcat", "agg", "--field", "#1", "UnrelatedLog", traced.trace]
            for cache in ("warm", "cold"):
                for name, command in commands.items():
                    if cache == "cold" and not forget_pages():
                        break
                    say(part="aggregation", matching=matching, cache=cache, program=name,
                        ns=timed_s(command) * 1e9 / traced.records, trace_bytes=traced.bytes(), text_bytes=os.path.getsize(lines))


def size(build, _options):
    """Of an example, whose statements are listed by ringcat."""
    with tempfile.TemporaryDirectory(prefix="ringside-evaluation-") as place:
        environment = {**os.environ, "RINGSIDE_SHM_DIR": place}
        subprocess.run([build / "libagent" / "examples" / "levels"], env=environment, stdout=subprocess.DEVNULL, check=True,
                       timeout=BOUND_S)
        subprocess.run([build / "consumerd" / "consumerd", "--once", "--shm-dir", place, "--output", place], check=True,
                       timeout=BOUND_S, stderr=subprocess.DEVNULL)
        (trace,) = pathlib.Path(place).glob("*.ringtrace")
        listed = subprocess.run([build / "tools" / "ringcat", "statements", "--format", "json", trace], check=True,
                                capture_output=True, text=True, timeout=BOUND_S).stdout.splitlines()
        shown = subprocess.run([build / "tools" / "ringcat", "inspect", "--json", trace], check=True, capture_output=True,
                               timeout=BOUND_S).stdout
        dictionary = sum(block["payload_bytes"] for block in json.loads(shown)["blocks"] if block["type"] == "DICTIONARY")
        say(part="size", statements=len(listed), dictionary_bytes=dictionary)


PARTS = {"throughput": throughput, "text": text, "aggregation": aggregation, "size": size}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=8_000_000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD_FOLDER")
    parser.add_argument("parts", nargs="+", choices=list(PARTS), metavar="PART")
    options = parser.parse_args()
    if options.quick:
        options.records = 20_000
    options.few = lambda values: values[:2] if options.quick else values
    for part in options.parts:
        PARTS[part](options.build.resolve(), options)


if __name__ == "__main__":
    main()
