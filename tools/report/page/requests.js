// Requests: the records of an activity across threads and processes, and what it waited for.

import { html, Component, visible } from "./html.js";
import { section } from "./data.js";
import { count, counted, durationText, momentText } from "./numbers.js";
import { view, changeView, isSelected } from "./view.js";
import { notPrinted } from "./printed.js";
import { criticalPath, timeOnPath } from "./critical_path.js";
import { recordList } from "./report_records.js";

const MOST_LISTED = 200;

/** @param {any} row of the activity */
function endOf(row) {
  return row.at + (row.duration_ns ?? 0);
}

/** A share of the request in percent, for a style. @param {number} ns @param {number} whole */
function share(ns, whole) {
  return `${(100 * ns / Math.max(1, whole)).toFixed(3)}%`;
}

/** How deep each row is within spans of its thread. @param {any[]} rows @returns {number[]} */
function depthsOf(rows) {
  /** @type {Map<string, number[]>} */
  const open = new Map();
  return rows.map((row) => {
    const key = `${row.stream} ${row.substream ?? ""}`;
    const ends = (open.get(key) ?? []).filter((end) => end > row.at || (end === row.at && row.duration_ns === undefined));
    const depth = ends.length;
    if (row.duration_ns !== undefined) ends.push(endOf(row));
    open.set(key, ends);
    return depth;
  });
}

/** @param {any} row @param {any[]} statements */
function labelOf(row, statements) {
  if (row.record !== undefined) return row.record.msg;
  return statements[row.statement]?.text ?? "";
}

/** @param {{request: any, summary: any}} properties */
function Waterfall({request, summary}) {
  const statements = section("statements");
  const whole = request.duration_ns;
  /** @type {any[]} */
  const rows = [...request.rows].sort((a, b) => a.at - b.at || endOf(b) - endOf(a));
  const spans = rows.map((row, index) => ({begin: row.at, end: endOf(row), index})).filter((span) => span.end > span.begin);
  const path = criticalPath(spans);
  const onPath = timeOnPath(path);
  const depths = depthsOf(rows);
  const begin = BigInt(summary.begin_unix_ns);
  const list = recordList();
  const waited = onPath.get(-1) ?? 0;
  return html`<div class="waterfall">
    <p class="faint">From ${momentText(begin, request.begin)} UTC, ${durationText(whole)}, ${counted(request.records, "record")}${
      request.left_out > 0 ? `, of which the first ${count(request.rows.length)} are shown` : ""}.
      The critical path is what the request waited for at each moment, by time alone: the span that began last of those that ended then.${
      waited > 0 && ` For ${durationText(waited)} no span was running.`}
      <button type="button" onClick=${() => changeView({time: [request.begin, request.begin + whole + 1]})}>Select its time</button>
    </p>
    <table class="rows"><thead><tr><th scope="col" class="number">After</th><th scope="col" class="number">Duration</th><th scope="col" class="number">On path</th>
      <th scope="col">Thread</th><th scope="col">Record</th><th scope="col" class="bars">Over time</th></tr></thead>
    <tbody>${rows.map((row, index) => {
      const stream = summary.streams[row.stream] ?? {};
      const level = statements[row.statement]?.level ?? "";
      const isBad = level === "ERROR" || level === "CRITICAL";
      const pieces = path.filter((piece) => piece.index === index);
      const text = labelOf(row, statements);
      return html`<tr key=${index} class=${onPath.has(index) ? "on-path" : ""} onClick=${() => selectRow(list, request, row)}>
        <td class="number">${durationText(row.at)}</td>
        <td class="number">${row.open ? "no end" : row.duration_ns === undefined ? "" : durationText(row.duration_ns)}</td>
        <td class="number">${onPath.has(index) ? durationText(onPath.get(index) ?? 0) : ""}</td>
        <td class="thread">${visible(`${stream.service ?? ""} ${stream.thread_name ?? ""} ${stream.thread_id ?? ""}`, 60)}</td>
        <td class=${"message" + (isBad ? " bad" : "")} title=${visible(text, 500)}><button type="button" class="link" style=${{paddingLeft: `${Math.min(depths[index], 12) * 12}px`}}><bdi>${visible(text, 200)}</bdi></button></td>
        <td class="bars" aria-hidden="true"><div class="bar-place">
          <div class=${"bar" + (row.duration_ns === undefined ? " instant" : "") + (isBad ? " bad-bar" : "")} style=${{left: share(row.at, whole), width: share(row.duration_ns ?? 0, whole)}}></div>
          ${pieces.map((piece) => html`<div class="bar path" style=${{left: share(piece.from, whole), width: share(piece.to - piece.from, whole)}}></div>`)}
        </div></td></tr>`;
    })}</tbody></table>${notPrinted(rows.length)}</div>`;
}

