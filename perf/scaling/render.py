#!/usr/bin/env python3
"""Creates perf/SCALING.md and its plots from a ringbench document (perf/results/latest.json).

usage: render.py RESULTS.json CONCLUSION.md OUTPUT_FOLDER"""

import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "compression"), str(HERE.parent / "driver")]
from measured_run import machine_text, run_of  # noqa: E402  pylint: disable=wrong-import-position
from plot import write_plot  # noqa: E402  pylint: disable=wrong-import-position
from prediction import prediction_text  # noqa: E402  pylint: disable=wrong-import-position

TITLES = {
    "threads": ("Threads", "threads of one service, each with a ring"),
    "services": ("Services", "services of one thread, each with a segment and a file"),
    "many": ("Many services", "services of one thread, which log 256 million records together"),
    "sites": ("Statements", "statements that a thread cycles through"),
    "wide": ("Services of ten threads", "services, each with ten rings of 64 KiB"),
    "text_bytes": ("Record size", "bytes of the record's one string, which changes every time"),
}


def points_of(document):
    """case -> value -> metric -> row, in the order of the file."""
    points = collections.OrderedDict()
    for row in document["results"]:
        if row["row"] == "scaling":
            values = points.setdefault(row["case"], collections.OrderedDict())
            values.setdefault(row["value"], {})[row["metric"]] = row
    return points


def quartiles(row):
    return f"{row['median']:.3g} ({row['low']:.3g} to {row['high']:.3g})"


def table(case, values):
    lines = [f"| {case} | producer, ns | consumer, ns | bytes in file | rate, M/s | of model |",
             "| --- | --- | --- | --- | --- | --- |"]
    for value, metrics in values.items():
        lines.append(f"| {value:,} | {quartiles(metrics['producer'])} | "
                     f"{quartiles(metrics['consumer'])} | {metrics['file']['median']:.2f} | "
                     f"{quartiles(metrics['rate'])} | {metrics['measured_to_model']['median']:.2f} |")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    document = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    points = points_of(document)
    run = run_of("scaling", document)
    folder = pathlib.Path(sys.argv[3])
    (folder / "plots").mkdir(exist_ok=True)
    text = [(HERE / "introduction.md").read_text(encoding="utf-8"),
            f"Medians of {run['repeats']} repeats, quartiles in brackets, from the run of {run['date']} on "
            f"{machine_text(run['machine'])}.\n"]
    for case, values in points.items():
        title, what = TITLES[case]
        plot = f"plots/scaling_{case}.svg"
        write_plot(folder / plot, f"Cost of a record against {title.lower()}", what, "ns",
                   list(values),
                   {"producer": [m["producer"]["median"] for m in values.values()],
                    "consumer": [m["consumer"]["median"] for m in values.values()]})
        text += [f"## {title}: {what}\n", table(case, values), f"![{title}]({plot})\n"]
    text.append(prediction_text(points, document))
    text.append(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    (folder / "SCALING.md").write_text("\n".join(text), encoding="utf-8")


main()
