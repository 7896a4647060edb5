// Everything that is known of one record.

import { html, visible } from "./html.js";
import { valueText } from "./numbers.js";

/** @param {string} name @param {any} value */
function row(name, value) {
  return html`<tr key=${name}><th scope="row">${visible(name, 200)}</th><td>${visible(valueText(value), 20000)}</td></tr>`;
}

/** Members of objects as rows of their own, such as fields.qty. @param {any} object @param {string} prefix @returns {any[]} */
function rows(object, prefix) {
  return Object.entries(object).flatMap(([name, value]) =>
    value !== null && typeof value === "object" && !Array.isArray(value) ? rows(value, `${prefix}${name}.`) : [row(prefix + name, value)]);
}

/** @param {{object: any, isCut: boolean, reason: string}} properties */
export function RecordDetail({object, isCut, reason}) {
  return html`<div class="detail" tabindex="0" role="region" aria-label="Selected record">
    <p class="faint">${reason}${isCut && " Its long texts are cut in this report."}</p>
    <table class="members"><tbody>${rows(object, "")}</tbody></table></div>`;
}
