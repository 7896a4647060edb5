#!/usr/bin/env python3
"""Completions in the real shells: they propose what --help lists, and the programs accept the proposals."""

import os
import pty
import select
import shutil
import signal
import tempfile
import time
import unittest

import programs

LEVELS = ["critical", "debug", "error", "info", "notice", "trace", "warning"]
# The proposals for the last word; "" stands for any word.
WORDS = {
    "ringcat --color ": ["always", "auto", "never"],
    "ringcat --format ": ["csv", "json", "logfmt", "text"],
    "ringcat --level ": LEVELS,
    "ringcat verify --format ": ["json", "text"],
    "ringcat agg --format ": ["csv", "json", "text"],
    "ringctl level ": sorted(LEVELS + ["off"]),
    "ringctl level --for 1s ": sorted(LEVELS + ["off"]),
    "ringctl list --of-level ": LEVELS,
    "ringctl policy b": ["block"],
    "ringrun --level ": sorted(LEVELS + ["off"]),
    "ringrun --records ": ["stderr", "stdout"],
    "ringrun --format ": ["csv", "json", "logfmt", "text"],
    "consumerd --io ": ["auto", "pwrite", "uring"],
    "consumerd --sandbox ": ["auto", "off", "on"],
    "consumerd --sync ": ["always", "interval=100ms", "none"],
    "consumerd --cpu ": [],
    "ringctl dis": ["disable"],
}
# In a folder with the file `a.ringtrace` and the folder `a.folder`.
PATHS = {
    "consumerd --output a": ["a.folder"],
    "consumerd -o a": ["a.folder"],
    "ringstat --shm-dir a": ["a.folder"],
    "ringrun --keep a": ["a.folder"],
    "ringrun a": ["a.folder", "a.ringtrace"],
    "ringctl list --shm-dir a": ["a.folder"],
    "ringcat --segment a": ["a.folder", "a.ringtrace"],
    "ringcat stats a": ["a.folder", "a.ringtrace"],
}


def bash(line, folder):
    program = line.split()[0]
    script = ('source "$1"; COMP_WORDS=($2); [[ $2 == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n'
              '_"$3"; printf "%s\\n" "${COMPREPLY[@]}"')
    done = programs.run(["bash", "--norc", "-c", script, "bash", os.path.join(programs.MANUAL, program), line, program],
                        cwd=folder)
    return done.stdout


def fish(line, folder):
    script = os.path.join(programs.MANUAL, line.split()[0] + ".fish")
    home = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
    done = programs.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], cwd=folder, env=home)
    return "".join(proposed.split("\t")[0] + "\n" for proposed in done.stdout.splitlines())


class Shell(unittest.TestCase):
    """The proposals of shells that can be asked for them."""
    propose = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-manual.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "a.folder"))
        with open(os.path.join(self.folder, "a.ringtrace"), "wb"):
            pass

    def proposed(self, line):
        return sorted(word.rstrip("/") for word in type(self).propose(line, self.folder).splitlines() if word)

    def check_options(self):
        for command in programs.commands():
            with self.subTest(command):
                named = programs.options(programs.said(command))
                self.assertEqual({word for word in self.proposed(command + " -") if word.startswith("--")},
                                 {name for name in named if name.startswith("--")})

    def check_words(self):
        for line, expected in {**WORDS, **PATHS}.items():
            with self.subTest(line):
                self.assertEqual(self.proposed(line), expected)
        for program in ("ringcat", "ringctl"):
            expected = set(programs.subcommands(program))
            self.assertEqual(expected - set(self.proposed(program + " ")), set())


class Bash(Shell):
    propose = bash

    def test_options_are_those_of_the_help(self):
        self.check_options()

    def test_words_and_paths(self):
        self.check_words()

    def test_a_value_after_an_equals_sign(self):
        # bash treats the equals sign as a word.
        self.assertEqual(self.proposed("ringcat --color = al"), ["always"])
        self.assertEqual(self.proposed("ringcat --color ="), ["always", "auto", "never"])


