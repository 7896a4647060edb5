"""Grouped bar charts as SVG, without a library."""

import math
from html import escape

COLOURS = ["#1b6ca8", "#d1495b", "#edae49", "#66a182", "#8d6a9f", "#777777", "#2e4057", "#c08497"]
LEFT, TOP, HEIGHT, BOTTOM, BAR, GAP = 70, 60, 260, 60, 16, 28


def _ticks(low, high, is_log):
    if is_log:
        return [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    step = 10 ** math.floor(math.log10(high))
    step = next(step * part for part in (0.1, 0.2, 0.5, 1, 2) if high / (step * part) <= 8)
    return [step * i for i in range(math.ceil(high / step) + 1)]


def bar_chart(title, unit, groups, series, is_log=False, line=None):
    """The SVG's text. `series`: {name: [(value, low, high) or None per group]}; `line`: a value to mark."""
    bars = [bar for values in series.values() for bar in values if bar and bar[0] > 0]
    if not bars:
        return None
    high = max(bar[2] for bar in bars)
    low = min(max(bar[1], bar[0] / 100) for bar in bars)
    ticks = _ticks(low, high, is_log)
    bottom, top = ticks[0], ticks[-1]

    def y(value):
        if is_log:
            share = (math.log10(max(value, bottom)) - math.log10(bottom)) / (math.log10(top) - math.log10(bottom))
        else:
            share = value / top
        return TOP + HEIGHT * (1 - share)

    group_width = BAR * len(series) + GAP
    width = max(LEFT + group_width * len(groups) + 20, 520)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + HEIGHT + BOTTOM}" '
           'font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="18" font-size="14">{escape(title)}</text>']
    for number, name in enumerate(series):
        x = LEFT + number * 95
        out.append(f'<rect x="{x}" y="28" width="10" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>'
                   f'<text x="{x + 14}" y="38">{escape(name)}</text>')
    for tick in ticks:
        out.append(f'<line x1="{LEFT}" x2="{width - 10}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    out.append(f'<text x="14" y="{TOP + HEIGHT / 2}" text-anchor="middle" '
               f'transform="rotate(-90 14 {TOP + HEIGHT / 2})">{escape(unit)}</text>')
    for place, group in enumerate(groups):
        start = LEFT + GAP / 2 + place * group_width
        for number, values in enumerate(series.values()):
            if not values[place]:
                continue
            value, quartile1, quartile3 = values[place]
            x = start + number * BAR
            out.append(f'<rect x="{x:.1f}" y="{y(value):.1f}" width="{BAR - 2}" '
                       f'height="{TOP + HEIGHT - y(value):.1f}" fill="{COLOURS[number % len(COLOURS)]}">'
                       f'<title>{value:.4g} {escape(unit)}</title></rect>'
                       f'<line x1="{x + BAR / 2 - 1:.1f}" x2="{x + BAR / 2 - 1:.1f}" y1="{y(quartile1):.1f}" '
                       f'y2="{y(quartile3):.1f}" stroke="black"/>')
        out.append(f'<text x="{start + BAR * len(series) / 2:.1f}" y="{TOP + HEIGHT + 18}" '
                   f'text-anchor="middle">{escape(group)}</text>')
    if line is not None and bottom <= line <= top:
        out.append(f'<line x1="{LEFT}" x2="{width - 10}" y1="{y(line):.1f}" y2="{y(line):.1f}" '
                   'stroke="black" stroke-dasharray="4 3"/>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
