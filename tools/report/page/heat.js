// The heat map of a number of a statement, or of the durations of spans.

import { Component, html, visible } from "./html.js";
import { count, counted, durationText } from "./numbers.js";
import { placeOf } from "./controls.js";
import { view, changeView, isSelected } from "./view.js";
import { QUANTILES, cellsOfField, classesIn, intervalsIn, isOfIntervals, partOf, quantilesOf, rangeOf } from "./heat_cells.js";
import { DASHES, HeatChart, heatColours } from "./heat_chart.js";
import { HeatTable } from "./heat_table.js";
import { fieldText } from "./value_scale.js";

const LEGEND_STEPS = 6;

/** @param {any} field */
export function fieldName(field) {
  if (field.kind === "duration") return "duration";
  return field.name === "" ? `argument ${field.index + 1}` : field.name;
}

/**
 * The field of the heat map: the one that was chosen, or else the one with the most values; null: there is none.
 * @param {any} heat
 * @param {any[]} rows statements
 * @returns {number | null}
 */
export function shownField(heat, rows) {
  const {field} = view();
  if (field !== null && field < heat.fields.length && isSelected(heat.fields[field].statement)) return field;
  let best = null, most = -1;
  heat.fields.forEach((/** @type {any} */ each, /** @type {number} */ number) => {
    // Durations are what most readers look for; records of Ringside itself are what the fewest look for.
    const rank = each.values * (each.kind === "duration" ? 1e6 : 1) * (isOfRingside(rows[each.statement]) ? 1e-12 : 1);
    if (isSelected(each.statement) && rank > most) [best, most] = [number, rank];
  });
  return best;
}

/** @param {any} row a statement */
function isOfRingside(row) {
  return row.text.startsWith("ringside.");
}

/** Why there is no heat map. @param {any} heat @param {any[]} rows statements */
function noFieldText(heat, rows) {
  if (heat.fields.length === 0) return "No statement has numbers or durations.";
  if (heat.further_fields === 0) return "The selected statements have no numbers and no durations.";
  const row = rows[view().statements[0]];
  const command = row === undefined ? "ringcat report --site FILE:LINE" : `ringcat report --site '${visible(placeOf(row), 200)}'`;
  return `This report has the ${counted(heat.fields.length, "field")} with the most values, and none of the selected statements. They can be among the ${counted(heat.further_fields, "field")} that are left out: ${command} makes a report with them.`;
}

/**
 * The selection after an arrow key: one interval or class further, or with `extends` the end alone.
 * @param {[number, number] | null} range null: all
 * @param {[number, number]} all
 * @param {number} step
 * @param {boolean} isExtended
 * @returns {[number, number]}
 */
export function movedRange(range, all, step, isExtended) {
  if (range === null) return step > 0 ? [all[0], all[0]] : [all[1], all[1]];
  const inside = (/** @type {number} */ at, /** @type {number} */ low) => Math.max(low, Math.min(all[1], at));
  const last = inside(range[1] + step, isExtended ? range[0] : all[0]);
  return isExtended ? [range[0], last] : [inside(range[0] + step, all[0]), last];
}

