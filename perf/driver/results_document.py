#!/usr/bin/env python3
"""Prints a document of `ringbench --json` in the form in which results/ keeps it: each member on a line, each result on a line.

usage: results_document.py DOCUMENT.json
"""

import json
import sys


def text_of(document):
    """A new result, or a changed one, is one line of a difference."""
    members = []
    for name in sorted(document):
        value = document[name]
        if name == "results" and value:
            lines = ",\n".join(json.dumps(line, ensure_ascii=False, sort_keys=True) for line in value)
            members.append(f'"results": [\n{lines}\n]')
        else:
            members.append(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False, sort_keys=True)}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(text_of(json.load(file)))


if __name__ == "__main__":
    main()
