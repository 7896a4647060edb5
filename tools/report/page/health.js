// The banner: what is missing from the trace, how exact its times are, and what log calls took.

import { html, visible } from "./html.js";
import { count, counted, byteText, causeText, durationText } from "./numbers.js";
import { changeView } from "./view.js";
import { recordList } from "./report_records.js";

const CRASH_EVENT = "ringside.crash";
const MOST_CRASHES = 5;

const MOST_COSTS = 5;

/**
 * @param {string} kind "good", "bad" or "note"
 * @param {string} title
 * @param {any} text
 */
function mark(kind, title, text) {
  const sign = kind === "good" ? "✓" : kind === "bad" ? "✗" : "i";
  return html`<li class=${"mark " + kind}><span class="sign" aria-hidden="true">${sign}</span> <b>${title}</b> ${text}</li>`;
}

/** @param {any} causes of the document @param {boolean} lost */
function causesText(causes, lost) {
  return Object.entries(causes).filter(([, each]) => each.lost === lost)
    .map(([cause, each]) => `${count(each.records)} ${causeText(cause)}`).join(", ");
}

/** @param {any} clock of a host */
function clockText(clock) {
  const host = visible(clock.host ?? "host");
  const bound = clock.clock_error_ns === undefined ? "no bound is known" : `exact to ${durationText(clock.clock_error_ns)}`;
  return `${host}: ${clock.clock}, ${bound}.`;
}

/**
 * The trace of a service that still runs lags behind its counters.
 * @param {any} health @param {any[]} running costs of running services
 */
function costsOf(health, running) {
  const isRunning = (/** @type {any} */ each) => running.some((/** @type {any} */ other) => other.service === each.service && other.pid === each.pid);
  return [...running, ...(health.call_costs ?? []).filter((/** @type {any} */ each) => !isRunning(each))];
}

/** Of services with the most measured calls. @param {any[]} costs */
function costsText(costs) {
  const shown = [...costs].sort((a, b) => b.calls_measured - a.calls_measured).slice(0, MOST_COSTS)
    .map((each) => `${visible(each.service)} ${each.pid}: mean ${durationText(each.mean_ns)}, p50 ${durationText(each.p50_ns)}, p99 ${durationText(each.p99_ns)}, most ${durationText(each.max_ns)} of ${count(each.calls_measured)} (one in ${count(each.one_in)})`);
  return shown.join("; ") + (costs.length > shown.length ? `; ${counted(costs.length - shown.length, "further service")}` : "");
}

/** Crashes that services have recorded. @param {any[]} rows statements */
function crashMarks(rows) {
  const statements = new Set(rows.flatMap((row, number) => (row.text === CRASH_EVENT && row.level === "CRITICAL" ? [number] : [])));
  const list = statements.size === 0 ? null : recordList();
  if (list === null) return [];
  const crashes = list.index.statement.flatMap((/** @type {number} */ statement, /** @type {number} */ number) => (statements.has(statement) ? [number] : []))
    .map((/** @type {number} */ number) => ({number, object: list.object(number)})).filter((/** @type {any} */ each) => each.object.category === "ringside");
  if (crashes.length === 0) return [];
  return [mark("bad", `${count(crashes.length)} ${crashes.length === 1 ? "crash" : "crashes"}:`, crashes.slice(0, MOST_CRASHES).map((/** @type {any} */ {number, object}, /** @type {number} */ i) =>
    html`${i > 0 && "; "}<button type="button" class="link" onClick=${() => changeView({records: [number, number], statements: [], where: "", time: null})}>${
      visible(`${object.service} ${object.pid} ${object.thread.name} ${object.thread.id}: ${object.fields.signal_name}, ${object.fields.reason}`, 200)}</button>`))];
}

/** Of a thread of the summary. @param {any} stream */
function threadText(stream) {
  return stream.thread_id === undefined ? "threads without a ring" : `${visible(stream.thread_name ?? "")} ${stream.thread_id}`.trim();
}

/** Whether nothing says that a part of the trace is missing. @param {any} health @param {string[]} filters @param {number} growing sections */
function isWhole(health, filters, growing) {
  return filters.length === 0 && health.notes.length === 0 && health.sections_without_end <= growing && health.damaged_blocks === 0 && health.damaged_bytes === 0;
}

/**
 * @param {{health: any, summary: any, rows: any[], costs: any[], doubt: string, growing: number}} properties
 *   rows: of statements; costs: of log calls of running services; doubt: why records can be missing that are not known as lost; growing: sections
 */
export function Health({health, summary, rows, costs, doubt, growing}) {
  const marks = crashMarks(rows);
  const filters = health.filters ?? [];
  if (filters.length > 0) marks.push(mark("note", "Filtered:", `${visible(filters.join(" "))}. Only part of the trace is here.`));
  if (health.lost > 0) marks.push(mark("bad", `${counted(health.lost, "record")} lost:`, causesText(health.causes, true)));
  else if (doubt === "" && isWhole(health, filters, growing)) marks.push(mark("good", "No losses.", "All records that services made are here."));
  else marks.push(mark("note", "No losses recorded.", doubt));
  const places = summary.streams.filter((/** @type {any} */ stream) => stream.lost > 0)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => b.lost - a.lost);
  if (places.length > 0) {
    const shown = places.slice(0, 5).map((/** @type {any} */ stream) =>
      `${visible(stream.service)} ${stream.pid} ${threadText(stream)}: ${count(stream.lost)}`);
    if (places.length > shown.length) shown.push(counted(places.length - shown.length, "further thread"));
    marks.push(mark("note", "Where:", shown.join(", ")));
  }
  const impaired = causesText(health.causes, false);
  if (impaired !== "") marks.push(mark("note", "Not lost, but impaired:", impaired));
  const reduced = Object.keys(summary.reduced ?? {});
  if (reduced.length > 0) marks.push(mark("note", "Reduced:", `all data would need more than 10 MB. The page has fewer or shorter ${reduced.join(", ")}.`));
  if (health.late_records > 0) marks.push(mark("note", `${counted(health.late_records, "late record")}.`, "Each is shown after newer ones."));
  if (health.damaged_blocks > 0 || health.damaged_bytes > 0) {
    marks.push(mark("bad", "Damage.", `Skipped: ${counted(health.damaged_blocks, "block")}, ${byteText(health.damaged_bytes)}.`));
  }
  if (health.sections_without_end > growing)
    marks.push(mark("note", "No end:", `${counted(health.sections_without_end, "section")}: the service or the consumer was killed, or still runs.`));
  for (const clock of health.clocks) {
    marks.push(mark(clock.clock === "synchronised" ? "good" : "note", "Clock.", clockText(clock)));
  }
  const measured = costsOf(health, costs);
  if (measured.length > 0) marks.push(mark("note", "Log calls take:", costsText(measured)));
  return html`<section class="panel" id="health" aria-labelledby="health-title">
    <h2 id="health-title">Health</h2>
    <ul class="marks">${marks}</ul>
    ${health.notes.length > 0 && html`<details open><summary>${counted(health.notes.length, "note")} of the reader</summary>
      <ul>${health.notes.map((/** @type {string} */ note) => html`<li>${visible(note)}</li>`)}</ul></details>`}
  </section>`;
}
