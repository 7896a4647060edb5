// The list of records: virtual, filtered by what is selected and by a condition.

import { html, Component, visible } from "./html.js";
import { count, counted, momentText, valueText } from "./numbers.js";
import { view, changeView, isSelected } from "./view.js";
import { cellsOfField, classesIn, rangeOf } from "./heat_cells.js";
import { section } from "./data.js";
import { recordList } from "./report_records.js";
import { RecordFilter } from "./record_filter.js";
import { RecordDetail } from "./record_detail.js";
import { rulesOf, reasonText } from "./record_rules.js";
import { copyText } from "./clipboard.js";
import { PRINTED_ROWS, isPrinting, notPrinted } from "./printed.js";

const ROW_PIXELS = 24;
const VISIBLE_ROWS = 20;
const MOST_COPIED = 10000;
const SETTLED_MS = 200;

/** Fields as text, such as `qty=5 side=buy`. @param {any} object */
function fieldsText(object) {
  const parts = [];
  for (const [name, value] of Object.entries({...object.fields, ...object.context})) {
    parts.push(`${name}=${valueText(value)}`);
    if (parts.length === 20) break;
  }
  return parts.join(" ").slice(0, 500);
}

export class RecordTable extends Component {
  constructor() {
    super();
    this.list = recordList();
    this.filter = this.list === null ? null : new RecordFilter(this.list, () => this.forceUpdate());
    this.state = {row: view().row, typed: view().where, copied: ""};
    this.typing = 0;
    this.wantedRow = 0;
    this.isPlaced = false;
    /** @type {[number, number] | null} the selection that was shown last */
    this.shown = null;
    /** @type {[number, number] | null} the one that was made here */
    this.own = null;
    /** @type {number | undefined} the record that the keyboard is at */
    this.current = undefined;
    this.where = view().where;
    this.scrolling = 0;
    /** @type {number} where a range begins that the keyboard extends */
    this.anchor = view().records?.[0] ?? 0;
    /** @type {HTMLElement | null} */
    this.scroll = null;
  }

  componentDidMount() {
    this.wantedRow = view().row;
    this.isPlaced = false;
    this.shown = view().records;
    this.place();
  }

  // The row in the address, or the selected record, once the filter has found the rows.
  place() {
    if (this.isPlaced || this.scroll === null || this.filter === null || !this.filter.isDone) return;
    this.isPlaced = true;
    if (this.wantedRow > 0) this.scroll.scrollTop = this.wantedRow * ROW_PIXELS;
    else if (this.shown !== null) this.show(this.shown[0]);
  }

  // A selection that another panel made is scrolled to.
  componentDidUpdate() {
    this.place();
    const {records, where} = view();
    if (records !== this.shown && records !== null && records !== this.own) this.show(records[1]);
    this.shown = records;
    // Another panel or the address has changed it; what the reader types meanwhile stays.
    if (where !== this.where) {
      this.where = where;
      clearTimeout(this.typing);
      this.setState({typed: where});
    }
  }

  /** What the brush of the heat map has selected. @returns {import("./record_filter.js").ValueRange | null} */
  values() {
    const {field, values} = view(), known = field === null ? undefined : section("heat")?.fields[field];
    // With other statements selected, the heat map shows another field.
    if (values === null || known === undefined || !isSelected(known.statement)) return null;
    const cells = cellsOfField(known), classes = classesIn(cells, values);
    // The heat map selects whole classes.
    return {statement: known.statement, argument: known.kind === "duration" ? -1 : known.index, range: classes === null ? values : rangeOf(cells, classes)};
  }

  /** Scrolls so that a record is visible. @param {number} record */
  show(record) {
    const at = this.filter?.numbers.indexOf(record) ?? -1;
    if (at < 0 || this.scroll === null) return;
    const top = at * ROW_PIXELS;
    const height = (VISIBLE_ROWS - 2) * ROW_PIXELS;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    else if (top > this.scroll.scrollTop + height) this.scroll.scrollTop = top - height;
  }

