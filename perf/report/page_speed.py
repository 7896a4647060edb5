#!/usr/bin/env python3
"""How fast the page of a report is in Chromium: time to the first paint, and each frame of zooming its timeline.

The page is that of 10 million spans. Each round starts a browser of its own. Times are those that a reader waits, so they need a
machine with no other work. The processor time of the page's main thread, which is printed beside them, depends less on it."""

import argparse
import os
import subprocess
import sys
import tempfile

import figures
import loads

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "report"))

import browser  # pylint: disable=wrong-import-position

MOST_PAINT_MS = 1000
MOST_FRAME_MS = 50

# When all panels are there.
WATCH = """
addEventListener("DOMContentLoaded", () => {
  const root = document.getElementById("report");
  if (root !== null) new MutationObserver(() => { window.madeAt ??= performance.now(); }).observe(root, {attributes: true, attributeFilter: ["aria-busy"]});
});
"""

# The wheel turns at a span whose neighbours are in the report, until some ns are left, and back. Callbacks of a frame run in the order in
# which they were requested: so one before and one after that of the timeline tell its time.
ZOOM = """
const done = arguments[0], canvas = document.querySelector("#timeline canvas"), range = document.querySelector("#timeline .range");
canvas.scrollIntoView({block: "center"});
const {section} = module_data, {summed, indexAfter} = module_timeline_arrays;
const timeline = section("timeline"), end = Math.max(timeline.end, section("summary").end);
const track = timeline.tracks.reduce((most, each) => (each.spans.number > most.spans.number ? each : most));
const begins = summed(track.spans.begin), complete = summed(track.spans.complete ?? [0, end]);
const target = begins[Math.min(begins.length - 1, indexAfter(begins, complete[complete.length >> 2 << 1]))];
const area = canvas.getBoundingClientRect(), left = canvas.clientWidth < 600 ? 84 : 180;
const clientX = area.left + left + target * (canvas.clientWidth - left) / end, clientY = area.top + area.height / 2;
const turns = Math.ceil(Math.log(end / 20) * 300 / 40), drawing = [], between = [];
let last = 0, deepest = "";
const turn = (number) => {
  if (number === turns) deepest = range.textContent;
  if (number === 2 * turns) return done({drawing, between, deepest});
  let begun = 0;
  const before = performance.now();
  requestAnimationFrame((now) => {
    if (last !== 0) between.push(now - last);
    last = now;
    begun = performance.now();
  });
  canvas.dispatchEvent(new WheelEvent("wheel", {clientX, clientY, deltaY: number < turns ? -40 : 40, ctrlKey: true, cancelable: true}));
  const handling = performance.now() - before;
  requestAnimationFrame(() => {
    drawing.push(handling + performance.now() - begun);
    turn(number + 1);
  });
};
requestAnimationFrame(() => turn(0));
"""


def processor_ms(window):
    """Of the main thread, since the page was opened."""
    found = window.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(each["value"] for each in found if each["name"] == "TaskDuration") * 1000


def round_of(page):
    with browser.Browser() as window:
        window.driver.set_script_timeout(300)
        window.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        window.open(page)
        paints = window.run("return Object.fromEntries(performance.getEntriesByType('paint').map((each) => [each.name, each.startTime]))")
        found = {"first_paint": paints["first-contentful-paint"], "all_panels": window.run("return window.madeAt"), "processor_until_made": processor_ms(window)}
        zoom = window.driver.execute_async_script(ZOOM)
        found["processor_of_frame"] = (processor_ms(window) - found["processor_until_made"]) / len(zoom["drawing"])
        return {**found, **zoom}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="folder of an optimised build with tests")
    parser.add_argument("--page", help="an existing page with spans, instead of the trace")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--traces", help="folder where traces stay, for further runs; default: a temporary one")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the spans, to check that it runs")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each figure")
    options = parser.parse_args()
    if browser.missing():
        sys.exit(f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
    with tempfile.TemporaryDirectory() as temporary:
        page = options.page and os.path.abspath(options.page)
        if page is None:
            records = loads.RECORDS[loads.SPANS] // (100 if options.quick else 1)
            trace = loads.trace_of(options.build, loads.SPANS, options.traces or temporary, records)
            page = os.path.join(temporary, "report.html")
            subprocess.run([os.path.join(options.build, "tools/ringcat"), "report", "-o", page, trace], check=True)
        taken = []
        for number in range(options.rounds):
            taken.append(round_of(page))
            figures.tell(f"round {number + 1}: first paint {taken[-1]['first_paint']:.0f} ms, zoomed to {taken[-1]['deepest']}, longest frame {max(taken[-1]['between']):.0f} ms")
    out = figures.Figures(options.json)
    out.add(loads.SPANS, "first_paint", "ms", [each["first_paint"] for each in taken], MOST_PAINT_MS)
    for metric in ("all_panels", "processor_until_made"):
        out.add(loads.SPANS, metric, "ms", [each[metric] for each in taken])
    out.add(loads.SPANS, "zoom_frame", "ms", [ms for each in taken for ms in each["between"]], MOST_FRAME_MS)
    out.add(loads.SPANS, "zoom_longest_frame", "ms", [max(each["between"]) for each in taken], MOST_FRAME_MS)
    out.add(loads.SPANS, "zoom_drawing", "ms", [ms for each in taken for ms in each["drawing"]])
    out.add(loads.SPANS, "zoom_processor", "ms", [each["processor_of_frame"] for each in taken])
    out.print()


if __name__ == "__main__":
    main()
