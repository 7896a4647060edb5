#!/usr/bin/env python3
"""Writes RESULTS.md and its plots from the output of `ringbench --json` alone, of one run or of several
(merge_results.py).

usage: render_results.py RESULTS.json OUTPUT.md PLOT_FOLDER
"""

import json
import os
import sys

from bar_chart import bar_chart
from comparison_chart import comparison_chart

CASES = ["static", "integer", "two_integers", "double", "five_arguments", "string39"]
COMMON = {"row", "subject", "case", "metric", "unit", "median", "low", "high", "best", "repeats", "target"}

# row: title, description, metrics in this order (others after them).
SECTIONS = {
    "floor": ("The floor", "A loop that reads the TSC and stores it.", []),
    "back_to_back": ("Log call, back to back", "Compared with the floor, burst by burst.", ["ratio_to_floor", "call"]),
    "paced": ("Log call, one per 600 ns", "Each call measured singly; the clock's own cost is subtracted.",
              ["ratio_to_floor", "call", "floor"]),
    "paced_tail": ("Where the tail of paced calls comes from", "Static messages by the place of their record; the clock's own cost "
                   "is subtracted.", ["call"]),
    "cold": ("Log call, cold", "The core's own caches are evicted before each call.", ["ratio_to_floor", "call"]),
    "producers": ("Several producers", "Each thread compared with its own floor.", ["ratio_to_floor", "call"]),
    "sustained": ("Sustained, one producer to a file", "From the first call until everything is in the file.",
                  ["ratio_to_floor", "rate"]),
    "consumer_clock": ("Records without a clock read", "Stamped by the consumer.", ["call"]),
    "cost_sampling": ("One in N log calls measured", "Processes with `RINGSIDE_COST_SAMPLING=N` in turns with processes that measure none.",
                      ["ratio_to_not_measuring", "call"]),
    "encoder": ("Encoder alone, one core", "Its rate compared with the floor's.", ["ratio_to_floor", "rate", "record"]),
    "decoder": ("Decoder alone, one core", "Its rate compared with the floor's.", ["ratio_to_floor", "rate", "record"]),
    "bytes_per_record": ("Bytes per record", "The growth of the file, divided by the number of records.", ["file"]),
    "text": ("Text", "A trace file converted to text in /dev/null, and the text of one message.", ["one_core", "wall"]),
    "aggregation": ("Aggregation of one site", "", ["record"]),
    "readable": ("Until a record is readable", "From the log call until it is in the trace file.", ["call_to_file"]),
    "poll_round": ("The consumer's poll round", "Rings without new records.", ["round"]),
    "idle": ("Idle consumerd", "Percentage of a core, and that of a loop of bare 1 ms naps.", ["consumerd"]),
    "memory": ("Memory", "A page that both processes map counts half in the PSS of each.", ["pss", "rss"]),
    "integration": ("kvd under redis-benchmark", "All statements on.", ["rate_to_none", "latency_to_none"]),
}


def number(value):
    if value == 0:
        return "0"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def cell(line):
    """Median, quartiles, quietest value; and whether it meets its target, if it has one."""
    text = number(line["median"])
    if line["repeats"] > 1:
        text += f" ({number(line['low'])} to {number(line['high'])}; {number(line['best'])})"
    target = line.get("target")
    if target:
        bound = f"≤ {target['at_most']:g}" if "at_most" in target else f"≥ {target['at_least']:g}"
        text += f" {'✓' if target['met'] else '✗'} {bound}"
    return text


def circumstances(line):
    return tuple((key, line[key]) for key in line if key not in COMMON)


def label(line):
    return ", ".join([line["case"], *(f"{key} {value}" for key, value in circumstances(line))])


def rank(line):
    case = CASES.index(line["case"]) if line["case"] in CASES else len(CASES)
    return case, line["case"]


def table(lines):
    """One line per case and circumstance, one column per subject."""
    subjects = list(dict.fromkeys(line["subject"] for line in lines))
    rows = {}
    for line in sorted(lines, key=rank):
        rows.setdefault(label(line), {})[line["subject"]] = cell(line)
    out = ["| | " + " | ".join(subjects) + " |", "| --- |" + " --- |" * len(subjects)]
    out += [f"| {name} | " + " | ".join(cells.get(subject, "") for subject in subjects) + " |"
            for name, cells in rows.items()]
    return "\n".join(out)


