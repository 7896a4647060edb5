"""The programs and their --help texts, read independently of the generator of the man pages."""

import functools
import os
import re
import subprocess

PATHS = {os.path.basename(path): path for path in os.environ["RINGSIDE_TEST_PROGRAMS"].split(":")}
MANUAL = os.environ["RINGSIDE_TEST_MANUAL"]
BOUND_S = 60


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=BOUND_S, check=False, encoding="utf-8", errors="replace", **options)


@functools.cache
def said(command):
    """The output of `ringctl list --help` for "ringctl list"."""
    program, *arguments = command.split()
    done = run([PATHS[program], *arguments, "--help"])
    if done.returncode != 0:
        raise AssertionError(f"{command} --help: {done.returncode}\n{done.stdout}")
    return done.stdout


def options(text):
    """Names of options at the beginning of a line."""
    heads = re.findall(r"^ {2,6}(-.*?)(?: {2}|$)", text, re.MULTILINE)
    return {name for head in heads for name in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", head)}


def subcommands(program):
    listed = re.search(r"^Subcommands.*:\n((?:  .*\n)+)", said(program), re.MULTILINE)
    return re.findall(r"^  (\S+)", listed.group(1), re.MULTILINE) if listed else []


def commands():
    """All programs and subcommands, by the words that run them."""
    for program in PATHS:
        yield program
        yield from (f"{program} {name}" for name in subcommands(program))
