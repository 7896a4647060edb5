#!/usr/bin/env python3
"""Puts the documentation site together: pages of docs/, with what programs and headers say filled in.

usage: assemble.py OUTPUT_FOLDER HELP_TEXTS [API_MODEL]
    writes OUTPUT_FOLDER/mkdocs.yml and OUTPUT_FOLDER/pages; then `mkdocs build -f OUTPUT_FOLDER/mkdocs.yml`

A line `<!-- help PROGRAM -->` of a page becomes the reference of the program, `<!-- api HEADER -->` that of a header. Without
API_MODEL, which takes Doxygen, it becomes the name of the header.
Links that leave docs/ lead to files of the source tree. They become text, as the site has no such pages.
"""

import os
import posixpath
import re
import shutil
import sys

import api_pages
import help_pages

SITE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.dirname(SITE)
ROOT = os.path.dirname(DOCS)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(#[^)\s]*)?\)")
MARKER = re.compile(r"^<!-- (help|api) (\S+) -->$", re.MULTILINE)


class AssemblyError(Exception):
    pass


def pages():
    """Paths of all files of the site, relative to docs/."""
    for folder, folders, names in os.walk(DOCS):
        folders[:] = sorted(name for name in folders if os.path.join(folder, name) != SITE and name != "__pycache__")
        yield from (os.path.relpath(os.path.join(folder, name), DOCS).replace(os.sep, "/")
                    for name in sorted(names) if name.endswith((".md", ".svg")))


def with_source_paths(page, text):
    """Links to files of the source tree become their text and the path."""
    def replaced(match):
        label, target, _ = match.groups()
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
        if path.startswith("docs/"):
            return match.group(0)
        if path.startswith("..") or not os.path.exists(os.path.join(ROOT, path)):
            raise AssemblyError(f"docs/{page}: the link to {target} leads to no file of the source tree")
        name = f"`{path}`"
        return name if label == name else f"{label} ({name})"
    return LINK.sub(replaced, text)


def filled(page, text, sources):
    def replaced(match):
        kind, name = match.groups()
        try:
            return sources[kind](name)
        except KeyError:
            raise AssemblyError(f"docs/{page}: nothing is known of {kind} {name}") from None
    return MARKER.sub(replaced, text)


def assemble(output, sources):
    target = os.path.join(output, "pages")
    shutil.rmtree(target, ignore_errors=True)
    for page in pages():
        path = os.path.join(target, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        source = os.path.join(DOCS, page)
        if page.endswith(".svg"):
            shutil.copyfile(source, path)
            continue
        with open(source, encoding="utf-8") as file:
            text = filled(page, with_source_paths(page, file.read()), sources)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    shutil.copyfile(os.path.join(SITE, "mkdocs.yml"), os.path.join(output, "mkdocs.yml"))


def sources_of(help_texts, api_model=None):
    helps = help_pages.read(help_texts)
    api = api_pages.read(api_model) if api_model else None
    return {"help": lambda program: help_pages.page(program, helps),
            "api": lambda header: api_pages.page(header, api) if api else f"See `libagent/include/ringside/{header}`."}


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        assemble(sys.argv[1], sources_of(*sys.argv[2:]))
    except AssemblyError as error:
        sys.exit(f"assemble: {error}")


if __name__ == "__main__":
    main()