def percentile_table(lines):
    """One line per case and subject, one column per percentile."""
    columns = list(dict.fromkeys(line["p"] for line in lines))
    rows = {}
    for line in sorted(lines, key=rank):
        others = {key: value for key, value in line.items() if key != "p"}
        rows.setdefault(f"{label(others)}: {line['subject']}", {})[line["p"]] = cell(line)
    out = ["| | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    out += [f"| {name} | " + " | ".join(cells.get(p, "") for p in columns) + " |" for name, cells in rows.items()]
    return "\n".join(out)


def machine_text(machine):
    kind = "virtual machine" if machine.get("virtual") else "machine"
    return (f"a {kind} with {machine['processors']} processors ({machine['processor']}, TSC {machine['tsc_mhz']} MHz, "
            f"L2 {machine.get('l2_kib', '?')} KiB, L3 {machine.get('l3_kib', '?')} KiB), "
            f"{machine['memory_mib']} MiB of memory, {machine['kernel']}")


def own_run_text(run):
    """Describes how the rows of separate runs were measured."""
    load = run["load_average"]
    where = f", on {machine_text(run['machine'])}" if "machine" in run else ""
    return (f"Measured in a separate run{where}: {run['date']}, {run['repeats']} repeats"
            f"{', QUICK: the figures mean little' if run['quick'] else ''}, {run['seconds']} s; load average "
            f"{load['before']:.1f} before, {load['after']:.1f} after.")


def section(row, lines, own_runs):
    title, text, metrics = SECTIONS.get(row, (row, "", []))
    found = list(dict.fromkeys(line["metric"] for line in lines))
    out = [f"## {title}", text]
    out += [own_run_text(run) for run in own_runs if row in run["rows"]]
    for metric in [m for m in metrics if m in found] + [m for m in found if m not in metrics]:
        if metric in ("floor", "timer") and metric not in metrics and row != "floor":
            continue  # in the JSON; the ratios have it
        of_metric = [line for line in lines if line["metric"] == metric]
        units = list(dict.fromkeys(line["unit"] for line in of_metric))
        out += [f"{metric.replace('_', ' ')}, {', '.join(units)}:",
                percentile_table(of_metric) if all("p" in line for line in of_metric) else table(of_metric)]
    return out


def chart(results, title, row, metric, groups, group_of, wanted, is_log=False, line=None):
    lines = [r for r in results if r["row"] == row and r["metric"] == metric and wanted(r)]
    if not lines:
        return None
    subjects = list(dict.fromkeys(r["subject"] for r in lines))
    series = {subject: [None] * len(groups) for subject in subjects}
    for r in lines:
        if group_of(r) in groups:
            series[r["subject"]][groups.index(group_of(r))] = (r["median"], r["low"], r["high"])
    return bar_chart(title, lines[0]["unit"], groups, series, is_log, line)


def charts(results):
    """{file name: (title, SVG)} of those that have any data."""
    percentiles = ["p50", "p90", "p99", "p99.9", "p99.99"]
    made = {
        "comparison": ("Ringside and other tracers, two integers per message", comparison_chart(results)),
        "back_to_back": ("Log call back to back, ratio to the floor", chart(
            results, "Log call back to back, ratio to the floor (1 is a bare TSC read)", "back_to_back",
            "ratio_to_floor", CASES, lambda r: r["case"], lambda r: True, True, 1.0)),
        "sustained": ("Sustained to disk", chart(
            results, "Sustained to disk, one producer", "sustained", "rate", CASES, lambda r: r["case"],
            lambda r: r.get("sink") == "disk")),
        "bytes_per_record": ("Bytes per record, constant arguments", chart(
            results, "Bytes per record, constant arguments", "bytes_per_record", "file", CASES, lambda r: r["case"],
            lambda r: r.get("arguments", "constant") == "constant")),
    }
    for case in ("static", "five_arguments"):
        title = f"One call per 600 ns, {case.replace('_', ' ')}, clock's cost subtracted"
        made[f"paced_{case}"] = (title, chart(
            results, title, "paced", "call", percentiles, lambda r: r.get("p"),
            lambda r, case=case: r["case"] == case, True))
    return {name: (title, svg) for name, (title, svg) in made.items() if svg}


def front(document):
    machine, build = document["machine"], document["build"]
    load = document["load_average"]
    missed = [r for r in document["results"] if "target" in r and not r["target"]["met"]]
    met = [r for r in document["results"] if "target" in r and r["target"]["met"]]
    out = [
        "# Results", "Written by `perf/run.sh`; `perf/README.md` describes how each row is measured.",
        f"{document['date']}. A{machine_text(machine)[1:]}, {build['compiler']}"
        f"{'' if build['optimised'] else ', NOT OPTIMISED'}. {document['repeats']} repeats"
        f"{', QUICK: the figures mean little' if document['quick'] else ''}, {document['seconds']} s; load average "
        f"{load['before']:.1f} before, {load['after']:.1f} after.",
        "Cells: median (quartiles; the quietest). Ratios are to the floor of the same run. Targets that are "
        f"compared: {len(met)} met (✓), {len(missed)} missed (✗)."]
    return out


def render(document, plot_folder, page_folder):
    results = document["results"]
    out = front(document)
    os.makedirs(plot_folder, exist_ok=True)
    for name, (title, svg) in charts(results).items():
        path = os.path.join(plot_folder, name + ".svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg)
        out.append(f"![{title}]({os.path.relpath(path, page_folder)})")
    rows = [row for row in SECTIONS if any(r["row"] == row for r in results)]
    rows += [row for row in dict.fromkeys(r["row"] for r in results) if row not in SECTIONS]
    for row in rows:
        out += section(row, [r for r in results if r["row"] == row], document.get("own_runs", []))
    if document["not_measured"]:
        out += ["## Not measured", "\n".join(
            f"- {', '.join(one['rows'])}{' of ' + one['subject'] if one['subject'] else ''}: {one['reason']}"
            for one in document["not_measured"])]
    return "\n\n".join(part for part in out if part) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, page, plots = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        document = json.load(file)
    text = render(document, plots, os.path.dirname(os.path.abspath(page)))
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
