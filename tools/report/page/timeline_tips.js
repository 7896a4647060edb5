// What the tip of the timeline says of what the pointer or the keyboard is at.

import { visible } from "./html.js";
import { causeText, count, counted, durationText, momentText } from "./numbers.js";
import { fieldLines } from "./timeline_fields.js";
import { stateLines } from "./schedule.js";
import { CAUSES } from "./moments.js";

/**
 * @typedef {object} Found what is at a place of the timeline
 * @property {any} track
 * @property {number} span -1: none
 * @property {number} instant -1: none
 * @property {any} loss undefined: none
 * @property {any} moment a change of what was collected; undefined: none
 * @property {number} at a time of the thread's schedule; NaN: none
 * @property {number} interval
 * @property {any} place
 */

/** @param {Partial<Found>} found @returns {Found} */
export function foundOf(found) {
  return {track: null, span: -1, instant: -1, loss: undefined, moment: undefined, at: NaN, interval: 0, place: null, ...found};
}

/** @typedef {{names: string[], statements: any[], summary: any, beginUnixNs: bigint}} Trace */

/** @param {any} row a statement */
function placeText(row) {
  return `${visible(row.file.replace(/.*\//, ""))}:${row.line}`;
}

/** @param {Trace} trace @param {any} place @param {number} interval @returns {string[]} */
function seriesLines(trace, place, interval) {
  const point = place.series.points.find((/** @type {any} */ each) => each.interval === interval);
  if (point === undefined) return [];
  const records = counted(point.records, "record");
  return [place.label, place.series.key === "records" ? `${records} in ${durationText(trace.summary.interval_ns)}` : `${point.least} to ${point.most}, mean ${point.mean}, of ${records}`];
}

/** @param {Trace} trace @param {any} moment @returns {string[]} */
function momentLines({beginUnixNs}, moment) {
  return [CAUSES[moment.cause] ?? "Change", visible(moment.text, 200), `${momentText(beginUnixNs, moment.at)} UTC`, `${visible(moment.service, 40)} ${moment.pid}`];
}

/** What has no place of its own. @param {Trace} trace @param {any} track @param {number} interval @returns {string[]} */
function leftOutLines({summary}, track, interval) {
  const lines = [], length = durationText(summary.interval_ns);
  if (track.spansLeftOut !== null && track.spansLeftOut[interval] > 0) lines.push(`${count(track.spansLeftOut[interval])} spans that begin in ${length} here are left out`);
  if (track.instantsLeftOut !== null && track.instantsLeftOut[interval] > 0) lines.push(`${count(track.instantsLeftOut[interval])} records in ${length} here have no tick`);
  return lines;
}

/** @param {Trace} trace @param {Found | null} found @returns {string[]} lines */
export function linesOf(trace, found) {
  if (found === null) return [];
  const {track, span, instant, interval, place, loss, moment} = found, {names, statements, beginUnixNs} = trace;
  if (moment !== undefined) return momentLines(trace, moment);
  if (place !== null && place.kind === "series") return seriesLines(trace, place, interval);
  if (track === null) return [];
  const lost = loss === undefined ? [] : [`${counted(loss.records, "record")} lost: ${causeText(loss.cause)}`, `${momentText(beginUnixNs, loss.from)} UTC, within ${durationText(loss.to - loss.from)}`];
  const where = `${track.group} ${track.label}`;
  if (!Number.isNaN(found.at)) {
    const state = stateLines(track.schedule, found.at);
    return state.length === 0 ? [] : [...state, `${momentText(beginUnixNs, found.at)} UTC`, where];
  }
  if (span >= 0) {
    const {begin, end, open, statement} = track.spans, row = statements[statement[span]];
    return [names[statement[span]], open[span] ? "without an end in the trace" : durationText(end[span] - begin[span]),
      `${momentText(beginUnixNs, begin[span])} UTC`, `${placeText(row)} ${visible(row.function ?? "", 200)}`, where,
      ...fieldLines(track, statement[span], begin[span]), ...lost];
  }
  if (instant >= 0) {
    const statement = track.instantStatement[instant], row = statements[statement];
    return [names[statement], `${row.level}, ${momentText(beginUnixNs, track.times[instant])} UTC`, placeText(row), where,
      ...fieldLines(track, statement, track.times[instant]), ...lost];
  }
  if (loss !== undefined) return [...lost, where];
  const lines = leftOutLines(trace, track, interval);
  return lines.length > 0 ? [...lines, where] : [];
}
