// The fields of what the pointer is on, if the report has its record.

import { visible } from "./html.js";
import { recordList } from "./report_records.js";

const MOST_FIELDS = 8;
const MOST_TEXT = 80;

/**
 * @param {import("./timeline_data.js").Track} track
 * @param {number} statement
 * @param {number} ns when the record begins
 * @returns {string[]} lines
 */
export function fieldLines(track, statement, ns) {
  const list = recordList();
  if (list === null) return [];
  // A task moves between threads.
  const found = list.numberOf(ns, statement, track.kind === "thread" ? track.stream : -1);
  if (found < 0) return [];
  const {fields = {}, context = {}} = list.object(found);
  const all = [...Object.entries(fields), ...Object.entries(context)];
  const lines = all.slice(0, MOST_FIELDS).map(([name, value]) => visible(`${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`, MOST_TEXT));
  return all.length > MOST_FIELDS ? [...lines, `and ${all.length - MOST_FIELDS} further fields`] : lines;
}
