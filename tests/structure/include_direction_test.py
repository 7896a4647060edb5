#!/usr/bin/env python3
"""Which folder may include which. Includes between the top-level folders only point up, and the two sides of the shared
memory never include each other. The rooms of a folder, its sub-folders, include each other in one direction too.

usage: include_direction_test.py SOURCE_ROOT
"""

import posixpath
import re
import sys
import unittest

from tracked_files import SOURCE_SUFFIXES, read_tree

ROOT = None
EXAMPLES = "libagent/examples"
# Headers on top of the public ones, as a service's own would be.
COMPAT = "libagent/include/ringside/compat"

# Folder -> folders it may include besides itself. Folders that are missing here may include all.
ALLOWED = {
    "shm-layout": set(),
    "trace-format": {"shm-layout"},
    "libagent": {"shm-layout"},
    EXAMPLES: {"<ringside/>"},
    COMPAT: {"<ringside/>"},
    "consumerd": {"shm-layout", "trace-format"},
    "tools": {"shm-layout", "trace-format"},
}
FREE = {"tests", "perf", "packaging"}
FOLDERS = set(ALLOWED) | FREE

# Folder -> room -> rooms of the same folder it may include besides itself. Files outside of rooms may include all rooms, and
# no room may include them.
ROOMS = {
    "libagent": {
        "include": set(),
        "process": {"include"},
        "description": {"include"},
        "recording": {"description", "include", "process"},
        "statements": {"description", "include", "process", "recording"},
        "crashes": {"include", "process", "recording"},
    },
    "consumerd": {
        "descriptors": set(),
        "log": {"descriptors"},
        "process": {"descriptors", "log"},
        "metrics": {"descriptors", "log"},
        "rules": {"log"},
        "configuration": {"descriptors", "log", "metrics", "rules"},
        "sandbox": {"configuration", "descriptors", "log"},
        "discover": {"descriptors", "log"},
        "files": {"configuration", "descriptors", "log"},
        "write": {"configuration", "descriptors", "discover", "files", "log"},
        "text": {"configuration", "descriptors", "files", "log", "write"},
        "rings": {"discover"},
        "placement": {"log"},
        "requests": {"discover", "log"},
        "triggers": {"descriptors", "log", "metrics", "rings", "rules", "sandbox"},
        "drain": {"discover", "log", "rings", "rules", "triggers", "write"},
        "sessions": {"descriptors", "discover", "drain", "files", "log", "requests", "rings", "rules", "write"},
        "session": {"configuration", "discover", "drain", "files", "log", "metrics", "placement", "requests", "rings", "rules",
                    "sessions", "triggers", "write"},
        "poll": {"configuration", "descriptors", "discover", "files", "log", "metrics", "placement", "process", "sandbox", "session", "sessions",
                 "text", "triggers", "write"},
    },
    "trace-format": {
        "text": set(),
        "blocks": {"text"},
        "codec": {"blocks", "text"},
        "packing": {"blocks", "codec"},
        "reader": {"blocks", "codec", "text"},
        "query": {"blocks", "codec", "reader", "text"},
        "condition": {"codec", "reader", "text"},
        "lines": {"codec", "condition", "reader", "text"},
    },
    "tools": {
        "text": set(),
        "files": set(),
        "query": {"text"},
        "live": {"text"},
        "interop": {"files", "text"},
        "fleet": {"files", "live", "query", "text"},
        "processes": {"files"},
        "report": {"crash", "files", "interop", "processes", "query", "symbols", "text"},
        "ringview": {"files", "live", "processes", "query", "report", "text"},
        "scheduling": {"files", "interop"},
        "symbols": set(),
        "crash": {"symbols"},
        "ringcat": {"crash", "files", "fleet", "interop", "live", "processes", "query", "report", "text"},
        "ringctl": {"files", "fleet", "live", "scheduling", "text"},
        "ringrun": {"processes", "text"},
        "ringstat": {"fleet", "live", "query", "text"},
        "examples": set(),
    },
}

