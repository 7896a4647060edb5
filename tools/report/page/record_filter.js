// The records that the reader's selection and condition leave, found a piece at a time: the page stays usable.

import { Where } from "./where.js";

const PIECE_MS = 25;

/**
 * The values of a field of the heat map.
 * @typedef {{statement: number, name: string | null, least: number, most: number}} ValueRange `name` null: durations, ns
 */
/** What is wanted of records. @typedef {{statements: number[], time: [number, number] | null, where: string, values: ValueRange | null}} Wanted */

/** @param {any} object as `ringcat --format json` prints it @param {ValueRange} range */
export function isInRange(object, {name, least, most}) {
  const stated = name === null ? object.duration_ns : object.fields?.[name];
  const value = typeof stated === "string" || typeof stated === "number" ? Number(stated) : NaN;
  return value >= least && value <= most;
}

export class RecordFilter {
  /**
   * @param {import("./record_list.js").RecordList} list
   * @param {() => void} changed called when numbers were found
   */
  constructor(list, changed) {
    this.list = list;
    this.changed = changed;
    /** @type {number[]} */
    this.numbers = [];
    this.error = "";
    this.isDone = true;
    this.key = "";
    /** @type {Where | null} */
    this.where = null;
    this.run = 0;
  }

  /** @param {Wanted} wanted */
  want({statements, time, where, values}) {
    const key = JSON.stringify([statements, time, where, values]);
    if (key === this.key) return;
    this.key = key;
    this.error = "";
    this.isDone = true;
    ++this.run;
    let selected = this.list.selected(values === null ? statements : [values.statement], time);
    if (values !== null) selected = selected.filter((number) => isInRange(this.list.object(number), values));
    this.numbers = selected;
    this.where = null;
    if (where.trim() === "") return;
    try {
      this.where = new Where(where);
    } catch (error) {
      this.error = /** @type {Error} */ (error).message;
      return;
    }
    this.numbers = [];
    this.isDone = false;
    this.check(selected, 0, this.run);
  }

  /** @param {number[]} selected @param {number} next @param {number} run */
  check(selected, next, run) {
    if (run !== this.run) return;
    const where = /** @type {Where} */ (this.where);
    for (const end = performance.now() + PIECE_MS; next < selected.length && performance.now() < end;) {
      for (let i = 0; i < 50 && next < selected.length; ++i, ++next)
        if (this.list.matches(selected[next], where)) this.numbers.push(selected[next]);
    }
    this.isDone = next >= selected.length;
    if (!this.isDone) setTimeout(() => this.check(selected, next, run), 0);
    this.changed();
  }
}
