// The table of statements. A click on a row selects it in all panels.

import { html, Component, visible } from "./html.js";
import { count, byteText, durationText, rateText } from "./numbers.js";
import { view, changeView, toggleStatement } from "./view.js";
import { intervalsIn, isOfIntervals } from "./heat_cells.js";
import { PRINTED_ROWS, isPrinting, notPrinted } from "./printed.js";

const ROW_PIXELS = 28;
const SPARK_COLUMNS = 64;
const INTERVALS = 256;

/**
 * Counts per column from pairs of an interval and a number.
 * @param {number[]} pairs
 * @returns {number[]}
 */
export function columnsOf(pairs) {
  const columns = new Array(SPARK_COLUMNS).fill(0);
  for (let i = 0; i + 1 < pairs.length; i += 2)
    columns[Math.floor(pairs[i] * SPARK_COLUMNS / INTERVALS)] += pairs[i + 1];
  return columns;
}

/** @param {number[]} pairs @param {number} used columns until the end of the trace @param {[number, number] | null} intervals that are selected */
function sparkline(pairs, used, intervals) {
  const columns = columnsOf(pairs ?? []).slice(0, used);
  const most = Math.max(...columns, 1);
  const [from, to] = (intervals ?? [0, 0]).map((interval) => interval * SPARK_COLUMNS / INTERVALS);
  let path = "";
  columns.forEach((number, i) => {
    if (number > 0) path += `M${i + 0.5} 16V${(16 - Math.max(1, 15 * number / most)).toFixed(1)}`;
  });
  return html`<svg class="spark" viewBox=${`0 0 ${used} 16`} preserveAspectRatio="none" aria-hidden="true">
    ${intervals !== null && html`<rect x=${from} y="0" width=${Math.max(1, to + SPARK_COLUMNS / INTERVALS - from)} height="16" />`}<path d=${path} /></svg>`;
}

const COLUMNS = /** @type {{key: string, title: string, number: boolean}[]} */ ([
  {key: "records", title: "Records", number: true},
  {key: "share", title: "Share", number: true},
  {key: "rate", title: "Rate", number: true},
  {key: "ring_bytes", title: "Bytes", number: true},
  {key: "lost", title: "Lost", number: true},
  {key: "level", title: "Level", number: false},
  {key: "service", title: "Service", number: false},
  {key: "text", title: "Statement", number: false},
]);
// Only if the cost of log calls was measured.
const COST = {key: "cost", title: "Cost", number: true};
const LEVELS = ["NONE", "CRITICAL", "ERROR", "WARNING", "NOTICE", "INFO", "DEBUG", "TRACE"];

/**
 * The records of each statement, in a selected time as far as the intervals of the grid tell it.
 * @param {any[]} rows
 * @param {any} summary
 * @param {[number, number] | null} time
 * @returns {{records: number[], all: number, ns: number}} ns: how long it is
 */
export function recordsDuring(rows, summary, time) {
  if (time === null) return {records: rows.map((row) => row.records), all: summary.records, ns: summary.end};
  const [first, last] = intervalsIn(summary, time);
  const records = rows.map(({over_time: pairs = []}) => {
    let sum = 0;
    for (let i = 0; i + 1 < pairs.length; i += 2) if (pairs[i] >= first && pairs[i] <= last) sum += pairs[i + 1];
    return sum;
  });
  return {records, all: records.reduce((sum, each) => sum + each, 0), ns: Math.min(summary.end, (last + 1) * summary.interval_ns) - first * summary.interval_ns};
}

/** ns that a log call of a service takes, on the average of the measured ones. @param {any[]} costs @returns {Map<string, number>} */
export function meanCosts(costs) {
  /** @type {Map<string, {ns: number, calls: number}>} */
  const sums = new Map();
  for (const {service, mean_ns, calls_measured} of costs) {
    const before = sums.get(service) ?? {ns: 0, calls: 0};
    sums.set(service, {ns: before.ns + mean_ns * calls_measured, calls: before.calls + calls_measured});
  }
  return new Map([...sums].map(([service, {ns, calls}]) => [service, ns / calls]));
}

/** What the numbers of the table are of. @param {any} summary @param {[number, number]} time */
function duringText(summary, time) {
  const part = isOfIntervals(summary, time) ? "the selected time" : `the intervals of ${durationText(summary.interval_ns)} that the selected time touches`;
  return `Records, share and rate are those of ${part}. Bytes and lost records are those of the whole trace.`;
}

/** @param {any} row @param {number} records @param {string} key @param {Map<string, number>} means */
function keyOf(row, records, key, means) {
  if (key === "cost") return records * (means.get(row.service) ?? 0);
  if (key === "records" || key === "share" || key === "rate") return records;
  if (key === "level") return LEVELS.indexOf(row.level);
  return row[key];
}

/**
 * The numbers of the rows that are shown, in their order.
 * @param {any[]} rows
 * @param {number[]} records of each
 * @param {{search: string, sort: string, rising: boolean}} wanted
 * @param {Map<string, number>} means meanCosts()
 * @returns {number[]}
 */