# A header of a room -> the files of its room that may include it. A registry knows what it lists, and what it lists does not
# know the registry: only sources are allowed, so that no header leads there.
REGISTRIES = {
    "tools/interop/format_registry.hpp": {
        "tools/interop/conversion.cpp",
        "tools/interop/foreign_inputs.cpp",
        "tools/interop/format_registry.cpp",
        "tools/interop/opened_trace.cpp",
        "tools/interop/trace_conversion.cpp",
        "tools/interop/trace_forwarding.cpp",
    },
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
STANDARD_HEADER = re.compile(r"[a-z_]+")  # of C++: no folder and no suffix


def folder_of(path):
    nested = (folder for folder in (EXAMPLES, COMPAT) if path.startswith(folder + "/"))
    return next(nested, path.split("/", 1)[0])


def target_file(path, quoted, files):
    """The file that a quoted include names; raises ValueError if it is missing."""
    if ".." in quoted.split("/"):
        raise ValueError('climbs with ".."; write it relative to the root')
    if quoted in files:
        return quoted
    sibling = posixpath.join(posixpath.dirname(path), quoted)
    if sibling in files:
        return sibling
    raise ValueError("is not a file of the tree; write it relative to the root")


def angled_folder(angled):
    """The folder of this project that an include in angle brackets refers to, None for others."""
    if angled.startswith("ringside/"):
        return "<ringside/>"
    first = folder_of(angled)
    return first if "/" in angled and first in FOLDERS else None


def room_of(path):
    """The room of a file, or None outside of rooms."""
    parts = path.split("/")
    return parts[1] if folder_of(path) in ROOMS and len(parts) > 2 else None


def crosses_rooms(path, target):
    """What is wrong about an include between two files of one folder; empty if nothing is."""
    rooms = ROOMS.get(path.split("/", 1)[0], {})
    room, other = room_of(path), room_of(target)
    if room is None or room == other or other in rooms[room]:
        return ""
    return f"but room {room} may only include itself" + "".join(f", {name}" for name in sorted(rooms[room]))


def enters_registry(path, target):
    """What is wrong about an include of a registry; empty if nothing is."""
    users = REGISTRIES.get(target)
    same_room = (folder_of(path), room_of(path)) == (folder_of(target), room_of(target))
    if users is None or not same_room or path in users:
        return ""
    return "but in this room only " + ", ".join(sorted(users)) + " may"


def includes(files):
    """Each include of the sources: (path, a text that says where it is, the name in quotes, the name in angle brackets)."""
    for path, text in files.items():
        if not path.endswith(SOURCE_SUFFIXES):
            continue
        for match in INCLUDE.finditer(text):
            quoted, angled = match.groups()
            where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}: includes {quoted or angled}"
            yield path, where, quoted, angled


def violations(files):
    """files: {path: text}. Returns one line of text per violation."""
    found = []
    for path in files:
        if path.endswith(SOURCE_SUFFIXES) and folder_of(path) not in FOLDERS:
            found.append(f"{path}: folder {folder_of(path)} has no rule for its includes")
        elif path.endswith(SOURCE_SUFFIXES) and room_of(path) and room_of(path) not in ROOMS[folder_of(path)]:
            found.append(f"{path}: room {room_of(path)} has no rule for its includes")
    for path, where, quoted, angled in includes(files):
        folder = folder_of(path)
        if folder not in FOLDERS or (room_of(path) and room_of(path) not in ROOMS[folder]):
            continue
        if folder == "shm-layout" and angled and not STANDARD_HEADER.fullmatch(angled):
            found.append(f"{where}, but shm-layout uses only the C++ standard library")
            continue
        try:
            file = target_file(path, quoted, files) if quoted else None
        except ValueError as error:
            found.append(f"{where}, which {error}")
            continue
        target = folder_of(file) if file else angled_folder(angled)
        if target == folder and file:
            wrong = crosses_rooms(path, file) or enters_registry(path, file)
            found += [f"{where}, {wrong}"] if wrong else []
        if target in (None, folder) or folder in FREE or target in ALLOWED[folder]:
            continue
        found.append(f"{where}, but {folder} may only include itself"
                     + "".join(f", {name}" for name in sorted(ALLOWED[folder])))
    return found


