// Elements. Texts of a trace become text nodes and attributes, never HTML.

export const html = htmPreact.html;
export const render = htmPreact.render;
export const Component = htmPreact.Component;

const NOT_SHOWN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Cs}]/gu;
const CUT_PAIR = /[\ud800-\udbff]$/;
const MOST_CHARACTERS = 2000;

/**
 * A text of a trace, with marks for characters that are not visible, or that change the order of others.
 * @param {string} text
 * @param {number} most
 */
export function visible(text, most = MOST_CHARACTERS) {
  const shown = text.length > most ? text.slice(0, most).replace(CUT_PAIR, "") + "…" : text;
  return shown.replace(NOT_SHOWN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
