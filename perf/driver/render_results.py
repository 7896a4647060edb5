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
from measured_run import machine_text, own_run_text
from result_tables import CASES, SECTIONS, single_lines, single_table, table_text

def section(title, text, tables, rows, own_runs):
    if not any(tables):
        return []
    return [f"## {title}", text, *(own_run_text(run, rows) for run in own_runs if rows & set(run["rows"])), *tables]


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
        "# Results",
        "The figures that matter, written by `perf/run.sh` (`perf/driver/result_tables.py` chooses them). "
        "`results/latest.json` has all, one per line; `perf/README.md` describes how each row is measured.",
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
    pictures = []
    for name, (title, svg) in charts(results).items():
        path = os.path.join(plot_folder, name + ".svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg)
        pictures.append(f"![{title}]({os.path.relpath(path, page_folder)})")
    out.append("\n".join(pictures))
    own_runs = document.get("own_runs", [])
    for one in SECTIONS:
        out += section(one.title, one.text, [table_text(table, results) for table in one.tables],
                       {table.row for table in one.tables}, own_runs)
    singles = single_lines(results)
    if singles:
        out += section("Single figures", "Row, case and circumstances; metric and unit.", [single_table(singles, results)],
                       {line["row"] for line in singles}, own_runs)
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
