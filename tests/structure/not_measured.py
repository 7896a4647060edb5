"""Figures in README.md and docs/ that look like measured ones and are not: settings, limits, and calculations from them.

Each entry: the page, the words around the figure (without code), and the reason.
"""

NOT_MEASURED = [
    # How something is measured.
    ("README.md", "measured once per 600 ns", "the pace of the row `paced`"),
    ("docs/comparison.md", "One call per 600 ns", "the pace of the row `paced`"),
    # What the build needs on a machine; rounded, for planning.
    ("README.md", "0.5 GB of packages, 0.03 GB of build, 0.2 GB of trace and text", "disk space to plan for, not a property of the product"),
    ("README.md", "0.5 GB of packages and 0.04 GB of build", "disk space to plan for, not a property of the product"),
    # The library's settings and limits.
    ("docs/concepts.md", "older than 10 ms", "default of RINGSIDE_PROCESSOR_INTERVAL_MS"),
    ("docs/concepts.md", "less than 100 times a second", "follows from RINGSIDE_PROCESSOR_INTERVAL_MS"),
    ("docs/concepts.md", "up to 10 ms of its records", "default of RINGSIDE_PROCESSOR_INTERVAL_MS"),
    ("docs/concepts.md", "100 ms without a live consumer", "default of RINGSIDE_BLOCK_TIMEOUT_MS"),
    ("docs/faq.md", "the first full ring costs 100 ms", "default of RINGSIDE_BLOCK_TIMEOUT_MS"),
    ("docs/guarantees.md", "10 s with a live consumer, 100 ms without", "default of RINGSIDE_BLOCK_TIMEOUT_MS"),
    ("docs/guarantees.md", "after 100 ms, then at once", "default of RINGSIDE_BLOCK_TIMEOUT_MS"),
    ("docs/operating/tuning.md", "100 ms without one", "default of RINGSIDE_BLOCK_TIMEOUT_MS"),
    ("docs/how-to/run-time.md", "more than 16,384 bytes of text", "limit of the dictionary entry"),
    ("docs/operating/sizing.md", "less than about 3 KiB/s", "follows from the rules by which a ring grows"),
    ("docs/operating/sizing.md", "1,062 MiB by default", "the layout's size with the default settings"),
    ("docs/reference/environment.md", "1,062 MiB by default", "the layout's size with the default settings"),
    # consumerd's settings and limits.
    ("docs/comparison.md", "wakes up every 100 ms", "the length of consumerd's sleep"),
    ("docs/operating/sizing.md", "wakes up every 100 ms", "the length of consumerd's sleep"),
    ("docs/operating/sizing.md", "waits 10 ms for a processor", "the assumption of ringstat's recommendation"),
    ("docs/guarantees.md", "in the last 100 ms", "the interval in the option beside it"),
    ("docs/how-to/durability.md", "in the last 100 ms", "the interval in the option beside it"),
    ("docs/how-to/durability.md", "any duration from 1 ms to 1 h", "limits of the option"),
    ("docs/how-to/durability.md", "records of about 100 ms", "the age at which consumerd writes a buffer"),
    ("docs/operating/troubleshooting.md", "retries every 100 ms", "consumerd's interval of retries"),
    ("docs/reference/metrics.md", "retried every 100 ms", "consumerd's interval of retries"),
    ("docs/reference/metrics.md", "retried every 500 ms", "the interval of retries of text files"),
    ("docs/reference/environment.md", "at most 1,000 bytes", "limit of a hook's variable"),
    ("docs/how-to/systemd.md", "| 0.8 |", "computed by systemd-analyze; systemd_units compares it"),
    ("docs/how-to/systemd.md", "| 0.7 |", "computed by systemd-analyze; systemd_units compares it"),
    ("docs/how-to/systemd.md", "| 1.1 |", "computed by systemd-analyze; systemd_units compares it"),
    # Calculated.
    ("docs/operating/fleet-planning.md", "| 29.9 | 14.9 | 13.4 |", "calculated by perf/fleet/plan.py, which the test fleet_plan compares"),
    ("docs/operating/fleet-planning.md", "| 15.5 | 77.1 | 692.9 |", "calculated by perf/fleet/plan.py, which the test fleet_plan compares"),
    # Tools, and other programs.
    ("docs/how-to/forward.md", "after 100 ms, then after twice as long", "the first interval of reconnection"),
    ("docs/how-to/forward.md", "has arrived for 50 ms", "the longest wait of the receiver"),
    ("docs/how-to/forward.md", "of the writer of 50 ms", "the longest wait of the receiver"),
    ("docs/migration/glog.md", "1 to 10 ms", "the kernel's tick, by its configuration"),
]
