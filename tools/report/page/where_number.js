// Numbers of conditions: compared and computed by value, as `ringcat --where` does on x86-64. Integers
// are exact within 128 bits; all else has 64 bits of mantissa. trace-format/condition/where_number.hpp

/**
 * An integer, a finite real number `mantissa * 2^exponent`, or one of NaN, Infinity and -Infinity.
 * @typedef {{kind: "integer", integer: bigint}} Whole
 * @typedef {{kind: "real", mantissa: bigint, exponent: number}} Real
 * @typedef {{kind: "special", number: number}} Special
 * @typedef {Whole | Real | Special} WhereNumber
 */

const MANTISSA_BITS = 64;
const MOST = 2n ** 127n - 1n;
const LEAST = -(2n ** 127n);

/** @param {bigint} integer @returns {Whole} */
export function ofInteger(integer) {
  return {kind: "integer", integer};
}

/** @param {bigint} number not negative */
function bitsOf(number) {
  return number === 0n ? 0 : number.toString(2).length;
}

/**
 * The nearest number of 64 bits; of two, the even one.
 * @param {bigint} mantissa
 * @param {number} exponent
 * @param {boolean} inexact whether the number is a bit larger in magnitude
 * @returns {Real}
 */
function rounded(mantissa, exponent, inexact = false) {
  const negative = mantissa < 0n;
  let size = negative ? -mantissa : mantissa;
  const excess = bitsOf(size) - MANTISSA_BITS;
  if (excess > 0) {
    const unit = 1n << BigInt(excess);
    const rest = size % unit;
    const half = unit >> 1n;
    size /= unit;
    if (rest > half || (rest === half && (inexact || size % 2n === 1n))) size += 1n;
    exponent += excess;
  }
  // So that equal numbers look equal.
  while (size !== 0n && size % 2n === 0n) {
    size /= 2n;
    ++exponent;
  }
  return {kind: "real", mantissa: negative ? -size : size, exponent: size === 0n ? 0 : exponent};
}

/** @param {number} number @returns {WhereNumber} */
export function ofReal(number) {
  if (!Number.isFinite(number)) return {kind: "special", number};
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  const bits = view.getBigUint64(0);
  const code = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = code === 0 ? fraction : fraction | 0x10000000000000n;
  return rounded(bits >> 63n === 1n ? -size : size, (code === 0 ? 1 : code) - 1075);
}

/**
 * A decimal text with any number of digits, as a number of 64 bits.
 * @param {string} text
 * @returns {WhereNumber}
 */
export function ofDecimal(text) {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null) return {kind: "special", number: Number(text)};
  const digits = BigInt(parts[2] + (parts[3] ?? ""));
  const tens = Number(parts[4] ?? "0") - (parts[3] ?? "").length;
  const signed = parts[1] === "-" ? -digits : digits;
  if (tens >= 0) return rounded(signed * 10n ** BigInt(tens), 0);
  return quotient(signed, 10n ** BigInt(-tens), 0);
}

/** @param {bigint} a @param {bigint} b not 0 @param {number} exponent @returns {Real} */
function quotient(a, b, exponent) {
  const negative = (a < 0n) !== (b < 0n);
  const dividend = a < 0n ? -a : a, divisor = b < 0n ? -b : b;
  const shift = Math.max(0, MANTISSA_BITS + 2 + bitsOf(divisor) - bitsOf(dividend));
  const wide = dividend << BigInt(shift);
  const whole = wide / divisor;
  return rounded(negative ? -whole : whole, exponent - shift, wide % divisor !== 0n);
}

/** @param {WhereNumber} number @returns {Real | Special} */
function asReal(number) {
  return number.kind === "integer" ? rounded(number.integer, 0) : number;
}

/** Roughly, with the sign: for the rules of IEEE 754 about zeros and infinities. @param {WhereNumber} number */
function roughly(number) {
  if (number.kind === "integer") return Number(number.integer);
  if (number.kind === "special") return number.number;
  return number.mantissa === 0n ? 0 : number.mantissa > 0n ? 1 : -1;
}