  /** @param {number} record @param {boolean} extends_ whether the selection is extended to it */
  select(record, extends_) {
    if (!extends_) this.anchor = record;
    this.own = /** @type {[number, number]} */ ([Math.min(this.anchor, record), Math.max(this.anchor, record)]);
    this.current = record;
    this.show(record);
    changeView({records: this.own});
  }

  /** @param {any} event */
  onKey(event) {
    const numbers = this.filter?.numbers ?? [];
    const steps = /** @type {Record<string, number>} */ ({ArrowDown: 1, ArrowUp: -1, PageDown: VISIBLE_ROWS - 2, PageUp: 2 - VISIBLE_ROWS,
      Home: -numbers.length, End: numbers.length});
    if ((event.key === "c" || event.key === "C") && !event.altKey && !String(getSelection())) {
      this.copy();
      event.preventDefault();
    } else if (event.key === "Escape") {
      changeView({records: null});
    } else if (steps[event.key] !== undefined && numbers.length > 0) {
      const selected = view().records;
      const at = selected === null ? -1 : numbers.indexOf(this.current ?? selected[1]);
      const next = at < 0 && steps[event.key] > 0 ? 0 : at + steps[event.key];
      this.select(numbers[Math.min(numbers.length - 1, Math.max(0, next))], event.shiftKey);
      event.preventDefault();
    }
  }

  async copy() {
    const selected = view().records;
    if (this.list === null || this.filter === null) return;
    const list = this.list;
    const numbers = selected === null ? [] : this.filter.numbers.filter((each) => each >= selected[0] && each <= selected[1]).slice(0, MOST_COPIED);
    if (numbers.length === 0) return this.setState({copied: "Select a record first."});
    const isCopied = await copyText(numbers.map((each) => list.line(each) + "\n").join(""));
    this.setState({copied: isCopied ? `${count(numbers.length)} copied as JSON.` : "This browser does not permit it."});
  }

  /** @param {string} typed */
  type(typed) {
    this.setState({typed});
    clearTimeout(this.typing);
    this.typing = setTimeout(() => {
      this.where = typed;
      changeView({where: typed, row: 0});
    }, SETTLED_MS);
  }

  /** @param {number} top */
  onScroll(top) {
    const row = Math.floor(top / ROW_PIXELS);
    if (row === this.state.row) return;
    this.setState({row});
    clearTimeout(this.scrolling);
    this.scrolling = setTimeout(() => changeView({row}), SETTLED_MS);
  }

  /** Whether the records are of several days. @param {bigint} begin */
  isDated(begin) {
    const times = this.list?.times ?? [];
    return times.length > 0 && momentText(begin, times[0]).slice(0, 10) !== momentText(begin, times[times.length - 1]).slice(0, 10);
  }

  /** How many records the list shows, and how many losses. */
  statusText() {
    if (this.list === null || this.filter === null) return "";
    const {list, filter: {numbers, isDone}} = this;
    const losses = list.losses === 0 ? 0 : numbers.filter((number) => list.isLoss(number)).length;
    return `${count(numbers.length - losses)} of ${count(list.length - list.losses)} shown${losses === 0 ? "" : losses === 1 ? ", and 1 loss" : `, and ${count(losses)} losses`}${isDone ? "" : "…"}`;
  }

  /** @param {number} i @param {number} number @param {bigint} begin @param {any} summary */
  row(i, number, begin, summary) {
    const list = /** @type {import("./record_list.js").RecordList} */ (this.list);
    const object = list.object(number);
    const stream = summary.streams[list.index.stream[number]];
    const selected = view().records;
    const isSelected = selected !== null && number >= selected[0] && number <= selected[1];
    const moment = momentText(begin, list.times[number]);
    const level = list.isLoss(number) ? "LOST" : object.level;
    const text = list.isLoss(number) ? `${counted(object.count, "record")} lost (${object.cause})` : object.msg;
    const thread = stream === undefined ? "" : `${stream.service} ${stream.thread_name ?? ""} ${stream.thread_id ?? ""}`;
    return html`<tr key=${number} id=${`record-${number}`} role="row" aria-rowindex=${i + 2} aria-selected=${isSelected} class=${isSelected ? "selected" : ""}
        onClick=${(/** @type {any} */ event) => this.select(number, event.shiftKey)}>
      <td role="gridcell" class="moment" title=${moment}>${this.isDated(begin) ? moment : moment.slice(11)}</td>
      <td role="gridcell" class=${"level " + (/^[A-Z]+$/.test(level) ? level.toLowerCase() : "")}>${level}</td>
      <td role="gridcell" class="thread" title=${visible(thread, 200)}>${visible(thread, 60)}</td>
      <td role="gridcell" class="message"><bdi>${visible(text, 300)}</bdi></td>
      <td role="gridcell" class="fields"><bdi>${visible(list.isLoss(number) ? "" : fieldsText(object), 300)}</bdi></td></tr>`;
  }

