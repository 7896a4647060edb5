// Flame graph and sandwich view of spans and stacks.

import { html, Component, visible } from "./html.js";
import { section } from "./data.js";
import { count, counted, durationText } from "./numbers.js";
import { view, changeView, toggleStatement } from "./view.js";
import { isPrinting } from "./printed.js";
import { colourOf, fitted, pageColours, sized } from "./colours.js";
import { OTHERS, ROOT, boxesOf, calleesOf, callersOf, depthOf, namesOf, nodeAt, pathOf, treeOf } from "./flame_tree.js";
import { FunctionTable } from "./flame_functions.js";

const ROW_PIXELS = 18;
const MOST_HEIGHT = 460;

/** One of the two kinds of paths, for all threads or one. The address keeps what is shown. */
export class Flame extends Component {
  /** @param {any} properties */
  constructor(properties) {
    super(properties);
    this.flame = section("flame");
    this.statements = section("statements");
    this.summary = section("summary");
    /** @type {string[]} */
    this.kinds = ["spans", "stacks"].filter((each) => this.flame[each].name.length > 0);
    /** @type {{search: string, tip: any}} */
    this.state = {search: "", tip: null};
    /** @type {{kind: string, thread: number | null, sandwich: number | null}} what the trees are of */
    this.chosen = {kind: this.kinds[0] ?? "spans", thread: null, sandwich: null};
    /** @type {import("./flame_tree.js").Node | null} */
    this.zoom = null;
    /** @type {import("./flame_tree.js").Node | null} */
    this.focus = null;
    /** @type {{box: import("./flame_tree.js").Box, y: number, x: number, width: number}[]} */
    this.drawn = [];
    this.frame = 0;
    this.unmounted = new AbortController();
    this.root = treeOf(this.flame[this.chosen.kind], null);
    /** @type {{key: string, up: import("./flame_tree.js").Node | null, down: import("./flame_tree.js").Node}} */
    this.shown = {key: "", up: null, down: this.root};
  }

  /** @param {number} name */
  nameOf(name) {
    if (name === ROOT) return this.chosen.thread === null ? "all threads" : this.threadText(this.chosen.thread);
    if (name === OTHERS) return "others";
    if (this.chosen.kind === "stacks" && name >= 0) return visible(this.flame.stacks.names[name], 200);
    const row = this.statements[this.statementOf(name)];
    return visible(row.text === "" ? `${row.file}:${row.line}` : row.text, 200);
  }

  /** The number of the statement; -1: it is a function. @param {number} name */
  statementOf(name) {
    if (name === ROOT || name === OTHERS) return -1;
    if (this.chosen.kind === "spans") return name;
    return name < 0 ? -name - 1 : -1;
  }

  /** @param {number} thread */
  threadText(thread) {
    const stream = this.summary.streams[thread];
    return `${visible(stream.service, 40)} ${stream.pid} ${visible(stream.thread_name ?? "", 40)} ${stream.thread_id ?? ""}`;
  }

  /** @param {number} weight */
  weightText(weight) {
    return this.chosen.kind === "spans" ? durationText(weight) : counted(weight, "stack");
  }

  /** Shows other paths. @param {Partial<import("./view.js").FlameView>} change */
  choose(change) {
    this.focus = null;
    this.setState({tip: null});
    changeView({flame: {...view().flame, zoom: [], sandwich: null, ...change}});
  }

  /** The chosen thread, if it has such paths. @param {string} kind */
  threadIn(kind) {
    const {thread} = view().flame, {name, parent} = this.flame[kind];
    return thread !== null && name.some((/** @type {number} */ each, /** @type {number} */ i) => parent[i] < 0 && each === thread) ? thread : null;
  }

