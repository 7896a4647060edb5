#!/usr/bin/env python3
"""Tables 8.2 and 9.2 of NanoLog's dissertation: what the log statements of real projects consist of. Finds calls of the projects'
own log functions by name, and counts the characters and the conversions of their formats.

usage: statement_survey.py PROJECT=FOLDER...

PROJECT is one of PROJECTS below; FOLDER is its source tree. Prints a table, with the published figures beside. Calls whose
format is not a string literal are left out, and so are the projects' tests. As in the source, every statement counts once,
however often it runs."""

import argparse
import os
import re
import sys

# Of each project: its log functions, and the published figures (characters, integers, floats, strings, others, statements).
PROJECTS = {
    "memcached": (r"fprintf\s*\(\s*stderr|L_DEBUG", (56.04, 0.49, 0.00, 0.23, 0.04, 378)),
    "httpd": (r"ap_log_(?:[rpct]?error|mpm_common|data|rdata|cdata|cserror)_?|ap_log_error", (49.38, 0.29, 0.01, 0.75, 0.03, 3711)),
    "ramcloud": (r"LOG|RAMCLOUD_LOG|RAMCLOUD_CLOG|DIE|RAMCLOUD_DIE|RAMCLOUD_TEST_LOG|TEST_LOG", (46.65, 1.08, 0.07, 0.47, 0.02, 1167)),
    "linux": (r"printk|pr_\w+|(?:dev|netdev|netif|wiphy|drm)_(?:emerg|alert|crit|err|warn|notice|info|dbg)\w*", (35.52, 0.98, 0.00, 0.57, 0.10, 135119)),
    "redis": (r"serverLog|redisLog|sentinelEvent|moduleLog|RedisModule_Log|ll2log", None),
}
SUFFIXES = (".c", ".cc", ".cpp", ".h", ".hpp")
TESTS = re.compile(r"/(?:tests?|testing|gtest|deps|benchmarks?)/|[Tt]est\.(?:c|cc|cpp|h)$")
CONVERSION = re.compile(r"%(?:%|[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:hh|h|ll|l|j|z|t|L|q)?([a-zA-Z])[a-zA-Z0-9]{0,2}?)")
# Macros that stand for a part of a format, such as PRIu64.
FORMAT_MACRO = re.compile(r"PRI([diouxX])\w+|([A-Z_0-9]*F(?:MT|ORMAT)[A-Z_0-9]*)$")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"', re.S)
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[A-Za-z_]\w*|.', re.S)
ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]+|[0-7]{1,3}|.)", re.S)


def arguments_after(text, opening):
    """The tokens of a call's arguments, each a list, from its opening parenthesis; None if it never closes."""
    arguments, depth = [[]], 0
    for token in TOKEN.finditer(text, opening, opening + 20_000):
        word = token.group()
        if word.isspace() or word.startswith(("//", "/*")):
            continue
        if word in "([{":
            depth += 1
            if depth == 1:
                continue
        elif word in ")]}":
            depth -= 1
            if depth == 0:
                return arguments
        elif word == "," and depth == 1:
            arguments.append([])
            continue
        arguments[-1].append(word)
    return None


def format_of(arguments):
    """The first argument that is a literal, or literals and macros that make one; None if there is none."""
    for tokens in arguments:
        parts, depth = [], 0
        for word in tokens:
            depth += (word in "([{") - (word in ")]}")
            literal = LITERAL.fullmatch(word)
            macro = FORMAT_MACRO.match(word)
            if literal and depth == 0:
                parts.append(literal.group(1))
            elif macro and parts:
                parts.append((macro.group(1) or "d") if parts[-1].endswith("%") or macro.group(1) else "%d")
        if parts:
            return "".join(parts)
    return None


def counted(text):
    """Characters that are not conversions; integers, floats, strings and others."""
    kinds = [0, 0, 0, 0]

    def count(match):
        letter = match.group(1)
        if letter is None:
            return "%"
        kinds[0 if letter in "diouxX" else 1 if letter in "feEgGaA" else 2 if letter in "sS" else 3] += 1
        return ""
    return len(CONVERSION.sub(count, ESCAPE.sub("x", text))), kinds


def survey(folder, functions):
    calls = re.compile(r"(?<![\w.])(?:" + functions + r")\s*(?=[(,])")
    characters, kinds, statements = 0, [0, 0, 0, 0], 0
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if not name.endswith(SUFFIXES) or TESTS.search(path[len(folder):]) or os.path.islink(path):
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            for call in calls.finditer(text):
                line_begin = text.rfind("\n", 0, call.start()) + 1
                if text[line_begin:call.start()].lstrip().startswith(("#", "*", "//")):
                    continue
                opening = text.find("(", call.start())
                arguments = arguments_after(text, opening) if opening >= 0 else None
                found = format_of(arguments) if arguments else None
                if found is None:
                    continue
                length, of_kinds = counted(found)
                characters += length
                kinds = [a + b for a, b in zip(kinds, of_kinds)]
                statements += 1
    return characters, kinds, statements


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", metavar="PROJECT=FOLDER")
    print("| project | static characters | integers | floats | strings | others | statements |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    for given in parser.parse_args().projects:
        name, _, folder = given.partition("=")
        if name not in PROJECTS or not os.path.isdir(folder):
            sys.exit(f"statement_survey: {given}: give {', '.join(PROJECTS)} and the folder of its sources")
        functions, published = PROJECTS[name]
        characters, kinds, statements = survey(folder.rstrip("/"), functions)
        if statements == 0:
            sys.exit(f"statement_survey: no log statement found in {folder}")
        print(f"| {name} | {characters / statements:.2f} | " + " | ".join(f"{kind / statements:.2f}" for kind in kinds) +
              f" | {statements} |")
        if published:
            print(f"| {name}, published | " + " | ".join(f"{figure:.2f}" for figure in published[:5]) + f" | {published[5]} |")


if __name__ == "__main__":
    main()
