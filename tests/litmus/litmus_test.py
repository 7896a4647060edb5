#!/usr/bin/env python3
"""Each litmus file's forbidden state is impossible in the memory models of C++ and of AArch64, and possible as soon as one order in it is
weaker. Runs herd7 on the files, too, if it is installed.

usage: litmus_test.py
"""

import pathlib
import shutil
import subprocess
import unittest

import litmus_file
from executions import observable
from memory_models import MODELS

FOLDER = pathlib.Path(__file__).parent



def files():
    return sorted(FOLDER.glob("*.litmus"))


class Models(unittest.TestCase):
    """The models against results from the literature."""

    @staticmethod
    def outcome(threads, condition, initial="{}"):
        return observable(litmus_file.parse(f"C T\n{initial}\n" + "\n".join(
            f"P{i} (atomic_int* x, atomic_int* y) {{\n{body}\n}}" for i, body in enumerate(threads)) + f"\n~exists ({condition})"))[0]

    @staticmethod
    def store(location, order="relaxed", value=1):
        return f"atomic_store_explicit({location}, {value}, memory_order_{order});"

    @staticmethod
    def load(register, location, order="relaxed"):
        return f"int {register} = atomic_load_explicit({location}, memory_order_{order});"

    def test_store_buffering_needs_full_fences(self):
        for fence, expected in (("acq_rel", {"C++"}), ("seq_cst", set())):
            threads = [f"{self.store(own)}\natomic_thread_fence(memory_order_{fence});\n{self.load('r0', other)}"
                       for own, other in (("x", "y"), ("y", "x"))]
            self.assertEqual(self.outcome(threads, "0:r0=0 /\\ 1:r0=0"), expected, fence)

    def test_independent_reads_of_independent_writes_differ_only_in_cpp(self):
        threads = [self.store("x", "release"), self.store("y", "release"),
                   self.load("r0", "x", "acquire") + "\n" + self.load("r1", "y", "acquire"),
                   self.load("r0", "y", "acquire") + "\n" + self.load("r1", "x", "acquire")]
        self.assertEqual(self.outcome(threads, "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0"), {"C++"})

    def test_a_location_has_one_order_of_values(self):
        threads = [self.store("x"), self.load("r0", "x") + "\n" + self.load("r1", "x")]
        self.assertEqual(self.outcome(threads, "1:r0=1 /\\ 1:r1=0"), set())

    def test_loads_may_follow_later_stores(self):
        threads = [self.load("r0", "x") + "\n" + self.store("y"), self.load("r0", "y") + "\n" + self.store("x")]
        self.assertEqual(self.outcome(threads, "0:r0=1 /\\ 1:r0=1"), {"C++", "AArch64"})

    def test_two_stores_in_each_thread_may_end_in_either_order(self):
        threads = [self.store("x", value=1) + "\n" + self.store("y", value=2), self.store("y", value=1) + "\n" + self.store("x", value=2)]
        self.assertEqual(self.outcome(threads, "x=1 /\\ y=1"), {"C++", "AArch64"})
        ordered = [thread.replace("relaxed", "release") for thread in threads]
        self.assertEqual(self.outcome(ordered, "x=1 /\\ y=1"), {"C++"})

    def test_changes_of_a_word_do_not_get_lost(self):
        add = "int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);"
        self.assertEqual(self.outcome([add, add], "x=1"), set())


class Litmus(unittest.TestCase):
    def test_the_forbidden_state_is_impossible(self):
        self.assertNotEqual(files(), [])
        for path in files():
            with self.subTest(path.stem):
                litmus = litmus_file.parse(path.read_text(encoding="utf-8"))
                self.assertEqual(litmus.name, path.stem)
                found, tried = observable(litmus)
                print(f"{path.stem}: {tried} executions")
                self.assertEqual(found, set(), "models that allow the state")

    def test_every_order_is_necessary(self):
        """On AArch64, too: these are the orders that x86 would give for nothing, or nearly."""
        for path in files():
            versions = list(litmus_file.weakened(path.read_text(encoding="utf-8")))
            self.assertNotEqual(versions, [])
            for change, text in versions:
                with self.subTest(path.stem, change=change):
                    self.assertNotEqual(observable(litmus_file.parse(text))[0], set(), "no model allows the state: the order is not needed")

    def test_on_aarch64_a_relaxed_version_shows_the_state(self):
        for path in files():
            with self.subTest(path.stem):
                text = path.read_text(encoding="utf-8")
                lines = [line for line in text.splitlines(keepends=True) if "atomic_thread_fence" not in line]
                relaxed = litmus_file.ORDER.sub("memory_order_relaxed", "".join(lines))
                self.assertEqual(observable(litmus_file.parse(relaxed))[0], set(MODELS))

    def test_herd7_agrees(self):
        herd = shutil.which("herd7")
        if herd is None:
            self.skipTest("herd7 is not a package of Debian 12")
        for path in files():
            with self.subTest(path.stem):
                done = subprocess.run([herd, "-model", "rc11.cat", str(path)], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, rf"Observation {path.stem} Never")


if __name__ == "__main__":
    unittest.main(verbosity=2)
