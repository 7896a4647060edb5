// The names in a flame graph as a table: a click shows callers and callees.

import { html, Component } from "./html.js";
import { count, counted } from "./numbers.js";
import { notPrinted } from "./printed.js";

const MOST_ROWS = 100;
const COLUMNS = [{key: "total", title: "Total"}, {key: "self", title: "Self"}, {key: "count", title: "Number"}];

export class FunctionTable extends Component {
  /** @param {any} properties */
  constructor(properties) {
    super(properties);
    this.state = {sort: "self"};
  }

  /**
   * @param {{names: any[], total: number, chosen: number | null, nameOf: (name: number) => string, weightText: (weight: number) => string, onChoose: (name: number) => void}} properties
   * @param {{sort: string}} state
   */
  render({names, total, chosen, nameOf, weightText, onChoose}, {sort}) {
    const rows = [...names].sort((a, b) => b[sort] - a[sort] || b.total - a.total).slice(0, MOST_ROWS);
    const share = (/** @type {number} */ weight) => (total === 0 ? "" : ` (${(100 * weight / total).toFixed(1)} %)`);
    return html`<div class="scroll functions" tabindex="0" role="region" aria-label="Names by time">
      <table><thead><tr>
        ${COLUMNS.map(({key, title}) => html`<th scope="col" class="number" aria-sort=${sort === key ? "descending" : "none"}><button type="button" onClick=${() => this.setState({sort: key})}>${title}${sort === key ? " ▼" : ""}</button></th>`)}
        <th scope="col">Name</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.name} class=${row.name === chosen ? "selected" : ""} onClick=${() => onChoose(row.name)}>
        <td class="number">${weightText(row.total)}${share(row.total)}</td><td class="number">${weightText(row.self)}${share(row.self)}</td><td class="number">${count(row.count)}</td>
        <td class="statement"><button type="button" class="link" aria-pressed=${row.name === chosen}>${nameOf(row.name)}</button></td></tr>`)}</tbody></table>
      ${names.length > rows.length && html`<p class="note">${counted(names.length - rows.length, "further name")}: search for them.</p>`}
      ${notPrinted(rows.length)}
    </div>`;
  }
}
