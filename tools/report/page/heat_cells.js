// The counts of a field of the heat map: by class of values and by interval of time. README.md describes the classes.

export const INTERVALS = 256;
export const QUANTILES = /** @type {{share: number, name: string}[]} */ ([
  {share: 0.5, name: "p50"}, {share: 0.9, name: "p90"}, {share: 0.99, name: "p99"}, {share: 0.999, name: "p99.9"}]);

const VALUES_BEYOND = 2;
const LEAST_GROUPS = 8;
const CLASS_BITS = 16;  // of the upper 32 bits of a double, those that do not matter
const bits = new DataView(new ArrayBuffer(8));

/**
 * The size of the number of a class that is nearest to zero.
 * @param {number} number of the class, from 1
 * @param {number} shift
 */
function sizeFrom(number, shift) {
  const upper = Math.min((number - 1) * 2 ** shift, 0x7ff0);
  bits.setUint32(0, upper * 2 ** CLASS_BITS);
  bits.setUint32(4, 0);
  return Math.min(bits.getFloat64(0), Number.MAX_VALUE);
}

/**
 * Least and greatest number of a class.
 * @param {number} number
 * @param {number} shift
 * @returns {[number, number]}
 */
export function classBounds(number, shift) {
  if (number === 0) return [0, 0];
  const near = sizeFrom(Math.abs(number), shift), far = sizeFrom(Math.abs(number) + 1, shift);
  return number > 0 ? [near, far] : [-far, -near];
}

/**
 * A field with its counts: those of class c in interval i are counts[c * INTERVALS + i].
 * @typedef {object} Cells
 * @property {any} field of the document
 * @property {[number, number][]} bounds of the classes, rising
 * @property {Uint32Array} counts
 * @property {number} most in a cell
 */

/**
 * @param {any} field of the document
 * @returns {Cells}
 */
function cellsOf(field) {
  const counts = new Uint32Array(field.classes.length * INTERVALS);
  let most = 0;
  const bounds = field.classes.map((/** @type {number[]} */ row, /** @type {number} */ c) => {
    let interval = 0;
    for (let at = 1; at + 1 < row.length; at += 2) {
      interval += row[at];
      counts[c * INTERVALS + interval] = row[at + 1];
      most = Math.max(most, row[at + 1]);
    }
    return classBounds(row[0], field.shift);
  });
  return {field, bounds, counts, most};
}

/** @type {WeakMap<object, Cells>} */
const knownCells = new WeakMap();

/** The same, computed once. @param {any} field of the document @returns {Cells} */
export function cellsOfField(field) {
  let cells = knownCells.get(field);
  if (cells === undefined) knownCells.set(field, cells = cellsOf(field));
  return cells;
}

/**
 * Values in intervals and classes, the last ones included.
 * @param {Cells} cells
 * @param {[number, number]} intervals
 * @param {[number, number]} classes
 * @returns {{values: number, byClass: number[]}} from the first class on
 */
export function partOf({counts}, intervals, classes) {
  const byClass = [];
  let values = 0;
  for (let c = classes[0]; c <= classes[1]; ++c) {
    let number = 0;
    for (let i = intervals[0]; i <= intervals[1]; ++i) number += counts[c * INTERVALS + i];
    byClass.push(number);
    values += number;
  }
  return {values, byClass};
}

/**
 * The middle of a class, which is less than 1/32 of a value away if its shift is 0.
 * @param {Cells} cells
 * @param {number} c
 */
function middle({field, bounds}, c) {
  const [low, high] = bounds[c];
  return Math.min(field.most, Math.max(field.least, low + (high - low) / 2));
}

/**
 * The quantiles of a part; null if it has no values.
 * @param {Cells} cells
 * @param {{values: number, byClass: number[]}} part
 * @param {number} first its first class
 * @returns {(number | null)[]}
 */
export function quantilesOf(cells, part, first) {
  if (part.values === 0) return QUANTILES.map(() => null);
  let seen = 0, c = 0;
  return QUANTILES.map(({share}) => {
    const wanted = Math.ceil(share * part.values);
    while (seen + part.byClass[c] < wanted) seen += part.byClass[c++];
    return middle(cells, first + c);
  });
}

/**
 * A quantile over time, for each interval. So many intervals are joined that a few values are beyond it: the p99 of ten values would be
 * their greatest one.
 * @param {Cells} cells
 * @param {number} intervals until the end of the trace
 * @param {number} q index in QUANTILES
 * @returns {(number | null)[]}
 */
export function quantileLine(cells, intervals, q) {
  const all = /** @type {[number, number]} */ ([0, cells.bounds.length - 1]);
  const wanted = VALUES_BEYOND / (1 - QUANTILES[q].share);
  let joined = 1;
  while (joined * cells.field.values / intervals < wanted && joined * LEAST_GROUPS < intervals) joined *= 2;
  const line = /** @type {(number | null)[]} */ ([]);
  while (line.length < intervals) {
    // A rest that is shorter than a half is part of the last one.
    const from = line.length, to = from + 1.5 * joined >= intervals ? intervals - 1 : from + joined - 1;
    const quantile = quantilesOf(cells, partOf(cells, [from, to], all), 0)[q];
    for (let i = from; i <= to; ++i) line.push(quantile);
  }
  return line;
}

/**
 * Whether a value is in classes with these bounds. Of the bounds of a class, it has the one nearer to zero.
 * @param {number} value
 * @param {[number, number]} range
 */
export function isInside(value, [least, most]) {
  if (!Number.isFinite(value)) return false;
  if (value > 0) return value >= least && (value < most || most === Number.MAX_VALUE);
  if (value < 0) return value <= most && (value > least || least === -Number.MAX_VALUE);
  return least <= value && value <= most;
}

/** The bounds of classes, from the first to the last. @param {Cells} cells @param {[number, number]} classes @returns {[number, number]} */
export function rangeOf({bounds}, classes) {
  return [bounds[classes[0]][0], bounds[classes[1]][1]];
}

/**
 * The classes that overlap a range of values; null: there are none.
 * @param {Cells} cells
 * @param {[number, number] | null} values
 * @returns {[number, number] | null}
 */
export function classesIn({bounds}, values) {
  if (bounds.length === 0) return null;
  if (values === null) return [0, bounds.length - 1];
  const first = bounds.findIndex(([low, high]) => (low === high ? high >= values[0] : high > values[0]));
  let last = bounds.length - 1;
  while (last >= 0 && (bounds[last][0] > values[1] || (bounds[last][0] === values[1] && values[0] < values[1] && bounds[last][1] > values[1]))) --last;
  return first < 0 || last < first ? null : [first, last];
}

/** Whether a time begins and ends with intervals. @param {any} summary @param {[number, number]} time */
export function isOfIntervals(summary, time) {
  return time[0] % summary.interval_ns === 0 && (time[1] % summary.interval_ns === 0 || time[1] > summary.end);
}

/**
 * The intervals that overlap a range of time.
 * @param {any} summary
 * @param {[number, number] | null} time
 * @returns {[number, number]}
 */
export function intervalsIn(summary, time) {
  const last = Math.min(INTERVALS - 1, Math.floor(summary.end / summary.interval_ns));
  if (time === null) return [0, last];
  const at = (/** @type {number} */ ns) => Math.max(0, Math.min(last, Math.floor(ns / summary.interval_ns)));
  return [at(time[0]), Math.max(at(time[0]), Math.min(last, Math.ceil(time[1] / summary.interval_ns) - 1))];
}
