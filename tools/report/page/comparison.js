// What changed since another trace.

import { html, visible } from "./html.js";
import { count, counted, durationText, rateText } from "./numbers.js";
import { view, toggleStatement } from "./view.js";
import { notPrinted } from "./printed.js";
import { fieldText } from "./value_scale.js";

const MOST_ROWS = 200;

/** @param {number} effect as log2 */
export function ratioText(effect) {
  const ratio = 2 ** Math.abs(effect);
  const text = ratio >= 100 ? count(ratio) : ratio.toPrecision(3);
  return `${effect >= 0 ? "×" : "÷"} ${text}`;
}

/** @param {any} change */
export function changeText(change) {
  if (change.kind === "presence") return change.after.records > 0 ? "new" : "gone";
  if (change.kind === "rate") return `rate ${ratioText(change.effect)}`;
  const name = change.field === "duration" ? "duration" : change.name === "" ? `argument ${change.index + 1}` : visible(change.name, 40);
  const signs = ["p50", "p90", "p99"].every((each) => change.before[each] > 0 === change.after[each] > 0);
  if (!signs) return `${name} ${change.effect > 0 ? "greater" : "less"}`;
  return `${name}${change.kind === "tail" ? " p99" : ""} ${ratioText(change.effect)}`;
}

/** @param {any} change @param {any} side */
function sideText(change, side) {
  if (change.kind === "presence" || change.kind === "rate") return side.records === 0 ? "none" : `${rateText(side.rate)}`;
  const field = {kind: change.field};
  const names = change.kind === "tail" ? ["p99"] : ["p50", "p90"];
  return names.map((name) => `${name} ${fieldText(field, side[name])}`).join(", ");
}

/** @param {number} probability */
function probabilityText(probability) {
  return probability < 1e-6 ? "below 0.000001" : probability.toPrecision(2);
}

/** @param {any} site */
function placeText(site) {
  return visible(`${site.service} ${site.level} ${site.file}:${site.line}`);
}

/** @param {any} site */
function statementCell(site) {
  const text = visible(site.text === "" ? "(no text)" : site.text, 200);
  if (site.statement === undefined) return html`<td class="statement"><code title=${placeText(site)}>${text}</code></td>`;
  return html`<td class="statement"><button type="button" class="link" aria-pressed=${view().statements.includes(site.statement)} title=${placeText(site)}
    onClick=${() => toggleStatement(site.statement)}>${text}</button></td>`;
}

/** @param {any} comparison */
function summaryText(comparison) {
  const rate = (/** @type {any} */ side) => (side.ns > 0 ? `, ${rateText(side.records / (side.ns / 1e9))}` : "");
  const side = (/** @type {any} */ each) => `${counted(each.records, "record")} in ${durationText(each.ns)}${rate(each)}`;
  const load = Math.abs(Math.log2(comparison.rate_ratio)) < 0.05 ? "" : ` Most statements have ${ratioText(Math.log2(comparison.rate_ratio))} the rate: their rates are compared after this is taken off.`;
  const lost = comparison.before.lost + comparison.after.lost > 0 ? ` Records were lost (before: ${count(comparison.before.lost)}, after: ${count(comparison.after.lost)}): rates were higher than they look.` : "";
  const rates = comparison.has_rates ? "" : " One of the traces is too short for the comparison of rates.";
  return `Before: ${side(comparison.before)}. After: ${side(comparison.after)}.${load}${lost}${rates}`;
}

/** @param {any} comparison */
function leftOutText({left_out: {constant, drifting}}) {
  const parts = [];
  if (constant > 0) parts.push(`${count(constant)} have one value in each trace`);
  if (drifting > 0) parts.push(`${count(drifting)} depend on the time in both, such as counters`);
  return parts.length === 0 ? "" : `Numbers that are not compared: ${parts.join(", ")}.`;
}

/** @param {{comparison: any}} properties */
export function Comparison({comparison}) {
  const shown = comparison.changes.slice(0, MOST_ROWS);
  const more = comparison.changes.length - shown.length + comparison.further_changes;
  const rare = comparison.rare.length + comparison.further_rare;
  return html`<section class="panel" id="comparison" aria-labelledby="comparison-title">
    <h2 id="comparison-title">Compared with ${visible(comparison.title, 200)}</h2>
    <p>${summaryText(comparison)}</p>
    <p role="status">${comparison.changes.length === 0 ? "No change is greater than the noise within the traces." : `${counted(comparison.changes.length + comparison.further_changes, "change")}`}
      <span class="faint"> ${counted(comparison.tests, "test")}; a report of equal traces shows any change with a probability of ${100 * comparison.level} % at most.</span></p>
    ${shown.length > 0 && html`<div class="scroll" style=${{maxHeight: "420px"}} tabindex="0" role="region" aria-label="Changes"><table>
      <thead><tr><th scope="col">Change</th><th scope="col">Statement</th><th scope="col">Before</th><th scope="col">After</th><th scope="col" class="number">By chance</th></tr></thead>
      <tbody>${shown.map((/** @type {any} */ change) => html`<tr class=${view().statements.includes(change.site.statement) ? "selected" : ""}>
        <td class="change">${changeText(change)}</td>${statementCell(change.site)}
        <td>${sideText(change, change.before)}</td><td>${sideText(change, change.after)}</td><td class="number">${probabilityText(change.probability)}</td></tr>`)}</tbody></table></div>`}
    ${notPrinted(shown.length)}
    ${more > 0 && html`<p class="faint">${counted(more, "smaller change")} not shown.</p>`}
    ${rare > 0 && html`<details><summary>${rare === 1 ? "1 statement is" : `${count(rare)} statements are`} in one trace only, too rarely for a test</summary>
      <ul>${comparison.rare.map((/** @type {any} */ one) => html`<li>${one.after.records > 0 ? `after: ${count(one.after.records)}` : `before: ${count(one.before.records)}`} <code title=${placeText(one.site)}>${visible(one.site.text, 200)}</code></li>`)}</ul></details>`}
    ${leftOutText(comparison) !== "" && html`<p class="faint">${leftOutText(comparison)}</p>`}
  </section>`;
}
