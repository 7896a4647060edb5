// The syntax of regular expressions of RE2: https://github.com/google/re2/wiki/Syntax

/** @typedef {(code: number) => boolean} CharacterTest */

/**
 * A part of an expression. `kind`: set, empty, cat, alt, repeat, begin, end, line_begin, line_end, word, not_word.
 * @typedef {{kind: string, test?: CharacterTest, parts?: PatternNode[], least?: number, most?: number}} PatternNode
 */

const MOST_REPEATS = 1000;
const MOST_DEPTH = 1000;

/** @param {...[number, number]} ranges @returns {CharacterTest} */
function inRanges(...ranges) {
  return (code) => ranges.some(([first, last]) => code >= first && code <= last);
}

const DIGIT = inRanges([48, 57]);
const SPACE = inRanges([9, 10], [12, 13], [32, 32]);
/** @type {CharacterTest} */
export const isWordCharacter = inRanges([48, 57], [65, 90], [95, 95], [97, 122]);

const POSIX = /** @type {Record<string, CharacterTest>} */ ({
  alnum: inRanges([48, 57], [65, 90], [97, 122]), alpha: inRanges([65, 90], [97, 122]), ascii: inRanges([0, 127]),
  blank: inRanges([9, 9], [32, 32]), cntrl: inRanges([0, 31], [127, 127]), digit: DIGIT, graph: inRanges([33, 126]),
  lower: inRanges([97, 122]), print: inRanges([32, 126]), punct: inRanges([33, 47], [58, 64], [91, 96], [123, 126]),
  space: inRanges([9, 13], [32, 32]), upper: inRanges([65, 90]), word: isWordCharacter,
  xdigit: inRanges([48, 57], [65, 70], [97, 102]),
});
const CONTROLS = /** @type {Record<string, number>} */ ({a: 7, f: 12, t: 9, n: 10, r: 13, v: 11});

/** @param {CharacterTest} test @returns {CharacterTest} */
function inverse(test) {
  return (code) => !test(code);
}

/** The characters that differ from it in case only, and itself. @param {number} code */
function sameLetters(code) {
  const text = String.fromCodePoint(code);
  const upper = text.toUpperCase(), lower = text.toLowerCase();
  return [text, upper, lower, upper.toLowerCase(), lower.toUpperCase()]
    .filter((each) => [...each].length === 1).map((each) => /** @type {number} */ (each.codePointAt(0)));
}

/** @param {CharacterTest} test @returns {CharacterTest} */
function inAnyCase(test) {
  return (code) => sameLetters(code).some(test);
}

class PatternParser {
  /** @param {string} text */
  constructor(text) {
    this.text = [...text];
    this.at = 0;
    this.depth = 0;
    this.flags = {i: false, m: false, s: false};
  }

  /** @returns {PatternNode} */
  parse() {
    const node = this.parseAlternatives();
    if (this.at < this.text.length) throw new Error("unexpected )");
    return node;
  }

  /** @param {string} token */
  here(token) {
    return this.text.slice(this.at, this.at + token.length).join("") === token;
  }

  /** @param {string} token */
  take(token) {
    if (!this.here(token)) return false;
    this.at += token.length;
    return true;
  }

  /** @returns {PatternNode} */
  parseAlternatives() {
    if (++this.depth > MOST_DEPTH) throw new Error("nested too deeply");
    // Flags that a part sets apply up to the end of its group.
    const flags = {...this.flags};
    const parts = [this.parseSequence()];
    while (this.take("|")) parts.push(this.parseSequence());
    this.flags = flags;
    --this.depth;
    return parts.length === 1 ? parts[0] : {kind: "alt", parts};
  }

  /** @returns {PatternNode} */
  parseSequence() {
    /** @type {PatternNode[]} */
    const parts = [];
    while (this.at < this.text.length && !this.here("|") && !this.here(")")) {
      const node = this.parseAtom();
      if (node !== null) parts.push(this.parseRepetition(node));
    }
    return parts.length === 1 ? parts[0] : {kind: parts.length === 0 ? "empty" : "cat", parts};
  }

