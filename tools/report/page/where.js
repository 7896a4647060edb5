// Conditions on records, which select the same records as `ringcat --where`: trace-format/condition/where_condition.hpp

import { parseWhere, WhereError } from "./where_parse.js";
import { findField, typeOfField, typeOfProperty, valueOfField, valueOfProperty } from "./where_field.js";
import { addNumbers, compareNumbers, divideNumbers, multiplyNumbers, ofInteger, subtractNumbers } from "./where_number.js";

/** @typedef {import("./where_number.js").WhereNumber} WhereNumber */
/** @typedef {import("./where_parse.js").WhereNode} WhereNode */
/** @typedef {import("./where_field.js").Field} Field */
/** @typedef {import("./where_field.js").WhereValue} WhereValue */
/** @typedef {import("./where_field.js").WhereRecord} WhereRecord */
/** Where a field of a condition is. @typedef {{field: Field, isInContext: boolean}} Place */

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "in"];
const ARITHMETIC = ["negate", "+", "-", "*", "/", "&"];
const TYPE_NAMES = /** @type {Record<string, string>} */ ({
  boolean: "true or false", number: "a number", text: "a text", both: "a number with a name", other: "an array"});

/** @param {WhereNode} node @param {string} what @returns {never} */
function misfit(node, what) {
  throw new WhereError(`at character ${node.at + 1}: ${what}`);
}

/** @param {string} a @param {string} b */
function areComparable(a, b) {
  const isText = (/** @type {string} */ type) => type === "text" || type === "both";
  const counts = (/** @type {string} */ type) => type === "number" || type === "both" || type === "boolean";
  return (isText(a) && isText(b)) || (counts(a) && counts(b));
}

/**
 * Throws a WhereError if the types of the fields do not fit.
 * @param {WhereNode} node
 * @param {Map<string, Place>} places
 * @returns {string}
 */
function typeOf(node, places) {
  const parts = node.parts ?? [];
  if (["not", "&&", "||"].includes(node.op)) {
    for (const part of parts) {
      const type = typeOf(part, places);
      if (type !== "boolean") misfit(part, `expected a condition, found ${TYPE_NAMES[type]}; add a comparison`);
    }
    return "boolean";
  }
  if (ARITHMETIC.includes(node.op)) {
    for (const part of parts) {
      const type = typeOf(part, places);
      if (type !== "number" && type !== "both") misfit(part, `cannot calculate with ${TYPE_NAMES[type]}; use a number`);
    }
    return "number";
  }
  if (COMPARISONS.includes(node.op)) {
    const first = typeOf(parts[0], places);
    for (const part of parts.slice(1)) {
      const other = typeOf(part, places);
      if (!areComparable(first, other))
        misfit(node, `cannot compare ${TYPE_NAMES[first]} with ${TYPE_NAMES[other]}; compare numbers with numbers and texts with quoted texts`);
    }
    return "boolean";
  }
  if (node.op === "=~" || node.op === "!~") {
    const type = typeOf(parts[0], places);
    if (type !== "text" && type !== "both") misfit(node, `cannot match ${TYPE_NAMES[type]} with a regular expression; use a text`);
    return "boolean";
  }
  if (node.op === "number" || node.op === "boolean") return node.op;
  if (node.op === "field") return typeOfField(/** @type {Place} */ (places.get(/** @type {string} */ (node.text))).field);
  return node.op === "property" ? typeOfProperty(/** @type {string} */ (node.text)) : "text";
}

/** In the order of code points, as the bytes of UTF-8 have it. @param {string} a @param {string} b */
function compareTexts(a, b) {
  if (a === b) return 0;
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) ++i;
  if (i === a.length || i === b.length) return a.length - b.length;
  const rank = (/** @type {number} */ unit) => unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
  return rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
}

/** @param {string} op @param {number} order NaN: not ordered */
function holds(op, order) {
  switch (op) {
    case "==": return order === 0;
    case "!=": return order !== 0;
    case "<": return order < 0;
    case "<=": return order <= 0;
    case ">": return order > 0;
    default: return order >= 0;
  }
}

/** @param {WhereValue} value */
function numberOrTruth(value) {
  return value.type === "boolean" ? ofInteger(value.boolean ? 1n : 0n) : value.number;
}

/** @param {string} op @param {WhereValue | undefined} a @param {WhereValue | undefined} b @returns {WhereValue | undefined} */
function compareValues(op, a, b) {
  if (a === undefined || b === undefined) return undefined;
  if (a.text !== undefined && b.text !== undefined && (a.type === "text" || b.type === "text"))
    return {type: "boolean", boolean: holds(op, compareTexts(a.text, b.text))};
  if (a.type === "text" || b.type === "text") return undefined;
  return {type: "boolean", boolean: holds(op, compareNumbers(numberOrTruth(a), numberOrTruth(b)))};
}

/** The condition for the records of one form. */
class Evaluation {
  /** @param {Map<string, Place>} places */
  constructor(places) {
    this.places = places;
  }

