// The tracks of the timeline, as arrays that are searched by time.

import { visible } from "./html.js";
import { scheduleOf } from "./schedule.js";
import { INTERVALS, byInterval, leftOut, summed } from "./timeline_arrays.js";
import { ROWS } from "./timeline_rows.js";

/**
 * @typedef {object} Spans
 * @property {Float64Array} begin ns, rising
 * @property {Float64Array} end ns
 * @property {Uint8Array} open whether the trace does not have the end
 * @property {Int32Array} statement
 * @property {Uint8Array} row
 */

/**
 * @typedef {object} Track
 * @property {string} kind
 * @property {number} stream
 * @property {string} label
 * @property {string} shortLabel where there is little space
 * @property {string} group
 * @property {number} spanNumber in the trace
 * @property {number} instantNumber in the trace
 * @property {Spans} spans
 * @property {Int32Array[]} rows indices of spans
 * @property {number} crowded spans that lie over others, in the last row
 * @property {Float64Array} times of instants, rising
 * @property {Int32Array} instantStatement
 * @property {Float64Array | null} spansLeftOut by interval; null: none
 * @property {Float64Array | null} busy by interval, ns
 * @property {Float64Array} complete from, to, from, to: where no span is left out
 * @property {Float64Array | null} instantsLeftOut by interval; null: none
 * @property {import("./schedule.js").Schedule | null} schedule
 */

/** @param {any} track @param {any} stream */
function labelOf(track, stream) {
  if (track.kind === "task") return visible(track.name ?? `task ${track.id}`, 60);
  if (track.kind === "substream") return `substream ${track.id}`;
  if (track.kind === "further") return "further tasks";
  return stream.thread_id === undefined ? "threads without a ring" : `${visible(stream.thread_name, 40)} ${stream.thread_id}`.trim();
}

const NOTHING = {spans: {number: 0, begin: [], duration: [], statement: [], row: [], rows: 0}, instants: {number: 0, time: [], statement: []}};

/** Of threads without records that are drawn. @param {Iterable<number>} streams @returns {any[]} */
function emptyTracks(streams) {
  return [...streams].map((stream) => ({kind: "thread", stream, ...NOTHING}));
}

/** The tracks of threads that have lost records, and have no others. @param {any[]} tracks @param {any[]} losses */
function tracksOfLosses(tracks, losses) {
  const known = new Set(tracks.filter((track) => track.kind === "thread").map((track) => track.stream));
  return emptyTracks(new Set(losses.map((loss) => loss.stream).filter((stream) => !known.has(stream))));
}

/**
 * Gives threads their schedules, and tracks to threads that have nothing else.
 * @param {any[]} threads of the document
 * @param {any[]} drawn tracks of the document
 * @param {any} summary
 */
function scheduledTracks(threads, drawn, summary) {
  const keyOf = (/** @type {number} */ stream) => {
    const {service, pid, thread_id: thread} = summary.streams[stream];
    return JSON.stringify([service, pid, thread]);
  };
  const schedules = new Map(threads.map((thread) => [keyOf(thread.stream), thread]));
  const seen = new Set();
  const tracks = drawn.map((track) => {
    const key = track.kind === "thread" ? keyOf(track.stream) : "";
    if (!schedules.has(key) || seen.has(key)) return track;
    seen.add(key);
    return {...track, schedule: schedules.get(key)};
  });
  const others = threads.filter((thread) => !seen.has(keyOf(thread.stream)));
  return [...tracks, ...emptyTracks(others.map((thread) => thread.stream)).map((track, i) => ({...track, schedule: others[i]}))];
}

/** How many spans begin before an earlier one of their row ends. @param {number[]} row @param {Float64Array} begin @param {Float64Array} end */
function crowdedOf(row, begin, end) {
  let crowded = 0, last = 0;
  for (const span of row) {
    if (begin[span] < last) ++crowded;
    last = Math.max(last, end[span]);
  }
  return crowded;
}

