#!/usr/bin/env python3
"""Creates perf/EVALUATION.md and its plots from measured lines.

usage: render.py FIGURES.jsonl SURVEY.md INTRODUCTION.md OUTPUT_FOLDER

FIGURES.jsonl  the output of ring_sizes, bottlenecks, evaluate.py and `compression_study integers`, in any order
SURVEY.md      the output of statement_survey.py; `-`: none

Sections without figures stay as they are on the present page, so that one part can be measured again alone."""

import collections
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "compression"))

from plot import write_plot  # noqa: E402  pylint: disable=wrong-import-position

THREADS_OF_TEXT = (1, 4, 16, 64, 256, 1024, 4096)
# Table 9.5, in millions a second, of the messages in this order: ordered and unordered, of 1, 4, ... 4096 threads.
PUBLISHED_TEXT = {
    "static": ((0.48, 0.49, 0.48, 0.45, 0.47, 0.45, 0.42), (0.50, 0.51, 0.50, 0.51, 0.50, 0.50, 0.50)),
    "string39": ((0.47, 0.46, 0.46, 0.44, 0.44, 0.45, 0.41), (0.48, 0.47, 0.46, 0.48, 0.47, 0.47, 0.47)),
    "integer": ((0.47, 0.45, 0.46, 0.46, 0.45, 0.45, 0.42), (0.49, 0.49, 0.48, 0.48, 0.49, 0.47, 0.48)),
    "two_integers": ((0.45, 0.43, 0.43, 0.41, 0.42, 0.41, 0.40), (0.45, 0.44, 0.45, 0.44, 0.44, 0.44, 0.44)),
    "double": ((0.44, 0.42, 0.40, 0.43, 0.43, 0.40, 0.38), (0.44, 0.45, 0.45, 0.43, 0.44, 0.43, 0.43)),
    "five_arguments": ((0.34, 0.31, 0.33, 0.33, 0.33, 0.32, 0.31), (0.34, 0.34, 0.34, 0.33, 0.34, 0.34, 0.34)),
}
# Section 9.1.3, in millions a second: only these two are in the text.
PUBLISHED_THROUGHPUT = {"static": "82", "string39": "4.9"}
# Figure 9.4 and its text, in ns for each record.
PUBLISHED_AGGREGATION = {"ringcat agg": "35 to 44", "C++": "359", "awk": "over 350", "Python": "over 350", "simple read": "359"}
# Table 8.3: MB/s and bytes for each integer, of up to 8, 16, 24 and 64 bits.
INTEGER_BITS = (8, 16, 24, 64)
PUBLISHED_INTEGERS = {
    "prefix_varint": ((1362.78, 1.12), (839.25, 1.69), (691.32, 2.25), (571.97, 5.07)),
    "leb128": ((3345.44, 1.12), (1515.94, 1.69), (1146.37, 2.25), (746.12, 5.08)),
    "lesqlite2": ((5132.32, 1.07), (1638.61, 1.66), (1172.22, 2.31), (853.66, 5.25)),
    "lesqlite": ((5698.86, 1.06), (1614.49, 1.65), (1231.49, 2.44), (817.84, 5.29)),
    "nanolog": ((4671.51, 1.50), (1633.32, 2.00), (1279.63, 2.50), (940.74, 5.00)),
    "zlib1": ((95.45, 1.62), (68.14, 2.46), (57.12, 3.16), (35.78, 5.76)),
    "zlib6": ((22.33, 1.39), (16.15, 2.27), (13.94, 2.95), (14.04, 5.57)),
    "zlib9": ((1.57, 1.27), (1.32, 2.17), (1.28, 2.86), (1.87, 5.53)),
    "snappy": ((769.40, 2.24), (475.48, 3.29), (387.35, 4.17), (303.02, 6.57)),
}
# Section 9.5, in millions a second: the best of the static message.
PUBLISHED_BOTTLENECKS = {"full": "80", "no_output": "138", "no_encoder": "13", "neither": "259"}
BOTTLENECK_NAMES = {"full": "full system", "no_output": "no output", "no_encoder": "no encoder",
                    "neither": "no encoder, no output", "release": "rings released unread"}
RING_SHARES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
LONG_CALLS = 500_000_000
INTEGERS_TEXT = "A million integers of 64 bits, all bit lengths equally likely: MB/s read; bytes for each. gzip's levels are zlib's.\n\n"
THROUGHPUT_TEXT = "Millions of records a second, until the last byte is in the file.\n\n"
AGGREGATION_TEXT = "Nanoseconds for each record of the trace.\n\n"
BOTTLENECKS_TEXT = """\
Millions of records a second, as a function of what the consumer leaves out. Only the full system can be used: the others are a measuring program's (`evaluation/bottlenecks.cpp`). It drains a real service with
consumerd's own parts, without an encoder, with writes that go nowhere, or both. The last one neither reads nor copies the rings: the limit of the log calls on this machine.

"""


