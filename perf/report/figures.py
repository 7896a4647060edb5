"""Figures of reports as text and as the lines of JSON that perf/README.md describes."""

import json
import os
import statistics
import sys


def spread(values):
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else list(values) * 3
    return {"median": quartiles[1], "low": quartiles[0], "high": quartiles[2], "best": min(values), "worst": max(values), "repeats": len(values)}


def rounded(number):
    return float(f"{number:.4g}") if isinstance(number, float) else number


class Figures:
    """What was measured, in the order in which it was added."""

    def __init__(self, is_json):
        self.is_json = is_json
        self.lines = []

    def add(self, case, metric, unit, values, at_most=None):
        line = {"row": "report", "subject": "ringside", "case": case, "metric": metric, "unit": unit, **spread(values)}
        if at_most is not None:
            line["target"] = {"at_most": at_most, "met": line["median"] <= at_most}
        self.lines.append({key: rounded(value) for key, value in line.items()})

    def print(self):
        if self.is_json:
            for line in self.lines:
                print(json.dumps(line))
            return
        print("| trace | figure | unit | median | worst | target |\n| --- | --- | --- | --- | --- | --- |")
        for line in self.lines:
            target = line.get("target")
            reached = "" if target is None else f"{target['at_most']}, {'reached' if target['met'] else 'not reached'}"
            print(f"| {line['case']} | {line['metric']} | {line['unit']} | {line['median']:g} | {line['worst']:g} | {reached} |")
        print(f"\nLoad average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.")


def tell(text):
    print(text, file=sys.stderr, flush=True)
