// Draws the visible part of the timeline. The cost of a frame depends on the pixels, not on the trace.

import { INTERVALS, indexAfter } from "./timeline_arrays.js";
import { HEAD_PIXELS, ROW_PIXELS, RULER_PIXELS, SERIES_PIXELS, SHADE_PIXELS, STRIP_PIXELS, rowsTop } from "./timeline_rows.js";
import { colourOf, fitted } from "./colours.js";
import { drawSchedule } from "./schedule.js";
import { xOf } from "./timeline_scale.js";
import { rangeOfFocus } from "./timeline_steps.js";

const LEAST_LOSS_PIXELS = 6;

/**
 * @typedef {object} Scene
 * @property {CanvasRenderingContext2D} canvas
 * @property {Record<string, string>} colours
 * @property {[number, number]} window ns
 * @property {number} left where tracks begin
 * @property {number} width
 * @property {number} intervalNs
 * @property {(statement: number) => boolean} isSelected
 * @property {string[]} names of statements
 * @property {import("./timeline_steps.js").Focus | null} focus
 * @property {any[]} losses of the trace
 * @property {CanvasPattern | null} hatching null: there are no losses
 */

/** Diagonal lines. @param {CanvasRenderingContext2D} canvas @param {string} colour */
export function hatching(canvas, colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const lines = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
  lines.strokeStyle = colour;
  lines.lineWidth = 1.5;
  lines.beginPath();
  for (const at of [-3, 3, 9]) {
    lines.moveTo(at - 3, 9);
    lines.lineTo(at + 9, -3);
  }
  lines.stroke();
  return /** @type {CanvasPattern} */ (canvas.createPattern(tile, "repeat"));
}

/**
 * The spans of a row, from left to right. Of those in one pixel, only the first is drawn.
 * @param {Scene} scene
 * @param {import("./timeline_data.js").Track} track
 * @param {Int32Array} row
 * @param {number} y
 */
function drawRow(scene, track, row, y) {
  const {canvas, window, left, width, colours} = scene;
  const {begin, end, open, statement} = track.spans;
  const perPixel = (window[1] - window[0]) / (width - left);
  const next = (/** @type {number} */ time, /** @type {number} */ low) => {
    let high = row.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[row[middle]] > time) high = middle; else low = middle + 1;
    }
    return low;
  };
  for (let at = next(window[0], 0); at < row.length && begin[row[at]] < window[1];) {
    const span = row[at];
    const x = Math.max(left, xOf(scene, begin[span]));
    const to = Math.min(width, xOf(scene, end[span]));
    canvas.globalAlpha = scene.isSelected(statement[span]) ? 1 : 0.15;
    canvas.fillStyle = colourOf(statement[span]);
    canvas.fillRect(x, y, Math.max(1, to - x - (to - x > 3 ? 1 : 0)), ROW_PIXELS - 2);
    const text = fitted(canvas, scene.names[statement[span]], to - x - 6);
    if (text !== "") {
      canvas.fillStyle = "#111";
      canvas.fillText(text, x + 3, y + 11);
    }
    if (open[span]) {
      canvas.fillStyle = colours.bad;
      canvas.fillRect(to - 3, y, 3, ROW_PIXELS - 2);
    }
    if (scene.focus !== null && scene.focus.track === track && scene.focus.span === span) {
      canvas.globalAlpha = 1;
      canvas.strokeStyle = colours.text;
      canvas.lineWidth = 2;
      canvas.strokeRect(x + 1, y, Math.max(2, to - x - 2), ROW_PIXELS - 2);
      canvas.lineWidth = 1;
    }
    ++at;
    if (to - x < 1) at = next(begin[span] + perPixel, at);
  }
  canvas.globalAlpha = 1;
}

/**
 * Bars by interval.
 * @param {Scene} scene
 * @param {Float64Array} numbers
 * @param {number} most
 * @param {number} top
 * @param {number} height
 */
function drawBars(scene, numbers, most, top, height) {
  const {canvas, window, left, width, intervalNs} = scene;
  const first = Math.max(0, Math.floor(window[0] / intervalNs));
  const last = Math.min(INTERVALS - 1, Math.floor(window[1] / intervalNs));
  for (let i = first; i <= last; ++i) {
    if (numbers[i] === 0) continue;
    const x = Math.max(left, xOf(scene, i * intervalNs)), to = Math.min(width, xOf(scene, (i + 1) * intervalNs));
    const bar = Math.max(1, Math.sqrt(numbers[i] / most) * height);
    canvas.fillRect(x, top + height - bar, Math.max(1, to - x), bar);
  }
}

