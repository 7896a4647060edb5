// The records that the reader's selection and condition leave, found a piece at a time: the page stays usable.

import { Where } from "./where.js";
import { isInside } from "./heat_cells.js";

const PIECE_MS = 25;
const MOST_EXAMPLES = 5;

/**
 * Classes of values of a field of the heat map.
 * @typedef {{statement: number, argument: number, range: [number, number]}} ValueRange `argument` -1: durations, ns
 */
/** What is wanted of records. @typedef {{statements: number[], time: [number, number] | null, where: string, values: ValueRange | null}} Wanted */

/**
 * What is wrong with the names in a condition, as `ringcat --where` says it; empty: nothing.
 * @param {import("./record_list.js").RecordList} list
 * @param {string[]} names
 */
function unknownFieldText(list, names) {
  if (list.length === list.losses) return "";
  const unknown = names.find((name) => !list.hasField(name));
  if (unknown === undefined) return "";
  const examples = list.someFields(MOST_EXAMPLES);
  const what = list.index.all ? "no statement in the trace has" : "no record in this report has";
  const where = list.index.all ? "the trace" : "the report";
  return `${what} a field ${unknown}; ${examples.length === 0 ? `${where} has none` : `${where} has, for example: ${examples.join(", ")}`}`;
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
    if (values !== null) {
      const known = this.list.valuesOf(values.statement, values.argument);
      selected = selected.filter((number) => isInside(known.get(number) ?? NaN, values.range));
    }
    this.numbers = selected;
    this.where = null;
    if (where.trim() === "") return;
    try {
      this.where = new Where(where);
    } catch (error) {
      this.error = /** @type {Error} */ (error).message;
      return;
    }
    this.error = unknownFieldText(this.list, this.where.expression.fields);
    if (this.error !== "") return;
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
