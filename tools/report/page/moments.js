// Triggers and other changes of what was collected, with the records around each.

import { html, Component, visible } from "./html.js";
import { section } from "./data.js";
import { count, counted, durationText, momentText } from "./numbers.js";
import { view, changeView } from "./view.js";
import { notPrinted } from "./printed.js";
import { recordList } from "./report_records.js";

const MOST_AROUND = 50;
const AROUND_NS = 1e9;
export const CAUSES = /** @type {Record<string, string>} */ ({
  trigger: "Trigger", tool: "Tool", service: "Service", configuration: "Configuration", expired: "Time limit", unknown: "Unknown"});

/**
 * The records of its process before and after a moment.
 * @param {any} list
 * @param {any} moment
 * @param {any} summary
 * @returns {[number[], number[]]}
 */
function around(list, moment, summary) {
  if (list === null) return [[], []];
  const isOfProcess = (/** @type {number} */ i) => {
    const stream = summary.streams[list.index.stream[i]];
    return stream !== undefined && stream.pid === moment.pid && stream.service === moment.service;
  };
  const middle = list.firstAt(moment.at);
  const before = [], after = [];
  for (let i = middle - 1; i >= 0 && list.times[i] >= moment.at - AROUND_NS; --i) if (isOfProcess(i)) before.push(i);
  for (let i = middle; i < list.length && list.times[i] < moment.at + AROUND_NS; ++i) if (isOfProcess(i)) after.push(i);
  return [before.reverse(), after];
}

/** @param {{list: any, numbers: number[], moment: any, title: string}} properties */
class Records extends Component {
  // The records nearest to the moment are visible first.
  componentDidMount() {
    if (this.props.title !== "Before") return;
    const shown = /** @type {HTMLElement} */ (this.base?.querySelector("ul"));
    if (shown !== null) shown.scrollTop = shown.scrollHeight;
  }

  /** @param {{list: any, numbers: number[], moment: any, title: string}} properties */
  render({list, numbers, moment, title}) {
    const shown = title === "Before" ? numbers.slice(-MOST_AROUND) : numbers.slice(0, MOST_AROUND);
    if (shown.length === 0) return html`<div><h3>${title}</h3><p class="faint">The report has no records of this process there.</p></div>`;
    return html`<div><h3>${title}, ${count(shown.length)} of ${counted(numbers.length, "record")} within a second</h3>
      <ul class="around">${shown.map((number) => {
        const object = list.object(number);
        const text = object.kind === "loss" ? `${counted(object.count, "record")} lost` : object.msg;
        return html`<li key=${number}><button type="button" class="link" onClick=${() => changeView({records: [number, number], statements: [], where: ""})}>
          <span class="moment">${durationText(list.times[number] - moment.at)}</span> <span class="level">${object.level ?? ""}</span> <bdi>${visible(text, 200)}</bdi></button></li>`;
      })}</ul></div>`;
  }
}

/** A click on a change selects its time, and shows the records around it. @param {{summary: any}} properties */
export function Moments({summary}) {
  const found = section("triggers");
  if (found === null) return null;
  const {trigger: open} = view();
  const begin = BigInt(summary.begin_unix_ns);
  const triggers = found.changes.filter((/** @type {any} */ each) => each.cause === "trigger").length;
  const choose = (/** @type {number} */ i, /** @type {any} */ moment) =>
    changeView(open === i ? {trigger: null, time: null} : {trigger: i, time: [Math.max(0, moment.at - AROUND_NS), moment.at + AROUND_NS]});
  return html`<section class="panel" id="triggers" aria-labelledby="triggers-title">
    <h2 id="triggers-title">Triggers</h2>
    <p class="faint">${counted(triggers, "trigger")} that changed a level, and ${counted(found.changes.length - triggers, "other change")} of what was collected.${
      found.further > 0 ? ` ${counted(found.further, "later one")} not listed.` : ""} Triggers that only take a snapshot or run a program leave no record in a trace.</p>
    ${found.changes.length > 0 && html`<div class="scroll moments" tabindex="0" role="region" aria-label="Triggers"><table><thead><tr><th scope="col">Time, UTC</th><th scope="col">Cause</th><th scope="col">Process</th><th scope="col">Change</th></tr></thead>
    <tbody>${found.changes.map((/** @type {any} */ moment, /** @type {number} */ i) => html`<tr key=${i} class=${open === i ? "selected" : ""} onClick=${() => choose(i, moment)}>
      <td class="moment">${momentText(begin, moment.at)}</td><td>${CAUSES[moment.cause] ?? ""}</td><td>${visible(moment.service, 40)} ${moment.pid}</td>
      <td class="message"><button type="button" class="link" aria-expanded=${open === i}><bdi>${visible(moment.text, 300)}</bdi></button></td></tr>`)}</tbody></table></div>
    ${notPrinted(found.changes.length)}`}
    ${open !== null && open < found.changes.length && html`<${Around} moment=${found.changes[open]} summary=${summary} key=${open} />`}
  </section>`;
}

/** @param {{moment: any, summary: any}} properties */
function Around({moment, summary}) {
  const list = recordList();
  const [before, after] = around(list, moment, summary);
  return html`<div class="detail" role="region" aria-label="Records around it">
    <${Records} list=${list} numbers=${before} moment=${moment} title="Before" />
    <${Records} list=${list} numbers=${after} moment=${moment} title="After" /></div>`;
}