  /** @param {PatternNode} node @returns {PatternNode} */
  parseRepetition(node) {
    const range = this.repetitionHere();
    if (range === null) return node;
    this.take("?");
    if (this.repetitionHere() !== null) throw new Error("bad repetition operator");
    return {kind: "repeat", parts: [node], least: range[0], most: range[1]};
  }

  /** Takes it. @returns {[number, number] | null} */
  repetitionHere() {
    if (this.take("*")) return [0, Infinity];
    if (this.take("+")) return [1, Infinity];
    if (this.take("?")) return [0, 1];
    const found = /^\{(\d+)(,(\d*))?\}/.exec(this.text.slice(this.at, this.at + 20).join(""));
    if (found === null) return null;
    this.at += found[0].length;
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === "" ? Infinity : Number(found[3]);
    if (least > MOST_REPEATS || (most !== Infinity && most > MOST_REPEATS) || most < least) throw new Error("invalid repetition size");
    return [least, most];
  }

  /** Null: nothing that can be repeated. @returns {PatternNode | null} */
  parseAtom() {
    if (this.here("*") || this.here("+") || this.here("?")) throw new Error("no argument for repetition operator");
    if (this.take("(")) return this.parseGroup();
    if (this.take("[")) return {kind: "set", test: this.parseClass()};
    if (this.take("^")) return {kind: this.flags.m ? "line_begin" : "begin"};
    if (this.take("$")) return {kind: this.flags.m ? "line_end" : "end"};
    if (this.take(".")) return {kind: "set", test: this.flags.s ? () => true : (code) => code !== 10};
    if (this.take("\\Q")) return this.parseQuoted();
    if (this.here("\\")) return this.parseEscape();
    return this.literal(/** @type {number} */ (this.text[this.at++].codePointAt(0)));
  }

  /** @param {number} code @returns {PatternNode} */
  literal(code) {
    return {kind: "set", test: this.folded((each) => each === code)};
  }

  /** @param {CharacterTest} test */
  folded(test) {
    return this.flags.i ? inAnyCase(test) : test;
  }