/** @param {any} track @param {any} summary @param {number} end @returns {Track} */
function trackOf(track, summary, end) {
  const stream = summary.streams[track.stream];
  const {spans, instants} = track;
  const begin = summed(spans.begin);
  const ends = new Float64Array(begin.length), open = new Uint8Array(begin.length);
  /** @type {number[][]} */
  const rows = Array.from({length: spans.rows}, () => []);
  for (let i = 0; i < begin.length; ++i) {
    open[i] = spans.duration[i] < 0 ? 1 : 0;
    ends[i] = open[i] ? end : begin[i] + spans.duration[i];
    rows[spans.row[i]].push(i);
  }
  const times = summed(instants.time);
  return {
    kind: track.kind, stream: track.stream, label: labelOf(track, stream),
    shortLabel: track.kind === "thread" && stream.thread_id !== undefined ? `${stream.thread_id} ${visible(stream.thread_name, 40)}` : labelOf(track, stream),
    group: `${visible(stream.service, 40)} ${stream.pid}`,
    spanNumber: spans.number, instantNumber: instants.number,
    spans: {begin, end: ends, open, statement: Int32Array.from(spans.statement), row: Uint8Array.from(spans.row)},
    rows: rows.map((row) => Int32Array.from(row)),
    crowded: crowdedOf(rows[ROWS - 1] ?? [], begin, ends),
    times, instantStatement: Int32Array.from(instants.statement),
    spansLeftOut: leftOut(spans.over_time, begin, summary.interval_ns),
    busy: spans.busy === undefined ? null : byInterval(spans.busy),
    complete: summed(spans.complete ?? []),
    instantsLeftOut: leftOut(instants.over_time, times, summary.interval_ns),
    schedule: track.schedule === undefined ? null : scheduleOf(track.schedule, summary.interval_ns),
  };
}

/**
 * Threads by service and process, then tasks.
 * @param {any} timeline
 * @param {any} summary
 * @param {any[]} losses
 * @param {any} schedule
 * @returns {Track[]}
 */
export function tracksOf(timeline, summary, losses, schedule) {
  const order = (/** @type {Track} */ track) => (track.kind === "thread" ? 0 : track.kind === "further" ? 2 : 1);
  const drawn = [...timeline.tracks, ...tracksOfLosses(timeline.tracks, losses)];
  return scheduledTracks(schedule.threads, drawn, summary).map((/** @type {any} */ track) => trackOf(track, summary, timeline.end))
    .sort((/** @type {Track} */ a, /** @type {Track} */ b) => order(a) - order(b) || a.group.localeCompare(b.group) || a.stream - b.stream || a.label.localeCompare(b.label));
}

/**
 * The number of records in each interval.
 * @param {any[]} statements
 * @param {number[]} selected statements; empty: all
 */
export function recordsOverTime(statements, selected) {
  const numbers = new Float64Array(INTERVALS);
  statements.forEach((row, number) => {
    if (row.over_time === undefined || (selected.length > 0 && !selected.includes(number))) return;
    for (let i = 0; i + 1 < row.over_time.length; i += 2) numbers[row.over_time[i]] += row.over_time[i + 1];
  });
  return numbers;
}

/**
 * The span of a row that contains the time, or the nearest within a distance; -1: none.
 * @param {Track} track
 * @param {number} row
 * @param {number} time
 * @param {number} distance ns
 */
export function spanAt(track, row, time, distance) {
  const indices = track.rows[row];
  if (indices === undefined) return -1;
  let low = 0, high = indices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.spans.begin[indices[middle]] > time) high = middle; else low = middle + 1;
  }
  let nearest = -1, least = distance;
  for (const at of [low - 1, low]) {
    if (at < 0 || at >= indices.length) continue;
    const span = indices[at];
    const away = Math.max(0, track.spans.begin[span] - time, time - track.spans.end[span]);
    if (away <= least && (nearest < 0 || away < least)) {
      least = away;
      nearest = span;
    }
  }
  return nearest;
}