def room_arrows(files):
    """{folder: {room: rooms that it includes}}, as the sources have them."""
    found = {folder: {room: set() for room in rooms} for folder, rooms in ROOMS.items()}
    for path, _, quoted, _ in includes(files):
        if quoted in files and room_of(path) and room_of(quoted) and folder_of(path) == folder_of(quoted):
            found[folder_of(path)].setdefault(room_of(path), set()).add(room_of(quoted))
    return {folder: {room: seen - {room} for room, seen in rooms.items()} for folder, rooms in found.items()}


def circle(rooms):
    """Rooms that include each other in a circle, or that lead to one; empty if there is an order."""
    left = dict(rooms)
    while True:
        lowest = [room for room, below in left.items() if not below & set(left)]
        if not lowest:
            return sorted(left)
        for room in lowest:
            del left[room]


# A small tree for the samples to include.
SAMPLE_TREE = {
    "shm-layout/ring.hpp": "#include <cstdint>\n",
    "trace-format/blocks/block.hpp": '#include "shm-layout/ring.hpp"\n',
    "libagent/recording/agent.hpp": '#include "shm-layout/ring.hpp"\n',
    "libagent/include/ringside/abi.h": "#include <stdint.h>\n",
    "consumerd/top.hpp": "",
    "consumerd/poll/poll.hpp": '#include "trace-format/blocks/block.hpp"\n',
    "consumerd/log/log.hpp": "",
    "tools/text/print.hpp": '#include "trace-format/blocks/block.hpp"\n',
    "tools/interop/format_registry.hpp": "",
    "libagent/examples/kvd/store.hpp": "#include <ringside/ringside.hpp>\n",
    "tests/ring/ring_test.hpp": "",
}

GOOD = [
    ("shm-layout/a.hpp", '#include "ring.hpp"'),
    ("trace-format/codec/a.cpp", "#include <sys/mman.h>"),
    ("libagent/include/ringside/a.hpp", '#include "abi.h"'),
    ("libagent/a.cpp", '#include "libagent/include/ringside/abi.h"'),
    ("libagent/examples/kvd/a.cpp", '#include "libagent/examples/kvd/store.hpp"'),
    ("libagent/include/ringside/compat/a.hpp", "#include <ringside/log.hpp>"),
    ("consumerd/poll/a.cpp", '#include "consumerd/log/log.hpp"\n#include "poll.hpp"'),
    ("consumerd/a.cpp", '#include "consumerd/poll/poll.hpp"'),
    ("consumerd/log/a.cpp", '// #include "consumerd/poll/poll.hpp"'),
    ("consumerd/a.cpp", "#include <boost/interprocess/mapped_region.hpp>"),
    ("tests/a_test.cpp", '#include "libagent/recording/agent.hpp"\n#include "consumerd/poll/poll.hpp"'),
    ("perf/a.cpp", "#include <ringside/ringside.hpp>"),
    ("tools/query/a.cpp", '// #include "consumerd/poll/poll.hpp"'),
    ("tools/query/a.cpp", '#include "tools/text/print.hpp"\n#include "trace-format/blocks/block.hpp"'),
    ("tools/interop/ctf/a.cpp", '#include "tools/text/print.hpp"'),
    ("tools/interop/conversion.cpp", '#include "tools/interop/format_registry.hpp"'),
    ("tools/ringcat/a.cpp", '#include "tools/interop/format_registry.hpp"'),
    ("trace-format/codec/a.cpp", '#include "trace-format/blocks/block.hpp"'),
]

