// Triggers and other changes of what was collected, with the records around each.

import { html, Component, visible } from "./html.js";
import { section } from "./data.js";
import { count, durationText, momentText } from "./numbers.js";
import { view, changeView } from "./view.js";
import { recordList } from "./report_records.js";

const AROUND = 5;
const AROUND_NS = 1e9;
const CAUSES = /** @type {Record<string, string>} */ ({
  trigger: "Trigger", tool: "Tool", service: "Service", configuration: "Configuration", expired: "Time limit", unknown: "Unknown"});

/** The records of its process before and after a moment. @param {any} list @param {any} moment @param {any} summary @returns {[number[], number[]]} */
function around(list, moment, summary) {
  if (list === null) return [[], []];
  const isOfProcess = (/** @type {number} */ i) => {
    const stream = summary.streams[list.index.stream[i]];
    return stream !== undefined && stream.pid === moment.pid && stream.service === moment.service;
  };
  const middle = list.firstAt(moment.at);
  const before = [], after = [];
  for (let i = middle - 1; i >= 0 && before.length < AROUND && list.times[i] >= moment.at - AROUND_NS; --i) if (isOfProcess(i)) before.unshift(i);
  for (let i = middle; i < list.length && after.length < AROUND && list.times[i] <= moment.at + AROUND_NS; ++i) if (isOfProcess(i)) after.push(i);
  return [before, after];
}

/** @param {{list: any, numbers: number[], moment: any, title: string}} properties */
function Records({list, numbers, moment, title}) {
  return html`<h3>${title}</h3>${numbers.length === 0 && html`<p class="faint">The report has no records of this process there.</p>`}
    <ul class="around">${numbers.map((number) => {
      const object = list.object(number);
      const text = object.kind === "loss" ? `${count(object.count)} records lost` : object.msg;
      return html`<li key=${number}><button type="button" class="link" onClick=${() => changeView({records: [number, number], statements: [], where: ""})}>
        <span class="moment">${durationText(list.times[number] - moment.at)}</span> <span class="level">${object.level ?? ""}</span> <bdi>${visible(text, 200)}</bdi></button></li>`;
    })}</ul>`;
}

export class Moments extends Component {
  constructor() {
    super();
    this.state = {open: -1};
  }

  /** @param {number} i @param {any} moment */
  choose(i, moment) {
    const isOpen = this.state.open === i;
    this.setState({open: isOpen ? -1 : i});
    changeView({time: isOpen ? null : [Math.max(0, moment.at - AROUND_NS), moment.at + AROUND_NS]});
  }

  /** @param {{summary: any}} properties @param {{open: number}} state */
  render({summary}, {open}) {
    const found = section("triggers");
    if (found === null) return null;
    const {time} = view();
    const begin = BigInt(summary.begin_unix_ns);
    const triggers = found.changes.filter((/** @type {any} */ each) => each.cause === "trigger").length;
    return html`<section class="panel" id="triggers" aria-labelledby="triggers-title">
      <h2 id="triggers-title">Triggers</h2>
      <p class="faint">${count(triggers)} triggers that changed a level, and ${count(found.changes.length - triggers)} other changes of what was collected.${
        found.further > 0 ? ` ${count(found.further)} later ones are not listed.` : ""} Triggers that only take a snapshot or run a program leave no record in a trace.</p>
      ${found.changes.length > 0 && html`<div class="scroll moments" tabindex="0" role="region" aria-label="Triggers"><table><thead><tr><th scope="col">Time, UTC</th><th scope="col">Cause</th><th scope="col">Process</th><th scope="col">Change</th></tr></thead>
      <tbody>${found.changes.map((/** @type {any} */ moment, /** @type {number} */ i) => html`<tr key=${i} class=${open === i ? "selected" : ""} onClick=${() => this.choose(i, moment)}>
        <td class="moment">${momentText(begin, moment.at)}</td><td>${CAUSES[moment.cause] ?? ""}</td><td>${visible(moment.service, 40)} ${moment.pid}</td>
        <td class="message"><button type="button" class="link" aria-expanded=${open === i}><bdi>${visible(moment.text, 300)}</bdi></button></td></tr>`)}</tbody></table></div>`}
      ${open >= 0 && open < found.changes.length && html`<${Around} moment=${found.changes[open]} summary=${summary} key=${`${open} ${time}`} />`}
    </section>`;
  }
}

/** @param {{moment: any, summary: any}} properties */
function Around({moment, summary}) {
  const list = recordList();
  const [before, after] = around(list, moment, summary);
  return html`<div class="detail" role="region" aria-label="Records around it">
    <${Records} list=${list} numbers=${before} moment=${moment} title="Before" />
    <${Records} list=${list} numbers=${after} moment=${moment} title="After" /></div>`;
}
