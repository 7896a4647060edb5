#!/usr/bin/env python3
"""Which tests may be skipped in `packaging/test.sh`, and where, as listed in allowed-skips.txt. Any other skip fails the run.

usage: allowed_skips.py LIST STEP[,STEP]... TESTLOG_JSON

Reads the log that meson wrote for a step (testlog.json): exit status 1 if LIST does not allow all of its skips in STEP."""

import fnmatch
import json
import re
import sys

GTEST_CASE = re.compile(r"\[  SKIPPED \] ([\w/]+\.[\w/]+)")
GTEST_COUNT = re.compile(r"\[  SKIPPED \] (\d+) tests?, listed below")
UNITTEST_CASE = re.compile(r"\s*(\w+) \((?:__main__\.)?([\w.]+)\)")
UNITTEST_SKIPPED = re.compile(r"(?:^|.* )skipped (?:'.*'|\".*\")$")
UNITTEST_COUNT = re.compile(r"(?:OK|FAILED) \(.*\bskipped=(\d+)")
NEEDED_FIELDS = 3


def read_list(text):
    """[(pattern, steps, reason)] of the entries."""
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != NEEDED_FIELDS or not all(field.strip() for field in fields):
            raise ValueError(f"line {number} of the list of allowed skips is invalid: expected PATTERN, STEPS and REASON, separated by tabs")
        entries.append((fields[0], fields[1].split(","), fields[2]))
    return entries


def gtest_skips(output):
    cases = set(GTEST_CASE.findall(output))
    return cases, sum(int(count) for count in GTEST_COUNT.findall(output))


def unittest_skips(output):
    cases, case, count = set(), None, 0
    for line in output.splitlines():
        named = UNITTEST_CASE.match(line)
        if named:
            # Python 3.11 and later print the class with the method, earlier versions the class alone.
            method, owner = named.groups()
            case = owner if owner.endswith("." + method) else f"{owner}.{method}"
        if UNITTEST_SKIPPED.match(line) and case is not None:
            cases.add(case)
        counted = UNITTEST_COUNT.match(line)
        if counted:
            count += int(counted.group(1))
    return cases, count


def skips_of(test):
    """Names of what one test of the log skipped: its own, or those of its cases."""
    name = test["name"].split(" / ")[-1]
    if test["result"] == "SKIP":
        return {name}
    output = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
    skipped = set()
    for cases, count in (gtest_skips(output), unittest_skips(output)):
        skipped |= {f"{name}:{case}" for case in cases}
        # A skipped class skips all of its cases at once; each sub-test of a case counts.
        if count > 0 and not cases:
            skipped.add(f"{name}:unnamed")
    return skipped


def check(entries, step, log):
    """The skips that no entry allows."""
    skipped = set()
    for line in log.splitlines():
        skipped |= skips_of(json.loads(line))
    allowed = [pattern for pattern, steps, _ in entries if {"*", *step.split(",")} & set(steps)]
    return [name for name in sorted(skipped) if not any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed)]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    _, list_path, step, log_path = sys.argv
    unlisted = check(read_list(read(list_path)), step, read(log_path))
    for name in unlisted:
        print(f"{step}: skipped, but not allowed to: {name}; run it, or add it to {list_path} with the reason")
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main())
