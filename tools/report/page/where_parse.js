// The grammar of conditions, which is that of `ringcat --where`: trace-format/condition/where_expression.hpp

import { ofInteger, parseNumber } from "./where_number.js";
import { compilePattern } from "./where_pattern.js";

/**
 * A part of a condition. `op`: number, text, boolean, field, property, message, not, negate, or an operator.
 * @typedef {{op: string, at: number, number?: any, boolean?: boolean, text?: string, pattern?: (text: string) => boolean, parts?: WhereNode[]}} WhereNode
 */

/** @typedef {{root: WhereNode, fields: string[], usesMessage: boolean}} WhereExpression */

export const LEVELS = ["NONE", "TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL"];
const OTHER_LEVELS = /** @type {Record<string, string>} */ ({WARN: "WARNING", ERR: "ERROR", CRIT: "CRITICAL", FATAL: "CRITICAL"});

export const PROPERTIES = ["unix_ns", "level", "kind", "keywords", "category", "service", "pid", "host", "thread", "thread_id", "file",
  "line", "function", "site", "seq", "duration_ns", "substream", "activity", "related", "stack_id", "processor", "cut"];

const RELATIONS = ["==", "!=", "<=", ">=", "=~", "!~", "<", ">"];
const DEEPEST = 200;

/** The number of a level by its name, in any case; -1 if there is none. @param {string} name */
function levelOfName(name) {
  const upper = name.toUpperCase();
  const number = LEVELS.indexOf(OTHER_LEVELS[upper] ?? upper);
  return number === 0 ? -1 : number;
}

/** What is wrong with a condition, for people. */
export class WhereError extends Error {}

