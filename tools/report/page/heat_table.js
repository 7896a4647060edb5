// The heat map as a table, for those who do not see the picture.

import { html } from "./html.js";
import { count, durationText } from "./numbers.js";
import { QUANTILES, partOf, quantilesOf } from "./heat_cells.js";
import { fieldText } from "./value_scale.js";

const MOST_ROWS = 32;

/**
 * Groups of intervals, as rows.
 * @param {[number, number]} intervals
 * @returns {[number, number][]}
 */
export function groupsOf([first, last]) {
  const each = Math.ceil((last - first + 1) / MOST_ROWS);
  const groups = /** @type {[number, number][]} */ ([]);
  for (let from = first; from <= last; from += each) groups.push([from, Math.min(last, from + each - 1)]);
  return groups;
}

/** @param {{cells: import("./heat_cells.js").Cells, summary: any, intervals: [number, number], classes: [number, number], onTime: (time: [number, number]) => void}} properties */
export function HeatTable({cells, summary, intervals, classes, onTime}) {
  const rows = groupsOf(intervals).map((group) => ({group, part: partOf(cells, group, classes)})).filter(({part}) => part.values > 0);
  return html`<div class="scroll" style=${{maxHeight: "320px"}} tabindex="0" role="region" aria-label="Values over time as a table"><table>
    <thead><tr><th scope="col" class="text">Time</th><th scope="col" class="number">Values</th>${QUANTILES.map(({name}) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
    <tbody>${rows.map(({group, part}) => {
      const time = /** @type {[number, number]} */ ([group[0] * summary.interval_ns, (group[1] + 1) * summary.interval_ns]);
      return html`<tr key=${group[0]}><td><button type="button" class="link" onClick=${() => onTime(time)}>${durationText(time[0])} to ${durationText(time[1])}</button></td>
        <td class="number">${count(part.values)}</td>
        ${quantilesOf(cells, part, classes[0]).map((each) => html`<td class="number">${each === null ? "" : fieldText(cells.field, each)}</td>`)}</tr>`;
    })}</tbody></table></div>`;
}
