// The report: its panels from top to bottom.

import { html, render, Component, visible } from "./html.js";
import { section, isWhole, dataNumber } from "./data.js";
import { follow } from "./live.js";
import { LiveControls, setConnected } from "./controls.js";
import { counted, byteText, durationText, momentText } from "./numbers.js";
import { view, changeView, onViewChange } from "./view.js";
import { Health } from "./health.js";
import { Statements } from "./statements.js";
import { Heat } from "./heat.js";
import { Flame } from "./flame.js";
import { Timeline } from "./timeline.js";
import { RecordTable } from "./record_table.js";
import { Requests } from "./requests.js";
import { Moments } from "./moments.js";
import { Comparison } from "./comparison.js";

class Report extends Component {
  componentDidMount() {
    onViewChange(() => this.forceUpdate());
  }

  render() {
    const summary = section("summary");
    const begin = BigInt(summary.begin_unix_ns);
    const {time} = view();
    const threads = summary.streams.filter((/** @type {any} */ stream) => stream.thread_id !== undefined).length;
    return html`<header>
        <h1>${visible(summary.title)}</h1>
        <p>${counted(summary.records, "record")}, ${byteText(summary.ring_bytes)} in rings, ${counted(threads, "thread")}, ${counted(summary.files, "file")};
          from ${momentText(begin, 0)} UTC, ${durationText(summary.end)}</p>
        ${time !== null && html`<p class="selection">From ${durationText(time[0])} to ${durationText(time[1])}
          <button type="button" onClick=${() => changeView({time: null})}>Show all</button></p>`}
      </header>
      <main>
        ${section("live") !== null && html`<${LiveControls} live=${section("live")} summary=${summary} rows=${section("statements")} />`}
        <${Health} health=${section("health")} summary=${summary} rows=${section("statements")} costs=${section("live")?.call_costs ?? []} />
        <${Statements} rows=${section("statements")} summary=${summary} />
        ${section("heat") !== null && html`<${Heat} heat=${section("heat")} rows=${section("statements")} summary=${summary} />`}
        <${Timeline} key=${"timeline-" + dataNumber()} />
        <${Flame} key=${"flame-" + dataNumber()} />
        <${Requests} key=${"requests-" + dataNumber()} summary=${summary} />
        <${RecordTable} key=${"recordtable-" + dataNumber()} summary=${summary} />
        <${Moments} key=${"moments-" + dataNumber()} summary=${summary} />
        ${section("comparison") !== null && html`<${Comparison} comparison=${section("comparison")} />`}
      </main>`;
  }
}

const root = /** @type {HTMLElement} */ (document.getElementById("report"));

function show() {
  document.title = visible(section("summary").title, 100);
  render(html`<${Report} />`, root);
}

/** @param {unknown} error */
function showFailure(error) {
  render(html`<main><p class="mark bad" role="alert">${String(error)}</p></main>`, root);
}

if (isWhole()) {
  show();
} else {
  follow(show, setConnected).catch(showFailure);
}