class Parser {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
    /** @type {string[]} */
    this.fields = [];
    this.usesMessage = false;
  }

  /** @returns {WhereExpression} */
  parse() {
    this.skipBlanks();
    if (this.at === this.text.length) this.fail(this.at, "expected a condition", "write a condition like qty > 100");
    const root = this.parseOr();
    if (this.at < this.text.length)
      this.fail(this.at, `unexpected '${this.text.slice(this.at)}' after the condition`, "join conditions with && or ||, and put texts in quotes");
    return {root, fields: this.fields, usesMessage: this.usesMessage};
  }

  /** @param {number} at @param {string} what @param {string} remedy @returns {never} */
  fail(at, what, remedy) {
    throw new WhereError(`at character ${new TextEncoder().encode(this.text.slice(0, at)).length + 1} of '${this.text}': ${what}; ${remedy}`);
  }

  skipBlanks() {
    while (/[ \t\n]/.test(this.text[this.at] ?? "")) ++this.at;
  }

  /** @param {string} token */
  take(token) {
    const rest = this.text.slice(this.at, this.at + token.length + 1);
    if (!rest.startsWith(token) || (token === "&" && rest === "&&")) return false;
    this.at += token.length;
    this.skipBlanks();
    return true;
  }

  nameHere() {
    const found = /^[A-Za-z_](?:[A-Za-z_0-9]|\.(?=[A-Za-z_]))*/.exec(this.text.slice(this.at));
    return found === null ? "" : found[0];
  }

  /** @param {() => WhereNode} parse */
  deeper(parse) {
    if (++this.depth > DEEPEST) this.fail(this.at, "parentheses nested too deeply", "split the condition");
    const node = parse();
    --this.depth;
    return node;
  }

  /** @param {() => WhereNode} part @param {string[]} operators @returns {WhereNode} */
  chain(part, operators) {
    let node = part();
    for (let length = 0; ; ++length) {
      const at = this.at;
      const op = operators.find((each) => this.take(each));
      if (op === undefined) return node;
      if (length > DEEPEST) this.fail(at, "too many terms", "split the condition");
      node = {op, at, parts: [node, part()]};
    }
  }

  /** @returns {WhereNode} */
  parseOr() {
    return this.deeper(() => this.chain(() => this.chain(() => this.parseNot(), ["&&"]), ["||"]));
  }

  /** @returns {WhereNode} */
  parseNot() {
    return this.deeper(() => {
      const at = this.at;
      if (this.text.startsWith("!~", at) || !this.take("!")) return this.parseRelation();
      return {op: "not", at, parts: [this.parseNot()]};
    });
  }

  /** @returns {WhereNode} */
  parseRelation() {
    const left = this.parseSum();
    const at = this.at;
    if (this.nameHere() === "in") {
      this.take("in");
      return this.parseList(at, left);
    }
    const op = RELATIONS.find((each) => this.take(each));
    if (op === "=~" || op === "!~") return this.parseMatch(op, at, left);
    if (op !== undefined) {
      const right = this.parseSum();
      this.nameLevels(left, right);
      this.nameLevels(right, left);
      return {op, at, parts: [left, right]};
    }
    if (this.text[this.at] === "=") this.fail(this.at, "= is not an operator", "write == for equality or =~ for a regular expression");
    return left;
  }

  /** @param {string} op @param {number} at @param {WhereNode} left @returns {WhereNode} */
  parseMatch(op, at, left) {
    const right = this.parseUnary();
    if (right.op !== "text") this.fail(right.at, `expected a regular expression after ${op}`, "put it in quotes");
    const text = /** @type {string} */ (right.text);
    try {
      return {op, at, parts: [left], pattern: compilePattern(text)};
    } catch (error) {
      return this.fail(right.at, `invalid regular expression '${text}': ${/** @type {Error} */ (error).message}`,
        "write a backslash before . * + ? ( ) [ { | ^ $ to match the character itself");
    }
  }

  /** @param {number} at @param {WhereNode} left @returns {WhereNode} */
  parseList(at, left) {
    const parts = [left];
    if (!this.take("(")) this.fail(this.at, "expected a list after in", "write x in (1, 2)");
    do {
      const item = this.parseSum();
      this.nameLevels(left, item);
      parts.push(item);
    } while (this.take(","));
    if (!this.take(")")) this.fail(this.at, "unterminated list", "close it with )");
    return {op: "in", at, parts};
  }

  /** In level == "ERROR" the text becomes the number. @param {WhereNode} level @param {WhereNode} text */
  nameLevels(level, text) {
    if (level.op !== "property" || level.text !== "level" || text.op !== "text") return;
    const found = levelOfName(/** @type {string} */ (text.text));
    if (found < 0) this.fail(text.at, `invalid level '${text.text}'`, "use one of " + LEVELS.slice(1).join(", "));
    text.op = "number";
    text.number = ofInteger(BigInt(found));
  }

  /** @returns {WhereNode} */
  parseSum() {
    return this.chain(() => this.chain(() => this.parseUnary(), ["*", "/", "&"]), ["+", "-"]);
  }

  /** @returns {WhereNode} */
  parseUnary() {
    return this.deeper(() => {
      const at = this.at;
      if (this.take("-")) return {op: "negate", at, parts: [this.parseUnary()]};
      if (this.take("(")) {
        const node = this.parseOr();
        if (!this.take(")")) this.fail(this.at, "missing closing parenthesis", "close it with )");
        return node;
      }
      if (at === this.text.length) this.fail(at, "expected a value", "write a number, a quoted text or the name of a field");
      const first = this.text[at];
      if (first === '"' || first === "'") return this.parseText(first);
      if (first === "`") return this.parseQuotedField();
      if (first === "@") return this.parseMarkedProperty();
      if (/[0-9.]/.test(first)) return this.parseLiteralNumber();
      const name = this.nameHere();
      if (name === "") this.fail(at, `invalid value '${first}'`, "write a number, a quoted text or the name of a field");
      this.at += name.length;
      this.skipBlanks();
      return this.resolve(name, at);
    });
  }

  /** @param {string} name @param {number} at @returns {WhereNode} */
  resolve(name, at) {
    if (name === "true" || name === "false") return {op: "boolean", at, boolean: name === "true"};
    if (name === "msg") {
      this.usesMessage = true;
      return {op: "message", at};
    }
    if (PROPERTIES.includes(name)) return {op: "property", at, text: name};
    const level = LEVELS.indexOf(name);
    if (level > 0) return {op: "number", at, number: ofInteger(BigInt(level))};
    return this.fieldNode(name, at);
  }

  /** @param {string} name @param {number} at @returns {WhereNode} */
  fieldNode(name, at) {
    if (!this.fields.includes(name)) this.fields.push(name);
    return {op: "field", at, text: name};
  }

  /** @returns {WhereNode} */
  parseMarkedProperty() {
    const at = this.at++;
    const name = this.nameHere();
    if (!PROPERTIES.includes(name)) this.fail(at, `unknown property '@${name}'`, "use one of " + PROPERTIES.join(", "));
    this.at += name.length;
    this.skipBlanks();
    return {op: "property", at, text: name};
  }

  /** @returns {WhereNode} */
  parseQuotedField() {
    const at = this.at;
    const end = this.text.indexOf("`", at + 1);
    if (end < 0) this.fail(at, "unterminated field name", "close it with `");
    this.at = end + 1;
    this.skipBlanks();
    return this.fieldNode(this.text.slice(at + 1, end), at);
  }

  /** @param {string} quote @returns {WhereNode} */
  parseText(quote) {
    const at = this.at;
    let text = "";
    for (++this.at; this.at < this.text.length && this.text[this.at] !== quote; ++this.at) {
      // Other backslashes are kept, for regular expressions.
      const next = this.text[this.at + 1];
      if (this.text[this.at] === "\\" && (next === quote || next === "\\")) ++this.at;
      text += this.text[this.at];
    }
    if (this.at >= this.text.length) this.fail(at, "unterminated text", "close it with its quote");
    ++this.at;
    this.skipBlanks();
    return {op: "text", at, text};
  }

  /** @returns {WhereNode} */
  parseLiteralNumber() {
    const at = this.at;
    const isHex = this.text.startsWith("0x", at);
    while (this.at < this.text.length) {
      const c = this.text[this.at];
      const isSign = (c === "-" || c === "+") && !isHex && /[eE]/.test(this.at > at ? this.text[this.at - 1] : "");
      if (!/[0-9A-Za-z_.]/.test(c) && !isSign) break;
      ++this.at;
    }
    const digits = this.text.slice(at, this.at);
    const number = parseNumber(digits);
    if (number === null) this.fail(at, `invalid number '${digits}'`, "write 100, 0x64, 1.5 or 1e3");
    this.skipBlanks();
    return {op: "number", at, number};
  }
}

/**
 * Throws a WhereError that says where the error is.
 * @param {string} text
 * @returns {WhereExpression}
 */
export function parseWhere(text) {
  return new Parser(text).parse();
}