/** @param {Scene} scene @param {import("./timeline_data.js").Track} track @param {number} top */
function drawInstants(scene, track, top) {
  const {canvas, window, left, width, colours} = scene;
  if (track.instantsLeftOut !== null) {
    canvas.fillStyle = colours.accent;
    canvas.globalAlpha = 0.35;
    drawBars(scene, track.instantsLeftOut, Math.max(...track.instantsLeftOut, 1), top, STRIP_PIXELS - 2);
    canvas.globalAlpha = 1;
  }
  const {times, instantStatement} = track;
  const perPixel = (window[1] - window[0]) / (width - left);
  let at = indexAfter(times, window[0] - perPixel);
  const end = indexAfter(times, window[1]);
  while (at < end) {
    const x = xOf(scene, times[at]);
    const last = indexAfter(times, times[at] + perPixel);
    let selected = false;
    for (let i = at; i < last && i < at + 64 && !selected; ++i) selected = scene.isSelected(instantStatement[i]);
    const height = Math.min(STRIP_PIXELS - 2, 5 + Math.log2(last - at) * 1.5);
    canvas.globalAlpha = selected ? 1 : 0.15;
    canvas.fillStyle = last - at === 1 ? colourOf(instantStatement[at]) : colours.accent;
    canvas.fillRect(Math.max(left, x), top + STRIP_PIXELS - 2 - height, last - at === 1 ? 2 : 1, height);
    at = Math.max(last, at + 1);
  }
  canvas.globalAlpha = 1;
}

/** A frame around a record without a duration, or around a loss. @param {Scene} scene @param {import("./timeline_rows.js").Place} place @param {number} top */
function drawFocus(scene, {track, height}, top) {
  const {canvas, colours, focus, left, width} = scene;
  if (focus === null || focus.track !== track || focus.span >= 0) return;
  const [begin, end] = rangeOfFocus(focus), x = xOf(scene, begin), to = Math.max(x + LEAST_LOSS_PIXELS, xOf(scene, end));
  if (to < left || x > width) return;
  canvas.strokeStyle = colours.text;
  canvas.lineWidth = 2;
  canvas.strokeRect(Math.max(left + 1, x - 2), top + 1, Math.min(width, to) - Math.max(left + 1, x - 2), focus.loss === undefined ? STRIP_PIXELS : height - 3);
  canvas.lineWidth = 1;
}

/** @param {Scene} scene @param {import("./timeline_data.js").Track} track @param {number} top */
function drawLeftOut(scene, track, top) {
  if (track.spansLeftOut === null || track.busy === null) return;
  const {canvas, intervalNs, colours, left, width} = scene;
  const shares = track.busy.map((ns, i) => (/** @type {Float64Array} */ (track.spansLeftOut)[i] > 0 ? Math.max(ns / intervalNs, 0.01) : 0));
  canvas.fillStyle = colours.faint;
  drawBars(scene, shares, 1, top, SHADE_PIXELS - 1);
  // Where nothing is missing, the shade ends.
  canvas.fillStyle = colours.good;
  for (let i = 2 * Math.floor(indexAfter(track.complete, scene.window[0]) / 2); i + 1 < track.complete.length && track.complete[i] < scene.window[1]; i += 2) {
    const x = Math.max(left, xOf(scene, track.complete[i])), to = Math.min(width, xOf(scene, track.complete[i + 1]));
    if (to - x >= 1) canvas.fillRect(x, top, to - x, SHADE_PIXELS - 1);
  }
}

/** @param {Scene} scene @param {import("./timeline_rows.js").Place} place @param {number} top */
export function drawTrack(scene, place, top) {
  const {canvas, colours, left, width} = scene;
  const track = /** @type {import("./timeline_data.js").Track} */ (place.track);
  drawInstants(scene, track, top + 2);
  if (track.schedule !== null) drawSchedule(scene, track.schedule, top + 3 + STRIP_PIXELS);
  track.rows.forEach((row, i) => drawRow(scene, track, row, top + rowsTop(track) + i * ROW_PIXELS));
  drawLeftOut(scene, track, top + place.height - SHADE_PIXELS);
  if (track.kind === "thread" && scene.hatching !== null) {
    canvas.fillStyle = scene.hatching;
    for (const loss of scene.losses) {
      if (loss.stream !== track.stream || loss.to < scene.window[0] || loss.from > scene.window[1]) continue;
      const x = Math.max(left, xOf(scene, loss.from)), to = Math.min(width, xOf(scene, loss.to));
      canvas.fillRect(Math.min(x, width - LEAST_LOSS_PIXELS), top + 1, Math.max(LEAST_LOSS_PIXELS, to - x), place.height - 2);
    }
  }
  drawFocus(scene, place, top);
  const fits = canvas.measureText(place.label).width <= left - 8;
  drawLabel(scene, fits ? place.label : track.shortLabel, top, place.height);
}

