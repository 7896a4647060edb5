#!/usr/bin/env python3
"""What `ringcat report` costs: processor time in relation to `ringcat stats` of the same trace, memory, and the size of the page.

Each round runs both, in turns, so that both see the same machine. Ratios are those of a round. Only ratios mean something on a
machine with other work."""

import argparse
import os
import subprocess
import tempfile

import figures
import loads

MOST_RATIO = 2
MOST_PAGE_MB = 10


def measured(command):
    """Processor time in s, and the greatest memory in MB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compare(ringcat, trace, name, rounds, out):
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "report.html")
        commands = {"stats": [ringcat, "stats", trace], "report": [ringcat, "report", "-o", page, trace]}
        for number in range(rounds):
            # The order changes, so that neither always comes first.
            order = ("stats", "report") if number % 2 == 0 else ("report", "stats")
            taken.append({which: measured(commands[which]) for which in order})
            figures.tell(f"{name}, round {number + 1}: " + ", ".join(f"{which} {taken[-1][which][0]:.2f} s" for which in commands))
        page_mb = os.path.getsize(page) / 1e6
    out.add(name, "processor_to_stats", "x", [each["report"][0] / each["stats"][0] for each in taken], MOST_RATIO)
    for which in commands:
        out.add(name, f"processor_{which}", "s", [each[which][0] for each in taken])
        out.add(name, f"memory_{which}", "MB", [each[which][1] for each in taken])
    out.add(name, "page", "MB", [page_mb], MOST_PAGE_MB)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="folder of an optimised build with tests")
    parser.add_argument("--ringcat", help="another ringcat; default: that of the build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--traces", help="folder where traces stay, for further runs; default: a temporary one")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the records, to check that it runs")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each figure")
    options = parser.parse_args()
    out = figures.Figures(options.json)
    ringcat = options.ringcat or os.path.join(options.build, "tools/ringcat")
    with tempfile.TemporaryDirectory() as temporary:
        for name, records in loads.RECORDS.items():
            trace = loads.trace_of(options.build, name, options.traces or temporary, records // (100 if options.quick else 1))
            compare(ringcat, trace, name, options.rounds, out)
    out.print()


if __name__ == "__main__":
    main()
