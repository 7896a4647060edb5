#!/usr/bin/env python3
"""Turns a log of Loghub (https://github.com/logpai/loghub) into lines for packing_study.

usage: log_records.py NAME_2k.log_structured.csv > NAME.tsv

Loghub gives the template of each message, with <*> for its arguments. The arguments are cut out of the message by that
template. The samples' times have whole seconds at best, so the ticks are invented: they advance as in the study's other cases,
by 20 to 50 for each record, from a fixed seed.
"""
import csv
import random
import re
import sys


def arguments(content, template):
    parts = [re.escape(part) for part in template.split("<*>")]
    match = re.fullmatch("(.*?)".join(parts), content, re.DOTALL)
    return list(match.groups()) if match else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jitter = random.Random(1)
    ticks = 1 << 40
    with open(sys.argv[1], newline="", encoding="utf-8", errors="replace") as file:
        for row in csv.DictReader(file):
            template, content = row["EventTemplate"].replace("\t", " "), row["Content"].replace("\t", " ")
            found = arguments(content, template)
            if found is None:
                template, found = "<*>", [content]
            ticks += jitter.randint(20, 50)
            print("\t".join([str(ticks), template, *found]))


main()
