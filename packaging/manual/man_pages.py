#!/usr/bin/env python3
"""Generates man pages from the --help output of programs, and from NAME.txt in this folder: sections that
--help lacks, each after a line [TITLE].

usage: man_pages.py HELP_TEXTS OUTPUT_FOLDER VERSION
The pages have the date of SOURCE_DATE_EPOCH, or none if it is not set.
"""

import datetime
import os
import re
import shutil
import sys

import help_text

HERE = os.path.dirname(os.path.abspath(__file__))


def escaped(text):
    for plain, roff in (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(plain, roff)
    return "\\&" + text if text.startswith(".") else text


def paragraphs(lines):
    """Runs of indented lines are kept unchanged; the other lines are filled."""
    out = []
    shown = False
    for line in lines:
        if line.startswith(" ") != shown:
            shown = not shown
            out += [".PP", ".RS 4", ".nf"] if shown else [".fi", ".RE", ".PP"]
        out.append(escaped(line.strip()))
    return out + ([".fi", ".RE"] if shown else [])


def list_of(items, head):
    return [line for item in items for line in (".TP", head(item), escaped(item.text))]


def option_head(item):
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in item.names)
    return names + (f" \\fI{escaped(item.value)}\\fR" if item.value else "")


def added_sections(name):
    """{"EXAMPLES": [line, ...]} of NAME.txt; {} if there is none."""
    path = os.path.join(HERE, name.replace(" ", "-") + ".txt")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^\[(.+)\]\n", file.read(), flags=re.MULTILINE)
    return {title: text.strip("\n").split("\n") for title, text in zip(parts[1::2], parts[2::2])}


def added(lines):
    try:
        return list_of(help_text.items_of(lines), lambda item: f"\\fB{escaped(item.head)}\\fR")
    except ValueError:  # not a list but text
        return paragraphs(lines)[1 if lines[0].startswith(" ") else 0:]


def page(command, helps, version, date):
    own = helps[command]
    program = command.split()[0]
    subcommands = own.items("Subcommands")
    if command == program:
        summary = re.split(r"[:.](?:\s|$)", " ".join(own.description.split("\n")))[0]
        summary = summary[0].lower() + summary[1:]
        others = [name for name in helps if name.split()[0] == program or " " not in name]
    else:
        summary = next(item.text for item in helps[program].items("Subcommands") if item.head == command.split()[1])
        others = [name for name in helps if " " not in name]
    name, arguments = re.match(r"(\S+(?: [a-z]+)?) ?(.*)", own.usage).groups()
    out = [f'.TH {command.replace(" ", "-").upper()} 1 "{date}" "Ringside {version}" "Ringside"',
           ".SH NAME", f"{escaped(command.replace(' ', '-'))} \\- {escaped(summary)}",
           ".SH SYNOPSIS", f"\\fB{escaped(name)}\\fR {escaped(arguments)}".rstrip(),
           ".SH DESCRIPTION", *paragraphs(own.description.split("\n"))]
    for one in own.sections:
        if not one.title:
            text = paragraphs(one.lines)
            out += text if text[0] == ".PP" else [".PP", *text]
    if own.items("Positionals"):
        out += [".SH ARGUMENTS", *list_of(own.items("Positionals"), lambda item: f"\\fI{escaped(item.head)}\\fR")]
    for one in own.option_sections:
        out += [".SH OPTIONS" if one.title == "Options" else f'.SS "{escaped(one.title)}"',
                *list_of(one.items, option_head)]
    if subcommands:
        out += [".SH SUBCOMMANDS", *list_of(subcommands, lambda item: f"\\fB{escaped(item.head)}\\fR")]
    out += [".SH EXIT STATUS", escaped(own.exit_status)]
    for title, lines in added_sections(command).items():
        out += [f".SH {title}", *added(lines)]
    out += [".SH SEE ALSO", ",\n".join(f"\\fB{escaped(name.replace(' ', '-'))}\\fR(1)"
                                       for name in sorted(others) if name != command)]
    return "\n".join(out) + "\n"


def main():
    texts, folder, version = sys.argv[1:]
    helps = help_text.read(texts)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%d") if epoch else ""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for command in helps:
        with open(os.path.join(folder, command.replace(" ", "-") + ".1"), "w", encoding="utf-8") as file:
            file.write(page(command, helps, version, date))


if __name__ == "__main__":
    main()
