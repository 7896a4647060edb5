#!/usr/bin/env python3
"""Each release, acquire and full fence in the sources is in pairs.tsv, with the litmus test of its pattern, and nothing else is.

usage: pairs_test.py SOURCE_ROOT
"""

import pathlib
import sys
import tempfile
import unittest

import ordered_operations

FOLDER = pathlib.Path(__file__).parent
ROOT = None
FIELDS = 4  # test, what is ordered, both sides


def rows():
    lines = (FOLDER / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def sides_of(test):
    text = (FOLDER / f"{test}.litmus").read_text(encoding="utf-8")
    return ("full", "full") if "memory_order_seq_cst" in text else ("release", "acquire")


def listed():
    """{(file, word, side)} of the table."""
    found = set()
    for test, _, *lists in rows():
        for side, words in zip(sides_of(test), lists):
            if not words.startswith("("):
                found |= {(*entry.rsplit(":", 1), side) for entry in words.split(" ")}
    return found


def present(root):
    return {(path, word, side) for path, pairs in ordered_operations.in_tree(root).items() for side, word in pairs}


class Pairs(unittest.TestCase):
    maxDiff = None

    def test_every_ordered_operation_is_listed(self):
        missing = sorted(present(ROOT) - listed())
        self.assertEqual(missing, [], "add them to tests/litmus/pairs.tsv, with a litmus test if the pattern is new")

    def test_every_entry_is_in_the_sources(self):
        self.assertEqual(sorted(listed() - present(ROOT)), [], "remove them from tests/litmus/pairs.tsv")

    def test_every_row_names_a_test_and_two_sides(self):
        for row in rows():
            with self.subTest(row[1]):
                self.assertEqual(len(row), FIELDS)
                self.assertTrue((FOLDER / f"{row[0]}.litmus").is_file())
                self.assertTrue(all(row))
                self.assertLess(sum(words.startswith("(") for words in row[2:]), 2)

    def test_every_litmus_test_is_used(self):
        self.assertEqual({path.stem for path in FOLDER.glob("*.litmus")}, {row[0] for row in rows()})


class Sources(unittest.TestCase):
    """How operations are found in the text of a source."""

    def test_members_builtins_and_fences_are_found(self):
        text = """
            line.flush_done.load(std::memory_order_acquire);  // not this: x.load(std::memory_order_acquire)
            ids[site(1)].store(f(a, b), std::memory_order_release);
            __atomic_store_n(&t->producer_pos, start + bytes, __ATOMIC_RELEASE);
            word.fetch_add(1, std::memory_order_acq_rel);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            node->hit.load(std::memory_order_relaxed)->store(true, std::memory_order_release);"""
        self.assertEqual(ordered_operations.operations(text), sorted([
            ("acquire", "flush_done"), ("release", "ids"), ("release", "producer_pos"), ("release", "word"), ("acquire", "word"),
            ("full", "fence"), ("release", "hit")]))

    def test_an_order_that_belongs_to_no_word_is_refused(self):
        with self.assertRaisesRegex(ValueError, "belongs to no operation"):
            ordered_operations.operations("store_it(word, std::memory_order_release);")

    def test_a_new_pair_is_not_overlooked(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "consumerd", "new.cpp")
            source.parent.mkdir()
            source.write_text("flag.store(1, std::memory_order_release);", encoding="utf-8")
            self.assertEqual(present(pathlib.Path(folder)), {("consumerd/new.cpp", "flag", "release")})


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop())
    unittest.main(verbosity=2)
