// The axis of time, from days to nanoseconds.

import { durationText, momentText } from "./numbers.js";

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const LONGER = [1e9, 2e9, 5e9, 1e10, 1.5e10, 3e10, 6e10, 1.2e11, 3e11, 6e11, 1.2e12, 1.8e12, 3.6e12, 7.2e12, 1.44e13, 2.16e13, 4.32e13, 8.64e13];

/**
 * A round duration that is at least so long.
 * @param {number} ns
 */
export function roundStep(ns) {
  for (const unit of [1, 1e3, 1e6]) for (const step of STEPS) if (step * unit >= ns) return step * unit;
  for (const step of LONGER) if (step >= ns) return step;
  return Math.ceil(ns / 8.64e13) * 8.64e13;
}

/**
 * Ticks of a window: the first one has the moment, the others how long after it they are.
 * @param {[number, number]} window
 * @param {number} width pixels
 * @returns {{step: number, ticks: {time: number, text: string}[]}}
 */
export function ticksOf(window, width) {
  const step = roundStep((window[1] - window[0]) / Math.max(1, width / 110));
  const first = Math.ceil(window[0] / step) * step;
  const ticks = [];
  for (let i = 0; first + i * step <= window[1] && i < 200; ++i)
    ticks.push({time: first + i * step, text: i === 0 ? "" : "+" + durationText(i * step)});
  return {step, ticks};
}

/**
 * @param {CanvasRenderingContext2D} canvas
 * @param {{window: [number, number], left: number, width: number, height: number, beginUnixNs: bigint, colours: Record<string, string>}} what
 */
export function drawAxis(canvas, {window, left, width, height, beginUnixNs, colours}) {
  const scale = (width - left) / (window[1] - window[0]);
  const {ticks} = ticksOf(window, width - left);
  canvas.fillStyle = colours.panel;
  canvas.fillRect(0, 0, width, height);
  canvas.fillStyle = colours.faint;
  canvas.strokeStyle = colours.line;
  canvas.textBaseline = "alphabetic";
  const moment = ticks.length > 0 ? momentText(beginUnixNs, ticks[0].time) : "";
  canvas.fillText(moment, ticks.length > 0 ? Math.min(left + (ticks[0].time - window[0]) * scale, width - canvas.measureText(moment).width - 2) : left, 12);
  canvas.beginPath();
  for (const {time, text} of ticks) {
    const x = Math.round(left + (time - window[0]) * scale) + 0.5;
    canvas.moveTo(x, 16);
    canvas.lineTo(x, height);
    if (x + 3 + canvas.measureText(text).width < width) canvas.fillText(text, x + 3, height - 6);
  }
  canvas.moveTo(0, height - 0.5);
  canvas.lineTo(width, height - 0.5);
  canvas.stroke();
}
