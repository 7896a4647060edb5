// What conditions see of a record: its fields, those of its context, its properties and its message.

import { ofDecimal, ofInteger, ofReal, addNumbers } from "./where_number.js";
import { LEVELS } from "./where_parse.js";

/**
 * A field of a statement, as in `forms` of the section `records`.
 * @typedef {{sort: string, name: string, plain?: string, short?: string, key?: string, numbers?: Record<string, string>}} Field
 */

/**
 * A value; undefined: unknown. `both`: the other side decides whether its number or its text is used.
 * @typedef {{type: "boolean" | "number" | "text" | "both", boolean?: boolean, number?: any, text?: string}} WhereValue
 */

/**
 * A record: the object of `ringcat --format json`, with long numbers as texts, and the forms of its fields.
 * @typedef {{object: any, fields: Field[], context: Field[] | null}} WhereRecord
 */

const MOST_PLAIN_DIGITS = 15;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** An object of `ringcat --format json`. Numbers that JavaScript would round become texts. @param {string} line */
export function exactObject(line) {
  return JSON.parse(line.replace(STRING_OR_NUMBER, (token) =>
    token[0] === '"' || token.length <= MOST_PLAIN_DIGITS ? token : `"${token}"`));
}

/**
 * The field with this name; or else the only one with this name without conversions; or else the only one with this short name.
 * @param {Field[]} fields
 * @param {string} name
 * @returns {Field | null}
 */
export function findField(fields, name) {
  const exact = fields.find((field) => field.name === name);
  if (exact !== undefined) return exact;
  if (name === "") return null;
  const plain = fields.filter((field) => (field.plain ?? field.name) === name);
  if (plain.length === 1) return plain[0];
  const short = fields.filter((field) => (field.short ?? field.plain ?? field.name) === name);
  return short.length === 1 ? short[0] : null;
}

/** Whether a field has this name, with or without conversions, or this short name. @param {Field[]} fields @param {string} name */
export function hasField(fields, name) {
  return fields.some((field) => field.name === name || (field.plain ?? field.name) === name || (field.short ?? field.plain ?? field.name) === name);
}

/** @param {Field} field @returns {string} a type of WhereValue, or "other" */
export function typeOfField(field) {
  if (field.sort === "boolean") return "boolean";
  if (field.sort === "character" || field.sort === "enumeration") return "both";
  if (field.sort === "text" || field.sort === "bytes") return "text";
  return field.sort === "array" ? "other" : "number";
}

/** @param {string} property @returns {"boolean" | "number" | "text" | "both"} */
export function typeOfProperty(property) {
  if (property === "thread") return "both";
  if (property === "cut") return "boolean";
  return ["kind", "category", "service", "host", "file", "function", "site", "activity", "related"].includes(property) ? "text" : "number";
}

/** @param {any} value a number, or a text with its digits */
function integerOf(value) {
  const number = ofInteger(BigInt(value));
  // Beyond 127 bits it is a real number.
  return number.integer < 2n ** 127n ? number : addNumbers(number, ofInteger(0n));
}

/** @param {string} base64 */
function textOfBytes(base64) {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}

/** @param {Field} field @param {any} value @returns {WhereValue} */
function numberOrName(field, value) {
  if (field.sort === "character") {
    const code = value.codePointAt(0) ?? 0;
    return {type: "both", text: value, number: code < 128 ? ofInteger(BigInt(code)) : ofReal(NaN)};
  }
  const numbers = field.numbers ?? {};
  if (typeof value === "string" && Object.hasOwn(numbers, value)) return {type: "both", text: value, number: integerOf(numbers[value])};
  const isNumber = typeof value === "number" || /^-?\d+$/.test(value);
  return {type: "both", text: isNumber ? "" : value, number: isNumber ? integerOf(value) : ofReal(NaN)};
}

/** @param {Field} field @param {any} value of the record's object @returns {WhereValue | undefined} */
export function valueOfField(field, value) {
  if (value === null || value === undefined) return undefined;
  switch (field.sort) {
    case "array": return undefined;
    case "boolean": return {type: "boolean", boolean: value === true};
    case "text": return {type: "text", text: String(value)};
    case "bytes": return {type: "text", text: textOfBytes(String(value))};
    case "character":
    case "enumeration": return numberOrName(field, value);
    case "f32": return {type: "number", number: ofReal(Math.fround(Number(value)))};
    case "f64": return {type: "number", number: ofReal(Number(value))};
    case "f80": return {type: "number", number: ofDecimal(String(value))};
    default: return {type: "number", number: integerOf(value)};
  }
}

const NUMBERS = /** @type {Record<string, string>} */ ({seq: "sequence"});
const TEXTS = /** @type {Record<string, string>} */ ({site: "name"});

/** @param {any} object @param {string} property @returns {WhereValue | undefined} */
export function valueOfProperty(object, property) {
  const type = typeOfProperty(property);
  if (property === "thread" || property === "thread_id") {
    const number = integerOf(object.thread?.id ?? 0);
    return property === "thread" ? {type: "both", number, text: object.thread?.name ?? ""} : {type: "number", number};
  }
  if (property === "level") return {type: "number", number: integerOf(LEVELS.indexOf(object.level))};
  if (property === "kind") return {type: "text", text: object.site_kind ?? "log"};
  if (property === "keywords") return {type: "number", number: integerOf(object.keywords ?? 0)};
  if (type === "boolean") return {type, boolean: object[property] === true};
  if (type === "text") return {type, text: object[TEXTS[property] ?? property] ?? ""};
  const value = object[NUMBERS[property] ?? property];
  return value === undefined ? undefined : {type: "number", number: integerOf(value)};
}