def load(path):
    figures = collections.defaultdict(list)
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        figure = json.loads(line)
        figures[figure.get("part") or figure["row"]].append(figure)
    return figures


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def size_name(ring_bytes):
    if ring_bytes == 0:
        return "rdtsc"
    return f"{ring_bytes >> 20} MiB" if ring_bytes >= 1 << 20 else f"{ring_bytes >> 10} KiB"


def speed_and_size(speed, size):
    return f"{speed:,.0f}; {size:.2f}" if speed >= 100 else f"{speed:.1f}; {size:.2f}"


def integers(figures):
    measured = collections.defaultdict(dict)
    for figure in figures:
        if figure["unit"] == "ns/integer":
            measured[figure["subject"]][int(figure["case"].rpartition("_")[2])] = (8e3 / figure["best"], figure["bytes"])
    rows = []
    for subject in sorted(measured, key=lambda name: name not in PUBLISHED_INTEGERS):
        rows.append([subject, *(speed_and_size(*measured[subject][bits]) for bits in INTEGER_BITS)])
        if subject in PUBLISHED_INTEGERS:
            rows.append(["published", *(speed_and_size(*figure) for figure in PUBLISHED_INTEGERS[subject])])
    return table(["algorithm", *(f"0 to {bits} bits" for bits in INTEGER_BITS)], rows)


def throughput(figures):
    by_message = collections.defaultdict(dict)
    for figure in figures:
        by_message[figure["message"]][figure["threads"]] = figure
    threads = sorted({figure["threads"] for figure in figures})
    rows = []
    for message, of_threads in by_message.items():
        best = max(figure["rate"] for figure in of_threads.values())
        rows.append([message, *(f"{of_threads[n]['rate'] / 1e6:.1f}" for n in threads), f"**{best / 1e6:.1f}**",
                     PUBLISHED_THROUGHPUT.get(message, ""), f"{of_threads[threads[0]]['bytes']:.1f}"])
    return table(["message", *(f"{n} threads" for n in threads), "best", "NanoLog, published", "bytes in the file"], rows)


def bottlenecks(figures, folder):
    """The best of all turns counts: other programs can only make it less."""
    parts = []
    for message in dict.fromkeys(figure["message"] for figure in figures):
        rates, written = collections.defaultdict(dict), {}
        for figure in (figure for figure in figures if figure["message"] == message):
            of_mode = rates[figure["mode"]]
            of_mode[figure["threads"]] = max(figure["rate"] / 1e6, of_mode.get(figure["threads"], 0))
            written[figure["mode"]] = figure["bytes"]
        threads = sorted({figure["threads"] for figure in figures})
        rows = [[BOTTLENECK_NAMES[mode], *(f"{of_mode[n]:.1f}" for n in threads), f"**{max(of_mode.values()):.1f}**",
                 PUBLISHED_BOTTLENECKS.get(mode, "") if message == "static" else "", f"{written[mode]:.1f}"]
                for mode, of_mode in rates.items()]
        parts.append(f"`{message}`:\n")
        parts.append(table(["consumer", *(f"{n} threads" for n in threads), "best", "NanoLog, published", "bytes for each record"], rows))
        name = f"plots/bottlenecks_{message}.svg"
        write_plot(folder / name, f"The consumer without some of its parts, {message}", "threads", "million records a second", threads,
                   {BOTTLENECK_NAMES[mode]: [of_mode[n] for n in threads] for mode, of_mode in rates.items()})
        parts.append(f"![{message}]({name})\n")
    return "\n".join(parts)


def text(figures):
    threads = sorted({figure["threads"] for figure in figures})
    rates = {(f["message"], f["order"], f["sink"], f["threads"]): f["rate"] for f in figures}
    parts = []
    for sink in ("disk", "/dev/null"):
        rows = []
        for message in dict.fromkeys(figure["message"] for figure in figures):
            for number, order in enumerate(("ordered", "unordered")):
                rows.append([message, order, *(f"{rates[message, order, sink, n] / 1e6:.2f}" for n in threads)])
                if sink == "disk":
                    published = dict(zip(THREADS_OF_TEXT, PUBLISHED_TEXT[message][number]))
                    rows.append(["", "NanoLog, published", *(published[n] for n in threads)])
        parts.append(f"To {sink}, in millions of lines a second, by the number of threads:\n")
        parts.append(table(["message", "order", *map(str, threads)], rows))
    return "\n".join(parts)


