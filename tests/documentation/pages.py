"""The pages of docs/ and their content."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCS = os.path.join(ROOT, "docs")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def pages():
    """{path relative to docs/: text}, without the folder that builds the site."""
    found = {}
    for folder, folders, names in os.walk(DOCS):
        folders[:] = [name for name in folders if os.path.join(folder, name) != os.path.join(DOCS, "site")]
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".md"):
                found[os.path.relpath(path, DOCS)] = text_of(path)
    return found


def blocks(language):
    """[(page, number, text)] of all blocks ```language."""
    return [(page, number, text) for page, content in sorted(pages().items())
            for number, (tag, text) in enumerate(BLOCK.findall(content)) if tag == language]


def shell_lines():
    """[(page, command line)] of all blocks ```sh and of code in the running text."""
    found = [(page, line.strip()) for page, _, text in blocks("sh")
             for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    return found + [(page, span) for page, content in sorted(pages().items())
                    for span in SPAN.findall(BLOCK.sub("", content))]


def first_column(page, heading):
    """Names in back quotes in the first column of the tables of a section, without its later siblings."""
    marks = heading.split(" ")[0]
    content = pages()[page]
    part = content[content.index(heading + "\n") + len(heading):]
    part = re.split(rf"^{marks} ", part, flags=re.MULTILINE)[0]
    return re.findall(r"^\| `([^`]+)`", part, re.MULTILINE)


def sources(*folders):
    """The text of all sources of these folders."""
    out = []
    for folder in folders:
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            out += [text_of(os.path.join(where, name)) for name in sorted(names) if name.endswith((".cpp", ".hpp"))]
    return "\n".join(out)


def literals(text):
    """String literals of C++ source; neighbours are joined."""
    joined = re.sub(r'"\s*\n\s*"', "", text)
    return re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined)
