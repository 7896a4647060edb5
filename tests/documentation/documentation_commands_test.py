#!/usr/bin/env python3
"""Commands in docs/ use options, values and subcommands that --help lists, and the programs accept them; configuration
files in docs/ are valid.

usage: documentation_commands_test.py HELP_TEXTS PROGRAM...
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import pages

HELP_TEXTS = None
PATHS = {}
BOUND_S = 60
PROGRAMS = ("consumerd", "ringcat", "ringctl", "ringrun", "ringstat", "ringview", "ringship", "ringsink")  # the last two: with libnats
ASSIGNMENT = re.compile(r"([A-Z_]+)=")


def options_of(text):
    """{option: name of its value, '' for a flag} from the text of --help."""
    found = {}
    for head in re.findall(r"^ {2,6}(-.*?)(?: {2}|$)", text, re.MULTILINE):
        value = re.sub(r"^(?:--?[a-z][a-z-]*,? ?)+", "", head)
        found.update({name: value for name in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", head)})
    return found


def commands_of(line):
    """Words of each program's command in a line with pipes and redirections."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:  # not a command: a quotation in the running text
        return
    part = []
    for word in [*words, "|"]:
        if not word.strip("|&;<>"):
            if part:
                yield part
            part = []
        elif part or not ASSIGNMENT.match(word):
            part.append(word)


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(HELP_TEXTS, encoding="utf-8") as file:
            cls.helps = json.load(file)

    def faults(self, words):
        """The faults of a command; nothing if it is valid."""
        command, rest = words[0], words[1:]
        subcommands = {name.split()[1] for name in self.helps if name.startswith(command + " ")}
        known = options_of(self.helps[command])
        if rest and rest[0] in subcommands:
            command = f"{command} {rest.pop(0)}"
            known = {**known, **options_of(self.helps[command])} if words[0] != "ringcat" else \
                options_of(self.helps[command])
        elif command == "ringctl" and rest and not rest[0].startswith("-"):
            return [f"ringctl has no subcommand {rest[0]}"]
        found = []
        while rest:
            name, equals, value = rest.pop(0).partition("=")
            if command == "ringrun" and (name == "--" or not name.startswith("-")):
                break  # the program with its own words
            if not name.startswith("-") or name == "-":
                continue
            if name not in known:
                found.append(f"{command} has no option {name}")
                continue
            if not known[name]:
                continue
            if not equals and not rest:
                # `--for` in the running text names the option alone.
                continue
            value = value if equals else rest.pop(0)
            if value.startswith("-") and not re.match(r"-\d|-$", value):
                found.append(f"{command} {name}: the value is missing")
            elif re.fullmatch(r"[a-z]+(\|[a-z]+)+", known[name]) and value not in known[name].split("|"):
                found.append(f"{command} {name}: no value {value}")
            elif name == "--to" and not re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", self.helps[command]):
                found.append(f"{command} {name}: no format {value}")
        return found

    def test_commands_are_those_of_the_help(self):
        checked = 0
        for page, line in pages.shell_lines():
            for words in commands_of(line):
                # A command of a container: docker run ... IMAGE consumerd ...
                if words[0] == "docker":
                    words = words[next((i for i, word in enumerate(words) if word in PROGRAMS), 0):]
                if words[0] in PROGRAMS and words[0] in self.helps and (len(words) > 1 or words[0] != "ringctl"):
                    checked += 1
                    with self.subTest(page=page, line=line):
                        self.assertEqual(self.faults(words), [])
        self.assertGreater(checked, 60)

    def test_programs_accept_the_commands_of_blocks(self):
        with tempfile.TemporaryDirectory(prefix="ringside-docs.") as folder:
            os.mkdir(os.path.join(folder, "shm"))
            os.mkdir(os.path.join(folder, "logs"))
            shutil.copytree(os.path.join(pages.ROOT, "tests", "golden", "1.0"), os.path.join(folder, "traces"))
            shutil.copyfile(os.path.join(folder, "traces", "damaged.ringtrace"), os.path.join(folder, "damaged.ringtrace"))
            with open(os.path.join(folder, "consumerd.toml"), "w", encoding="utf-8") as file:
                file.write('output = "traces"\n')
            commands = {(page, tuple(words)) for page, number, text in pages.blocks("sh")
                        for line in text.splitlines() for words in commands_of(line) if words[0] in PATHS}
            self.assertGreater(len(commands), 30)
            for page, words in sorted(commands):
                if words == ("ringstat",) or words[0] == "ringview" or {"--follow", "--listen", "--on-request", "--watch-exit"} & set(words):  # these run until they are stopped
                    continue
                with self.subTest(page=page, command=" ".join(words)):
                    self.assertEqual(self.refusal(words, folder), "")

    def refusal(self, words, folder):
        """A program's message about wrong usage, '' if it accepts the command. The program of ringrun does not exist."""
        added = {"consumerd": ["--check-config"], "ringcat": [], "ringview": [], "ringship": [], "ringsink": []}.get(words[0], ["--shm-dir", os.path.join(folder, "shm")])
        if list(words[:2]) == ["ringctl", "fleet"]:
            added = []
        # It would wait for its servers.
        if words[0] == "ringsink" and not {"init", "--until-idle-s"} & set(words):
            added = ["--until-idle-s", "1"]
        done = subprocess.run([PATHS[words[0]], *words[1:], *added], cwd=folder, timeout=BOUND_S, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode(errors="replace")
        return said if done.returncode in (2, 125) and "--help" in said else ""

    def test_wrong_usage_is_noticed(self):
        for words in (["ringcat", "--color", "blue", "x"], ["ringctl", "lower"], ["consumerd", "--keep-files", "x"],
                      ["ringrun", "--levels", "x"]):
            with self.subTest(words):
                self.assertNotEqual(self.refusal(words, "."), "")

    def test_wrong_commands_are_noticed(self):
        for line in ("ringctl --levels", "ringctl lower warning", "ringcat --color blue traces", "ringcat --to tiff traces",
                     "ringcat stats --tail 3 traces", "consumerd --output --once", "ringrun --tail 3 -- ./service"):
            with self.subTest(line):
                self.assertEqual(len(self.faults(line.split())), 1)

    def test_variables_in_commands_are_documented(self):
        documented = pages.first_column("reference/environment.md", "## The library")
        used = {name for _, line in pages.shell_lines() for name in re.findall(r"\b(RINGSIDE_[A-Z_]+)=", line)}
        self.assertGreater(len(used), 5)
        self.assertEqual({name for name in used if not name.startswith("RINGSIDE_CONSUMERD_")} - set(documented), set())

    def test_configuration_files_are_valid(self):
        blocks = pages.blocks("toml")
        self.assertGreater(len(blocks), 3)
        for page, number, text in blocks:
            with self.subTest(page=page, block=number), tempfile.TemporaryDirectory(prefix="ringside-docs.") as folder:
                path = os.path.join(folder, "consumerd.toml")
                os.mkdir(os.path.join(folder, "traces"))
                os.mkdir(os.path.join(folder, "logs"))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text.replace('"/var/lib/ringside"', '"traces"').replace('"/var/log/ringside"', '"logs"')
                               .replace('["ringside"]', '["daemon"]')  # the group of the installed units
                               .replace("/usr/local/bin/page", "/bin/true"))
                done = subprocess.run([PATHS["consumerd"], "--config", path, "--check-config"], cwd=folder, timeout=BOUND_S,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    HELP_TEXTS = sys.argv[1]
    PATHS = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[2:]}
    del sys.argv[1:]
    unittest.main(verbosity=2)
