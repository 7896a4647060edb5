// What is different on paper: tables end after some rows, and say so.

import { html } from "./html.js";
import { counted } from "./numbers.js";

/** Rows of a table on paper; page.css hides the others. */
export const PRINTED_ROWS = 40;

let isNow = false;

/** Whether the page is printed. */
export function isPrinting() {
  return isNow;
}

/** @param {boolean} printing */
export function setPrinting(printing) {
  isNow = printing;
}

/** A line that is on paper only. @param {number} rows of a table @param {number} printed */
export function notPrinted(rows, printed = PRINTED_ROWS) {
  return rows > printed && html`<p class="note printed">${counted(rows - printed, "row")} not printed.</p>`;
}
