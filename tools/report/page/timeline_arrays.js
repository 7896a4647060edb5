// Columns of the document as arrays that are searched by time.

export const INTERVALS = 256;

/** @param {number[]} deltas @returns {Float64Array} */
export function summed(deltas) {
  const sums = new Float64Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; ++i) sums[i] = sum += deltas[i];
  return sums;
}

/** @param {number[]} pairs of an interval and a number */
export function byInterval(pairs) {
  const numbers = new Float64Array(INTERVALS);
  for (let i = 0; i + 1 < pairs.length; i += 2) numbers[pairs[i]] += pairs[i + 1];
  return numbers;
}

/**
 * The first index whose value is greater; the length if there is none.
 * @param {ArrayLike<number>} rising
 * @param {number} value
 */
export function indexAfter(rising, value) {
  let low = 0, high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

/** What is not among the kept times. @param {number[] | undefined} pairs of the trace @param {Float64Array} kept times @param {number} intervalNs */
export function leftOut(pairs, kept, intervalNs) {
  if (pairs === undefined) return null;
  const numbers = byInterval(pairs);
  for (const time of kept) {
    const interval = Math.min(INTERVALS - 1, Math.max(0, Math.floor(time / intervalNs)));
    numbers[interval] = Math.max(0, numbers[interval] - 1);
  }
  return numbers;
}