  /** Makes the trees of what is chosen. */
  prepare() {
    const wanted = view().flame;
    const kind = this.kinds.includes(wanted.kind) ? wanted.kind : this.kinds[0];
    const thread = this.threadIn(kind), key = `${kind} ${thread}`;
    if (!this.shown.key.startsWith(key + " ")) {
      this.root = treeOf(this.flame[kind], thread);
      this.names = namesOf(this.root);
    }
    // What an address has can be of another report.
    const sandwich = this.names?.some(({name}) => name === wanted.sandwich) ? wanted.sandwich : null;
    this.chosen = {kind, thread, sandwich};
    if (this.shown.key !== `${key} ${sandwich}`) {
      this.shown = {key: `${key} ${sandwich}`, up: sandwich === null ? null : callersOf(this.root, sandwich), down: sandwich === null ? this.root : calleesOf(this.root, sandwich)};
    }
    this.zoom = nodeAt(this.shown.down, wanted.zoom);
    const width = this.base === null || this.base === undefined ? 1200 : Math.max(200, this.base.clientWidth);
    this.boxes = boxesOf(this.zoom ?? this.shown.down, 0.4 / width);
    this.callers = this.shown.up === null ? [] : boxesOf(this.shown.up, 0.4 / width).slice(1);
    this.above = this.zoom === null ? [] : pathOf(this.zoom).slice(0, -1);
    this.height = (depthOf(this.boxes) + 1 + depthOf(this.callers) + this.above.length) * ROW_PIXELS + 4;
  }

  /** @returns {HTMLCanvasElement | null} */
  canvas() {
    return /** @type {HTMLElement} */ (this.base).querySelector("canvas");
  }

  // A live page replaces its panels.
  componentWillUnmount() {
    this.unmounted.abort();
    cancelAnimationFrame(this.frame);
  }

