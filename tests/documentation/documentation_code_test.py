#!/usr/bin/env python3
"""Every block of C++ and C in docs/ compiles; all blocks of a language are compiled in one run of the compiler.

usage: documentation_code_test.py C_COMPILER CPP_COMPILER PUBLIC_HEADERS

PUBLIC_HEADERS is the folder of those that the build makes for the paths of programs.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import pages

C_COMPILER = CPP_COMPILER = PUBLIC_HEADERS = None
BOUND_S = 300
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
MAIN = re.compile(r"\bint main\b")


def unit(language):
    """One source with all blocks: includes first, names of functions made unique."""
    includes, bodies = [], []
    for index, (page, number, text) in enumerate(pages.blocks(language)):
        includes += INCLUDE.findall(text)
        body = MAIN.sub(f"int main_{index}", INCLUDE.sub("", text))
        where = f'#line 1 "docs/{page}, block {number}"\n'
        if language == "cpp":
            body = f"namespace block_{index} {{\n{where}{body}}}\n"
        else:
            prototypes = re.findall(r"^((?:int|void|static) [^;{}=]*\))\s*\{", body, re.MULTILINE)
            body = "".join(f"{one};\n" for one in prototypes) + where + body
        bodies.append(body)
    return "".join(dict.fromkeys(includes)) + "".join(bodies), len(bodies)


class DocumentationCode(unittest.TestCase):
    def compile(self, compiler, language, options):
        source, count = unit(language)
        self.assertGreater(count, 1)
        with tempfile.TemporaryDirectory(prefix="ringside-docs.") as folder:
            path = os.path.join(folder, "blocks." + language)
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            done = subprocess.run([*compiler.split(), *options, "-Wall", "-Wextra", "-Wno-return-type", "-Werror",
                                   "-fsyntax-only",
                                   "-I" + os.path.join(pages.ROOT, "libagent", "include"),
                                   "-I" + os.path.join(pages.ROOT, "tools", "interop", "include"), "-I" + PUBLIC_HEADERS,
                                   "-I" + pages.ROOT, path],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BOUND_S,
                                  check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_cpp_blocks_compile(self):
        self.compile(CPP_COMPILER, "cpp", ["-std=c++20"])

    def test_c_blocks_compile(self):
        self.compile(C_COMPILER, "c", ["-std=c11"])


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    PUBLIC_HEADERS = sys.argv.pop(3)
    CPP_COMPILER = sys.argv.pop(2)
    C_COMPILER = sys.argv.pop(1)
    unittest.main(verbosity=2)
