#!/usr/bin/env python3
"""Measured figures in README.md and docs/ are the recorded ones: perf/document_figures.py writes them, between comments, from
perf/results/latest.json. A figure without these comments is a setting, a limit or a calculation, and listed in NOT_MEASURED.

usage: figures_test.py SOURCE_ROOT
"""

import os
import re
import sys
import unittest

from not_measured import NOT_MEASURED
from prose import without_code
from tracked_files import read_tree

ROOT = None

NUMBER = r"\d[\d.,]*"
RANGE = rf"(?<![\w.,]){NUMBER}(?:(?: to | and | or |-){NUMBER})?"
UNITS = r"ns|us|µs|ms|%|x|M/s|M lines/s|[kKMG]i?B/s|times|instructions|(?:million |M )?(?:small )?(?:records|lines|calls)(?: per second|/s)"
WITH_UNIT = re.compile(rf"{RANGE} ?(?:{UNITS})(?![\w/])")
# Sizes with few digits are settings and limits. One that is as precise as a measurement may be one.
PRECISE = r"(?:\d+\.\d+|\d{1,3}(?:,\d{3})+)"
PRECISE_SIZE = re.compile(rf"(?<![\w.,]){PRECISE}(?: to {PRECISE})? (?:bytes|[kKMG]i?B)\b")
IN_UNITS = re.compile(rf"(?:^|[\s(])(?:{UNITS}|bytes|[KMG]iB)(?:$|[\s,)])")
DECIMAL_CELL = re.compile(r"\d+\.\d+(?: to \d+\.\d+)?")
NUMBER_CELL = re.compile(rf"{NUMBER}(?: to {NUMBER})?")


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_measured_cell(cell, column, row):
    """A number in a table: precise, or below or beside the name of a unit."""
    if NUMBER_CELL.fullmatch(cell) is None:
        return False
    return DECIMAL_CELL.fullmatch(cell) is not None or any(IN_UNITS.search(title) for title in (column, row))


def unmarked(text):
    """[(line number, figure, line)] of what looks like a measured figure outside of the comments."""
    found, header = [], None
    text = figures.FIGURE.sub("", without_code(text))
    for number, line in enumerate(text.split("\n"), 1):
        for pattern in (WITH_UNIT, PRECISE_SIZE):
            found += [(number, match.group(), line) for match in pattern.finditer(line)]
        if not line.startswith("|"):
            header = None
            continue
        cells = cells_of(line)
        if header is None:
            header = cells
            continue
        found += [(number, cell, line) for place, cell in enumerate(cells)
                  if is_measured_cell(cell, header[place] if place < len(header) else "", cells[0])]
    return found


def is_stated(page, figure, line):
    return any(page == where and figure in words and words in line for where, words, _ in NOT_MEASURED)


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.record = figures.Record(ROOT)
        cls.pages = {path: text for path, text in read_tree(ROOT).items() if figures.is_page(path)}

    def test_marked_figures_are_the_recorded_ones(self):
        self.assertGreater(sum(len(figures.FIGURE.findall(text)) for text in self.pages.values()), 20, "the pages were not found")
        for page, text in self.pages.items():
            with self.subTest(page):
                wrong = [f"{match['value']} instead of {self.record.text(match['what'])}: {match['what']}"
                         for match in figures.FIGURE.finditer(text) if match["value"] != self.record.text(match["what"])]
                self.assertEqual(wrong, [], "run: perf/document_figures.py")

    def test_figures_without_a_mark_are_not_measurements(self):
        found = [f"{page}:{number}: '{figure}': mark it (perf/README.md, \"Figures in the documents\"), or list it in "
                 f"tests/structure/not_measured.py: {line.strip()[:160]}"
                 for page, text in self.pages.items() for number, figure, line in unmarked(text)
                 if not is_stated(page, figure, line)]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_each_figure_that_is_not_measured_is_used_and_justified(self):
        for page, words, reason in NOT_MEASURED:
            with self.subTest(page=page, words=words):
                self.assertTrue(any(figure in words and words in line for _, figure, line in unmarked(self.pages.get(page, ""))))
                self.assertGreater(len(reason.split()), 1)

    def test_marks_are_complete_and_do_not_begin_a_line(self):
        for page, text in self.pages.items():
            with self.subTest(page):
                marks = len(figures.FIGURE.findall(text))
                self.assertEqual(text.count("<!-- figure "), marks)
                self.assertEqual(text.count("<!-- /figure -->"), marks)
                # Otherwise the whole line is HTML for a reader of Markdown.
                self.assertNotRegex(text, r"(?m)^\s*<!-- figure ")

    def test_unmarked_figures_are_found(self):
        for text in ("a call takes 12 ns", "1.2 to 1.3 x", "takes 20 to 27 times", "costs 3 % more", "0.5 us", "100 ms later",
                     "56 M/s", "573 MB/s", "109 million small records per second", "1,643 KiB", "0.5 GB", "48 instructions", "2.03 bytes",
                     "| ns per call | 12 |", "| | bytes |\n| --- | --- |\n| static | 88 |", "| | constant |\n| --- | --- |\n| x | 2.11 |",
                     "<!-- figure date -->2026<!-- /figure --> 5 ns"):
            with self.subTest(text):
                self.assertEqual(len(unmarked("| a | b |\n| --- | --- |\n" + text if text.startswith("| ns") else text)), 1)
        for text in ("`sleep 5ms` and `12 ns`", "```\n12 ns\n```", "takes <!-- figure row=a -->12<!-- /figure --> ns", "64 KiB", "up to 31 MiB",
                     "1,024 rings", "| size | 4 |", "version 1.8", "x86-64", "a ring of 39 bytes"):
            with self.subTest(text):
                self.assertEqual(unmarked(text), [])

    def test_what_is_not_recorded_is_an_error(self):
        for what in ("row=no_such_row", "row=back_to_back case=static", "instructions no_such_count", "least row=paced stat=middle",
                     "targets", "", "row=paced digits=many", "instructions log_static /"):
            with self.subTest(what), self.assertRaises(figures.UnknownFigure):
                self.record.text(what)

    def test_a_page_shows_what_is_recorded(self):
        one = "row=back_to_back case=static metric=ratio_to_floor"
        line = next(line for line in self.record.document["results"]
                    if line["row"] == "back_to_back" and line["case"] == "static" and line["subject"] == "ringside"
                    and line["metric"] == "ratio_to_floor")
        self.assertEqual(self.record.text(one), f"{line['median']:.3g}")
        self.assertEqual(self.record.text(one + " stat=target"), f"{line['target']['at_most']:g}")
        self.assertEqual(self.record.text(f"{one} / {one}"), "1")
        self.assertEqual(figures.rewritten(f"a <!-- figure {one} digits=2 -->0<!-- /figure --> b", self.record),
                         f"a <!-- figure {one} digits=2 -->{line['median']:.2g}<!-- /figure --> b")
        self.assertEqual([figures.rounded(value, 3) for value in (0.654, 12.07, 999.6, 61484.2)], ["0.654", "12.1", "1,000", "61,484"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ROOT = sys.argv.pop(1)
    sys.path.append(os.path.join(ROOT, "perf"))
    import document_figures as figures  # pylint: disable=import-error
    unittest.main(verbosity=2)
