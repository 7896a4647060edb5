// A logarithmic scale of values that also has zero and negative numbers.

import { count, durationText } from "./numbers.js";

const MOST_TICKS = 9;

/**
 * Positions are octaves: those of positive values are above 0, zero is from -1 to 0, and negative values are below.
 * @typedef {object} ValueScale
 * @property {[number, number]} range of the positions
 * @property {(value: number) => number} position
 * @property {(position: number) => number} value
 * @property {number[]} ticks values
 */

/** @param {number} value */
export function valueText(value) {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return size >= 1000 ? count(value) : String(Number(value.toPrecision(3)));
}

/** @param {any} field of the heat map @param {number} value */
export function fieldText(field, value) {
  return field.kind === "duration" ? durationText(value) : valueText(value);
}

/**
 * Round numbers from low to high, both positive.
 * @param {number} low
 * @param {number} high
 */
function roundNumbers(low, high) {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(Math.min(high, Number.MAX_VALUE)));
  const step = Math.max(1, Math.ceil((to - from) / MOST_TICKS));
  const few = to - from <= 2;
  const numbers = [];
  for (let exponent = Math.ceil(from / step) * step; exponent <= to; exponent += step)
    for (const digit of few ? [1, 2, 5] : [1]) numbers.push(Number(`${digit}e${exponent}`));
  const inside = numbers.filter((number) => number >= low && number <= high);
  if (inside.length > 2) return inside;
  // Less than a decade: equal steps.
  const unit = 10 ** Math.floor(Math.log10((high - low) / 4));
  const each = [1, 2, 5, 10].map((digit) => digit * unit).find((digit) => (high - low) / digit <= 5) ?? unit;
  if (!(each > 0) || !Number.isFinite(each)) return inside;
  const first = Math.ceil(low / each);
  return [...Array(Math.floor(high / each) - first + 1).keys()].map((i) => Number(((first + i) * each).toPrecision(12)));
}

/**
 * @param {[number, number][]} bounds of the classes, rising
 * @returns {ValueScale}
 */
export function valueScale(bounds) {
  const least = (/** @type {number[]} */ sizes) => Math.max(Number.MIN_VALUE, Math.min(...sizes));
  const positive = bounds.filter(([low, high]) => low >= 0 && high > 0);
  const negative = bounds.filter(([low, high]) => high <= 0 && low < 0);
  const hasZero = bounds.some(([low, high]) => low === 0 && high === 0) || (positive.length > 0 && negative.length > 0);
  const base = positive.length > 0 ? Math.log2(least(positive.map(([low]) => low))) : 0;
  const below = negative.length > 0 ? Math.log2(least(negative.map(([, high]) => -high))) : 0;
  const top = positive.length > 0 ? Math.log2(positive[positive.length - 1][1]) - base : 0;
  const depth = negative.length > 0 ? Math.log2(-negative[0][0]) - below : 0;
  const bottom = hasZero ? -1 : 0;
  const position = (/** @type {number} */ value) => {
    if (value > 0) return Math.max(0, Math.log2(value) - base);
    if (value < 0) return bottom - Math.max(0, Math.log2(-value) - below);
    return bottom / 2;
  };
  const value = (/** @type {number} */ at) => (at >= 0 && positive.length > 0 ? 2 ** (at + base) : at > bottom || negative.length === 0 ? 0 : -(2 ** (bottom - at + below)));
  const ticks = [...(negative.length > 0 ? roundNumbers(2 ** below, 2 ** (below + depth)).map((number) => -number).reverse() : []),
    ...(hasZero ? [0] : []), ...(positive.length > 0 ? roundNumbers(2 ** base, 2 ** (base + top)) : [])];
  return {range: [bottom - depth, Math.max(top, bottom - depth + 1e-9)], position, value, ticks};
}
