#!/usr/bin/env python3
"""Plans the servers of a fleet from measured figures: the table of docs/operating/fleet-planning.md.

usage: plan.py [--hosts N] [--services N] [--linger-s S] [--queue-days D] [--server-month P] [--gb-month P] [--check PAGE]

--check compares the table in the page with the calculated one."""

import argparse
import math
import sys

# Measured by ship_load; perf/README.md, "The fleet", has the runs.
LARGE_RECORD_BYTES = 10.1  # on the wire, in messages of 512 KiB before compression
SMALL_RECORD_BYTES = 13.2  # in messages of 10 to 100 records
MESSAGE_BYTES = 333  # of a message without its records
SUBJECT_BYTES = 2_600  # of the server's memory for a subject and its shipper's subscription
# One stream has one leader. Its limits here are a quarter of what one server without replication stored on two cores:
# 34,900 messages of 4 KiB, or 468 MB, in a second.
LEADER_MESSAGES_PER_S = 34_900 / 4
LEADER_BYTES_PER_S = 468e6 / 4
REPLICAS = 3
RATES = (10, 100, 1_000)
# From this number of records on, a message is a large one.
LARGE_MESSAGE_RECORDS = 10_000


def plan(rate, options):
    """One column: the plan for `rate` records a second of each host."""
    messages_each = options.services / options.linger_s
    is_large = rate / messages_each >= LARGE_MESSAGE_RECORDS
    messages = options.hosts * messages_each
    stored = messages * MESSAGE_BYTES + options.hosts * rate * (LARGE_RECORD_BYTES if is_large else SMALL_RECORD_BYTES)
    cells = max(1, math.ceil(max(messages / LEADER_MESSAGES_PER_S, stored / LEADER_BYTES_PER_S)))
    subjects = options.hosts * options.services
    disk_gb = stored * 86_400 * options.queue_days * REPLICAS / 1e9
    servers = cells * REPLICAS
    return [
        ("records a second, all hosts", f"{options.hosts * rate:,}"),
        ("messages a second", f"{messages:,.0f}"),
        ("MB a second into the queue", f"{stored / 1e6:,.0f}"),
        ("bytes per record", f"{stored / (options.hosts * rate):.1f}"),
        ("cells", f"{cells:,}"),
        ("servers", f"{servers:,}"),
        ("subjects of running services, per cell", f"{math.ceil(subjects / cells):,}"),
        ("memory for these subjects, MB per server", f"{subjects / cells * SUBJECT_BYTES / 1e6:,.0f}"),
        (f"TB on disks for {options.queue_days:g} days, with replicas", f"{disk_gb / 1000:,.1f}"),
        ("cost a month", f"{servers * options.server_month + disk_gb * options.gb_month:,.0f}"),
    ]


def table(options):
    columns = [plan(rate, options) for rate in RATES]
    lines = ["| records a second of each host | " + " | ".join(f"{rate:,}" for rate in RATES) + " |",
             "| --- |" + " ---: |" * len(RATES)]
    for row in zip(*columns):
        lines.append(f"| {row[0][0]} | " + " | ".join(value for _, value in row) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--services", type=int, default=5, help="on each host, that log all the time")
    parser.add_argument("--linger-s", type=float, default=10, help="ringship --linger-ms, in seconds")
    parser.add_argument("--queue-days", type=float, default=2, help="age limit of the stream")
    parser.add_argument("--server-month", type=float, default=300, help="price of a server")
    parser.add_argument("--gb-month", type=float, default=0.1, help="price of a GB of disk")
    parser.add_argument("--check", metavar="PAGE")
    options = parser.parse_args()
    made = table(options)
    if options.check is None:
        print(made)
        return 0
    with open(options.check, encoding="utf-8") as page:
        is_same = made in page.read()
    print("the same" if is_same else f"{options.check}: another table than this one; replace it:\n{made}")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
