#!/usr/bin/env python3
"""Draws overview.svg, the picture of the README: the way of a record from the service to the reader.

usage: overview.py > overview.svg
"""

import sys
from html import escape

WIDTH, HEIGHT = 880, 268
PROCESS, MEMORY = ("#eaf1fa", "#2f5d8c"), ("#fdf3dc", "#9a6b00")


def box(x, y, width, height, lines, colours=PROCESS):
    """A box with a heading and lines below it."""
    fill, stroke = colours
    out = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{stroke}"/>']
    top = y + height / 2 - 9 * (len(lines) - 1) + 5
    for number, line in enumerate(lines):
        style = ' font-weight="bold"' if number == 0 else ' font-size="12" fill="#444"'
        out.append(f'<text x="{x + width / 2:g}" y="{top + 18 * number:g}" text-anchor="middle"{style}>{escape(line)}</text>')
    return out


def arrow(x1, y1, x2, y2, text=""):
    out = [f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#333" stroke-width="1.5" marker-end="url(#end)"/>']
    if text:
        out.append(f'<text x="{(x1 + x2) / 2:g}" y="{min(y1, y2) - 6:g}" text-anchor="middle" font-size="11" fill="#444">'
                   f"{escape(text)}</text>")
    return out


def frame(x, y, width, height, title, colours):
    return [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{colours[0]}" stroke="{colours[1]}" '
            'stroke-dasharray="5 3" fill-opacity="0.5"/>',
            f'<text x="{x + width / 2:g}" y="{y - 8}" text-anchor="middle" font-weight="bold">{escape(title)}</text>']


def overview():
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="14">',
           "<title>The way of a record</title>",
           "<desc>Threads of a service copy arguments into rings in shared memory, one ring for each thread. consumerd "
           "drains the rings, compresses, and writes trace files. ringcat prints, filters and converts them. ringctl and "
           "ringstat work on the shared memory.</desc>",
           '<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
           'orient="auto"><path d="M0 0 10 5 0 10z" fill="#333"/></marker></defs>',
           '<rect width="100%" height="100%" fill="white"/>']
    out += frame(10, 34, 150, 176, "service", PROCESS)
    out += frame(240, 34, 150, 176, "shared memory", MEMORY)
    for number, y in ((1, 48), (2, 130)):
        out += box(22, y, 126, 64, [f"thread {number}", "RS_INFO(...)"])
        out += box(252, y, 126, 64, [f"ring {number}", "raw arguments"], MEMORY)
        out += arrow(148, y + 32, 250, y + 32, "copy, publish")
        out += arrow(378, y + 32, 458, 112 + 20 * (number - 1))
    out += box(460, 78, 126, 88, ["consumerd", "drain, compress,", "commit, write"])
    out += arrow(586, 122, 648, 122)
    out += box(650, 88, 96, 68, ["trace files", "*.ringtrace"], MEMORY)
    out += arrow(746, 122, 778, 122)
    out += box(780, 78, 92, 88, ["ringcat", "text, queries,", "conversion"])
    out += box(240, 226, 150, 34, ["ringctl, ringstat"])
    out += arrow(315, 226, 315, 212)
    out.append('<text x="460" y="210" font-size="12" fill="#444">Any process here can be killed at any instant.</text>')
    out.append('<text x="460" y="228" font-size="12" fill="#444">Each record whose log call has returned is written once.</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(overview())
