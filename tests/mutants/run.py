#!/usr/bin/env python3
"""Builds one tree with all faults of faults/*.toml, selects one after the other, and reports which
test catches each. It keeps its results: stop it at any time, and start it again to continue.
README.md beside this file describes the format of the faults.

usage: run.py [--build DIR] [--only NAME_PART]... [--test NAME]... [--again] [--whole-suite] [--jobs N]
              [--minutes N] [--no-build] [--table FILE]
"""

import argparse
import concurrent.futures
import datetime
import pathlib
import subprocess
import sys
import threading
import time

from faults import FOLDER, ROOT, read_faults
from faulty_tree import Tests, has_fault, make_tree, set_up
from progress import Progress, catches_of_table, write_table
from verdict import Judge, Untrustworthy

UNFINISHED = 3
TABLE = FOLDER / "RESULTS.md"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Which test catches which fault.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-mutants",
                        help="where to build, and to keep results (default: build-mutants)")
    parser.add_argument("--only", action="append", default=[], metavar="PART",
                        help="only faults whose AREA.NAME contains this text; may be repeated")
    parser.add_argument("--test", action="append", default=[], metavar="NAME",
                        help="only these of the tests that faults name; may be repeated")
    parser.add_argument("--again", action="store_true", help="run faults whose result is known too")
    parser.add_argument("--whole-suite", action="store_true",
                        help="if no test that the fault names catches it, try all tests")
    parser.add_argument("--jobs", type=int, default=1, help="faults to run side by side (default: 1)")
    parser.add_argument("--build-jobs", default="2", help="jobs of the build (default: 2)")
    parser.add_argument("--no-build", action="store_true",
                        help="build nothing, and leave out tests and faults that were not built")
    parser.add_argument("--minutes", type=float, metavar="N",
                        help=f"start no further fault after N minutes; exit {UNFINISHED} if some are left")
    parser.add_argument("--setup", action="append", default=[], metavar="OPTION",
                        help="option of meson setup, such as -Ddebug=false; may be repeated")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE,
                        help="where the table goes (default: RESULTS.md beside this file)")
    return parser.parse_args()


class Run:
    """All chosen faults, up to a deadline."""

    def __init__(self, progress, judge, named, deadline, suite, before):
        self._progress = progress
        self._before = before  # the tests that caught the faults in the last table
        self._judge = judge
        self._named = named
        self._deadline = deadline
        self._suite = suite
        self._lock = threading.Lock()
        self._measuring = threading.Lock()
        self.left = 0
        self.left_out = []

    def _is_sound(self, name):
        """The reference run, before the first fault that needs it. One at a time."""
        with self._measuring:
            if name not in self.left_out:
                try:
                    self._judge.measure(name)
                except Untrustworthy as failure:
                    print(f"run.py: {failure}; it is left out", flush=True)
                    self.left_out.append(name)
        return name not in self.left_out

    def try_fault(self, fault):
        known = self._progress.result(fault)
        passed = list(known["passed"]) if known else []
        begin = time.monotonic()
        caught = self._catch_again(fault)
        for name in [] if caught else fault.tests + [name for name in self._suite if name not in fault.tests]:
            if name in passed or name not in self._named:
                continue
            if self._is_late():
                with self._lock:
                    self.left += 1
                return
            if not self._is_sound(name):
                continue
            caught = self._judge.catch(name, fault.number)
            if not caught:
                passed.append(name)
            with self._lock:
                self._progress.add(fault, passed, caught)
            if caught:
                break
        if not caught and not passed:
            return
        what = f"{caught.test} {caught.case} {caught.note}".strip() if caught else "NOT CAUGHT"
        print(f"{fault.id}: {what} ({time.monotonic() - begin:.0f} s)", flush=True)

    def _catch_again(self, fault):
        before = self._before.get(fault.id)
        if before is None or not before.case or self._is_late():
            return None
        if not any(before.test == name.partition(" ")[0] for name in self._named):
            return None
        caught = self._judge.catch_again(before.test, before.case, fault.number)
        if caught:
            with self._lock:
                self._progress.add(fault, [], caught)
        return caught

    def _is_late(self):
        return self._deadline is not None and time.monotonic() > self._deadline


def main():
    options = parse_arguments()
    deadline = time.monotonic() + 60 * options.minutes if options.minutes else None
    faults = read_faults()
    source = (options.build / "source").resolve()
    if not options.no_build:
        make_tree(faults, source)
    build = set_up(source, options.setup)
    tests = Tests(build)
    progress = Progress(options.build / "progress.json")
    before = catches_of_table(TABLE)
    for fault in faults:
        if fault.id in before:
            progress.adopt(fault, before[fault.id])
    chosen = [fault for fault in faults if not options.only or any(part in fault.id for part in options.only)]
    if options.again:
        for fault in chosen:
            progress.forget(fault)
    suite = tests.names() if options.whole_suite else []
    chosen = [fault for fault in chosen
              if progress.is_open(fault) or (suite and not progress.result(fault)["test"])]
    named = sorted({test for fault in chosen for test in fault.tests} | set(suite if chosen else []))
    named = [name for name in named if not options.test or name.partition(" ")[0] in options.test]
    if options.no_build:
        chosen = [fault for fault in chosen if has_fault(source, fault)]
        named = [name for name in named if tests.is_built(name)]
    elif named:
        subprocess.run(["ninja", "-C", build, "-j", options.build_jobs, *tests.targets(named)], check=True)
    run = Run(progress, Judge(tests, progress.reference), set(named), deadline, suite, before)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
        for done in [workers.submit(run.try_fault, fault) for fault in chosen]:
            done.result()
    write_table(options.table, faults, progress, datetime.date.today().isoformat())
    if run.left:
        print(f"run.py: {run.left} faults are left; start it again to go on")
        sys.exit(UNFINISHED)
    if run.left_out:
        sys.exit(f"run.py: tests that fail without any fault were left out: {' '.join(run.left_out)}")


if __name__ == "__main__":
    main()
