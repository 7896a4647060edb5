// Numbers and times as people read them.

// toLocaleString() would make one each time.
const WHOLE = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

/** @param {number} number */
export function count(number) {
  return WHOLE.format(number);
}

/** As in "1 file" or "2 files". @param {number} number @param {string} one */
export function counted(number, one) {
  return `${count(number)} ${one}${number === 1 ? "" : "s"}`;
}

/** A value of a record, as JSON has it; a text is itself. JSON.stringify() has no negative zero. @param {any} value @returns {string} */
export function valueText(value) {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `[${value.map((each) => (typeof each === "string" ? JSON.stringify(each) : valueText(each))).join(",")}]`;
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}

/** @param {number} bytes */
export function byteText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit + 1 < units.length; ++unit) bytes /= 1000;
  return `${bytes >= 100 || unit === 0 ? Math.round(bytes) : bytes.toPrecision(3)} ${units[unit]}`;
}

/** @param {number} perSecond */
export function rateText(perSecond) {
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toPrecision(3)} M/s`;
  if (perSecond >= 1e3) return `${(perSecond / 1e3).toPrecision(3)} k/s`;
  return `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toPrecision(2)} /s`;
}

/** @param {number} ns */
export function durationText(ns) {
  const sign = ns < 0 ? "-" : "";
  ns = Math.abs(ns);
  const units = /** @type {[string, number][]} */ ([["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9], ["min", 6e10], ["h", 3.6e12], ["d", 8.64e13]]);
  let unit = units[0];
  for (const each of units) if (ns >= each[1]) unit = each;
  const number = ns / unit[1];
  return `${sign}${number >= 100 ? Math.round(number) : Number(number.toPrecision(3))} ${unit[0]}`;
}

/**
 * A moment of the trace with its nanoseconds, in UTC.
 * @param {bigint} beginUnixNs
 * @param {number} ns after it
 */
export function momentText(beginUnixNs, ns) {
  const all = beginUnixNs + BigInt(Math.round(ns));
  const seconds = new Date(Number(all / 1000000000n) * 1000).toISOString();
  return `${seconds.slice(0, 10)} ${seconds.slice(11, 19)}.${String(all % 1000000000n).padStart(9, "0")}`;
}

const CAUSES = /** @type {Record<string, string>} */ ({
  ring_full: "ring full", no_consumer: "no consumer", several: "several causes", missing: "missing", no_ring: "no ring",
  no_shared_memory: "no shared memory", dictionary_full: "dictionary full", quarantined: "quarantined",
  overwritten: "overwritten", too_large: "too large", late: "late", sampled: "sampled", abandoned: "abandoned",
  unshipped: "not shipped", not_selected: "not selected", unknown: "unknown",
});

/** @param {string} token */
export function causeText(token) {
  return CAUSES[token] ?? token;
}