def aggregation(figures):
    shares = sorted({figure["matching"] for figure in figures})
    rows = []
    for cache in ("warm", "cold"):
        for program, published in PUBLISHED_AGGREGATION.items():
            of_program = {f["matching"]: f for f in figures if f["cache"] == cache and f["program"] == program}
            if of_program:
                rows.append([program, cache, *(f"{of_program[share]['ns']:.1f}" for share in shares),
                             published if cache == "cold" else ""])
    sizes = figures[0]
    return (table(["program", "page cache", *(f"{share} % wanted" for share in shares), "published"], rows) +
            f"\nThe trace has {sizes['trace_bytes'] / 1e6:.0f} MB, its text {sizes['text_bytes'] / 1e6:.0f} MB.\n")


def ring_sizes(figures, folder, plot):
    parts = []
    shares = (*RING_SHARES, 1e-7, 1e-8) if is_long(figures[0]) else RING_SHARES
    for message in dict.fromkeys(figure["case"] for figure in figures if figure["ring_bytes"]):
        curves = collections.defaultdict(dict)
        calls = {}
        for figure in figures:
            if figure["case"] == message or figure["ring_bytes"] == 0:
                curves[figure["ring_bytes"]][figure["ns"]] = figure["median"]
                calls[figure["ring_bytes"]] = figure["calls"]
        rows = []
        for ring_bytes, curve in sorted(curves.items()):
            slowest = [next((f"{ns:,.0f}" for ns in sorted(curve) if curve[ns] <= share), "") for share in shares]
            rows.append([size_name(ring_bytes), *slowest, f"{max(curve):,.0f}", f"{calls[ring_bytes]:,}"])
        parts.append(f"`{message}`: ns that this share of the calls exceeds.\n")
        parts.append(table(["ring", *(f"{share:g}" for share in shares), "slowest", "calls"], rows))
        points = [10 * 10 ** (point / 8) for point in range(57)]
        series = {}
        for ring_bytes, curve in sorted(curves.items()):
            of_points = [max((share for ns, share in curve.items() if ns >= point * 0.999), default=0) for point in points]
            # The plot's y axis is linear: how many nines.
            series[size_name(ring_bytes)] = [-math.log10(share) if share > 0 else math.nan for share in of_points]
        last = {name: [y for y in ys if not math.isnan(y)] for name, ys in series.items()}
        longest = min(len(ys) for ys in last.values())
        name = f"plots/{plot}_{message}.svg"
        write_plot(folder / name, f"Log calls that took less, {message}", "ns", "nines of all calls", points[:longest],
                   {label: ys[:longest] for label, ys in last.items()})
        parts.append(f"![{message}]({name})\n")
    return "\n".join(parts)


def size(figures):
    (figure,) = figures
    each = figure["dictionary_bytes"] / figure["statements"]
    return f"{figure['dictionary_bytes']} bytes for {figure['statements']} statements: {each:.0f} for each; NanoLog, published: 248.\n"


def sections_of(page):
    """Heading: text. Nothing if there is no page yet."""
    if not page.exists():
        return {}
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip("\n") for part in parts}


def is_long(figure):
    return figure["calls"] >= LONG_CALLS


def measured_sections(figures, survey, folder):
    """Heading: text of what was measured; empty text: nothing."""
    long_ones = [figure for figure in figures["ring_sizes"] if is_long(figure)]
    short_ones = [figure for figure in figures["ring_sizes"] if not is_long(figure)]
    return {
        "What log statements consist of (tables 8.2 and 9.2)": survey,
        "Integers (table 8.3)": figures["compression"] and INTEGERS_TEXT + integers(figures["compression"]),
        "Throughput (figure 9.2)": figures["throughput"] and THROUGHPUT_TEXT + throughput(figures["throughput"]),
        "Text (figure 9.3, table 9.5)": figures["text"] and text(figures["text"]),
        "Aggregation (figure 9.4)": figures["aggregation"] and AGGREGATION_TEXT + aggregation(figures["aggregation"]),
        "Bottlenecks (figure 9.5)": figures["bottlenecks"] and BOTTLENECKS_TEXT + bottlenecks(figures["bottlenecks"], folder),
        "Latency by the size of the ring (figure 9.6)": short_ones and ring_sizes(short_ones, folder, "ring_sizes"),
        "Latency of a billion calls (figure 9.6)": long_ones and ring_sizes(long_ones, folder, "billion_calls"),
        "The dictionary (section 9.4)": figures["size"] and size(figures["size"]),
    }


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    figures = load(sys.argv[1])
    survey = "" if sys.argv[2] == "-" else pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    introduction = pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")
    folder = pathlib.Path(sys.argv[4])
    (folder / "plots").mkdir(exist_ok=True)
    page = folder / "EVALUATION.md"
    present = sections_of(page)
    parts = [introduction]
    for heading, measured in measured_sections(figures, survey, folder).items():
        content = measured or present.get(heading)
        if content:
            parts += [f"## {heading}\n", content.strip("\n") + "\n"]
    page.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
