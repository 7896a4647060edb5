#!/usr/bin/env python3
"""Puts what `ringbench --json` measured in a run of its own, of some rows, into a whole document.

usage: merge_results.py WHOLE.json RUN.json    (the document goes to standard output)

The rows of the run take the place of those that the whole has of the same subjects. When and how they
were measured is kept under "own_runs", for the page to say.
"""

import json
import sys

# Figures of different ones do not go on one page.
SAME = (("machine", "processor"), ("machine", "processors"), ("machine", "tsc_mhz"), ("build", "compiler"),
        ("build", "optimised"))
KEPT = ("date", "load_average", "repeats", "seconds", "quick")


def key(line):
    return line["row"], line["subject"]


def merged(whole, run):
    for part, name in SAME:
        ours, theirs = whole[part].get(name), run[part].get(name)
        if ours != theirs:
            raise ValueError(f"{part} {name}: {ours} of the whole, {theirs} of the run; measure all rows again")
    if not run["results"]:
        raise ValueError("the run has no results; see what it says on standard error")
    replaced = {key(line) for line in run["results"]}
    rows = {row for row, _ in replaced}
    result = dict(whole)
    result["results"] = [line for line in whole["results"] if key(line) not in replaced] + run["results"]
    others = [{**one, "rows": [row for row in one["rows"] if row not in rows]} for one in whole.get("own_runs", [])]
    result["own_runs"] = [one for one in others if one["rows"]]
    result["own_runs"].append({"rows": sorted(rows), **{name: run[name] for name in KEPT}})
    return result


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    documents = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    try:
        print(json.dumps(merged(*documents), indent=1))
    except ValueError as fault:
        sys.exit(f"merge_results: {fault}")


if __name__ == "__main__":
    main()
