#!/usr/bin/env python3
"""Runs tests of a build for AArch64 under qemu-user, and prints what it ran, and what it left out, with the reason.

usage: run_tests.py --targets BUILD
       run_tests.py [--jobs N] BUILD SYSROOT [NAME...]

Programs that tests start are replaced by scripts that start them in qemu-user, under the same process id and name. The last line is "N
passed, N failed".
"""

import argparse
import ast
import concurrent.futures
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from selected_tests import cases_left_out, is_needless, reason_against

MACHINE_AARCH64 = 183  # e_machine of <elf.h>
TIMES_SLOWER = 6
STARTS_BY_PATH = ["consumerd"]  # tests in C++ that start programs of the build by their paths
ROUNDS = {"RINGSIDE_TEST_ROUNDS": "6", "RINGSIDE_TEST_RECORDS": "200000", "RINGSIDE_TEST_BYTES_APART": "11"}


def introspected(build, what):
    done = subprocess.run(["meson", "introspect", f"--{what}", build], capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout)


def is_foreign(path):
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return False
    return head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") == MACHINE_AARCH64


def targets(build):
    """The files that the selected tests need."""
    wanted = {dependency for test in introspected(build, "tests") if not reason_against(test["name"])
              for dependency in test["depends"]}
    for target in introspected(build, "targets"):
        if target["id"] in wanted and not is_needless(target["name"]):
            for name in target["filename"]:
                yield os.path.relpath(name, os.path.abspath(build))


class Emulator:
    """Starts programs of another processor."""

    def __init__(self, build, sysroot):
        self.program = shutil.which("qemu-aarch64") or sys.exit("run_tests.py: qemu-aarch64 is missing; run packaging/aarch64/install-tools.sh")
        self.arguments = ["-L", sysroot]
        self.folder = pathlib.Path(build, "emulated")
        self.names = self.folder / "names"
        self.names.mkdir(parents=True, exist_ok=True)

    def command(self, program):
        """Starts `program`. The kernel names the process after a link, as if it ran the program itself."""
        link = self.names / os.path.basename(program)
        with contextlib.suppress(FileExistsError):
            link.symlink_to(self.program)
        return [str(link), *self.arguments, program]

    def script(self, program):
        """A program of this machine that runs `program`; `program` itself if it is one."""
        if not os.path.isfile(program) or not os.access(program, os.X_OK) or ".so" in os.path.basename(program) or not is_foreign(program):
            return program
        path = self.folder / os.path.basename(program)
        path.write_text(f'#!/bin/sh\nexec {shlex.join(self.command(program))} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        return str(path)


def cases_of(path):
    """The cases of a test in Python."""
    with open(path, encoding="utf-8") as file:
        classes = [node for node in ast.parse(file.read()).body if isinstance(node, ast.ClassDef)]
    return [f"{one.name}.{method.name}" for one in classes for method in one.body
            if isinstance(method, ast.FunctionDef) and method.name.startswith("test_")]


def command_of(test, emulator):
    command = list(test["cmd"])
    left_out = cases_left_out(test["name"])
    if left_out and command[-1].endswith(".py"):
        command += [case for case in cases_of(command[-1]) if case not in left_out]
    elif left_out:
        given = [word for word in command if word.startswith("--gtest_filter=")]
        positive, _, negative = (given[-1].split("=", 1)[1] if given else "*").partition("-")
        cases = [*filter(None, negative.split(":")), *left_out]
        command = [word for word in command if not word.startswith("--gtest_filter=")]
        command.append(f"--gtest_filter={positive}-{':'.join(cases)}")
    if is_foreign(command[0]):
        return [*emulator.command(command[0]), *command[1:]]
    return [emulator.script(word) for word in command]


def run(test, emulator, log_folder):
    environment = {**os.environ, **ROUNDS, **{name: emulator.script(value) for name, value in test["env"].items()},
                   "PYTHONDONTWRITEBYTECODE": "1", "RINGSIDE_TEST_STARTERS": str(emulator.folder)}
    log = log_folder / f"{test['name']}.log"
    with open(log, "wb") as out:
        try:
            status = subprocess.run(command_of(test, emulator), cwd=test["workdir"], env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT, timeout=TIMES_SLOWER * test["timeout"], check=False).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    return test["name"], status, log


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--targets", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("build")
    parser.add_argument("sysroot", nargs="?")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.targets:
        print(*sorted(set(targets(given.build))), sep="\n")
        return 0
    emulator = Emulator(os.path.abspath(given.build), os.path.abspath(given.sysroot))
    log_folder = pathlib.Path(given.build, "emulated-logs")
    log_folder.mkdir(exist_ok=True)
    tests = introspected(given.build, "tests")
    started = {dependency for test in tests if test["name"] in STARTS_BY_PATH for dependency in test["depends"]}
    for target in introspected(given.build, "targets"):
        for name in target["filename"] if target["id"] in started else ():
            emulator.script(name)
    reasons = {test["name"]: reason_against(test["name"]) for test in tests}
    selected = [test for test in tests if (test["name"] in given.names if given.names else not reasons[test["name"]])]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for name, status, log in pool.map(lambda test: run(test, emulator, log_folder), selected):
            print(f"{'ok' if status == 0 else 'FAILED'}: {name}", flush=True)
            for case, reason in cases_left_out(name).items():
                print(f"    without {case}: {reason}")
            if status != 0:
                failed += 1
                print(f"    status {status}; end of {log}:", *log.read_text(errors="replace").splitlines()[-25:], sep="\n    ")
    for reason in sorted(set(filter(None, reasons.values()))):
        names = sorted(name for name, own in reasons.items() if own == reason)
        print(f"left out ({reason}): {', '.join(names)}")
    print(f"{len(selected) - failed} passed, {failed} failed")
    return 1 if failed or not selected else 0


if __name__ == "__main__":
    sys.exit(main())
