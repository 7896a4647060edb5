#!/usr/bin/env python3
"""Each call of the public headers has a man page that says what it does, what it returns and which threads can use it.

usage: api_manual_test.py FOLDER_OF_PAGES HEADER...
"""

import os
import re
import subprocess
import sys
import unittest

FOLDER = None
HEADERS = {}
BOUND_S = 60
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def calls(name, text):
    """Names of functions and macros that applications use, from the text of a header."""
    text = COMMENT.sub("", text)
    scope = "ringside::" if name.endswith(".hpp") else ""
    macros = re.findall(r"^\s*#define (RS_[A-Z_]*[A-Z])\(", text, re.MULTILINE)
    functions = re.findall(r"RS_EXPORT\s[^;(]*?(\w+)\(", re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE))
    if "namespace ringside::detail" not in text:
        functions += re.findall(r"^template <[^>]*>\n[\w:]+ (\w+)\(", text, re.MULTILINE)
    public = text.partition("namespace ringside::detail")[0]
    functions += re.findall(r"^inline [\w:]+ (\w+)\(", public, re.MULTILINE)
    return {*macros, *(scope + function for function in functions)}


def rendered(name):
    done = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=200", os.path.join(FOLDER, name + ".3")],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BOUND_S, check=False)
    return re.sub(".\b", "", done.stdout)


def sections(text):
    parts = re.split(r"^([A-Z][A-Z ]+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class ApiManual(unittest.TestCase):
    def expected(self):
        found = set()
        for name, text in HEADERS.items():
            if name != "abi.h":  # its functions are for the other headers
                found |= calls(name, text)
        self.assertGreater(len(found), 20)
        return found

    def pages(self):
        """{name: name of the page that man shows}: macros of a level refer to another page."""
        shown = {}
        for file_name in os.listdir(FOLDER):
            with open(os.path.join(FOLDER, file_name), encoding="utf-8") as file:
                reference = re.match(r"\.so man3/(\w+)\.3\n", file.readline())
            shown[file_name.removesuffix(".3")] = reference.group(1) if reference else file_name.removesuffix(".3")
        return shown

    def test_each_call_has_a_page_and_no_other_has(self):
        self.assertEqual(sorted(self.pages()), sorted(self.expected()))

    def test_pages_have_what_a_reader_looks_for(self):
        for name, page in self.pages().items():
            with self.subTest(name):
                found = sections(rendered(page))
                for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "THREAD SAFETY", "SEE ALSO"):
                    self.assertTrue(found.get(title, "").strip(), title)
                self.assertRegex(found["NAME"], rf"(?<!\w){name}\b")
                self.assertIn("#include <ringside/", found["SYNOPSIS"])
                self.assertRegex(found["SYNOPSIS"], rf"{name} ?\(")

    def test_parameters_are_described(self):
        for page in sorted(set(self.pages().values())):
            with self.subTest(page):
                found = sections(rendered(page))
                call = re.search(rf"{page} ?\((.*)\)", found["SYNOPSIS"]).group(1)
                for parameter in filter(None, call.split(",")):
                    name = re.search(r"(\.\.\.|\w+)(?:=.*)?$", parameter.strip()).group(1)
                    if name != "void":
                        self.assertRegex(found["PARAMETERS"], rf"(?m)^ +{re.escape(name)}\b" if name != "..." else r"\.\.\.")

    def test_references_lead_to_pages(self):
        for page in sorted(set(self.pages().values())):
            names = re.findall(r"([\w:]+)\(3\)", sections(rendered(page))["SEE ALSO"])
            self.assertGreater(len(names), 2)
            self.assertEqual([name for name in names if name not in self.pages() and name != page.upper()], [])

    def test_pages_are_clean(self):
        paths = [os.path.join(FOLDER, page + ".3") for page in sorted(set(self.pages().values()))]
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *paths], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=BOUND_S, check=False)
        self.assertEqual([line for line in done.stdout.splitlines() if "missing date" not in line], [])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    FOLDER = sys.argv[1]
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as header:
            HEADERS[os.path.basename(path)] = header.read()
    del sys.argv[1:]
    unittest.main(verbosity=2)