export class Heat extends Component {
  /** @param {any} event @param {any} summary @param {import("./heat_cells.js").Cells} cells @param {number} number */
  key(event, summary, cells, number) {
    const {time, values} = view();
    const step = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1}[/** @type {string} */ (event.key)];
    if (event.key === "Escape") changeView({time: null, values: null});
    if (event.key !== "Escape" && step === undefined) return;
    event.preventDefault();
    if (step === undefined) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const range = movedRange(time === null ? null : intervalsIn(summary, time), intervalsIn(summary, null), step, event.shiftKey);
      changeView({time: [range[0] * summary.interval_ns, (range[1] + 1) * summary.interval_ns]});
    } else {
      const range = movedRange(values === null ? null : classesIn(cells, values), [0, cells.bounds.length - 1], step, event.shiftKey);
      changeView({field: number, values: rangeOf(cells, range)});
    }
  }

  /** @param {{heat: any, rows: any[], summary: any}} properties */
  render({heat, rows, summary}) {
    const number = shownField(heat, rows);
    if (number === null) {
      return html`<section class="panel" id="heat" aria-labelledby="heat-title"><h2 id="heat-title">Values over time</h2>
        <p>${noFieldText(heat, rows)}</p></section>`;
    }
    const cells = cellsOfField(heat.fields[number]);
    const {time} = view();
    const values = view().field === number ? view().values : null;
    const classes = classesIn(cells, values), intervals = intervalsIn(summary, time);
    const part = classes === null ? null : partOf(cells, intervals, classes);
    const isPart = time !== null || values !== null;
    const select = (/** @type {[number, number] | null} */ someTime, /** @type {[number, number] | null} */ someValues) => {
      const inside = someValues === null ? null : classesIn(cells, someValues);
      const during = someTime === null ? null : intervalsIn(summary, someTime);
      changeView({field: number, time: during === null ? null : [during[0] * summary.interval_ns, (during[1] + 1) * summary.interval_ns],
        values: inside === null ? null : rangeOf(cells, inside)});
    };
    const colours = heatColours(LEGEND_STEPS);
    return html`<section class="panel" id="heat" aria-labelledby="heat-title">
      <h2 id="heat-title">Values over time</h2>
      <div class="tools">
        <label class="wide">Show <select onChange=${(/** @type {any} */ event) => changeView({field: Number(event.target.value), values: null})}>
          ${heat.fields.map((/** @type {any} */ each, /** @type {number} */ i) => isSelected(each.statement) && html`<option key=${i} value=${i} selected=${i === number}>${optionText(each, rows[each.statement])}</option>`)}
        </select></label>
        ${isPart && html`<button type="button" onClick=${() => changeView({time: null, values: null})}>Show all values</button>`}
      </div>
      <p role="status" class="heat-status">${statusText(cells, part, classes, values, isPart)}${time !== null && !isOfIntervals(summary, time) && ` (in the intervals of ${durationText(summary.interval_ns)} that the selected time touches)`}</p>
      <${HeatChart} cells=${cells} summary=${summary} time=${time} values=${values} onSelect=${select}
        onKeyDown=${(/** @type {any} */ event) => this.key(event, summary, cells, number)} />
      <ul class="heat-legend" aria-label="Legend">
        ${QUANTILES.map(({name}, q) => html`<li><svg width="28" height="8" aria-hidden="true"><line x1="0" y1="4" x2="28" y2="4" class=${`quantile-${q}`} stroke-width="2" stroke-dasharray=${DASHES[q].join(" ")} /></svg> ${name}</li>`)}
        <li>Values per cell: 1 ${colours.map((colour) => html`<span class="heat-colour" style=${{background: colour}} aria-hidden="true"></span>`)} ${count(cells.most)}</li>
      </ul>
      ${classes !== null && html`<details><summary>As a table</summary>
        <${HeatTable} cells=${cells} summary=${summary} intervals=${intervals} classes=${classes} onTime=${(/** @type {[number, number]} */ range) => changeView({time: range})} /></details>`}
      ${heat.further_fields > 0 && html`<p class="faint">${counted(heat.further_fields, "field")} with fewer values ${heat.further_fields === 1 ? "is" : "are"} not in this report.</p>`}
    </section>`;
  }
}

/** @param {any} field @param {any} row its statement */
function optionText(field, row) {
  return `${fieldName(field)} of ${visible(row.text === "" ? `${row.file}:${row.line}` : row.text, 80)} (${count(field.values)})`;
}

/**
 * @param {import("./heat_cells.js").Cells} cells
 * @param {{values: number, byClass: number[]} | null} part
 * @param {[number, number] | null} classes
 * @param {[number, number] | null} values
 * @param {boolean} isPart
 */
function statusText(cells, part, classes, values, isPart) {
  const {field} = cells;
  if (part === null || classes === null) return "No values are selected.";
  const quantiles = quantilesOf(cells, part, classes[0]).map((each, q) => (each === null ? "" : `, ${QUANTILES[q].name} ${fieldText(field, each)}`)).join("");
  const range = values === null ? "" : ` from ${fieldText(field, values[0])} to ${fieldText(field, values[1])}`;
  const apart = field.not_finite > 0 ? `; ${count(field.not_finite)} more are NaN or infinite` : "";
  return `${counted(part.values, isPart ? "selected value" : "value")}${range}${quantiles}${apart}`;
}
