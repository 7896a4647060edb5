"""Markdown from what a program prints with --help, and from packaging/manual/NAME.txt."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "packaging", "manual"))

import help_text  # noqa: E402
import man_pages  # noqa: E402


def cell(text):
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "&#124;"), ("*", "&#42;"), ("_", "&#95;"),
                          ("`", "&#96;"), ("[", "&#91;"), ("\\", "&#92;")):
        text = text.replace(plain, entity)
    return text


def table(items, title):
    rows = [f"| <code>{cell(item.head)}</code> | {cell(item.text)} |" for item in items]
    return [f"| {title} | |", "| --- | --- |", *rows, ""]


def block(lines, language="text"):
    return [f"```{language}", *lines, "```", ""]


def sections(own, heading):
    out = []
    for one in own.sections:
        if not one.title:
            out += block(one.lines)
        elif one.title == "Exit status":
            out += [f"{heading} Exit status", ""]
            out += [f"- {cell(part.strip().rstrip('.'))}" for part in re.split(r"[,.] (?=\d|With )", " ".join(one.lines))]
            out.append("")
        elif one.title.startswith("Subcommands"):
            continue
        else:
            out += [f"{heading} {one.title}", "", *table(one.items, "option" if one in own.option_sections else "argument")]
    return out


def page(program, helps):
    """The reference of a program and its subcommands, without the title of the page."""
    own = helps[program]
    out = [*block(["$ " + program + " --help", "Usage: " + own.usage]), " ".join(cell(own.description).split("\n")), ""]
    out += sections(own, "##")
    for title, lines in man_pages.added_sections(program).items():
        out += [f"## {title.capitalize()}", "", *block(lines, "sh" if title == "EXAMPLES" else "text")]
    subcommands = own.items("Subcommands")
    for item in subcommands:
        command = f"{program} {item.head}"
        out += [f"## {command}", "", *block(["Usage: " + helps[command].usage]),
                " ".join(cell(helps[command].description).split("\n")), "", *sections(helps[command], "###")]
    return "\n".join(out)


def read(path):
    return help_text.read(path)
