"""A copy of the source tree with all faults, each switched off, and a build of it."""

import json
import os
import pathlib
import shutil
import subprocess

from faults import ROOT, with_faults

# No instructions are counted here: one compilation of many sources takes a third of the time.
COUNTED = "counted_unity = get_option('b_sanitize') == 'none' ? 'off' : get_option('unity')"
NOT_COUNTED = "counted_unity = get_option('unity')"


def make_tree(faults, source):
    """Copies the tracked files, with the faults. Unchanged files keep their modification times."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    by_file = {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    header = source / "tests" / "mutants" / "fault.h"
    for name in filter(None, names):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        content = (ROOT / name).read_bytes()
        if name in by_file:
            changed = with_faults(content.decode(), by_file[name])
            content = f'#include "{header}"\n#line 1\n{changed}'.encode()
        if name == "meson.build":
            content = content.replace(COUNTED.encode(), NOT_COUNTED.encode())
        if target.exists() and target.read_bytes() == content:
            continue
        target.write_bytes(content)
        shutil.copymode(ROOT / name, target)


def has_fault(source, fault):
    """Whether the tree has this fault in its present form."""
    path = source / fault.file
    text = path.read_text() if path.exists() else ""
    return f"RINGSIDE_FAULT({fault.number})" in text and fault.new in text


class Tests:
    """The tests of a build: how each is run, and what must be built for it."""

    def __init__(self, build):
        self._by_name = {test["name"]: test for test in self._introspect(build, "--tests")}
        self._files = {target["id"]: target["filename"]
                       for target in self._introspect(build, "--targets")}
        self._build = build

    @staticmethod
    def _introspect(build, what):
        return json.loads(subprocess.run(["meson", "introspect", what, build], check=True,
                                         capture_output=True, text=True).stdout)

    def __getitem__(self, entry):
        """A test by its name, or some of its cases: the name, a space and their filter."""
        name, _, cases = entry.partition(" ")
        test = self._by_name[name]
        return test | {"workdir": test["workdir"] or self._build, "cases": cases}

    def __contains__(self, entry):
        return entry.partition(" ")[0] in self._by_name

    def names(self):
        """The tests that can catch a fault. Tests of the source tree itself are left out: they see the changed text."""
        return [name for name, test in self._by_name.items()
                if not any(part in suite for suite in test["suite"]
                           for part in ("structure", "install", "slow"))]

    def is_built(self, name):
        return all((self._build / target).exists() for target in self.targets([name]))

    def targets(self, entries):
        """The targets that ninja must build for these tests."""
        names = {entry.partition(" ")[0] for entry in entries}
        files = {file for name in names for target in self._by_name[name]["depends"]
                 for file in self._files.get(target, [])}
        files |= {word for name in names for word in self._by_name[name]["cmd"]
                  if word.startswith(f"{self._build}/")}
        built = {file for listed in self._files.values() for file in listed}
        return sorted(os.path.relpath(file, self._build) for file in files & built)


def set_up(source, options):
    """The configured build directory. The options are the suite's: a compiler cache that holds a
    build of the suite gives what has no fault."""
    build = source / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", *options, build, source], check=True)
    return pathlib.Path(build)
