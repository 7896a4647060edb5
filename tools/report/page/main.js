// The report: its panels from top to bottom.

import { html, render, Component, visible } from "./html.js";
import { section, isWhole, dataNumber } from "./data.js";
import { follow, liveStatus, onLiveStatus } from "./live.js";
import { Later, makeAll, makeLater } from "./later.js";
import { LiveControls } from "./controls.js";
import { costsOf, doubt, growing } from "./live_state.js";
import { counted, byteText, durationText, momentText } from "./numbers.js";
import { view, changeView, onViewChange } from "./view.js";
import { setPrinting } from "./printed.js";
import { Health } from "./health.js";
import { Statements } from "./statements.js";
import { Heat } from "./heat.js";
import { Flame } from "./flame.js";
import { Timeline } from "./timeline.js";
import { RecordTable } from "./record_table.js";
import { Requests } from "./requests.js";
import { Moments } from "./moments.js";
import { Comparison } from "./comparison.js";

/** A report of some parts has no heat map. @param {{summary: any}} properties */
function HeatOfTrace({summary}) {
  const heat = section("heat");
  return heat === null ? null : html`<${Heat} heat=${heat} rows=${section("statements")} summary=${summary} />`;
}

function ComparisonOfTraces() {
  const comparison = section("comparison");
  return comparison === null ? null : html`<${Comparison} comparison=${comparison} />`;
}

/** What is missing; in a live page, also what ringview knows of that. */
class HealthNow extends Component {
  componentDidMount() {
    onLiveStatus(() => this.forceUpdate());
  }

  /** @param {{summary: any}} properties */
  render({summary}) {
    const status = liveStatus();
    return html`<${Health} health=${section("health")} summary=${summary} rows=${section("statements")} costs=${costsOf(status.live, summary)}
      doubt=${doubt(status, summary)} growing=${growing(status.live, summary)} />`;
  }
}

/** From when until when the trace lasts: losses can be all that it has. @param {any} summary */
function timeText(summary) {
  if (summary.records === 0 && summary.lost === 0) return "";
  const end = section("health").intervals.reduce((/** @type {number} */ most, /** @type {any} */ loss) => Math.max(most, loss.to), summary.end);
  return `; from ${momentText(BigInt(summary.begin_unix_ns), 0)} UTC, ${durationText(end)}`;
}

class Report extends Component {
  componentDidMount() {
    onViewChange(() => this.forceUpdate());
  }

  render() {
    const summary = section("summary");
    const {time} = view();
    const threads = summary.streams.filter((/** @type {any} */ stream) => stream.thread_id !== undefined).length;
    return html`<header>
        <h1>${visible(summary.title)}</h1>
        <p>${counted(summary.records, "record")}, ${byteText(summary.ring_bytes)} in rings, ${counted(threads, "thread")}, ${counted(summary.files, "file")}${timeText(summary)}</p>
        ${time !== null && html`<p class="selection">From ${durationText(time[0])} to ${durationText(time[1])}
          <button type="button" onClick=${() => changeView({time: null})}>Show all</button></p>`}
      </header>
      <main>
        ${section("live") !== null && html`<${LiveControls} summary=${summary} rows=${section("statements")} />`}
        <${HealthNow} summary=${summary} />
        <${Statements} rows=${section("statements")} summary=${summary} costs=${section("health").call_costs ?? []} />
        <${Later}><${HeatOfTrace} summary=${summary} /></${Later}>
        <${Later}><${Timeline} key=${"timeline-" + dataNumber()} /></${Later}>
        <${Later}><${Flame} key=${"flame-" + dataNumber()} /></${Later}>
        <${Later}><${Requests} key=${"requests-" + dataNumber()} summary=${summary} /></${Later}>
        <${Later}><${RecordTable} key=${"recordtable-" + dataNumber()} summary=${summary} /></${Later}>
        <${Later}><${Moments} key=${"moments-" + dataNumber()} summary=${summary} /></${Later}>
        <${Later}><${ComparisonOfTraces} /></${Later}>
      </main>`;
  }
}

const root = /** @type {HTMLElement} */ (document.getElementById("report"));

function show() {
  document.title = visible(section("summary").title, 100);
  render(html`<${Report} />`, root);
}

/** What a link to a panel names is not there when the browser looks for it. */
function followLink() {
  if (scrollY === 0) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** The panels that are visible first, and after they are painted the others. */
function showFirst() {
  root.setAttribute("aria-busy", "true");
  show();
  makeLater(() => {
    root.removeAttribute("aria-busy");
    followLink();
  });
}

// A live page that has no data yet has nothing to print.
addEventListener("beforeprint", () => {
  setPrinting(true);
  if (section("summary") === null) return;
  if (root.hasAttribute("aria-busy")) makeAll(show);
  else show();
});
addEventListener("afterprint", () => {
  setPrinting(false);
  if (section("summary") !== null) show();
});

/** @param {unknown} error */
function showFailure(error) {
  root.removeAttribute("aria-busy");
  render(html`<main><p class="mark bad" role="alert">${String(error)}</p></main>`, root);
}

/** @param {number} bytes */
function showLoading(bytes) {
  root.setAttribute("aria-busy", "true");
  render(html`<main><p role="status">Loading the data of the traces${bytes > 0 ? `: ${byteText(bytes)}` : ""}…</p></main>`, root);
}

if (isWhole()) {
  showFirst();
} else {
  follow(() => (dataNumber() === 1 ? showFirst() : show()), showLoading).catch(showFailure);
}
