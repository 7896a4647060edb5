#!/usr/bin/env python3
"""Merges a separate run of `ringbench --json`, of some rows, into a complete document.

usage: merge_results.py WHOLE.json RUN.json    (the document goes to standard output)

The rows of the run replace the rows of the same subjects in the complete document. The document keeps when and
how they were measured, and on which machine if it was another one, under "own_runs"; the page shows it.
"""

import json
import sys

from results_document import text_of

# Figures of machines that differ in one of these must not share a table.
OF_A_MACHINE = ("processor", "processors", "tsc_mhz")
KEPT = ("date", "load_average", "repeats", "seconds", "quick")


def key(line):
    return line["row"], line["subject"]


def merged(whole, run):
    if not run["results"]:
        raise ValueError("the run has no results; see its messages on standard error")
    if run["build"] != whole["build"]:
        raise ValueError(f"the run was measured with {run['build']}, the whole with {whole['build']}; measure all rows again")
    replaced = {key(line) for line in run["results"]}
    rows = {row for row, _ in replaced}
    result = dict(whole)
    kept = [line for line in whole["results"] if key(line) not in replaced]
    elsewhere = any(whole["machine"].get(name) != run["machine"].get(name) for name in OF_A_MACHINE)
    mixed = sorted({line["row"] for line in kept if line["row"] in rows})
    if elsewhere and mixed:
        raise ValueError(f"{', '.join(mixed)}: other subjects were measured on another machine; measure them too")
    result["results"] = kept + run["results"]
    others = [{**one, "rows": [row for row in one["rows"] if row not in rows]} for one in whole.get("own_runs", [])]
    result["own_runs"] = [one for one in others if one["rows"]]
    result["own_runs"].append({"rows": sorted(rows), **{name: run[name] for name in KEPT},
                               **({"machine": run["machine"]} if elsewhere else {})})
    return result


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    documents = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    try:
        sys.stdout.write(text_of(merged(*documents)))
    except ValueError as fault:
        sys.exit(f"merge_results: {fault}")


if __name__ == "__main__":
    main()
