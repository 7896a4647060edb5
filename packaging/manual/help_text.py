#!/usr/bin/env python3
"""Runs programs with --help, and parses the output for man_pages.py and completions.py.

usage: help_text.py OUTPUT PROGRAM...
    writes {"ringctl": TEXT, "ringctl list": TEXT, ...} to OUTPUT, as JSON
"""

import dataclasses
import json
import os
import re
import subprocess
import sys

LISTS = ("Options", "Positionals", "Subcommands", "Select ", "Fleet ")


@dataclasses.dataclass
class Item:
    """A line of a list: `--color auto|always|never   levels in colour`, `list   services`."""
    head: str
    text: str

    @property
    def names(self):
        return re.findall(r"(?<!\S)--?[a-z][a-z-]*", self.head)

    @property
    def value(self):
        """The text after the names, '' for a flag."""
        return re.sub(r"^(?:--?[a-z][a-z-]*,? ?)+", "", self.head)


@dataclasses.dataclass
class Section:
    title: str  # '' for plain text
    items: list
    lines: list  # of text: indented lines are kept unchanged


class Help:
    def __init__(self, text):
        first, *blocks = text.rstrip("\n").split("\n\n")
        usage, _, self.description = first.partition("\n")
        if not usage.startswith("Usage: ") or not self.description:
            raise ValueError(f"help must begin with a usage line and a description: {first!r}")
        self.usage = usage.removeprefix("Usage: ")
        self.sections = [section(block) for block in blocks]

    def items(self, title):
        return [item for one in self.sections if one.title.startswith(title) for item in one.items]

    @property
    def option_sections(self):
        return [one for one in self.sections if one.title == "Options" or one.title.startswith(("Select ", "Fleet "))]

    @property
    def options(self):
        return [item for one in self.option_sections for item in one.items]

    @property
    def exit_status(self):
        return next(" ".join(one.lines) for one in self.sections if one.title == "Exit status")


def section(block):
    lines = block.strip("\n").split("\n")
    if lines[0].startswith("Exit status: "):
        return Section("Exit status", [], [" ".join(lines).removeprefix("Exit status: ")])
    title = lines[0].removesuffix(":")
    if not title.startswith(LISTS):
        return Section("", [], lines)
    return Section(title, items_of(lines[1:]), [])


def items_of(lines):
    items = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if indent >= 8 and items:
            items[-1].text = f"{items[-1].text} {line.strip()}".strip()
        elif indent >= 2:
            head, _, text = line.strip().partition("  ")
            items.append(Item(head, text.strip()))
        else:
            raise ValueError(f"not a line of a list: {line!r}")
    without = [item.head for item in items if not item.text]
    if without:
        raise ValueError(f"options without a description: {without}")
    return items


def read(path):
    """{"ringctl list": Help, ...}"""
    with open(path, encoding="utf-8") as file:
        return {command: Help(text) for command, text in json.load(file).items()}


def ask(program, *arguments):
    return subprocess.run([program, *arguments, "--help"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=60, check=True).stdout.decode()


def main():
    output, *programs = sys.argv[1:]
    texts = {}
    for program in programs:
        name = os.path.basename(program)
        texts[name] = ask(program)
        for item in Help(texts[name]).items("Subcommands"):
            texts[f"{name} {item.head}"] = ask(program, item.head)
    with open(output, "w", encoding="utf-8") as file:
        json.dump(texts, file, indent=1)


if __name__ == "__main__":
    main()
