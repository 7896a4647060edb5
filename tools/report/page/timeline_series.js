// The numbers that the timeline draws as curves.

import { visible } from "./html.js";
import { count } from "./numbers.js";
import { INTERVALS } from "./timeline_arrays.js";
import { recordsOverTime } from "./timeline_data.js";

/**
 * @typedef {object} Series
 * @property {string} key
 * @property {string} label
 * @property {string} text its range
 * @property {number} least
 * @property {number} most
 * @property {{interval: number, records: number, least: number, most: number, mean: number}[]} points
 */

/** @param {number} number */
function numberText(number) {
  return Math.abs(number) >= 1e6 || (number !== 0 && Math.abs(number) < 1e-3) ? number.toExponential(2) : number.toLocaleString("en-US", {maximumFractionDigits: 3});
}

/** @param {any[]} statements @param {number[]} selected @param {number} used intervals @returns {Series} */
export function recordSeries(statements, selected, used) {
  const numbers = recordsOverTime(statements, selected);
  const points = [];
  for (let i = 0; i < Math.min(INTERVALS, used); ++i) points.push({interval: i, records: numbers[i], least: 0, most: numbers[i], mean: numbers[i]});
  const most = Math.max(...numbers, 1);
  return {key: "records", label: selected.length > 0 ? "Selected records" : "Records", text: `to ${count(most)} per interval`, least: 0, most, points};
}

/** @param {any} series of the document @param {any[]} statements @returns {Series} */
export function seriesOf(series, statements) {
  const points = [];
  const {over_time: numbers} = series;
  for (let i = 0; i + 4 < numbers.length; i += 5)
    points.push({interval: numbers[i], records: numbers[i + 1], least: numbers[i + 2], most: numbers[i + 3], mean: numbers[i + 4]});
  const least = Math.min(...points.map((point) => point.least)), most = Math.max(...points.map((point) => point.most));
  return {
    key: `${series.statement}:${series.field}`,
    label: visible(`${series.field} ${statements[series.statement].text}`, 80),
    text: `${numberText(least)} to ${numberText(most)}`,
    least: Math.min(least, 0), most: Math.max(most, 0), points,
  };
}
