// When threads ran and when they waited: the records of ringctl sched.

import { durationText } from "./numbers.js";
import { byInterval, indexAfter, leftOut, summed } from "./timeline_arrays.js";
import { SCHEDULE_PIXELS } from "./timeline_rows.js";
import { colourOf, fitted } from "./colours.js";
import { xOf } from "./timeline_scale.js";

const WAITED = 1, PREEMPTED = 2;

/**
 * @typedef {object} Schedule of a thread
 * @property {Float64Array} begin ns, rising
 * @property {Float64Array} end ns
 * @property {Int32Array} processor
 * @property {Uint8Array} then how the run ended
 * @property {Int32Array} skipped runs that are left out before this one
 * @property {Float64Array | null} leftOut by interval; null: none
 * @property {Float64Array | null} busy by interval, ns
 */

/** @param {any} thread of the document @param {number} intervalNs @returns {Schedule} */
export function scheduleOf(thread, intervalNs) {
  const begin = summed(thread.begin);
  return {
    begin, end: begin.map((time, i) => time + thread.duration[i]),
    processor: Int32Array.from(thread.processor), then: Uint8Array.from(thread.then), skipped: Int32Array.from(thread.skipped),
    leftOut: leftOut(thread.over_time, begin, intervalNs),
    busy: thread.busy === undefined ? null : byInterval(thread.busy),
  };
}

/**
 * What a thread did at a time.
 * @param {Schedule} schedule
 * @param {number} time
 * @returns {{run: number, gap: boolean}} the run, or the one before the gap; -1: nothing is known
 */
export function stateAt(schedule, time) {
  const run = indexAfter(schedule.begin, time) - 1;
  if (run >= 0 && time < schedule.end[run]) return {run, gap: false};
  const known = run >= 0 && run + 1 < schedule.begin.length && schedule.skipped[run + 1] === 0;
  return {run: known ? run : -1, gap: true};
}

/** @param {Schedule} schedule @param {number} time @returns {string[]} lines */
export function stateLines(schedule, time) {
  const {run, gap} = stateAt(schedule, time);
  if (run < 0) return [];
  const {begin, end, processor, then} = schedule;
  if (gap) {
    const what = then[run] === PREEMPTED ? "Preempted: wanted to run" : then[run] === WAITED ? "Waited" : "Did not run";
    return [`${what} for ${durationText(begin[run + 1] - end[run])}`, `before on processor ${processor[run]}, then on processor ${processor[run + 1]}`];
  }
  const after = run + 1 < begin.length && schedule.skipped[run + 1] === 0 ? ` for ${durationText(begin[run + 1] - end[run])}` : "";
  const next = ["recorded no further", `then waited${after}`, `then was preempted${after}`, "then ended"][then[run]];
  return [`Ran on processor ${processor[run]} for ${durationText(end[run] - begin[run])}`, next];
}

/**
 * Runs in the colours of their processors; waiting as a thin line, thick and in the colour of
 * trouble if the thread wanted to run.
 * @param {import("./timeline_draw.js").Scene} scene
 * @param {Schedule} schedule
 * @param {number} top
 */
export function drawSchedule(scene, schedule, top) {
  const {canvas, window, left, width, colours, intervalNs} = scene;
  const {begin, end, processor, then, skipped} = schedule, height = SCHEDULE_PIXELS - 2;
  const perPixel = (window[1] - window[0]) / (width - left);
  if (schedule.leftOut !== null && schedule.busy !== null) {
    canvas.fillStyle = colours.faint;
    const last = Math.min(schedule.busy.length - 1, Math.floor(window[1] / intervalNs));
    for (let i = Math.max(0, Math.floor(window[0] / intervalNs)); i <= last; ++i) {
      if (schedule.leftOut[i] === 0) continue;
      const x = Math.max(left, xOf(scene, i * intervalNs)), to = Math.min(width, xOf(scene, (i + 1) * intervalNs));
      const bar = Math.max(1, Math.min(1, schedule.busy[i] / intervalNs) * height);
      canvas.fillRect(x, top + height - bar, Math.max(1, to - x), bar);
    }
  }
  for (let run = Math.max(0, indexAfter(begin, window[0]) - 1); run < begin.length && begin[run] < window[1];) {
    const x = Math.max(left, xOf(scene, begin[run])), to = Math.min(width, xOf(scene, end[run]));
    if (to > left) {
      canvas.fillStyle = colourOf(processor[run]);
      canvas.fillRect(x, top, Math.max(1, to - x), height);
      const text = fitted(canvas, String(processor[run]), to - x - 4);
      if (text !== "") {
        canvas.fillStyle = "#111";
        canvas.fillText(text, x + 2, top + 9);
      }
    }
    if (run + 1 < begin.length && skipped[run + 1] === 0) {
      const from = Math.max(left, to), until = Math.min(width, xOf(scene, begin[run + 1]));
      const preempted = then[run] === PREEMPTED;
      canvas.fillStyle = preempted ? colours.bad : colours.line;
      if (until - from >= 1) canvas.fillRect(from, top + height - (preempted ? 4 : 2), until - from, preempted ? 4 : 2);
    }
    // Of the runs in one pixel, only the first is drawn.
    const next = to - x < 1 ? indexAfter(begin, begin[run] + perPixel) : run + 1;
    run = Math.max(next, run + 1);
  }
}