export function shownRows(rows, records, {search, sort, rising}, means) {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const numbers = rows.map((_, number) => number).filter((number) => {
    const row = rows[number];
    if (row.left_out) return false;
    const text = `${row.service} ${row.file}:${row.line} ${row.function ?? ""} ${row.level} ${row.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const direction = rising ? 1 : -1;
  return numbers.sort((a, b) => {
    const x = keyOf(rows[a], records[a], sort, means), y = keyOf(rows[b], records[b], sort, means);
    return (x < y ? -direction : x > y ? direction : 0) || a - b;
  });
}

/** Rows outside the visible part of the table are not in the document. */
export class Statements extends Component {
  constructor() {
    super();
    this.state = {top: 0};
    /** @type {{rows: any[], time: [number, number] | null, result: {records: number[], all: number, ns: number}} | null} */
    this.counted = null;
    /** @type {{records: number[], key: string, result: number[]} | null} */
    this.sorted = null;
  }

  /** The numbers of a time are counted once. @param {any[]} rows @param {any} summary @param {[number, number] | null} time */
  during(rows, summary, time) {
    if (this.counted === null || this.counted.rows !== rows || this.counted.time !== time)
      this.counted = {rows, time, result: recordsDuring(rows, summary, time)};
    return this.counted.result;
  }

  /** Sorted once. @param {any[]} rows @param {number[]} records @param {{search: string, sort: string, rising: boolean}} wanted @param {Map<string, number>} means */
  shownRows(rows, records, wanted, means) {
    const key = JSON.stringify([wanted, [...means]]);
    if (this.sorted === null || this.sorted.records !== records || this.sorted.key !== key)
      this.sorted = {records, key, result: shownRows(rows, records, wanted, means)};
    return this.sorted.result;
  }

  /** @param {{rows: any[], summary: any, costs: any[]}} properties costs: of log calls, as in `health` @param {{top: number}} state */
  render({rows, summary, costs}, {top}) {
    const {search, sort, rising, statements, time} = view();
    const during = this.during(rows, summary, time);
    const means = meanCosts(costs);
    const columns = means.size === 0 ? COLUMNS : [...COLUMNS.slice(0, 3), COST, ...COLUMNS.slice(3)];
    const shown = this.shownRows(rows, during.records, {search, sort, rising}, means);
    const height = Math.min(480, Math.max(1, shown.length) * ROW_PIXELS);
    const first = Math.max(0, Math.floor(top / ROW_PIXELS) - 5);
    const part = shown.slice(first, first + (isPrinting() ? PRINTED_ROWS : Math.ceil(height / ROW_PIXELS) + 10));
    const used = Math.max(1, Math.ceil((summary.end / summary.interval_ns + 1) * SPARK_COLUMNS / INTERVALS));
    const seconds = during.ns / 1e9;
    const intervals = time === null ? null : intervalsIn(summary, time);
    const head = (/** @type {any} */ column) => html`<th scope="col" class=${column.number ? "number" : "text"} aria-sort=${sort === column.key ? (rising ? "ascending" : "descending") : "none"}>
      <button type="button" onClick=${() => changeView({sort: column.key, rising: sort === column.key ? !rising : !column.number})}>${column.title}${sort === column.key ? (rising ? " ▲" : " ▼") : ""}</button></th>`;
    return html`<section class="panel" id="statements" aria-labelledby="statements-title">
      <h2 id="statements-title">Statements</h2>
      <div class="tools">
        <label>Search <input type="search" value=${search} onInput=${(/** @type {any} */ event) => changeView({search: event.target.value})} /></label>
        <span role="status">${count(shown.length)} of ${count(rows.length)}${statements.length > 0 ? `, ${count(statements.length)} selected` : ""}</span>
        ${statements.length > 0 && html`<button type="button" onClick=${() => changeView({statements: []})}>Show all</button>`}
      </div>
      ${time !== null && html`<p class="note during">${duringText(summary, time)}</p>`}
      ${means.size > 0 && html`<p class="note">Cost: the records, times what a measured log call of the service takes on average.</p>`}
      <div class="scroll" style=${{maxHeight: "520px"}} tabindex="0" role="region" aria-label="Statements" onScroll=${(/** @type {any} */ event) => this.setState({top: event.target.scrollTop})}>
        <table><thead><tr>${columns.map(head)}<th scope="col" class="text">Over time</th></tr></thead>
        <tbody>
          <tr class="space" style=${{height: `${first * ROW_PIXELS}px`}} aria-hidden="true"></tr>
          ${part.map((number) => {
            const row = rows[number];
            return html`<tr key=${number} class=${statements.includes(number) ? "selected" : ""} onClick=${() => toggleStatement(number)}>
              <td class="number">${count(during.records[number])}</td>
              <td class="number">${during.all === 0 ? "" : `${(100 * during.records[number] / during.all).toFixed(1)} %`}</td>
              <td class="number">${seconds > 0 ? rateText(during.records[number] / seconds) : ""}</td>
              ${means.size > 0 && html`<td class="number cost">${means.has(row.service) ? durationText(during.records[number] * (means.get(row.service) ?? 0)) : ""}</td>`}
              <td class="number">${byteText(row.ring_bytes)}</td>
              <td class=${"number" + (row.lost > 0 ? " bad" : "")}>${row.lost > 0 ? count(row.lost) : ""}</td>
              <td class=${"level " + (LEVELS.includes(row.level) ? row.level.toLowerCase() : "")}>${row.level}</td>
              <td>${visible(row.service, 40)}</td>
              <td class="statement"><button type="button" class="link" aria-pressed=${statements.includes(number)} title=${visible(`${row.file}:${row.line} ${row.function ?? ""}`)}>${visible(row.text === "" ? "(no text)" : row.text, 200)}</button></td>
              <td>${sparkline(row.over_time, used, intervals)}</td></tr>`;
          })}
          <tr class="space" style=${{height: `${Math.max(0, shown.length - first - part.length) * ROW_PIXELS}px`}} aria-hidden="true"></tr>
        </tbody></table>
      </div>
      ${notPrinted(shown.length, part.length)}
    </section>`;
  }
}
