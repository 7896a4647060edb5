// The records of the report: an index of all of them, and their objects, which are decoded when they are needed.

import { exactObject, hasField } from "./where_field.js";

/** @typedef {import("./where_field.js").Field} Field */
/** @typedef {import("./where_field.js").WhereRecord} WhereRecord */

/** @type {Field[]} */
const NO_FIELDS = [];

export class RecordList {
  /**
   * @param {any} index the section `records`
   * @param {(chunk: number) => string} chunkText the text of the section of a chunk
   */
  constructor(index, chunkText) {
    this.index = index;
    this.chunkText = chunkText;
    this.length = index.after.length;
    /** @type {string[][]} */
    this.chunks = [];
    this.times = new Float64Array(this.length);
    let ns = 0;
    for (let i = 0; i < this.length; ++i) this.times[i] = ns += index.after[i];
    this.cut = new Set(index.cut);
    this.losses = index.statement.filter((/** @type {number} */ each) => each < 0).length;
    /** @type {Map<string, Map<number, number>>} */
    this.knownValues = new Map();
  }

  /** The object as `ringcat --format json` prints it. @param {number} i */
  line(i) {
    const chunk = Math.floor(i / this.index.chunk);
    // A line feed within a text is escaped.
    this.chunks[chunk] ??= this.chunkText(chunk).slice(1, -1).split(",\n");
    return this.chunks[chunk][i % this.index.chunk];
  }

  /** With long numbers as texts. @param {number} i */
  object(i) {
    return exactObject(this.line(i));
  }

  /** @param {number} i @returns {[Field[], Field[] | null]} */
  forms(i) {
    const context = this.index.context[i];
    return [this.index.forms[this.index.form[i]] ?? NO_FIELDS, context < 0 ? null : this.index.forms[context]];
  }

  /** @param {number} i @returns {WhereRecord} */
  whereRecord(i) {
    const [fields, context] = this.forms(i);
    return {object: this.object(i), fields, context};
  }

  /** @param {number} i */
  isLoss(i) {
    return this.index.statement[i] < 0;
  }

  /**
   * The values of a field of a statement, by the numbers of its records; they are read once.
   * @param {number} statement
   * @param {number} argument its number; -1: durations, ns
   */
  valuesOf(statement, argument) {
    const key = `${statement} ${argument}`;
    let values = this.knownValues.get(key);
    if (values !== undefined) return values;
    this.knownValues.set(key, values = new Map());
    for (let i = 0; i < this.length; ++i) {
      if (this.index.statement[i] !== statement) continue;
      // Rounded numbers are enough for classes.
      const object = JSON.parse(this.line(i)), field = this.forms(i)[0][argument];
      const stated = argument < 0 ? object.duration_ns : field === undefined ? undefined : object.fields?.[field.key ?? field.name];
      if (typeof stated === "string" || typeof stated === "number") values.set(i, Number(stated));
    }
    return values;
  }

  /** Whether some record, or its context, has the field. @param {string} name */
  hasField(name) {
    return this.index.forms.some((/** @type {Field[]} */ form) => hasField(form, name));
  }

  /** Names of some fields. @param {number} most */
  someFields(most) {
    const names = new Set();
    for (const form of this.index.forms) for (const {name} of form) if (names.size < most && name !== "") names.add(name);
    return [...names].sort();
  }

  /** Why it is in the list. @param {number} i @returns {string} */
  reason(i) {
    return this.index.reasons[this.index.reason[i]];
  }

  /**
   * Whether a condition selects it. Losses stay: the missing records might have matched.
   * @param {number} i
   * @param {import("./where.js").Where} where
   */
  matches(i, where) {
    if (this.isLoss(i)) return true;
    const [fields, context] = this.forms(i);
    return where.canMatch(fields, context) && where.matches(this.whereRecord(i));
  }

  /**
   * The numbers of those in a selection of statements and time, in the order of time.
   * @param {number[]} statements empty: all
   * @param {[number, number] | null} time the end is not in it
   */
  selected(statements, time) {
    const wanted = new Set(statements);
    const numbers = [];
    for (let i = 0; i < this.length; ++i) {
      if (time !== null && (this.times[i] < time[0] || this.times[i] >= time[1])) continue;
      if (wanted.size > 0 && !wanted.has(this.index.statement[i])) continue;
      numbers.push(i);
    }
    return numbers;
  }

  /**
   * The number of the first record of a statement at a time; -1: none.
   * @param {number} ns
   * @param {number} statement
   * @param {number} stream -1: any
   */
  numberOf(ns, statement, stream) {
    for (let i = this.firstAt(ns); i < this.length && this.times[i] === ns; ++i) {
      if (this.index.statement[i] === statement && (stream < 0 || this.index.stream[i] === stream)) return i;
    }
    return -1;
  }

  /** The number of the first one at a time or after it. @param {number} ns */
  firstAt(ns) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
