// Regular expressions of conditions. They are executed as RE2 does it: in time linear in the text, which no
// expression and no message can change.

import { isWordCharacter, parsePattern } from "./pattern_parse.js";

/**
 * A step of the automaton: a character, a choice, a condition on the place, or the end.
 * @typedef {{kind: string, test?: (code: number) => boolean, next: number, other: number}} Step
 */

const MOST_STEPS = 20000;
const MOST_TRANSITIONS = 50000;
const END = -1;

class Program {
  constructor() {
    /** @type {Step[]} */
    this.steps = [];
    this.usesPlaces = false;
  }

  /** @param {Step} step */
  add(step) {
    if (this.steps.length >= MOST_STEPS) throw new Error("pattern too large");
    this.steps.push(step);
    return this.steps.length - 1;
  }

  /**
   * Adds the steps of a part that continues at `next`; returns where it begins.
   * @param {import("./pattern_parse.js").PatternNode} node
   * @param {number} next
   * @returns {number}
   */
  compile(node, next) {
    const parts = node.parts ?? [];
    if (node.kind === "set") return this.add({kind: "set", test: node.test, next, other: 0});
    if (node.kind === "empty") return next;
    if (node.kind === "cat") return parts.reduceRight((after, part) => this.compile(part, after), next);
    if (node.kind === "alt") {
      return parts.map((part) => this.compile(part, next))
        .reduceRight((other, first) => this.add({kind: "choice", next: first, other}));
    }
    if (node.kind === "repeat") return this.compileRepeat(parts[0], /** @type {number} */ (node.least), /** @type {number} */ (node.most), next);
    this.usesPlaces = true;
    return this.add({kind: node.kind, next, other: 0});
  }

  /** @param {any} part @param {number} least @param {number} most @param {number} next */
  compileRepeat(part, least, most, next) {
    let begin = next;
    if (most === Infinity) {
      begin = this.add({kind: "choice", next: 0, other: next});
      this.steps[begin].next = this.compile(part, begin);
    } else {
      for (let i = least; i < most; ++i) begin = this.add({kind: "choice", next: this.compile(part, begin), other: next});
    }
    for (let i = 0; i < least; ++i) begin = this.compile(part, begin);
    return begin;
  }
}

/** Whether a condition on a place holds between two characters; END: none. @param {string} kind @param {number} before @param {number} after */
function holds(kind, before, after) {
  if (kind === "begin") return before === END;
  if (kind === "end") return after === END;
  if (kind === "line_begin") return before === END || before === 10;
  if (kind === "line_end") return after === END || after === 10;
  const isBoundary = (before !== END && isWordCharacter(before)) !== (after !== END && isWordCharacter(after));
  return kind === "word" ? isBoundary : !isBoundary;
}

/** @typedef {{steps: number[], before: number, found: boolean, next: Map<number, any>}} State */

class Matcher {
  /** @param {Program} program @param {number} begin */
  constructor(program, begin) {
    this.program = program;
    this.begin = begin;
    /** @type {Map<string, State>} */
    this.states = new Map();
    this.transitions = 0;
  }

  forget() {
    this.states.clear();
    this.transitions = 0;
  }

  /** @param {number[]} steps @param {number} before @returns {State} */
  state(steps, before) {
    // Only what conditions on places can tell apart.
    const kind = !this.program.usesPlaces || before === END || before === 10 ? before : isWordCharacter(before) ? 48 : 32;
    const seen = this.program.usesPlaces ? kind : 0;
    const key = `${seen}:${steps.join(",")}`;
    let state = this.states.get(key);
    if (state === undefined) {
      state = {steps, before: seen, found: false, next: new Map()};
      this.states.set(key, state);
    }
    return state;
  }

  /** The state after a character, or after the end. @param {State} state @param {number} code @returns {State} */
  after(state, code) {
    const known = state.next.get(code);
    if (known !== undefined) return known;
    if (++this.transitions > MOST_TRANSITIONS) this.forget();
    const reached = new Set();
    const open = [...state.steps, this.begin];
    const following = new Set();
    let found = false;
    while (open.length > 0) {
      const at = /** @type {number} */ (open.pop());
      if (reached.has(at)) continue;
      reached.add(at);
      const step = this.program.steps[at];
      if (step.kind === "match") found = true;
      else if (step.kind === "choice") open.push(step.next, step.other);
      else if (step.kind !== "set") {
        if (holds(step.kind, state.before, code)) open.push(step.next);
      } else if (code !== END && /** @type {any} */ (step.test)(code)) following.add(step.next);
    }
    const next = found ? {steps: [], before: 0, found: true, next: new Map()} : this.state([...following].sort((a, b) => a - b), code);
    state.next.set(code, next);
    return next;
  }

  /** @param {string} text */
  matches(text) {
    let state = this.state([], END);
    for (let i = 0; i < text.length;) {
      const code = /** @type {number} */ (text.codePointAt(i));
      state = this.after(state, code);
      if (state.found) return true;
      i += code > 0xffff ? 2 : 1;
    }
    return this.after(state, END).found;
  }
}

/**
 * Whether some part of a text matches. Throws an Error that says what is wrong with the expression.
 * @param {string} expression
 * @returns {(text: string) => boolean}
 */
export function compilePattern(expression) {
  const program = new Program();
  const match = program.add({kind: "match", next: 0, other: 0});
  const begin = program.compile(parsePattern(expression), match);
  const matcher = new Matcher(program, begin);
  return (text) => matcher.matches(text);
}
