#!/usr/bin/env python3
"""The shared libraries have the binary interface that is described in packaging/release/abi, and a change of it is found.

usage: library_abi_test.py SOURCE_ROOT LIBRARY...
"""

import os
import re
import sys
import tempfile
import unittest

from installation import read, write

NAMES = []
library_abi = None


class LibraryAbi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-abi-test.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_the_interface_is_the_described_one(self):
        for name in NAMES:
            with self.subTest(library=name):
                self.assertFalse(library_abi.differs(name, self.folder), "printed above")

    def changed(self, pattern, change):
        """The differences from the description of the agent, if that had another text in the first place that the pattern finds."""
        stored = library_abi.stored_description("agent")
        other = os.path.join(self.folder, "other.abi")
        text, count = re.subn(pattern, change, read(stored), count=1)
        self.assertEqual(count, 1)
        write(other, text)
        return library_abi.differences(other, stored)

    def test_changes_are_found(self):
        self.assertEqual(self.changed("rs_flush", "rs_flush"), "")
        self.assertIn("rs_flush", self.changed(r"<elf-symbol name='rs_flush'[^>]*/>\n", ""))
        # The size of a structure that programs allocate.
        self.assertIn("rs_site",
                      self.changed(r"(<class-decl name='rs_site' size-in-bits=')(\d+)", lambda m: f"{m[1]}{int(m[2]) + 64}"))
        # The number of a constant.
        self.assertIn("enumerator", self.changed(r"(<enumerator name='[^']*' value=')1'", r"\g<1>77'"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.path.append(os.path.join(os.path.abspath(sys.argv.pop(1)), "packaging/release"))
    import library_abi
    NAMES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