BAD = [
    ("shm-layout/a.hpp", '#include "trace-format/blocks/block.hpp"'),
    ("shm-layout/a.hpp", "#include <ringside/ringside.hpp>"),
    ("shm-layout/a.hpp", "#include <sys/mman.h>"),
    ("shm-layout/a.hpp", "#include <boost/config.hpp>"),
    ("trace-format/codec/a.cpp", '#include "consumerd/poll/poll.hpp"'),
    ("trace-format/codec/a.cpp", '#include "libagent/recording/agent.hpp"'),
    ("libagent/a.cpp", '#include "trace-format/blocks/block.hpp"'),
    ("libagent/a.cpp", '#include "consumerd/poll/poll.hpp"'),
    ("libagent/a.cpp", '#include "libagent/examples/kvd/store.hpp"'),
    ("libagent/examples/kvd/a.cpp", '#include "libagent/recording/agent.hpp"'),
    ("libagent/include/ringside/compat/a.hpp", '#include "libagent/recording/agent.hpp"'),
    ("libagent/examples/kvd/a.cpp", '#include "shm-layout/ring.hpp"'),
    ("consumerd/a.cpp", '#include "libagent/recording/agent.hpp"'),
    ("consumerd/a.cpp", "#include <ringside/abi.h>"),
    ("consumerd/a.cpp", '#include "tools/text/print.hpp"'),
    ("consumerd/a.cpp", "#include <libagent/recording/agent.hpp>"),
    ("consumerd/log/a.cpp", '#include "consumerd/poll/poll.hpp"'),
    ("consumerd/poll/a.cpp", '#include "consumerd/top.hpp"'),
    ("consumerd/poll/inner/a.cpp", '#include "libagent/recording/agent.hpp"'),
    ("consumerd/attic/a.cpp", "#include <vector>"),
    ("tools/query/a.cpp", '#include "consumerd/poll/poll.hpp"'),
    ("tools/query/a.cpp", '  #  include "libagent/recording/agent.hpp"'),
    ("tools/query/a.cpp", '#include "tests/ring/ring_test.hpp"'),
    ("tools/files/a.cpp", '#include "tools/text/print.hpp"'),
    ("tools/interop/ctf/a.cpp", '#include "tools/interop/format_registry.hpp"'),
    ("tools/interop/conversion.hpp", '#include "format_registry.hpp"'),
    ("trace-format/text/a.cpp", '#include "trace-format/blocks/block.hpp"'),
    ("tests/a_test.cpp", '#include "ring/missing.hpp"'),
    ("perf/a.cpp", '#include "../consumerd/poll/poll.hpp"'),
    ("attic/a.cpp", "#include <vector>"),
]


class IncludeDirection(unittest.TestCase):
    def test_points_up_in_the_whole_tree(self):
        tree = read_tree(ROOT)
        self.assertGreater(sum(path.endswith(SOURCE_SUFFIXES) for path in tree), 20, "the tree was not found")
        self.assertEqual(violations(tree), [])

    def test_rooms_include_each_other_in_one_direction(self):
        for folder, rooms in ROOMS.items():
            with self.subTest(folder=folder):
                self.assertEqual(circle(rooms), [])
                self.assertLessEqual(set().union(*rooms.values()), set(rooms))

    def test_the_table_of_rooms_allows_only_what_is_used(self):
        self.assertEqual(room_arrows(read_tree(ROOT)), ROOMS)

    def test_registries_are_included_by_all_files_that_may(self):
        tree = read_tree(ROOT)
        for registry, users in REGISTRIES.items():
            seen = {path for path, _, quoted, _ in includes(tree) if quoted == registry}
            self.assertLessEqual(users, seen)
            self.assertEqual([path for path in users if not path.endswith(".cpp")], [])

    def test_a_circle_is_found(self):
        self.assertEqual(circle({"a": {"b"}, "b": set()}), [])
        self.assertEqual(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}), ["a", "b", "c"])

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