  componentDidMount() {
    const canvas = this.canvas();
    if (canvas !== null) new ResizeObserver(() => isPrinting() || this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), {signal: this.unmounted.signal});
    this.draw();
  }

  componentDidUpdate() {
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    if (this.unmounted.signal.aborted) return;
    const element = this.canvas();
    if (element === null) return;
    const width = element.clientWidth, height = element.clientHeight, colours = pageColours();
    const canvas = sized(element, width, height);
    const scroll = /** @type {HTMLElement} */ (element.parentElement).scrollTop;
    canvas.font = "12px system-ui, sans-serif";
    canvas.fillStyle = colours.back;
    canvas.fillRect(0, 0, width, height);
    const selected = new Set(view().statements), words = this.state.search.toLowerCase();
    this.drawn = [];
    const sandwich = this.shown.up === null ? null : this.shown.down;
    const drawBox = (/** @type {import("./flame_tree.js").Box} */ box, /** @type {number} */ row) => {
      const y = row * ROW_PIXELS - scroll, {node} = box;
      if (y + ROW_PIXELS < 0 || y > height) return;
      const x = box.x * width, wide = Math.max(1, box.width * width - (box.width * width > 3 ? 1 : 0));
      const statement = this.statementOf(node.name), name = this.nameOf(node.name);
      const isDim = (selected.size > 0 && statement >= 0 && !selected.has(statement)) || (words !== "" && !name.toLowerCase().includes(words));
      canvas.globalAlpha = isDim ? 0.2 : 1;
      canvas.fillStyle = node.name === ROOT || node.name === OTHERS ? colours.line : colourOf(node.name);
      canvas.fillRect(x, y, wide, ROW_PIXELS - 1);
      const text = fitted(canvas, name, wide - 6);
      canvas.fillStyle = node.name === ROOT || node.name === OTHERS || isDim ? colours.text : "#111";
      if (text !== "") canvas.fillText(text, x + 3, y + 12.5);
      canvas.globalAlpha = 1;
      if (node === this.focus || node === sandwich) {
        canvas.strokeStyle = colours.text;
        canvas.lineWidth = 2;
        canvas.strokeRect(x + 1, y + 1, Math.max(2, wide - 2), ROW_PIXELS - 3);
      }
      this.drawn.push({box, y, x, width: wide});
    };
    const callers = this.callers ?? [], boxes = this.boxes ?? [], above = this.above ?? [];
    const up = depthOf(callers);
    for (const box of callers) drawBox(box, up - box.depth);
    above.forEach((node, i) => drawBox({node, x: 0, width: 1, depth: i}, up + i));
    for (const box of boxes) drawBox(box, up + above.length + box.depth);
  }

  /** @param {MouseEvent} event */
  boxAt(event) {
    const area = /** @type {HTMLCanvasElement} */ (this.canvas()).getBoundingClientRect();
    const x = event.clientX - area.left, y = event.clientY - area.top;
    return this.drawn.find((each) => x >= each.x && x < each.x + each.width + 1 && y >= each.y && y < each.y + ROW_PIXELS) ?? null;
  }

  /** @param {import("./flame_tree.js").Node} node */
  linesOf(node) {
    const {total} = this.root;
    const lines = [this.nameOf(node.name), `total ${this.weightText(node.total)}, ${total === 0 ? 0 : (100 * node.total / total).toFixed(1)} %`];
    if (this.chosen.kind === "spans" && node.name !== ROOT) lines.push(`self ${this.weightText(node.self)}, ${counted(node.count, "span")}`);
    if (node.name === OTHERS) lines.push("paths that the report does not have one by one");
    const statement = this.statementOf(node.name);
    if (statement >= 0) lines.push(`${visible(this.statements[statement].file)}:${this.statements[statement].line}`);
    return lines;
  }

  /** @param {import("./flame_tree.js").Node | null} node @param {number} x @param {number} y */
  tell(node, x, y) {
    if (node !== null || this.state.tip !== null) this.setState({tip: node === null ? null : {lines: this.linesOf(node), x, y}});
  }

  /** @param {import("./flame_tree.js").Node} node */
  zoomTo(node) {
    if (node.name === OTHERS) return;
    this.focus = node;
    this.setState({tip: null});
    this.fill(node === this.zoom ? null : node);
  }

  /** @param {import("./flame_tree.js").Node | null} node what fills the width */
  fill(node) {
    const {thread, kind, sandwich} = this.chosen;
    changeView({flame: {kind: kind === this.kinds[0] ? "" : kind, thread, sandwich, zoom: node === null ? [] : pathOf(node).slice(1).map(({name}) => name)}});
  }

  /** @param {MouseEvent} event */
  click(event) {
    const found = this.boxAt(event);
    if (found === null) return;
    const {node} = found.box, statement = this.statementOf(node.name);
    this.focus = node;
    if (event.shiftKey && statement >= 0) toggleStatement(statement);
    else if ((this.callers ?? []).some((box) => box.node === node)) this.choose({sandwich: node.name});
    else this.zoomTo(node);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const focus = this.focus ?? this.zoom ?? this.shown.down, {parent} = focus;
    const siblings = parent === null ? [focus] : parent.children;
    const at = siblings.indexOf(focus);
    let next = focus;
    if (event.key === "ArrowDown") next = focus.children[0] ?? focus;
    else if (event.key === "ArrowUp") next = parent ?? focus;
    else if (event.key === "ArrowRight") next = siblings[Math.min(siblings.length - 1, at + 1)];
    else if (event.key === "ArrowLeft") next = siblings[Math.max(0, at - 1)];
    else if (event.key === "Enter" || event.key === "+") this.zoomTo(focus);
    else if (event.key === "-" && this.zoom !== null) this.fill(this.zoom.parent);
    else if (event.key === "Home" || event.key === "Escape") this.fill(null);
    else if (event.key === "s" && focus.name !== ROOT && focus.name !== OTHERS) this.choose({sandwich: focus.name});
    else if (event.key === " " && this.statementOf(focus.name) >= 0) toggleStatement(this.statementOf(focus.name));
    else return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) {
      this.focus = next;
      const place = this.drawn.find((each) => each.box.node === next);
      this.setState({tip: {lines: this.linesOf(next), x: place?.x ?? 0, y: (place?.y ?? 0) + ROW_PIXELS}});
    } else {
      this.setState({tip: null});
    }
  }

  /** @param {any} paths */
  noteText(paths) {
    const notes = [];
    if (paths.nodes_left_out > 0 || paths.is_incomplete) notes.push(`${count(paths.name.length)} paths are here, the heaviest; ${count(paths.nodes_left_out)}${paths.is_incomplete ? " or more" : ""} others are counted as "others".`);
    if (this.chosen.kind === "stacks") {
      notes.push(`${counted(paths.stacks, "stack")}. ${count(paths.addresses_with_function)} of ${count(paths.addresses)} addresses have the name of a function; the others have that of their module, and the offset in it.`);
      if (paths.stacks_left_out > 0) notes.push(`${count(paths.stacks_left_out)} stacks are left out.`);
    }
    if (view().time !== null) notes.push("Of the whole trace, not only the selected time.");
    return notes.join(" ");
  }

  /** @param {any} _ @param {any} state */
  render(_, {search, tip}) {
    const {kinds} = this;
    if (kinds.length === 0) return html`<section class="panel" id="flame" aria-labelledby="flame-title"><h2 id="flame-title">Flame graph</h2><p class="note">The trace has no spans and no stacks.</p></section>`;
    this.prepare();
    const {kind, thread, sandwich} = this.chosen, paths = this.flame[kind];
    const threads = paths.name.filter((/** @type {number} */ _each, /** @type {number} */ i) => paths.parent[i] < 0).slice(0, 1000);
    const names = this.names ?? [], words = search.toLowerCase();
    const found = words === "" ? 0 : names.filter((each) => this.nameOf(each.name).toLowerCase().includes(words)).length;
    const height = Math.min(MOST_HEIGHT, Math.max(60, this.height ?? 0)), note = this.noteText(paths);
    return html`<section class="panel" id="flame" aria-labelledby="flame-title">
      <h2 id="flame-title">${sandwich === null ? "Flame graph" : "Callers and callees"}</h2>
      <div class="tools">
        ${kinds.length > 1 && html`<label>Of <select value=${kind} onChange=${(/** @type {any} */ event) => this.choose({kind: event.target.value === kinds[0] ? "" : event.target.value, thread: null})}>${kinds.map((each) => html`<option value=${each}>${each}</option>`)}</select></label>`}
        ${threads.length > 1 && html`<label>Thread <select value=${thread ?? ""} onChange=${(/** @type {any} */ event) => this.choose({thread: event.target.value === "" ? null : Number(event.target.value)})}><option value="">all threads</option>${threads.map((/** @type {number} */ each) => html`<option value=${each}>${this.threadText(each)}</option>`)}</select></label>`}
        <label>Search <input type="search" value=${search} onInput=${(/** @type {any} */ event) => this.setState({search: event.target.value})} /></label>
        ${words !== "" && html`<span role="status">${count(found)} of ${count(names.length)} names</span>`}
        ${(this.zoom !== null || sandwich !== null) && html`<button type="button" onClick=${() => this.choose({})}>Show all</button>`}
        ${this.zoom !== null && this.zoom.name !== ROOT && sandwich === null && html`<button type="button" onClick=${() => this.choose({sandwich: this.zoom?.name})}>Callers and callees</button>`}
      </div>
      <div class="scroll timeline flame" style=${{height: `${height + 2}px`}} onScroll=${() => this.draw()}>
        <canvas tabindex="0" role="application" aria-label=${sandwich === null ? "Flame graph" : `Callers of ${this.nameOf(sandwich)} above it, callees below`} aria-describedby="flame-help" style=${{height: `${height}px`}}
          onClick=${(/** @type {MouseEvent} */ event) => this.click(event)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => this.key(event)}
          onMouseMove=${(/** @type {any} */ event) => this.tell(this.boxAt(event)?.box.node ?? null, event.offsetX, event.offsetY)} onMouseLeave=${() => this.tell(null, 0, 0)}></canvas>
        <div aria-hidden="true" style=${{height: `${Math.max(0, (this.height ?? 0) - height)}px`}}></div>
      </div>
      ${tip !== null && html`<div class="tip" style=${{left: `min(${Math.round(tip.x + 24)}px, calc(100% - 292px))`, top: `${Math.round(tip.y + 100)}px`}} aria-hidden="true">${tip.lines.map((/** @type {string} */ line, /** @type {number} */ i) => (i === 0 ? html`<b>${line}</b>` : html`<div>${line}</div>`))}</div>`}
      <p class="visually-hidden" role="status">${tip === null ? "" : tip.lines.join(", ")}</p>
      ${note !== "" && html`<p class="note">${note}</p>`}
      <p class="note" id="flame-help">A click fills the width, Shift and a click select the statement. Keys: arrows move, Enter fills the width, − and Home go back, s shows callers and callees, Space selects the statement.</p>
      <${FunctionTable} names=${words === "" ? names : names.filter((each) => this.nameOf(each.name).toLowerCase().includes(words))} total=${this.root.total} chosen=${sandwich}
        nameOf=${(/** @type {number} */ name) => this.nameOf(name)} weightText=${(/** @type {number} */ weight) => this.weightText(weight)} onChoose=${(/** @type {number} */ name) => this.choose({sandwich: name === sandwich ? null : name})} />
    </section>`;
  }
}
