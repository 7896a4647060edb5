#!/usr/bin/env python3
"""The TypeScript compiler finds no error in the modules of the report's page, whose types are in comments.
packaging/install-typescript.sh installs it.

usage: page_types_test.py FOLDER_OF_THE_PAGE"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

# Where packaging/install-typescript.sh puts it.
FOLDERS = [os.environ.get("RINGSIDE_TYPESCRIPT_DIR", ""), "/usr/local/lib/ringside-test-typescript",
           os.path.expanduser("~/.cache/ringside-test-typescript")]
OPTIONS = ["--ignoreConfig", "--allowJs", "--checkJs", "--strict", "--noEmit", "--pretty", "false", "--types", "", "--target", "es2022",
           "--module", "es2022", "--moduleResolution", "bundler", "--lib", "es2022,dom,dom.iterable"]
PAGE = ""


def compiler():
    if shutil.which("node") is None:
        raise unittest.SkipTest("node is not installed")
    for folder in FOLDERS:
        path = os.path.join(folder, "node_modules/typescript/bin/tsc")
        if folder and os.path.exists(path):
            return path
    raise unittest.SkipTest("the TypeScript compiler is not installed: packaging/install-typescript.sh")


class PageTypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compiler = compiler()

    def checked(self, folder):
        files = sorted(glob.glob(os.path.join(folder, "*.js"))) + [os.path.join(folder, "globals.d.ts")]
        self.assertGreater(len(files), 5)
        done = subprocess.run(["node", self.compiler, *OPTIONS, *files], capture_output=True, text=True, timeout=200, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_modules_have_no_error(self):
        self.assertEqual(self.checked(PAGE), (0, ""))

    def test_an_error_is_found(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-types-") as folder:
            shutil.copytree(PAGE, folder, dirs_exist_ok=True)
            with open(os.path.join(folder, "added.js"), "w", encoding="utf-8") as file:
                file.write('import { view } from "./view.js";\nexport const wrong = view().statments;\n')
            status, text = self.checked(folder)
        self.assertNotEqual(status, 0)
        self.assertIn("added.js", text)
        self.assertIn("statments", text)


if __name__ == "__main__":
    PAGE = sys.argv.pop(1)
    unittest.main(verbosity=2)