/** @param {bigint} integer */
function fits(integer) {
  return integer <= MOST && integer >= LEAST;
}

/**
 * @param {WhereNumber} a
 * @param {WhereNumber} b
 * @returns {number} negative, 0 or positive; NaN if they are not ordered
 */
export function compareNumbers(a, b) {
  if (a.kind === "special" || b.kind === "special") {
    const x = a.kind === "special" ? a.number : 0, y = b.kind === "special" ? b.number : 0;
    if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Both as integers of one unit. @param {WhereNumber} a @param {WhereNumber} b @returns {[bigint, bigint, number]} */
function aligned(a, b) {
  const parts = (/** @type {any} */ each) =>
    each.kind === "integer" ? {mantissa: each.integer, exponent: 0} : each;
  const x = parts(a), y = parts(b);
  const exponent = Math.min(x.exponent, y.exponent);
  return [x.mantissa << BigInt(x.exponent - exponent), y.mantissa << BigInt(y.exponent - exponent), exponent];
}

/**
 * @param {WhereNumber} a
 * @param {WhereNumber} b
 * @param {(x: bigint, y: bigint) => bigint} exact of two integers
 * @param {(x: number, y: number) => number} special
 * @param {(x: Real, y: Real) => WhereNumber} real of two finite numbers
 * @returns {WhereNumber}
 */
function combined(a, b, exact, special, real) {
  if (a.kind === "integer" && b.kind === "integer") {
    const integer = exact(a.integer, b.integer);
    if (fits(integer)) return ofInteger(integer);
  }
  const x = asReal(a), y = asReal(b);
  if (x.kind === "special" || y.kind === "special") return {kind: "special", number: special(roughly(x), roughly(y))};
  return real(x, y);
}

/** @param {WhereNumber} a @param {WhereNumber} b */
export function addNumbers(a, b) {
  return combined(a, b, (x, y) => x + y, (x, y) => x + y, (x, y) => {
    const [left, right, exponent] = aligned(x, y);
    return rounded(left + right, exponent);
  });
}

/** @param {WhereNumber} a @param {WhereNumber} b */
export function subtractNumbers(a, b) {
  return combined(a, b, (x, y) => x - y, (x, y) => x - y, (x, y) => {
    const [left, right, exponent] = aligned(x, y);
    return rounded(left - right, exponent);
  });
}

/** @param {WhereNumber} a @param {WhereNumber} b */
export function multiplyNumbers(a, b) {
  return combined(a, b, (x, y) => x * y, (x, y) => x * y,
    (x, y) => rounded(x.mantissa * y.mantissa, x.exponent + y.exponent));
}

/** @param {WhereNumber} a @param {WhereNumber} b not 0 @returns {WhereNumber} */
export function divideNumbers(a, b) {
  if (a.kind === "integer" && b.kind === "integer" && b.integer !== -1n && a.integer % b.integer === 0n)
    return ofInteger(a.integer / b.integer);
  const x = asReal(a), y = asReal(b);
  if (x.kind === "special" || y.kind === "special") return {kind: "special", number: roughly(x) / roughly(y)};
  return quotient(x.mantissa, y.mantissa, x.exponent - y.exponent);
}

/**
 * Decimal, 0x..., or with a fraction or exponent; null if `text` as a whole is none of these.
 * @param {string} text
 * @returns {WhereNumber | null}
 */
export function parseNumber(text) {
  const hex = /^0[xX]/.test(text);
  if (hex ? /^0[xX][0-9a-fA-F]+$/.test(text) : /^\d+$/.test(text)) {
    const integer = BigInt(text);
    if (integer < 2n ** 64n) return ofInteger(integer);
  }
  if (hex || !/^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return null;
  const real = Number(text);
  return Number.isFinite(real) ? ofReal(real) : null;
}