/** @param {Scene} scene @param {string} label @param {number} top @param {number} height */
function drawLabel({canvas, colours, left, width}, label, top, height) {
  canvas.fillStyle = colours.panel;
  canvas.fillRect(0, top, left, height);
  canvas.fillStyle = colours.text;
  canvas.fillText(fitted(canvas, label, left - 8), 2, top + 13);
  canvas.fillStyle = colours.line;
  canvas.fillRect(0, top + height - 1, width, 1);
}

/** @param {Scene} scene @param {import("./timeline_rows.js").Place} place @param {number} top */
export function drawHead({canvas, colours, width}, place, top) {
  canvas.fillStyle = colours.selected;
  canvas.fillRect(0, top, width, HEAD_PIXELS);
  canvas.fillStyle = colours.text;
  canvas.fillText(fitted(canvas, place.label, width - 8), 2, top + 14);
}

/**
 * A number over time: from the least to the most of each interval, and a line through the means.
 * @param {Scene} scene
 * @param {import("./timeline_rows.js").Place} place
 * @param {number} top
 */
export function drawSeries(scene, place, top) {
  const {canvas, colours, window, left, width, intervalNs} = scene;
  const {points, least, most, text} = place.series;
  const height = SERIES_PIXELS - 6;
  const yOf = (/** @type {number} */ number) => top + 3 + height - (most === least ? (most === 0 ? 0 : height / 2) : (number - least) * height / (most - least));
  let previous = null;
  for (const point of points) {
    const x = xOf(scene, point.interval * intervalNs), to = xOf(scene, (point.interval + 1) * intervalNs);
    if (to >= left && x <= width) {
      const from = Math.max(left, x), until = Math.min(width, to);
      canvas.globalAlpha = 0.3;
      canvas.fillStyle = colours.accent;
      canvas.fillRect(from, yOf(point.most), Math.max(1, until - from), Math.max(1, yOf(point.least) - yOf(point.most)));
      canvas.globalAlpha = 1;
      canvas.fillRect(from, yOf(point.mean) - 0.75, Math.max(1, until - from), 1.5);
    }
    if (previous !== null && previous.interval + 1 < point.interval && xOf(scene, previous.interval * intervalNs) < width && x > left) {
      canvas.strokeStyle = colours.line;
      canvas.beginPath();
      canvas.moveTo(Math.max(left, xOf(scene, (previous.interval + 1) * intervalNs)), yOf(previous.mean));
      canvas.lineTo(Math.min(width, x), yOf(point.mean));
      canvas.stroke();
    }
    previous = point;
  }
  drawLabel(scene, place.label, top, place.height);
  canvas.fillStyle = colours.faint;
  canvas.fillText(fitted(canvas, text, left - 8), 2, top + 28);
}

/** Changes of what was collected: triggers are darker. @param {Scene} scene @param {any[]} moments @param {number} height */
export function drawMoments(scene, moments, height) {
  const {canvas, colours, window, left, width} = scene;
  canvas.fillStyle = colours.text;
  for (const {at, cause} of moments) {
    if (at < window[0] || at > window[1]) continue;
    const x = Math.min(width - 1, Math.max(left, Math.round(xOf(scene, at))));
    canvas.globalAlpha = cause === "trigger" ? 1 : 0.45;
    canvas.fillRect(x, RULER_PIXELS, 1, height);
    canvas.beginPath();
    canvas.moveTo(x - 4, RULER_PIXELS);
    canvas.lineTo(x + 5, RULER_PIXELS);
    canvas.lineTo(x + 0.5, RULER_PIXELS + 8);
    canvas.fill();
  }
  canvas.globalAlpha = 1;
}

/** What is outside the selected time. @param {Scene} scene @param {[number, number]} time @param {number} height */
export function drawSelection(scene, time, height) {
  const {canvas, colours, left, width} = scene;
  const x = Math.min(width, Math.max(left, xOf(scene, time[0]))), to = Math.max(left, Math.min(width, xOf(scene, time[1])));
  canvas.fillStyle = colours.panel;
  canvas.globalAlpha = 0.6;
  canvas.fillRect(left, 0, x - left, height);
  canvas.fillRect(to, 0, width - to, height);
  canvas.globalAlpha = 1;
  canvas.fillStyle = colours.accent;
  if (x > left) canvas.fillRect(x - 1, 0, 2, height);
  if (to < width) canvas.fillRect(to - 1, 0, 2, height);
}
