"""Fenced code blocks of a Markdown page."""

import re

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_blocks(page, language):
    """The texts of all blocks tagged ```language, in order."""
    return [text for tag, text in _BLOCK.findall(page) if tag == language]


def command_lines(page):
    """The commands of all ```sh blocks: lines continued with a backslash joined, comments and blank lines dropped."""
    commands = []
    for block in code_blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"(^|\s)#\s.*$", "", line)
            if line.strip():
                commands.append(" ".join(line.split()))
    return commands
