#!/usr/bin/env python3
"""Creates perf/COMPRESSION.md and its plots from the output of compression_study.

usage: render.py RESULTS.jsonl INTRODUCTION.md CONCLUSION.md OUTPUT_FOLDER

An algorithm's throughput at an I/O bandwidth B is min(1 / time per record, B / bytes per record), as in
the source: encoding and writing overlap. The algorithm with the highest one wins the case.
"""
import collections
import json
import math
import pathlib
import sys

from packing_table import section as packing_section
from plot import write_plot

BANDWIDTHS = [10 ** (exponent / 8) for exponent in range(0, 41)]  # MB/s, 1 to 100,000
TABLE_BANDWIDTHS = [1, 5, 10, 30, 100, 300, 1000, 2200, 5000, 10000, 30000]
ALONE = ["memcpy", "nanolog", "leb128", "ringside", "zlib1", "zlib6", "snappy", "lz4", "zstd1",
         "zstd3", "zlib9"]


def load(path):
    records, integers = collections.OrderedDict(), collections.OrderedDict()
    for line in pathlib.Path(path).read_text().splitlines():
        row = json.loads(line)
        target = integers if row["unit"] == "ns/integer" else records
        target.setdefault(row["case"], collections.OrderedDict())[row["subject"]] = row
    return records, integers


def throughput(row, bandwidth):
    """Million records per second at `bandwidth` MB/s; uses the quietest turn, because disturbances only add time."""
    return min(1e3 / row["best"], bandwidth / row["bytes"])


def winners(cases, subjects, bandwidth):
    """The number of cases won by each algorithm; algorithms within 1 % of the fastest share the case."""
    won = collections.Counter()
    for rows in cases.values():
        values = {s: throughput(rows[s], bandwidth) for s in subjects if s in rows}
        best = max(values.values())
        first = [s for s, value in values.items() if value > 0.99 * best]
        for subject in first:
            won[subject] += 1 / len(first)
    return won


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def won_table(cases, subjects):
    counts = {b: winners(cases, subjects, b) for b in TABLE_BANDWIDTHS}
    used = [s for s in subjects if any(counts[b][s] >= 0.5 for b in TABLE_BANDWIDTHS)]
    rows = [[s] + [f"{counts[b][s]:.0f}" if counts[b][s] >= 0.5 else "" for b in TABLE_BANDWIDTHS]
            for s in used]
    return table(["MB/s"] + [f"{b:,}" for b in TABLE_BANDWIDTHS], rows)


def won_plot(path, title, cases, subjects):
    counts = [winners(cases, subjects, b) for b in BANDWIDTHS]
    used = [s for s in subjects if any(count[s] >= 2 for count in counts)]
    write_plot(path, title, "I/O bandwidth, MB/s", f"cases won, of {len(cases)}",
               BANDWIDTHS, {s: [count[s] for count in counts] for s in used})


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values))


GROUPS = [
    ("numbers up to 2 bytes", lambda n: n.endswith("_small") and not n.startswith("double")),
    ("wide numbers, random", lambda n: n.endswith("random_wide") and not n.startswith("double")),
    ("wide numbers, counting", lambda n: n.endswith("l_wide") and not n.startswith("double")),
    ("doubles", lambda n: n.startswith("double")),
    ("strings of random letters", lambda n: n.startswith("string") and n.endswith("random")),
    ("strings, letters by Zipf", lambda n: n.startswith("string") and n.endswith("zipf")),
    ("strings of words", lambda n: n.endswith("words")),
    ("recurring strings", lambda n: n.endswith("recurring")),
    ("constant numbers", lambda n: n.endswith("constant")),
]


def group_table(cases, subjects):
    rows = []
    for subject in subjects:
        row = [subject]
        for _, belongs in GROUPS:
            chosen = [r[subject] for name, r in cases.items() if belongs(name) and subject in r]
            speed = geometric_mean(r["input_bytes"] * 1e3 / r["best"] for r in chosen)
            size = geometric_mean(r["bytes"] / r["input_bytes"] for r in chosen)
            row.append(f"{speed:,.0f}; {size:.2f}")
        rows.append(row)
    return table(["MB/s in; size of input"] + [name for name, _ in GROUPS], rows)


def integer_table(integers):
    subjects = list(next(iter(integers.values())))
    header = ["algorithm"] + [f"{case[9:].replace('_', ' to ')} bits" for case in integers]
    rows = [[s] + [f"{8e3 / rows[s]['best']:,.0f}; {rows[s]['bytes']:.2f}"
                   for rows in integers.values()] for s in subjects]
    return table(header, rows)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    records, integers = load(sys.argv[1])
    introduction, conclusion = (pathlib.Path(p).read_text() for p in sys.argv[2:4])
    folder = pathlib.Path(sys.argv[4])
    plots = folder / "plots"
    plots.mkdir(exist_ok=True)
    source = {n: r for n, r in records.items() if next(iter(r.values()))["in_source"]}
    more = {n: r for n, r in records.items() if n not in source}
    everything = [s for s in next(iter(records.values())) if s != "ringside_portable"]
    portable = ["ringside_portable" if s == "ringside" else s for s in ALONE]
    won_plot(plots / "compression_alone.svg", "Algorithms alone, the source's 93 cases", source, ALONE)
    won_plot(plots / "compression_layered.svg", "Algorithms and chains, the source's 93 cases", source,
             everything)
    text = [introduction, "## Cases won at an I/O bandwidth\n", "Each algorithm alone, the 93 cases:\n",
            won_table(source, ALONE), "![algorithms alone](plots/compression_alone.svg)\n",
            "With chains (`ringside+zstd1`: the output of Ringside's coding, compressed by zstd):\n",
            won_table(source, everything), "![with chains](plots/compression_layered.svg)\n",
            "Without the kernels for AVX-512, alone:\n", won_table(source, portable),
            f"The {len(more)} further cases, with chains:\n", won_table(more, everything),
            "## Speed and size\n",
            "Geometric means over the cases of a kind: MB/s of ring bytes read; ratio of output to input.\n",
            group_table(records, everything[:len(ALONE)] + ["ringside_portable"] +
                        [s for s in everything if "+" in s and "zlib" not in s]),
            "## Integers alone\n",
            "The source's table 8.3: a million 64-bit integers, all bit lengths equally likely. MB/s read; "
            "bytes per integer.\n", integer_table(integers),
            packing_section(folder / "results" / "packing.jsonl"),
            (pathlib.Path(__file__).parent / "services.md").read_text(), conclusion]
    (folder / "COMPRESSION.md").write_text("\n".join(text))


main()