@unittest.skipIf(shutil.which("fish") is None, "fish is missing; packaging/install-build-deps.sh installs it")
class Fish(Shell):
    propose = fish

    def test_options_are_those_of_the_help(self):
        self.check_options()

    def test_words_and_paths(self):
        self.check_words()


@unittest.skipIf(shutil.which("zsh") is None, "zsh is missing; packaging/install-build-deps.sh installs it")
class Zsh(unittest.TestCase):
    """zsh completes only at a terminal: its completion of a line is visible by running the line."""

    LINES = {
        "ringctl sna\t": "snapshot",
        "ringctl flush --time\t5s": "flush --timeout=5s",
        "ringctl list --threads --serv\tkv": "list --threads --service=kv",
        "ringctl level --for 1s crit\t": "level --for 1s critical",
        "ringctl policy bl\t": "policy block",
        "ringcat --color al\t": "--color always",
        "ringcat --format=logf\t": "--format=logfmt",
        "ringcat stats --format js\t": "stats --format json",
        "ringcat --level warning a.r\t": "--level warning a.ringtrace",
        "ringcat hist --wid\t30": "hist --width=30",
        "consumerd --io ur\t": "--io uring",
        "consumerd -o a\t": "-o a.folder",
        "ringstat --watch\t": "--watch-exit",
    }

    def test_lines_are_completed(self):
        with tempfile.TemporaryDirectory(prefix="ringside-manual.") as folder:
            os.mkdir(os.path.join(folder, "a.folder"))
            with open(os.path.join(folder, "a.ringtrace"), "wb"):
                pass
            results = os.path.join(folder, "results")
            functions = "; ".join(f'{name}() {{ print -r -- "$*" >>{results} }}' for name in programs.PATHS)
            setup = f"fpath=({programs.MANUAL} $fpath); autoload -Uz compinit; compinit -u -D; {functions}; unsetopt zle_bracketed_paste"
            self.type_into_zsh([setup, *self.LINES], folder)
            with open(results, encoding="utf-8") as file:
                self.assertEqual(file.read().splitlines(), list(self.LINES.values()))

    def type_into_zsh(self, lines, folder):
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "HOME": folder, "PS1": "ready> "})
        self.addCleanup(os.close, terminal)
        said = b""
        end = time.monotonic() + programs.BOUND_S
        try:
            for number, line in enumerate([*lines, "exit"]):
                # Sends each line when the shell waits for it.
                while said.count(b"ready> ") <= number:
                    self.assertTrue(select.select([terminal], [], [], end - time.monotonic())[0], said)
                    said += os.read(terminal, 65536)
                os.write(terminal, line.encode() + b"\n")
            while os.read(terminal, 65536):
                pass
        except OSError:  # the terminal is closed after the last line
            pass
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


class ProposedWords(unittest.TestCase):
    def test_programs_take_them(self):
        """With a missing directory or service these commands fail for another reason than the word."""
        with tempfile.TemporaryDirectory(prefix="ringside-manual.") as folder:
            for line, words in WORDS.items():
                if line.endswith(("dis", "--cpu ")):
                    continue
                program, *before = line.split()
                before = [word for word in before if word != "b"]
                for word in words:
                    behind = {"ringcat": [], "consumerd": ["--once", "--shm-dir", folder, "--output", folder]}
                    behind = behind.get(program, ["--shm-dir", folder])
                    if program == "ringrun":
                        behind = ["no-such-program"]
                    elif program == "ringcat":
                        behind = (["x"] if before[0] == "agg" else []) + [os.path.join(folder, "none.ringtrace")]
                    with self.subTest(line + word):
                        done = programs.run([programs.PATHS[program], *before, word, *behind], cwd=folder)
                        self.assertNotIn(done.returncode, (2, 125), done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
