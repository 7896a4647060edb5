#!/usr/bin/env python3
"""Which folder may include which. Includes between the top-level folders only point up, and the two sides of the shared
memory never include each other.

usage: include_direction_test.py SOURCE_ROOT
"""

import posixpath
import re
import sys
import unittest

from tracked_files import SOURCE_SUFFIXES, read_tree

ROOT = None
EXAMPLES = "libagent/examples"

# Folder -> folders it may include besides itself. Folders that are missing here may include all.
ALLOWED = {
    "shm-layout": set(),
    "trace-format": {"shm-layout"},
    "libagent": {"shm-layout"},
    EXAMPLES: {"<ringside/>"},
    "consumerd": {"shm-layout", "trace-format"},
    "tools": {"shm-layout", "trace-format"},
}
FREE = {"tests", "perf", "packaging"}
FOLDERS = set(ALLOWED) | FREE

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
STANDARD_HEADER = re.compile(r"[a-z_]+")  # of C++: no folder and no suffix


def folder_of(path):
    if path.startswith(EXAMPLES + "/"):
        return EXAMPLES
    return path.split("/", 1)[0]


def target_folder(path, quoted, angled, files):
    """The folder of this project that an include refers to, None for others; raises ValueError if the file is missing."""
    if angled:
        if angled.startswith("ringside/"):
            return "<ringside/>"
        first = folder_of(angled)
        return first if "/" in angled and first in FOLDERS else None
    if ".." in quoted.split("/"):
        raise ValueError('climbs with ".."; write it relative to the root')
    if quoted in files:
        return folder_of(quoted)
    sibling = posixpath.join(posixpath.dirname(path), quoted)
    if sibling in files:
        return folder_of(sibling)
    raise ValueError("is not a file of the tree; write it relative to the root")


def violations(files):
    """files: {path: text}. Returns one line of text per violation."""
    found = []
    for path, text in files.items():
        if not path.endswith(SOURCE_SUFFIXES):
            continue
        folder = folder_of(path)
        if folder not in FOLDERS:
            found.append(f"{path}: folder {folder} has no rule for its includes")
            continue
        for match in INCLUDE.finditer(text):
            quoted, angled = match.groups()
            where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}: includes {quoted or angled}"
            if folder == "shm-layout" and angled and not STANDARD_HEADER.fullmatch(angled):
                found.append(f"{where}, but shm-layout uses only the C++ standard library")
                continue
            try:
                target = target_folder(path, quoted, angled, files)
            except ValueError as error:
                found.append(f"{where}, which {error}")
                continue
            if target in (None, folder) or folder in FREE or target in ALLOWED[folder]:
                continue
            found.append(f"{where}, but {folder} may only include itself"
                         + "".join(f", {name}" for name in sorted(ALLOWED[folder])))
    return found


# A small tree for the samples to include.
SAMPLE_TREE = {
    "shm-layout/ring.hpp": "#include <cstdint>\n",
    "trace-format/block.hpp": '#include "shm-layout/ring.hpp"\n',
    "libagent/agent.hpp": '#include "shm-layout/ring.hpp"\n',
    "libagent/include/ringside/abi.h": "#include <stdint.h>\n",
    "consumerd/poll.hpp": '#include "trace-format/block.hpp"\n',
    "tools/print.hpp": '#include "trace-format/block.hpp"\n',
    "libagent/examples/kvd/store.hpp": "#include <ringside/ringside.hpp>\n",
    "tests/ring/ring_test.hpp": "",
}

GOOD = [
    ("shm-layout/a.hpp", '#include "ring.hpp"'),
    ("trace-format/a.cpp", "#include <sys/mman.h>"),
    ("libagent/include/ringside/a.hpp", '#include "abi.h"'),
    ("libagent/a.cpp", '#include "libagent/include/ringside/abi.h"'),
    ("libagent/examples/kvd/a.cpp", '#include "libagent/examples/kvd/store.hpp"'),
    ("consumerd/a.cpp", "#include <boost/interprocess/mapped_region.hpp>"),
    ("tests/a_test.cpp", '#include "libagent/agent.hpp"\n#include "consumerd/poll.hpp"'),
    ("perf/a.cpp", "#include <ringside/ringside.hpp>"),
    ("tools/a.cpp", '// #include "consumerd/poll.hpp"'),
]

BAD = [
    ("shm-layout/a.hpp", '#include "trace-format/block.hpp"'),
    ("shm-layout/a.hpp", "#include <ringside/ringside.hpp>"),
    ("shm-layout/a.hpp", "#include <sys/mman.h>"),
    ("shm-layout/a.hpp", "#include <boost/config.hpp>"),
    ("trace-format/a.cpp", '#include "consumerd/poll.hpp"'),
    ("trace-format/a.cpp", '#include "libagent/agent.hpp"'),
    ("libagent/a.cpp", '#include "trace-format/block.hpp"'),
    ("libagent/a.cpp", '#include "consumerd/poll.hpp"'),
    ("libagent/a.cpp", '#include "libagent/examples/kvd/store.hpp"'),
    ("libagent/examples/kvd/a.cpp", '#include "libagent/agent.hpp"'),
    ("libagent/examples/kvd/a.cpp", '#include "shm-layout/ring.hpp"'),
    ("consumerd/a.cpp", '#include "libagent/agent.hpp"'),
    ("consumerd/a.cpp", "#include <ringside/abi.h>"),
    ("consumerd/a.cpp", '#include "tools/print.hpp"'),
    ("consumerd/a.cpp", "#include <libagent/agent.hpp>"),
    ("tools/a.cpp", '#include "consumerd/poll.hpp"'),
    ("tools/a.cpp", '  #  include "libagent/agent.hpp"'),
    ("tools/a.cpp", '#include "tests/ring/ring_test.hpp"'),
    ("tests/a_test.cpp", '#include "ring/missing.hpp"'),
    ("perf/a.cpp", '#include "../consumerd/poll.hpp"'),
    ("attic/a.cpp", "#include <vector>"),
]


class IncludeDirection(unittest.TestCase):
    def test_points_up_in_the_whole_tree(self):
        tree = read_tree(ROOT)
        self.assertGreater(sum(path.endswith(SOURCE_SUFFIXES) for path in tree), 20, "the tree was not found")
        self.assertEqual(violations(tree), [])

    def test_accepts_what_is_allowed(self):
        for path, text in GOOD:
            with self.subTest(path=path, text=text):
                self.assertEqual(violations({**SAMPLE_TREE, path: text + "\n"}), [])

    def test_rejects_every_forbidden_arrow(self):
        for path, text in BAD:
            with self.subTest(path=path, text=text):
                self.assertEqual(len(violations({**SAMPLE_TREE, path: text + "\n"})), 1)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ROOT = sys.argv.pop(1)
    unittest.main(verbosity=2)
