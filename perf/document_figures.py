#!/usr/bin/env python3
"""Writes the measured figures in README.md and docs/ from what is recorded: perf/results/latest.json, and for instructions the bounds
of the test instruction_counts.

usage: document_figures.py [--check] [SOURCE_ROOT]

A figure in a page stands between two comments, which a reader of the page does not see:

    <!-- figure row=paced case=static p=p50 metric=call digits=2 -->13<!-- /figure -->

    MEMBER=VALUE...         the one result that has these members; the subject is Ringside unless it is given
    stat=NAME               its low, high or best value, or its target, instead of the median
    least MEMBER=VALUE...   the least, or the most, of all results that have them
    A / B                   the ratio of two figures
    instructions NAME       the bound of this name for g++
    targets missed          the number of targets that are missed, or compared
    machine, date           of the run that measured the results

digits=N after any of them: significant digits, 3 unless it is given. --check writes nothing and exits with 1 if a figure differs.
"""

import json
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver"))
from measured_run import machine_text  # noqa: E402  pylint: disable=wrong-import-position

RESULTS = "perf/results/latest.json"
BOUNDS = "tests/instruction-counts/bounds.txt"
FIGURE = re.compile(r"<!-- figure (?P<what>[^>]*?) -->(?P<value>.*?)<!-- /figure -->")
STATS = {"median", "low", "high", "best"}


class UnknownFigure(Exception):
    """A marker asks for what is not recorded."""


def is_page(path):
    return path == "README.md" or (path.startswith("docs/") and path.endswith(".md"))


def rounded(value, digits):
    """The value as a person writes it: 12.1, 0.65, 61,484."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if "e" in text else text


class Record:
    """What is recorded in the source tree."""

    def __init__(self, root):
        with open(os.path.join(root, RESULTS), encoding="utf-8") as file:
            self.document = json.load(file)
        with open(os.path.join(root, BOUNDS), encoding="utf-8") as file:
            self.bounds = {line.split()[0]: float(line.split()[1]) for line in file if line.strip() and not line.startswith("#")}

    def found(self, words):
        """The results with these members, and which of their values is meant."""
        members = dict(word.split("=", 1) for word in words)
        stat = members.pop("stat", "median")
        members.setdefault("subject", "ringside")
        results = [line for line in self.document["results"]
                   if all(str(line.get(name)) == value for name, value in members.items())]
        if stat == "target":
            values = [next(value for name, value in line["target"].items() if name != "met") for line in results if "target" in line]
        elif stat in STATS:
            values = [line[stat] for line in results]
        else:
            raise UnknownFigure(f"no such value of a result: {stat}")
        if not values:
            raise UnknownFigure(f"{RESULTS} has no result with {' '.join(words)}; add it: perf/run.sh --add --row ROW")
        return values

    def number(self, words):
        if words[0] == "instructions" and len(words) == 2:
            if words[1] not in self.bounds:
                raise UnknownFigure(f"{BOUNDS} has no {words[1]}")
            return self.bounds[words[1]]
        if words[0] == "targets":
            targets = [line["target"]["met"] for line in self.document["results"] if "target" in line]
            return {"missed": targets.count(False), "compared": len(targets)}[words[1]]
        if words[0] in ("least", "most"):
            return {"least": min, "most": max}[words[0]](self.found(words[1:]))
        values = self.found(words)
        if len(values) != 1:
            raise UnknownFigure(f"{len(values)} results have {' '.join(words)}: give more members")
        return values[0]

    def text(self, what):
        """The figure that a marker asks for."""
        if what == "machine":
            return machine_text(self.document["machine"])
        if what == "date":
            return self.document["date"].split("T")[0]
        words = what.split()
        try:
            digits = int(words.pop().split("=")[1]) if words[-1].startswith("digits=") else 3
            if "/" in words:
                middle = words.index("/")
                return rounded(self.number(words[:middle]) / self.number(words[middle + 1:]), digits)
            return rounded(self.number(words), digits)
        except (ValueError, IndexError, KeyError) as error:
            raise UnknownFigure(f"not a figure: '{what}'; see perf/document_figures.py") from error


def rewritten(text, record):
    """The page with the recorded figures."""
    return FIGURE.sub(lambda match: f"<!-- figure {match['what']} -->{record.text(match['what'])}<!-- /figure -->", text)


def pages(root):
    found = ["README.md"]
    for folder, _, files in os.walk(os.path.join(root, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files if name.endswith(".md")]
    return sorted(found)


def main():
    arguments = sys.argv[1:]
    is_check = "--check" in arguments
    arguments = [argument for argument in arguments if argument != "--check"]
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        sys.exit(__doc__)
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    record = Record(root)
    texts, faults = {}, []
    for page in pages(root):
        with open(os.path.join(root, page), encoding="utf-8") as file:
            text = file.read()
        try:
            new = rewritten(text, record)
        except UnknownFigure as fault:
            faults.append(f"{page}: {fault}")
            continue
        if new != text:
            texts[page] = new
    if faults:  # then no page is written, so that all show the figures of one run
        sys.exit("\n".join(f"document_figures: {fault}" for fault in faults))
    for page, text in texts.items():
        print(page)
        if not is_check:
            with open(os.path.join(root, page), "w", encoding="utf-8") as file:
                file.write(text)
    sys.exit(1 if is_check and texts else 0)


if __name__ == "__main__":
    main()
