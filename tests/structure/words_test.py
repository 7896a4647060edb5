#!/usr/bin/env python3
"""The words of the texts that people read: comments, documents, manual pages and messages.

usage: words_test.py SOURCE_ROOT

Each rule is a pattern that is wrong in technical English wherever it occurs, and its remedy. ALLOWED lists the exceptions:
a path, the words of the line, and the reason.
"""

import fnmatch
import re
import sys
import unittest

import prose
from tracked_files import read_tree

ROOT = None

RULES = [
    (r"\bbehind\b", "after (order in time or in a file); behind is a place in space"),
    (r"(?<!there )\b(?:is|are|was|were|be|been) no (?!longer\b|more\b|less\b|fewer\b|greater\b|larger\b|later\b|earlier\b|one\b|use\b)\w", "is not a"),
    (r"\b(?:nobody|somebody|whoever|whomever|anybody|everybody)\b", "the actor: the service, the consumer, the reader, the caller"),
    (r"\b(?:has|have) to fit\b", "must match"),
    (r"\b(?:is|are|was|were|be|been) (?:told|said)\b", "is reported, is logged"),
    (r"\b(?:is|are) looked at\b", "is checked"),
    (r"\bdearer\b", "costs more"),
    (r"\bas of\b", "as written by, since"),
    (r"\bgiven up\b", "quarantined, abandoned"),
    (r"\bof its own accord\b", "automatically"),
    (r"\bends well\b", "succeeds"),
    (r"\bgives? up\b|\bgave up\b", "abandons, quarantines, releases"),
    (r"\bin vain\b", "without effect, is useless"),
    (r"\bso long\b", "for this time"),
    (r"\bnothing stands\b", "expected"),
    (r"\bmend(?:s|ed|ing)?\b", "fix"),
    (r"\bwhat (?:about|with) one in\b", "about one in"),
]
RULES = [(re.compile(pattern, re.IGNORECASE), remedy) for pattern, remedy in RULES]

# (path, words of the line, reason)
ALLOWED = []

# What is held to the rules: the comments and documents of these, and the string literals of these. FOLDER/* is the folder without
# its sub-folders; a pattern such as tests/*.md includes them.
COMMENT_ROOMS = (
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "consumerd/",
    "docs/",
    "libagent/",
    "meson.build",
    "packaging/",
    "perf/",
    "shm-layout/",
    "tests/",
    "tools/",
    "trace-format/",
)
STRING_ROOMS = (
    "consumerd/",
    "libagent/",
    "packaging/",
    "perf/",
    "shm-layout/",
    "tests/",
    "tools/",
    "trace-format/",
)
NEVER = ("LICENSE", "perf/RESULTS.md", "perf/results/", "tests/golden/1.", "tests/mutants/RESULTS.md", "tests/structure/words_test.py")


def violations(path, text, in_strings):
    found = []
    read = prose.strings if in_strings else prose.comments
    for number, line in read(path, text):
        for pattern, remedy in RULES:
            match = pattern.search(line)
            if match and not any(path == where and words in line for where, words, _ in ALLOWED):
                found.append(f'{path}:{number}: "{match.group()}": {remedy}: {line.strip()}')
    return found


def is_in(path, rooms):
    def holds(room):
        if room.endswith("/*"):
            return path.rpartition("/")[0] == room[:-2]
        return fnmatch.fnmatchcase(path, room) if "*" in room else path.startswith(room)
    return any(holds(room) for room in rooms)


def of_tree(rooms, in_strings):
    return [line for path, text in read_tree(ROOT).items()
            if is_in(path, rooms) and not path.startswith(NEVER) for line in violations(path, text, in_strings)]


class Words(unittest.TestCase):
    def test_comments_and_documents_use_plain_words(self):
        found = of_tree(COMMENT_ROOMS, in_strings=False)
        self.assertEqual(found, [], "\n".join(found))

    def test_messages_use_plain_words(self):
        found = of_tree(STRING_ROOMS, in_strings=True)
        self.assertEqual(found, [], "\n".join(found))

    def test_each_exception_is_used_and_justified(self):
        tree = read_tree(ROOT)
        for path, words, reason in ALLOWED:
            with self.subTest(path=path, words=words):
                self.assertIn(words, tree.get(path, ""))
                self.assertGreater(len(reason.split()), 2)

    def test_wrong_words_are_found_in_every_kind_of_text(self):
        for path, text in (("a.cpp", "// the record behind it\n"), ("a.hpp", "/* x\n   is no file */\n"),
                           ("a.py", '"""Nobody reads."""\n'), ("a.md", "calls get dearer\n"), ("a.sh", "x=1 # as of 3\n"),
                           ("a.1", "is told\n"), ("meson.build", "# whoever\n")):
            with self.subTest(path=path):
                self.assertEqual(len(violations(path, text, in_strings=False)), 1)
        for path, text in (("a.cpp", 'f("{} is no time");\n'), ("a.py", 'print("mended")\n'),
                           ("a.c", 'x = R"(has to fit)";\n'), ("a.cpp", 'f("{} is "\n  "no time");\n'),
                           ("a.py", 'f("it is "\n  f"no file {x}")\n'), ("a.sh", "echo 'what is behind it'  # x\n"),
                           ("a.txt", "a record is given up\n"), ("a.json", '{"title": "Rings given up"}\n')):
            with self.subTest(path=path):
                self.assertEqual(len(violations(path, text, in_strings=True)), 1)

    def test_a_room_has_its_sub_folders_unless_it_says_otherwise(self):
        self.assertTrue(is_in("tools/a/b.cpp", ("docs/", "tools/")))
        self.assertTrue(is_in("tools/b.cpp", ("docs/", "tools/*")))
        self.assertFalse(is_in("tools/a/b.cpp", ("docs/", "tools/*")))
        self.assertTrue(is_in("tools/a/b.md", ("docs/", "tools/*.md")))
        self.assertFalse(is_in("tools/a/b.cpp", ("docs/", "tools/*.md")))

    def test_code_is_not_prose(self):
        for path, text in (("a.cpp", 'int behind = 1; puts("behind");\n'), ("a.md", "`behind`\n```\nbehind\n```\n"),
                           ("a.py", "behind = 'behind'\n"), ("a.cpp", "// is no longer used, there is no file\n")):
            with self.subTest(path=path, text=text):
                self.assertEqual(violations(path, text, in_strings=False), [])


if __name__ == "__main__":
    ROOT = sys.argv.pop()
    unittest.main(verbosity=2)
