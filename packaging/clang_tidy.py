#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a build directory's compile database.

usage: packaging/clang_tidy.py [--analyzer-states N] BUILD_DIR JOBS [FILE...]    (all files of the tree by default)

clang-tidy spends most of its time on the headers of the standard library, once per source. So this
script pastes the sources of a target into one file, as many at a time as in the clang build, but in reverse
order: a source that relies on the includes of the sources before it is then found. Findings are reported at
their original place. If clang itself rejects the pasted file (includes are missing, or two sources use one name
for different things), each source is checked alone."""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCES_PER_UNIT = 16
BOUND_S = 900
# The analyzer stops analysing a function after this number of states (`--analyzer-states`). With 40,000, clang-tidy
# takes twice as long in all; with the analyzer's default of 225,000, six times as long.
ANALYZER_STATES = 5000


def entries_of(build, root, wanted):
    """Of the compile database, each of our sources once: perf/ compiles the example repeatedly."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        database = json.load(file)
    found = {}
    for entry in database:
        source = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        if source.startswith(build + os.sep):
            continue  # made by the build
        if source.startswith(root + os.sep) and (not wanted or source in wanted):
            found.setdefault(source, {**entry, "file": source})
    return found


def options_of(entry):
    """What decides how a source is read: its command without the names of files."""
    words = iter(shlex.split(entry["command"]))
    options = []
    for word in words:
        if word in ("-o", "-c", "-MF", "-MQ"):
            next(words, None)
        elif not re.fullmatch(r"-MD|-I\S+\.p", word):
            options.append(word)
    return tuple(options)


def units_of(entries):
    of_target = {}
    for source, entry in entries.items():
        key = (os.path.splitext(source)[1], os.path.dirname(entry["output"]), options_of(entry))
        of_target.setdefault(key, []).append(source)
    return [sources[i:i + SOURCES_PER_UNIT][::-1]
            for sources in of_target.values() for i in range(0, len(sources), SOURCES_PER_UNIT)]


def tidy(directory, entry, source, analyzer_states):
    os.makedirs(directory, exist_ok=True)
    command = shlex.join([*options_of(entry), "-c", source])
    with open(os.path.join(directory, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump([{"directory": entry["directory"], "file": source, "command": command}], file)
    if analyzer_states == 0:
        analyzer = ["--checks=-clang-analyzer-*"]
    else:
        analyzer = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang",
                                                       f"max-nodes={analyzer_states}")]
    return subprocess.run(["clang-tidy", "-p", directory, "--quiet", *analyzer, source],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BOUND_S,
                          check=False, text=True)


def lend_config(unit, root, directory):
    """Has what is pasted in `directory` judged by the configuration of the folder of its sources."""
    folder = os.path.dirname(unit[0])
    while not os.path.exists(os.path.join(folder, ".clang-tidy")):
        folder = os.path.dirname(folder)
    if folder != root:  # the root's is in the folder above
        shutil.copy(os.path.join(folder, ".clang-tidy"), directory)


def findings_of(unit, entries, root, directory, analyzer_states):
    """What clang-tidy says of the sources of `unit`; empty if nothing."""
    if len(unit) > 1:
        pasted, begins = [], []  # of each source, the line before its first
        for source in unit:
            with open(source, encoding="utf-8") as file:
                lines = file.read().splitlines()
            begins.append(len(pasted) + 1)
            pasted += [f'#line 1 "{source}"', *lines]
        path = os.path.join(directory, "unit" + os.path.splitext(unit[0])[1])
        os.makedirs(directory)
        lend_config(unit, root, directory)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(pasted) + "\n")
        done = tidy(directory, entries[unit[0]], path, analyzer_states)
        if done.returncode == 0:
            return ""
        if "[clang-diagnostic-" not in done.stdout:
            def place(match):
                line = int(match.group(1))
                index = max(i for i, begin in enumerate(begins) if begin <= line)
                return f"{unit[index]}:{line - begins[index]}:"
            return re.sub(re.escape(path) + r":(\d+):", place, done.stdout)
    said = ""
    for number, source in enumerate(unit):
        done = tidy(os.path.join(directory, str(number)), entries[source], source, analyzer_states)
        if done.returncode != 0:
            said += f"clang-tidy: {source}: status {done.returncode}\n{done.stdout}"
    return said


def arguments_given():
    parser = argparse.ArgumentParser(description="Runs clang-tidy over the sources of a compile database.")
    parser.add_argument("--analyzer-states", type=int, default=ANALYZER_STATES, metavar="N",
                        help="how many states of a function the analyzer checks (default: %(default)s); 0: no analyzer")
    parser.add_argument("build", metavar="BUILD_DIR")
    parser.add_argument("jobs", type=int, metavar="JOBS")
    parser.add_argument("files", nargs="*", metavar="FILE", help="default: all files of the tree")
    given = parser.parse_args()
    if given.jobs < 1 or given.analyzer_states < 0:
        parser.error("JOBS must be at least 1, the number of states at least 0")
    return given


def main():
    given = arguments_given()
    if not os.path.exists(os.path.join(given.build, "compile_commands.json")):
        sys.exit(f"clang_tidy: {given.build} has no compile_commands.json; set it up first: "
                 f"CC=clang CXX=clang++ meson setup {given.build}")
    build = os.path.realpath(given.build)
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    entries = entries_of(build, root, {os.path.realpath(name) for name in given.files})
    if not entries:
        sys.exit(f"clang_tidy: no source of {root} is in {build}/compile_commands.json; was it set up "
                 "without unity?")
    units = units_of(entries)
    found = False
    with tempfile.TemporaryDirectory(prefix="ringside-tidy.") as scratch, \
            concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        shutil.copy(os.path.join(root, ".clang-tidy"), scratch)
        said = [pool.submit(findings_of, unit, entries, root, os.path.join(scratch, str(number)),
                            given.analyzer_states)
                for number, unit in enumerate(units)]
        for future in said:
            findings = future.result()
            found = found or bool(findings)
            sys.stdout.write(findings)
    print(f"clang_tidy: {len(entries)} sources in {len(units)} units"
          f"{', with findings' if found else ''}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