  /** @returns {PatternNode | null} */
  parseGroup() {
    if (this.here("?")) {
      const found = /^\?(?:P<([A-Za-z_0-9]+)>|([imsU]*)(?:-([imsU]+))?([:)]))/.exec(this.text.slice(this.at, this.at + 200).join(""));
      if (found === null) throw new Error("invalid or unsupported Perl syntax");
      this.at += [...found[0]].length;
      if (found[1] === undefined) {
        if (found[4] === ")" && found[0] === "?)") throw new Error("missing argument to repetition operator");
        const outside = {...this.flags};
        for (const flag of found[2]) this.setFlag(flag, true);
        for (const flag of found[3] ?? "") this.setFlag(flag, false);
        if (found[4] === ")") return null;
        const node = this.parseAlternatives();
        this.flags = outside;
        return this.closed(node);
      }
    }
    return this.closed(this.parseAlternatives());
  }

  /** @param {PatternNode} node */
  closed(node) {
    if (!this.take(")")) throw new Error("missing )");
    return node;
  }

  /** @param {string} flag @param {boolean} value */
  setFlag(flag, value) {
    if (flag === "i" || flag === "m" || flag === "s") this.flags[flag] = value;
  }

  /** @returns {PatternNode} */
  parseQuoted() {
    /** @type {PatternNode[]} */
    const parts = [];
    while (this.at < this.text.length && !this.take("\\E"))
      parts.push(this.literal(/** @type {number} */ (this.text[this.at++].codePointAt(0))));
    // A repetition applies to the last character.
    const last = parts.pop();
    if (last === undefined) return {kind: "empty"};
    return {kind: "cat", parts: [...parts, this.parseRepetition(last)]};
  }

  /** @returns {PatternNode | null} */
  parseEscape() {
    const kinds = /** @type {Record<string, string>} */ ({A: "begin", z: "end", b: "word", B: "not_word"});
    const kind = kinds[this.text[this.at + 1] ?? ""];
    if (kind !== undefined) {
      this.at += 2;
      return {kind};
    }
    if (this.take("\\E")) return null;
    const test = this.perlClass();
    if (test !== null) return {kind: "set", test: this.folded(test)};
    return this.literal(this.escapedCharacter());
  }

  /** \d, \pL and the like, which it takes. @returns {CharacterTest | null} */
  perlClass() {
    const letter = this.text[this.at + 1] ?? "";
    const tests = /** @type {Record<string, CharacterTest>} */ ({d: DIGIT, s: SPACE, w: isWordCharacter});
    const test = tests[letter.toLowerCase()];
    if (/^[dswDSW]$/.test(letter)) {
      this.at += 2;
      return letter === letter.toLowerCase() ? test : inverse(test);
    }
    if (letter !== "p" && letter !== "P") return null;
    const found = /^\\[pP](?:\{(\^?)([A-Za-z_]+)\}|([A-Za-z]))/.exec(this.text.slice(this.at, this.at + 60).join(""));
    if (found === null) throw new Error("invalid character class range");
    this.at += found[0].length;
    const unicode = unicodeTest(found[2] ?? found[3]);
    return (letter === "P") !== (found[1] === "^") ? inverse(unicode) : unicode;
  }

  /** After a backslash. @returns {number} */
  escapedCharacter() {
    const rest = this.text.slice(this.at, this.at + 12).join("");
    const number = /^\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}|(0[0-7]{0,2}|[1-7][0-7]{1,2}))/.exec(rest);
    if (number !== null) {
      this.at += number[0].length;
      const code = number[3] !== undefined ? parseInt(number[3], 8) : parseInt(number[1] ?? number[2], 16);
      if (code > 0x10ffff) throw new Error("invalid escape sequence");
      return code;
    }
    const character = this.text[this.at + 1];
    if (character === undefined) throw new Error("trailing \\");
    this.at += 2;
    if (/^[a-z]$/.test(character) && CONTROLS[character] !== undefined) return CONTROLS[character];
    const code = /** @type {number} */ (character.codePointAt(0));
    if (code >= 128 || /[0-9A-Za-z]/.test(character)) throw new Error(`invalid escape sequence: \\${character}`);
    return code;
  }

  /** After the bracket. @returns {CharacterTest} */
  parseClass() {
    const isNegated = this.take("^");
    /** @type {CharacterTest[]} */
    const tests = [];
    for (let isFirst = true; isFirst || !this.here("]"); isFirst = false) {
      if (this.at >= this.text.length) throw new Error("missing ]");
      tests.push(this.parseClassItem());
    }
    ++this.at;
    const any = this.folded((code) => tests.some((test) => test(code)));
    return isNegated ? inverse(any) : any;
  }

  /** @returns {CharacterTest} */
  parseClassItem() {
    if (this.here("[:")) {
      const found = /^\[:(\^?)([a-z]+):\]/.exec(this.text.slice(this.at, this.at + 20).join(""));
      if (found !== null) {
        if (!Object.hasOwn(POSIX, found[2])) throw new Error("invalid character class range");
        this.at += found[0].length;
        return found[1] === "^" ? inverse(POSIX[found[2]]) : POSIX[found[2]];
      }
    }
    if (this.here("\\")) {
      const test = this.perlClass();
      if (test !== null) return test;
    }
    const first = this.classCharacter();
    if (!this.here("-") || this.text[this.at + 1] === "]") return (code) => code === first;
    ++this.at;
    if (this.at >= this.text.length) throw new Error("missing ]");
    const last = this.classCharacter();
    if (last < first) throw new Error("invalid character class range");
    return (code) => code >= first && code <= last;
  }

  /** @returns {number} */
  classCharacter() {
    if (this.here("\\")) return this.escapedCharacter();
    return /** @type {number} */ (this.text[this.at++].codePointAt(0));
  }
}

/** @param {string} name of a general category or a script @returns {CharacterTest} */
function unicodeTest(name) {
  if (name === "Any") return () => true;
  try {
    const expression = new RegExp(name.length <= 2 ? `^\\p{gc=${name}}$` : `^\\p{Script=${name}}$`, "u");
    return (code) => expression.test(String.fromCodePoint(code));
  } catch {
    throw new Error(`invalid character class range: \\p{${name}}`);
  }
}

/**
 * Throws an Error that says what is wrong.
 * @param {string} text
 * @returns {PatternNode}
 */
export function parsePattern(text) {
  return new PatternParser(text).parse();
}