  /** @param {{summary: any}} properties @param {any} state */
  render({summary}, {row, typed, copied}) {
    if (this.list === null || this.filter === null) return null;
    const {list, filter} = this;
    const {statements, time, where, records} = view();
    const values = this.values();
    filter.want({statements, time, where, values});
    const numbers = filter.numbers;
    const begin = BigInt(summary.begin_unix_ns);
    const first = Math.max(0, Math.min(row, numbers.length - VISIBLE_ROWS) - 5);
    const part = numbers.slice(first, first + (isPrinting() ? PRINTED_ROWS : VISIBLE_ROWS + 10));
    const current = records === null ? null : this.current !== undefined && this.current >= records[0] && this.current <= records[1] ? this.current : records[1];
    const rules = rulesOf(list);
    const space = (/** @type {number} */ rows) => html`<tr class="space" style=${{height: `${rows * ROW_PIXELS}px`}} aria-hidden="true"></tr>`;
    return html`<section class="panel" id="records" aria-labelledby="records-title">
      <h2 id="records-title">Records</h2>
      <p class="faint" id="records-rules">${rules.headline}${rules.details.length > 0 && html` <details><summary>Which ones</summary><ul>${rules.details.map((each) => html`<li>${each}</li>`)}</ul></details>`}</p>
      <div class="tools">
        <label class="wide">Filter <input type="search" spellcheck="false" autocomplete="off" value=${typed} placeholder=${'level >= WARNING && msg =~ "timeout"'}
          aria-describedby="records-error" aria-invalid=${filter.error !== ""} onInput=${(/** @type {any} */ event) => this.type(event.target.value)} /></label>
        <span role="status">${this.statusText()}</span>
        <button type="button" onClick=${() => this.copy()}>Copy as JSON</button>
        ${(where !== "" || statements.length > 0 || time !== null || values !== null) && html`<button type="button" onClick=${() => {
          this.own = null;
          changeView({where: "", statements: [], time: null, values: null, records: records === null ? null : [records[0], records[1]]});
        }}>Show all</button>`}
        <span role="status" class="faint">${copied}</span>
      </div>
      <p id="records-error" class="bad" role="alert">${visible(filter.error, 1000)}</p>
      <div class=${"scroll records" + (this.isDated(begin) ? " dated" : "")} tabindex="0" role="grid" aria-label="Records" aria-rowcount=${numbers.length + 1} aria-multiselectable="true"
          aria-activedescendant=${current === null ? undefined : `record-${current}`} ref=${(/** @type {any} */ element) => { this.scroll = element; }}
          onKeyDown=${(/** @type {any} */ event) => this.onKey(event)} onScroll=${(/** @type {any} */ event) => this.onScroll(event.target.scrollTop)}>
        <table role="presentation"><thead role="rowgroup"><tr role="row" aria-rowindex="1">${["Time, UTC", "Level", "Thread", "Message", "Fields"].map((each) => html`<th role="columnheader" scope="col">${each}</th>`)}</tr></thead>
        <tbody role="rowgroup">${space(first)}${part.map((number, i) => this.row(first + i, number, begin, summary))}${space(Math.max(0, numbers.length - first - part.length))}</tbody></table>
      </div>
      ${notPrinted(numbers.length, part.length)}
      ${current !== null && current < list.length && html`<${RecordDetail} object=${list.object(current)} isCut=${list.cut.has(current)} reason=${reasonText(list.index.all ? "all" : list.reason(current))} />`}
    </section>`;
  }
}
