#!/usr/bin/env python3
"""Measures what log statements cost the compiler: time and size of 1,000 statements with two integers, and of the header alone.

usage: compile_cost.py [--rounds N] [--standard c++20] [--statements N] COMPILER [NAME=INCLUDE_FOLDER...]

NAME is a library to compare with: quill, spdlog or fmtlog, of which only the headers are needed. The subjects take turns, and each
time is the least of all rounds: of processor time, because other programs may use the machine. Sizes do not depend on the machine.
"""

import argparse
import os
import resource
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PER_FUNCTION = 10
PRINTF = '"statement {0} has %d of %d"'
BRACE = '"statement {0} has {{}} of {{}}"'
OURS = ["-I" + str(ROOT), "-I" + str(ROOT / "libagent" / "include")]
# name: header, statement, options
SUBJECTS = {
    "printf": ("#include <ringside/log.hpp>", f"RS_INFO({PRINTF}, a, b);", OURS),
    "brace": ("#include <ringside/format.hpp>", f"RS_FMT_INFO({BRACE}, a, b);", OURS),
    "event": ("#include <ringside/event.hpp>", 'RS_EVENT(INFO, "statement.{0}", a, b);', OURS),
    "stream": ("#include <ringside/stream.hpp>", 'RS_STREAM(INFO) << "statement {0} has " << a << " of " << b;', OURS),
}
PEERS = {
    "quill": ('#include "quill/LogMacros.h"\n#include "quill/Logger.h"\nextern quill::Logger* logger;',
              f"LOG_INFO(logger, {BRACE}, a, b);", []),
    "spdlog": ('#include "spdlog/spdlog.h"', f"SPDLOG_INFO({BRACE}, a, b);", ["-DSPDLOG_COMPILED_LIB"]),
    "fmtlog": ('#include "fmtlog.h"', f"logi({BRACE}, a, b);", []),
}


def source(header, statement, count):
    lines = [header]
    for first in range(0, count, PER_FUNCTION):
        lines.append(f"void function_{first}(int a, int b) {{")
        lines += ["  " + statement.format(first + i) for i in range(PER_FUNCTION)]
        lines.append("}")
    return "\n".join(lines) + "\n"


def compile_once(command, text, folder):
    """Seconds of processor time, and the object file."""
    path, output = os.path.join(folder, "statements.cpp"), os.path.join(folder, "statements.o")
    Path(path).write_text(text, encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "-c", path, "-o", output], check=True, env={**os.environ, "CCACHE_DISABLE": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def text_bytes(output):
    """Code and constants, as `size` calls text."""
    lines = subprocess.run(["size", output], check=True, capture_output=True, text=True).stdout.splitlines()
    return int(lines[1].split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--standard", default="c++20")
    parser.add_argument("--statements", type=int, default=1000)
    parser.add_argument("compiler")
    parser.add_argument("peers", nargs="*", metavar="NAME=INCLUDE_FOLDER")
    options = parser.parse_args()
    subjects = dict(SUBJECTS)
    for peer in options.peers:
        name, _, folder = peer.partition("=")
        if name not in PEERS:
            parser.error(f"unknown library '{name}': {', '.join(PEERS)}")
        header, statement, flags = PEERS[name]
        subjects[name] = (header, statement, [*flags, "-I" + folder])
    command = [options.compiler, "-std=" + options.standard, "-O2"]
    seconds, sizes = {}, {}
    with tempfile.TemporaryDirectory(prefix="ringside-compile-cost.") as folder:
        runs = [("nothing", 0, "", [])]
        for name, (header, statement, flags) in subjects.items():
            runs += [(name, count, source(header, statement, count), flags) for count in (0, options.statements)]
        for turn in range(options.rounds):
            # Another one first each time: what runs first finds the coldest caches.
            first = turn % len(runs)
            for name, count, text, flags in runs[first:] + runs[:first]:
                taken, output = compile_once([*command, *flags], text, folder)
                seconds[name, count] = min(taken, seconds.get((name, count), taken))
                sizes[name, count] = text_bytes(output)
    print(f"{'':8} {'header, s':>10} {'statements, s':>14} {'text bytes each':>16}")
    for name in subjects:
        header = seconds[name, 0] - seconds["nothing", 0]
        each = (sizes[name, options.statements] - sizes[name, 0]) / options.statements
        print(f"{name:8} {header:10.3f} {seconds[name, options.statements]:14.2f} {each:16.0f}")


if __name__ == "__main__":
    main()
