#!/usr/bin/env python3
"""What a statement adds to a program: at most 150 bytes of code and constants, its text included.

usage: compile_size_test.py SOURCE_FOLDER"""

import importlib.util
import os
import shutil
import sys
import tempfile
import unittest

STATEMENTS = 200
MOST_TEXT_BYTES = 150
# RS_STREAM has no bound: each value is a call of its own.
STYLES = ("printf", "brace", "event")


def compile_cost():
    path = os.path.join(sys.argv.pop(), "perf", "compile_cost.py")
    spec = importlib.util.spec_from_file_location("compile_cost", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class CompileSize(unittest.TestCase):
    def bytes_of_each(self, compiler, style):
        header, statement, options = COST.SUBJECTS[style]
        with tempfile.TemporaryDirectory(prefix="ringside-compile-size.") as folder:
            sizes = []
            for count in (0, STATEMENTS):
                command = [compiler, "-std=c++20", "-O2", *options]
                _, output = COST.compile_once(command, COST.source(header, statement, count), folder)
                sizes.append(COST.text_bytes(output))
        return (sizes[1] - sizes[0]) / STATEMENTS

    def check(self, compiler):
        self.assertIsNotNone(shutil.which(compiler), "packaging/install-build-deps.sh installs it")
        for style in STYLES:
            each = self.bytes_of_each(compiler, style)
            print(f"{compiler}, {style}: {each:.0f} bytes of text for each statement")
            self.assertGreater(each, 50, style)  # the text alone
            self.assertLessEqual(each, MOST_TEXT_BYTES, style)

    def test_with_gcc(self):
        self.check("g++")

    def test_with_clang(self):
        self.check("clang++")


COST = compile_cost()

if __name__ == "__main__":
    unittest.main(verbosity=2)