  /** @param {WhereNode} node @param {WhereRecord} record @returns {WhereValue | undefined} */
  value(node, record) {
    const parts = node.parts ?? [];
    switch (node.op) {
      case "number": return {type: "number", number: node.number};
      case "text": return {type: "text", text: node.text};
      case "boolean": return {type: "boolean", boolean: node.boolean};
      case "message": return {type: "text", text: record.object.msg};
      case "property": return valueOfProperty(record.object, /** @type {string} */ (node.text));
      case "field": return this.fieldValue(/** @type {string} */ (node.text), record);
      case "not": {
        const value = this.value(parts[0], record);
        return value === undefined ? undefined : {type: "boolean", boolean: !value.boolean};
      }
      case "&&":
      case "||": return this.logic(parts, node.op === "||", record);
      case "=~":
      case "!~": {
        const value = this.value(parts[0], record);
        if (value === undefined) return undefined;
        const found = /** @type {(text: string) => boolean} */ (node.pattern)(value.text ?? "");
        return {type: "boolean", boolean: found === (node.op === "=~")};
      }
      case "in": return this.member(parts, record);
      default:
        if (ARITHMETIC.includes(node.op)) return this.arithmetic(node, record);
        return compareValues(node.op, this.value(parts[0], record), this.value(parts[1], record));
    }
  }

  /** @param {string} name @param {WhereRecord} record */
  fieldValue(name, record) {
    const {field, isInContext} = /** @type {Place} */ (this.places.get(name));
    const values = isInContext ? record.object.context : record.object.fields;
    const key = field.key ?? field.name;
    return values !== undefined && Object.hasOwn(values, key) ? valueOfField(field, values[key]) : undefined;
  }

  /** @param {WhereNode[]} parts @param {boolean} deciding @param {WhereRecord} record @returns {WhereValue | undefined} */
  logic(parts, deciding, record) {
    let isKnown = true;
    for (const part of parts) {
      const value = this.value(part, record);
      if (value !== undefined && value.boolean === deciding) return value;
      isKnown = isKnown && value !== undefined;
    }
    return isKnown ? {type: "boolean", boolean: !deciding} : undefined;
  }

  /** @param {WhereNode[]} parts @param {WhereRecord} record @returns {WhereValue | undefined} */
  member(parts, record) {
    const wanted = this.value(parts[0], record);
    let isKnown = wanted !== undefined;
    for (const part of parts.slice(1)) {
      const equal = compareValues("==", wanted, this.value(part, record));
      if (equal !== undefined && equal.boolean) return equal;
      isKnown = isKnown && equal !== undefined;
    }
    return isKnown ? {type: "boolean", boolean: false} : undefined;
  }

  /** @param {WhereNode} node @param {WhereRecord} record @returns {WhereValue | undefined} */
  arithmetic(node, record) {
    const [left, right] = /** @type {WhereNode[]} */ (node.parts);
    const a = this.value(left, record);
    if (a === undefined) return undefined;
    if (node.op === "negate") return {type: "number", number: subtractNumbers(ofInteger(0n), a.number)};
    const b = this.value(right, record);
    if (b === undefined) return undefined;
    const x = /** @type {WhereNumber} */ (a.number), y = /** @type {WhereNumber} */ (b.number);
    switch (node.op) {
      case "+": return {type: "number", number: addNumbers(x, y)};
      case "-": return {type: "number", number: subtractNumbers(x, y)};
      case "*": return {type: "number", number: multiplyNumbers(x, y)};
      case "&": return x.kind === "integer" && y.kind === "integer" ? {type: "number", number: ofInteger(x.integer & y.integer)} : undefined;
      default: return compareNumbers(y, ofInteger(0n)) === 0 ? undefined : {type: "number", number: divideNumbers(x, y)};
    }
  }
}

/** A condition. Throws a WhereError if it is invalid. */
export class Where {
  /** @param {string} text */
  constructor(text) {
    this.expression = parseWhere(text);
    /** @type {Set<string>} why statements never match */
    this.notes = new Set();
    /** @type {Map<Field[], Map<Field[] | null, Evaluation | null>>} */
    this.byForm = new Map();
    if (this.expression.fields.length > 0) return;
    const type = typeOf(this.expression.root, new Map());
    if (type !== "boolean") throw new WhereError(`the result is ${TYPE_NAMES[type]}, expected a condition; add a comparison`);
  }

  /** @param {Field[]} fields @param {Field[] | null} context @returns {Evaluation | null} */
  evaluation(fields, context) {
    /** @type {Map<string, Place>} */
    const places = new Map();
    for (const name of this.expression.fields) {
      const own = findField(fields, name);
      const field = own ?? (context === null ? null : findField(context, name));
      if (field === null) return null;
      places.set(name, {field, isInContext: own === null});
    }
    try {
      const type = typeOf(this.expression.root, places);
      if (type !== "boolean") misfit(this.expression.root, `expected a condition, found ${TYPE_NAMES[type]}; add a comparison`);
    } catch (error) {
      if (!(error instanceof WhereError)) throw error;
      this.notes.add(error.message);
      return null;
    }
    return new Evaluation(places);
  }

  /** Whether some records with these fields, in such a context, can match. @param {Field[]} fields @param {Field[] | null} context */
  canMatch(fields, context) {
    return this.evaluationOf(fields, context) !== null;
  }

  /** @param {Field[]} fields @param {Field[] | null} context @returns {Evaluation | null} */
  evaluationOf(fields, context) {
    let byContext = this.byForm.get(fields);
    if (byContext === undefined) this.byForm.set(fields, byContext = new Map());
    let known = byContext.get(context);
    if (known === undefined) byContext.set(context, known = this.evaluation(fields, context));
    return known;
  }

  /** @param {WhereRecord} record */
  matches(record) {
    const evaluation = this.evaluationOf(record.fields, record.context);
    return evaluation !== null && evaluation.value(this.expression.root, record)?.boolean === true;
  }
}
