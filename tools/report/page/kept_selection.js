// What is selected, over new data, which numbers statements, fields and records anew, and can begin at another time.

import { section } from "./data.js";
import { recordList } from "./report_records.js";
import { view, changeView } from "./view.js";

/**
 * @typedef {object} Kept
 * @property {string} begin_unix_ns what times count from
 * @property {string} fragment of the address that this is of
 * @property {{key: string, text: string}[]} statements
 * @property {{key: string, text: string} | null} field
 * @property {{ns: number, stream: string, sequence: unknown}[] | null} records
 * @property {{key: string, text: string}[] | null} series
 * @property {string[]} flame what the numbers of the flame graph's part are
 * @property {string | null} trigger
 */

/** Of a statement, as people know it. @param {any} row */
export function statementText(row) {
  return `${row.service} ${row.file}:${row.line} "${row.text}"`;
}

/** What a statement is, whatever its number. Of equal ones, each has its own key. @param {any[]} rows @returns {string[]} */
function keysOf(rows) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return rows.map((row) => {
    const key = JSON.stringify([row.service, row.file, row.line, row.text]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return before === 0 ? key : `${key} ${before}`;
  });
}

/** @param {any} field of the heat map @param {string[]} keys of statements */
function fieldKey(field, keys) {
  return JSON.stringify([keys[field.statement], field.kind, field.name, field.index]);
}

/** @param {number} number of a stream */
function streamKey(number) {
  const {service, pid, thread_id} = section("summary").streams[number] ?? {};
  return JSON.stringify([service, pid, thread_id]);
}

/** @param {number} number in the list of records */
function recordKey(number) {
  const list = recordList();
  if (list === null || number >= list.length) return null;
  return {ns: list.times[number], stream: streamKey(list.index.stream[number]), sequence: list.object(number).sequence ?? null};
}

/** What a number of the flame graph is, whichever of its tables it belongs to. @param {number} number @param {string[]} keys */
function flameKey(number, keys) {
  const statement = keys[number < 0 ? -number - 1 : number] ?? null;
  return JSON.stringify([statement, number < 0 ? null : streamKey(number), section("flame")?.stacks?.names?.[number] ?? null]);
}

/** @param {string[]} keys of statements */
function flameKeys(keys) {
  const {thread, zoom, sandwich} = view().flame;
  return [thread, sandwich, ...zoom].flatMap((number) => (number === null ? [] : [flameKey(number, keys)]));
}

function triggerKey() {
  const {trigger} = view();
  const change = trigger === null ? undefined : section("triggers")?.changes[trigger];
  return change === undefined ? null : JSON.stringify([String(BigInt(section("summary").begin_unix_ns) + BigInt(change.at)), change.service, change.pid, change.text]);
}

/** @returns {Kept} */
export function selectionToKeep() {
  const {statements, field, records, series} = view();
  /** @type {any[]} */
  const rows = section("statements");
  const keys = keysOf(rows), heat = section("heat")?.fields[field ?? -1];
  const ends = records?.map(recordKey) ?? null;
  return {
    begin_unix_ns: section("summary").begin_unix_ns,
    fragment: location.hash,
    statements: statements.filter((each) => each < rows.length).map((each) => ({key: keys[each], text: statementText(rows[each])})),
    field: heat === undefined ? null : {key: fieldKey(heat, keys), text: `${heat.name} of ${statementText(rows[heat.statement])}`},
    records: ends === null || ends.includes(null) ? null : /** @type {any[]} */ (ends),
    series: series?.map((each) => seriesToKeep(each, keys)) ?? null,
    flame: flameKeys(keys),
    trigger: triggerKey(),
  };
}

/** @param {string} key of a curve: timeline_series.js @param {string[]} keys */
function seriesToKeep(key, keys) {
  const found = /^(\d+):(.*)$/s.exec(key);
  return {key: found === null ? key : JSON.stringify([keys[Number(found[1])], found[2]]), text: `the curve ${found?.[2] ?? key}`};
}

/** For keptFrom(). */
export function keepSelection() {
  return JSON.stringify(selectionToKeep());
}

