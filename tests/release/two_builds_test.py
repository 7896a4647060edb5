#!/usr/bin/env python3
"""This build and another one together: an earlier release or commit, and this source with the next minor and the next major
version of the shared memory. Each program of one build meets those of the other.

usage: two_builds_test.py SOURCE_ROOT
RINGSIDE_TEST_OTHER_COMMIT  the commit or tag to build; default: the newest tag v*, otherwise the commit before this one
RINGSIDE_TEST_SCRATCH       a directory for the builds, kept for the next run; default: a temporary one"""

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from checked_output import print_and_check
from steady_load import Load
from traced_processes import BOUND_S, TestBed, program, wait_until
from upgraded_consumer import ServedDirectory

SOURCE_ROOT = None
BUILD_BOUND_S = 3600
PROGRAMS = {"CONSUMERD": "consumerd/consumerd", "RINGCAT": "tools/ringcat", "RINGCTL": "tools/ringctl", "RINGSTAT": "tools/ringstat",
            "WORKLOAD": "tests/end-to-end/e2e_workload"}
VERSION = re.compile(r"(kAbiMajor = )(\d+)(;.*?kAbiMinor = )(\d+)", re.DOTALL)


def git(*arguments):
    return subprocess.run(["git", "-C", SOURCE_ROOT, *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)


def other_commit():
    chosen = os.environ.get("RINGSIDE_TEST_OTHER_COMMIT")
    if chosen:
        return chosen
    tags = git("tag", "--list", "v*", "--sort=-version:refname").stdout.split()
    if tags:
        return tags[0]
    before = git("rev-parse", "--verify", "--quiet", "HEAD~1").stdout.strip()
    return before


@functools.cache
def scratch():
    chosen = os.environ.get("RINGSIDE_TEST_SCRATCH")
    if chosen:
        os.makedirs(chosen, exist_ok=True)
        return chosen
    made = tempfile.mkdtemp(prefix="ringside-test-builds-")
    unittest.addModuleCleanup(shutil.rmtree, made, True)
    return made


def export(commit, target):
    """The files of a commit, without touching this work tree."""
    os.makedirs(target, exist_ok=True)
    with subprocess.Popen(["git", "-C", SOURCE_ROOT, "archive", commit], stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", target], stdin=archive.stdout, check=True, timeout=BOUND_S)
    assert archive.returncode == 0, commit


def version_in(source):
    with open(os.path.join(source, "shm-layout", "abi_version.hpp"), encoding="utf-8") as file:
        found = VERSION.search(file.read())
    return int(found[2]), int(found[4])


def change_version(source, major, minor):
    path = os.path.join(source, "shm-layout", "abi_version.hpp")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    changed = VERSION.sub(rf"\g<1>{major}\g<3>{minor}", text)
    assert changed != text
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed)


def built(source, build):
    """The paths of the programs, by name."""
    if not os.path.exists(os.path.join(build, "build.ninja")):
        subprocess.run(["meson", "setup", "-Dunity=on", "-Doptimization=1", "-Ddebug=false", build, source], check=True, timeout=BUILD_BOUND_S, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "-j2", *PROGRAMS.values()], check=True, timeout=BUILD_BOUND_S, stdout=subprocess.DEVNULL)
    return {name: os.path.join(build, path) for name, path in PROGRAMS.items()}


@functools.cache
def other_build(kind):
    """`kind`: "earlier", "minor" or "major"."""
    source, build = os.path.join(scratch(), kind), os.path.join(scratch(), kind + "-build")
    if not os.path.isdir(source):
        export(other_commit() if kind == "earlier" else "HEAD", source)
        if kind != "earlier":
            major, minor = version_in(source)
            change_version(source, *((major, minor + 1) if kind == "minor" else (major + 1, 0)))
    return built(source, build), version_in(source)