/** Whether a request was running in a time, whose end is not in it. @param {any} request @param {[number, number] | null} time */
function isDuring({begin, duration_ns: duration}, time) {
  return time === null || (begin < time[1] && begin + duration >= time[0]);
}

/** @param {[number, number] | null} time @param {number} statements */
function shownText(time, statements) {
  return [time === null ? "" : "in the selected time", statements === 0 ? "" : `with a record of the selected ${statements === 1 ? "statement" : "statements"}`].filter((each) => each !== "").join(", ");
}

/** The record in the list of records, if the report has it there; else its time. @param {any} list @param {any} request @param {any} row */
function selectRow(list, request, row) {
  const ns = request.begin + row.at;
  if (list !== null) {
    for (let i = list.firstAt(ns - 1000); i < list.length && list.times[i] <= ns + 1000; ++i) {
      if (list.index.stream[i] === row.stream && list.index.statement[i] === row.statement && list.object(i).sequence === row.sequence)
        return changeView({records: [i, i]});
    }
  }
  changeView({time: [Math.max(0, ns - 1), ns + (row.duration_ns ?? 0) + 1]});
}

export class Requests extends Component {
  constructor() {
    super();
    const document_ = section("activities");
    this.requests = document_ === null ? [] : document_.kept;
    this.document = document_;
  }

  /** @param {{summary: any}} properties */
  render({summary}) {
    // A trace without activities has no requests.
    if (this.document === null || this.document.activities === 0) return null;
    const {time, request, statements} = view();
    const shown = this.requests.filter((/** @type {any} */ each) => isDuring(each, time) && (statements.length === 0 || each.rows.some((/** @type {any} */ row) => isSelected(row.statement))));
    const chosen = this.requests.find((/** @type {any} */ each) => each.ids.includes(request));
    const {activities, with_errors} = this.document;
    return html`<section class="panel" id="requests" aria-labelledby="requests-title">
      <h2 id="requests-title">Requests</h2>
      <p class="faint">${this.requests.length} of ${activities === 1 ? "1 activity" : `${count(activities)} activities`}: the slowest, and the slowest of the ${count(with_errors)} with errors. Up to ${count(this.document.most_records)} records of each.</p>
      ${(time !== null || statements.length > 0) && html`<p role="status">${count(shown.length)} of ${count(this.requests.length)} shown: ${shownText(time, statements.length)}</p>`}
      <div class="scroll requests" tabindex="0" role="region" aria-label="Requests"><table><thead><tr><th scope="col" class="number">Duration</th><th scope="col" class="number">Records</th><th scope="col" class="number">Errors</th><th scope="col">Activity</th><th scope="col">First record</th></tr></thead>
      <tbody>${shown.slice(0, MOST_LISTED).map((/** @type {any} */ each) => html`<tr key=${each.ids[0]} class=${each === chosen ? "selected" : ""}
          onClick=${() => changeView({request: each === chosen ? "" : each.ids[0]})}>
        <td class="number">${durationText(each.duration_ns)}</td><td class="number">${count(each.records)}</td>
        <td class=${"number" + (each.errors > 0 ? " bad" : "")}>${each.errors > 0 ? count(each.errors) : ""}</td>
        <td><button type="button" class="link" aria-pressed=${each === chosen}>${each.ids[0]}</button></td>
        <td class="message"><bdi>${visible(each.rows.length > 0 ? labelOf(each.rows[0], section("statements")) : "", 200)}</bdi></td></tr>`)}</tbody></table></div>
      ${notPrinted(Math.min(MOST_LISTED, shown.length))}
      ${chosen !== undefined && html`<${Waterfall} request=${chosen} summary=${summary} />`}
    </section>`;
  }
}