/** Null if it is of another address. @param {string | null} text @returns {Kept | null} */
export function keptFrom(text) {
  /** @type {Kept | null} */
  const kept = text === null ? null : JSON.parse(text);
  return kept !== null && kept.fragment === location.hash ? kept : null;
}

/** @param {[number, number] | null} range @param {number} later @returns {[number, number] | null} */
function moved(range, later) {
  if (range === null || range[1] + later <= 0) return null;
  return later === 0 ? range : [Math.max(0, range[0] + later), range[1] + later];
}

/** @param {{ns: number, stream: string, sequence: unknown}} key @param {number} later */
function recordOf(key, later) {
  const list = recordList();
  if (list === null) return -1;
  const ns = key.ns + later;
  for (let i = list.firstAt(ns); i < list.length && list.times[i] === ns; ++i) {
    if (streamKey(list.index.stream[i]) === key.stream && (list.object(i).sequence ?? null) === key.sequence) return i;
  }
  return -1;
}

/**
 * Selects in new data what was selected before. Numbers of an address, without anything that was kept, are those of the new data.
 * @param {Kept | null} kept
 * @returns {string[]} what is not there any more
 */
export function restoreSelection(kept) {
  /** @type {any[]} */
  const rows = section("statements"), fields = section("heat")?.fields ?? [];
  const before = view();
  if (kept === null) return restoreNumbers(rows.length, fields.length);
  /** @type {string[]} */
  const dropped = [];
  const find = (/** @type {{key: string, text: string}} */ one, /** @type {string[]} */ keys) => {
    const number = keys.indexOf(one.key);
    if (number < 0) dropped.push(one.text);
    return number;
  };
  const keys = keysOf(rows);
  const statements = kept.statements.map((one) => find(one, keys)).filter((number) => number >= 0);
  const field = kept.field === null ? -1 : find(kept.field, fields.map((/** @type {any} */ each) => fieldKey(each, keys)));
  const later = Number(BigInt(kept.begin_unix_ns) - BigInt(section("summary").begin_unix_ns));
  const time = moved(before.time, later);
  if (time === null && before.time !== null) dropped.push("the selected time");
  const records = kept.records?.map((key) => recordOf(key, later)) ?? null;
  const hasRecords = records !== null && !records.includes(-1);
  if (before.records !== null && !hasRecords) dropped.push("the selected records");
  const curves = section("series").series.map((/** @type {any} */ each) => [`${each.statement}:${each.field}`, JSON.stringify([keys[each.statement], each.field])]);
  const series = kept.series?.map((one) => find(one, curves.map((/** @type {string[]} */ curve) => curve[1]))).filter((number) => number >= 0).map((number) => curves[number][0]) ?? null;
  const isFlameKept = JSON.stringify(flameKeys(keys)) === JSON.stringify(kept.flame);
  if (!isFlameKept) dropped.push("the part of the flame graph");
  const isTriggerKept = before.trigger === null || triggerKey() === kept.trigger;
  if (!isTriggerKept) dropped.push("the opened trigger");
  const after = {flame: isFlameKept ? before.flame : {kind: before.flame.kind, thread: null, zoom: [], sandwich: null},
    trigger: isTriggerKept ? before.trigger : null, statements, field: field < 0 ? null : field, values: field < 0 ? null : before.values, time, window: moved(before.window, later),
    records: hasRecords ? /** @type {[number, number]} */ ([records[0], records[1]]) : null, series};
  // Panels take a new object for another selection.
  if (Object.entries(after).some(([name, value]) => JSON.stringify(value) !== JSON.stringify(/** @type {any} */ (before)[name]))) changeView(after);
  return dropped;
}

/** @param {number} statements how many there are @param {number} fields */
function restoreNumbers(statements, fields) {
  const before = view();
  const known = before.statements.filter((each) => each < statements);
  const missing = before.statements.length - known.length, hasField = before.field === null || before.field < fields;
  if (missing === 0 && hasField) return [];
  changeView({statements: known, field: hasField ? before.field : null, values: hasField ? before.values : null});
  return [...(missing > 0 ? [`${missing} selected statements of the address`] : []), ...(hasField ? [] : ["the selected values of the address"])];
}
