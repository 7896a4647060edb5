// The data of the report, which is in the page. README.md describes the sections.

/** @type {Map<string, any>} */
const known = new Map();
let replaced = 0;

/**
 * @param {string} text in Base64
 * @returns {Uint8Array}
 */
export function bytesOfBase64(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < characters.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/**
 * The text in a data element of the page; empty if there is none.
 * @param {string} name
 */
export function sectionText(name) {
  // A line for each element, as in the page.
  if (!isWhole()) return known.has(name) ? `[${known.get(name).map(/** @param {any} each */ (each) => JSON.stringify(each)).join(",\n")}]` : "";
  const element = document.getElementById("data-" + name);
  if (element === null) return "";
  return new TextDecoder().decode(fzstd.decompress(bytesOfBase64(element.textContent.trim())));
}

/** Whether the data is in the page. Otherwise a server has it. */
export function isWhole() {
  return document.getElementById("data-summary") !== null;
}

/** In place of rows that a report leaves out, because it would be too large: numbers of the others stay. */
const LEFT_OUT = {service: "", pid: 0, thread_name: "left out", file: "", line: 0, level: "NONE", text: "left out", records: 0, ring_bytes: 0, lost: 0, left_out: true};

/** @param {string} name @param {any} value */
function withAllRows(name, value) {
  const all = (/** @type {any[]} */ rows) => rows.map((row) => row ?? LEFT_OUT);
  if (name === "statements") return all(value);
  return name === "summary" ? {...value, streams: all(value.streams)} : value;
}

/**
 * Replaces all sections.
 * @param {Record<string, any>} sections
 */
export function setSections(sections) {
  ++replaced;
  known.clear();
  for (const [name, value] of Object.entries(sections)) known.set(name, withAllRows(name, value));
}

/** How often the sections were replaced: what was made of others is old. */
export function dataNumber() {
  return replaced;
}

/**
 * A section, which is decoded when it is needed first; null if the report has none of that name.
 * @param {string} name
 * @returns {any}
 */
export function section(name) {
  if (!known.has(name)) {
    if (!isWhole()) return null;
    const text = sectionText(name);
    known.set(name, text === "" ? null : withAllRows(name, JSON.parse(text)));
  }
  return known.get(name);
}
