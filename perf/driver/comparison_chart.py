"""The chart of the front page: Ringside and other tracers compared by three figures, as SVG."""

import math
from html import escape

NAMES = {"ringside": "Ringside", "lttng": "LTTng-UST", "spdlog": "spdlog (async)", "glog": "glog",
         "boost_log": "Boost.Log (async)"}
# Title, whether more is better, and the keys and values of the matching result line.
PANELS = [
    ("One log call: median, ns", False, {"row": "paced", "metric": "call", "case": "two_integers", "p": "p50"}),
    ("One log call: 99.9th percentile, ns", False,
     {"row": "paced", "metric": "call", "case": "two_integers", "p": "p99.9"}),
    ("Records to disk, million/s", True,
     {"row": "sustained", "metric": "rate", "case": "two_integers", "sink": "disk"}),
]
OURS, OTHERS = "#1b6ca8", "#9aa5b1"
LABELS, PANEL, BARS, TOP, ROW, BAR = 130, 250, 165, 66, 30, 18


def label(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def comparison_chart(results):
    """The SVG's text; None if a panel has no figure of Ringside."""
    panels = []
    for title, more_is_better, wanted in PANELS:
        values = {line["subject"]: line["median"] for line in results
                  if all(line.get(key) == value for key, value in wanted.items()) and line["subject"] in NAMES
                  and line["median"] > 0}  # a short run can measure less than the clock's own cost
        if "ringside" not in values:
            return None
        panels.append((title, more_is_better, values))
    subjects = [subject for subject in NAMES if any(subject in values for _, _, values in panels)]
    width, height = LABELS + PANEL * len(panels), TOP + ROW * len(subjects) + 12
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="13">',
           "<title>Ringside and other tracers; two integers per message</title>",
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="10" y="20" font-size="15">A message with two integers (logarithmic scales)</text>']
    for row, subject in enumerate(subjects):
        weight = ' font-weight="bold"' if subject == "ringside" else ""
        out.append(f'<text x="{LABELS - 10}" y="{TOP + row * ROW + 14}" text-anchor="end"{weight}>'
                   f"{escape(NAMES[subject])}</text>")
    for number, (title, more_is_better, values) in enumerate(panels):
        left = LABELS + number * PANEL
        # Half a decade below the smallest value, so that its bar is visible.
        low = math.log10(min(values.values())) - 0.5
        span = math.log10(max(values.values())) - low
        better = "more is better" if more_is_better else "less is better"
        out.append(f'<text x="{left}" y="42">{escape(title)}</text>'
                   f'<text x="{left}" y="57" font-size="11" fill="#666">{better}</text>')
        for row, subject in enumerate(subjects):
            if subject not in values:
                continue
            length = BARS * (math.log10(values[subject]) - low) / span
            y = TOP + row * ROW
            out.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{BAR}" '
                       f'fill="{OURS if subject == "ringside" else OTHERS}"/>'
                       f'<text x="{left + length + 6:.1f}" y="{y + 14}">{label(values[subject])}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
