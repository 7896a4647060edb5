// The banner: what is missing from the trace, how exact its times are, and what log calls took.

import { html, visible } from "./html.js";
import { count, byteText, causeText, durationText } from "./numbers.js";
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
  return shown.join("; ") + (costs.length > shown.length ? `; ${count(costs.length - shown.length)} further services` : "");
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

/**
 * @param {{health: any, summary: any, rows: any[], costs: any[], doubt: string, growing: number}} properties
 *   rows: of statements; costs: of log calls of running services; doubt: why records can be missing that are not known as lost; growing: sections
 */
export function Health({health, summary, rows, costs, doubt, growing}) {
  const marks = crashMarks(rows);
  marks.push(health.lost === 0 && doubt !== "" ? mark("note", "No losses recorded.", doubt) : health.lost === 0
    ? mark("good", "No losses.", "All records that services made are here.")
    : mark("bad", `${count(health.lost)} records lost:`, causesText(health.causes, true)));
  const places = summary.streams.filter((/** @type {any} */ stream) => stream.lost > 0)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => b.lost - a.lost);
  if (places.length > 0) {
    const shown = places.slice(0, 5).map((/** @type {any} */ stream) =>
      `${visible(stream.service)} ${stream.pid} ${visible(stream.thread_name ?? "threads without a ring")}: ${count(stream.lost)}`);
    if (places.length > shown.length) shown.push(`${count(places.length - shown.length)} further threads`);
    marks.push(mark("note", "Where:", shown.join(", ")));
  }
  const impaired = causesText(health.causes, false);
  if (impaired !== "") marks.push(mark("note", "Not lost, but impaired:", impaired));
  const reduced = Object.keys(summary.reduced ?? {});
  if (reduced.length > 0) marks.push(mark("note", "Reduced:", `all data would need more than 10 MB. The page has fewer or shorter ${reduced.join(", ")}.`));
  if (health.late_records > 0) marks.push(mark("note", `${count(health.late_records)} records are late.`, "They are shown after newer ones."));
  if (health.damaged_blocks > 0 || health.damaged_bytes > 0) {
    marks.push(mark("bad", "Damage.", `${count(health.damaged_blocks)} blocks, ${byteText(health.damaged_bytes)} were skipped.`));
  }
  if (health.sections_without_end > growing)
    marks.push(mark("note", "No end:", `${count(health.sections_without_end)} sections: the service or the consumer was killed, or still runs.`));
  for (const clock of health.clocks) {
    marks.push(mark(clock.clock === "synchronised" ? "good" : "note", "Clock.", clockText(clock)));
  }
  const measured = costsOf(health, costs);
  if (measured.length > 0) marks.push(mark("note", "Log calls take:", costsText(measured)));
  return html`<section class="panel" id="health" aria-labelledby="health-title">
    <h2 id="health-title">Health</h2>
    <ul class="marks">${marks}</ul>
    ${health.notes.length > 0 && html`<details><summary>${count(health.notes.length)} notes of the reader</summary>
      <ul>${health.notes.map((/** @type {string} */ note) => html`<li>${visible(note)}</li>`)}</ul></details>`}
  </section>`;
}