class TwoBuilds(unittest.TestCase):
    def setUp(self):
        if git("rev-parse", "--verify", "--quiet", "HEAD").returncode != 0:
            self.skipTest("needs the repository of this source")
        # meson sets it for the libraries of this build: with it, programs of the other build would load these.
        os.environ.pop("LD_LIBRARY_PATH", None)
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.served = ServedDirectory(self.bed)
        self.addCleanup(self.served.end, 9)

    def use(self, name, path):
        before = program(name.lower())
        os.environ["RINGSIDE_TEST_" + name] = path
        self.addCleanup(os.environ.__setitem__, "RINGSIDE_TEST_" + name, before)

    def tool(self, path, *arguments):
        return subprocess.run([path, *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)

    def serve(self, service_program, first_consumer, second_consumer):
        """A service meets one consumerd, then the other; both are of compatible versions."""
        self.use("WORKLOAD", service_program)
        load = Load(self.bed, 0, 2, "--burst", 300)
        for path in (first_consumer, second_consumer, first_consumer):
            consumer = self.served.start(path)
            load.advance()
            time.sleep(0.2)
            consumer.kill()  # a successor of the other version finishes what it has left
        consumer = self.served.start(second_consumer)
        load.advance()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.assertNotIn("error", consumer.stderr())
        self.served.end()
        output = print_and_check(*self.bed.traces(), bound_s=300)
        self.assertEqual((output.records_of, output.lost), (load.expected(), 0))

    def all_directions(self, kind):
        if kind == "earlier" and not other_commit():
            self.skipTest("needs an earlier commit or a release tag")
        other, version = other_build(kind)
        own = {name: program(name.lower()) for name in PROGRAMS}
        self.assertTrue(kind == "earlier" or version != version_in(SOURCE_ROOT))
        for service in (own, other):
            self.serve(service["WORKLOAD"], own["CONSUMERD"], other["CONSUMERD"])
            shutil.rmtree(self.bed.output_dir)
            os.mkdir(self.bed.output_dir)
        return own, other

    def test_an_earlier_build_and_this_one_serve_each_other(self):
        own, other = self.all_directions("earlier")
        # Files of this build are read by the earlier reader, and the other way round.
        for service, consumer, reader in ((own, own, other), (other, other, own)):
            with TestBed() as bed:
                self.use("WORKLOAD", service["WORKLOAD"])
                running = bed.start_service("--records", 500)
                self.assertEqual(running.wait(), 0)
                self.use("CONSUMERD", consumer["CONSUMERD"])
                bed.run_consumer_once()
                done = self.tool(reader["RINGCAT"], *bed.traces())
                self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 500), done.stderr)

    def test_the_next_minor_version_and_this_one_serve_each_other(self):
        own, other = self.all_directions("minor")
        self.use("WORKLOAD", other["WORKLOAD"])
        load = Load(self.bed, 0, 1, "--burst", 100)
        self.served.start(own["CONSUMERD"])
        self.assertIn("its library is newer than this tool", self.tool(own["RINGCTL"], "doctor", "--shm-dir", self.bed.shm_dir).stdout)
        for name in ("RINGCTL", "RINGSTAT"):
            arguments = ("list",) if name == "RINGCTL" else ("--once", "--interval", "50ms")
            for programs in (own, other):
                done = self.tool(programs[name], *arguments, "--shm-dir", self.bed.shm_dir)
                self.assertEqual((done.returncode, "load0" in done.stdout), (0, True), done.stderr)
        load.stop()

    def test_the_next_major_version_is_refused_in_both_directions(self):
        other, version = other_build("major")
        own = {name: program(name.lower()) for name in PROGRAMS}
        own_text, other_text = (".".join(map(str, one)) for one in (version_in(SOURCE_ROOT), version))
        self.use("WORKLOAD", own["WORKLOAD"])
        here = Load(self.bed, 0, 2, "--burst", 300)
        self.use("WORKLOAD", other["WORKLOAD"])
        there = Load(self.bed, 10, 2, "--burst", 300)
        # Side by side each takes the segments of its own version, and reports the others.
        consumers = [self.served.start(own["CONSUMERD"]), self.served.start(other["CONSUMERD"])]
        for consumer, load, strange, supported in ((consumers[0], "load0", other_text, own_text), (consumers[1], "load10", own_text, other_text)):
            wait_until(lambda: f"draining ringside.{load}." in consumer.stderr(), "its own segment")
            wait_until(lambda: f"has ABI version {strange}, this consumerd supports version {supported}" in consumer.stderr(), "the refusal")
        for tool in ("RINGCTL", "RINGSTAT"):
            arguments = ("list",) if tool == "RINGCTL" else ("--once", "--interval", "50ms")
            done = self.tool(other[tool], *arguments, "--shm-dir", self.bed.shm_dir)
            self.assertRegex(done.stdout + done.stderr, rf"has ABI version {own_text}\b.* this tool supports {other_text}")
        # The upgrade of this one to the other would leave its segment, so the old program runs again.
        for ringctl in (own["RINGCTL"], other["RINGCTL"]):
            pid = min(self.served.pids(), key=lambda one: os.readlink(f"/proc/{one}/exe") != own["CONSUMERD"])
            done = self.tool(ringctl, "upgrade", "--pid", str(pid), "--program", other["CONSUMERD"], "--timeout", "3s", "--shm-dir", self.bed.shm_dir)
            self.assertEqual(done.returncode, 1, done)
            # The segments of its own version are those of the other consumerd.
            self.assertRegex(done.stderr, r"it has not taken 1 of 1 segments|it ended with exit status 3; see its messages")
            self.assertIn("runs again as process", done.stderr)
        for load in (here, there):
            load.advance()
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.served.end()
        output = print_and_check(*self.bed.traces(), bound_s=300)
        self.assertEqual((output.records_of, output.lost), ({**here.expected(), **there.expected()}, 0))


if __name__ == "__main__":
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
