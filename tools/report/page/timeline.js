// The timeline: what each thread and each task did, and numbers over time.

import { html, Component, visible } from "./html.js";
import { section } from "./data.js";
import { count, durationText } from "./numbers.js";
import { view, changeView, toggleStatement } from "./view.js";
import { isPrinting } from "./printed.js";
import { pageColours, sized } from "./colours.js";
import { INTERVALS, indexAfter } from "./timeline_arrays.js";
import { spanAt, tracksOf } from "./timeline_data.js";
import { recordSeries, seriesOf } from "./timeline_series.js";
import { RULER_PIXELS, ROW_PIXELS, STRIP_PIXELS, placesOf, placesWithin, rowsTop } from "./timeline_rows.js";
import { drawHead, drawMoments, drawSelection, drawSeries, drawTrack, hatching } from "./timeline_draw.js";
import { timeOf, xOf } from "./timeline_scale.js";
import { drawAxis } from "./timeline_axis.js";
import { crowdedText, leftOutText } from "./timeline_notes.js";
import { Sequence, rangeOfFocus, statementOfFocus, timeOfFocus } from "./timeline_steps.js";
import { foundOf, linesOf } from "./timeline_tips.js";
import { limited, listen, zoomed } from "./timeline_input.js";

const MOST_HEIGHT = 460;
const FIRST_SERIES = 3;
const NEAR_PIXELS = 5;

/** Draws on a canvas, which is as large as the visible part. */
export class Timeline extends Component {
  /** @param {any} properties */
  constructor(properties) {
    super(properties);
    this.timeline = section("timeline");
    this.summary = section("summary");
    this.statements = section("statements");
    this.schedule = section("schedule");
    /** @type {any[]} */
    this.losses = section("health").intervals;
    /** @type {any[]} */
    this.moments = section("triggers")?.changes ?? [];
    /** @type {WeakMap<object, [Sequence, Sequence]>} */
    this.sequences = new WeakMap();
    this.end = this.losses.reduce((/** @type {number} */ most, /** @type {any} */ loss) => Math.max(most, loss.to), Math.max(this.timeline.end, this.schedule.end, this.summary.end, 10));
    this.tracks = tracksOf(this.timeline, this.summary, this.losses, this.schedule);
    /** @type {any[]} */
    this.choices = section("series").series.map((/** @type {any} */ each) => ({...seriesOf(each, this.statements), isCounter: each.is_counter}));
    this.names = this.statements.map((/** @type {any} */ row) => visible(row.text === "" ? `${row.file}:${row.line}` : row.text, 200));
    this.beginUnixNs = BigInt(this.summary.begin_unix_ns);
    /** @type {[number, number]} the address has another one */
    this.window = limited(view().window ?? [0, this.end], this.end);
    /** @type {[number, number] | null} */
    this.brush = null;
    /** @type {[number, number] | null} */
    this.seenTime = null;
    /** @type {import("./timeline_steps.js").Focus | null} */
    this.focus = null;
    /** @type {{x: number, y: number} | null} where the tip is of */
    this.pointer = null;
    this.frame = 0;
    this.unmounted = new AbortController();
    /** @type {{statements: number[], chosen: string[]}} what the layout is of */
    this.laid = {statements: [], chosen: []};
    this.first = this.choices.filter((each) => each.isCounter).slice(0, FIRST_SERIES).map((each) => each.key);
    this.keeper = 0;
    /** @type {[number, number] | null} */
    this.seenWindow = view().window;
    this.state = {tip: null};
    /** @type {{places: import("./timeline_rows.js").Place[], height: number}} */
    this.layout = this.laidOut();
  }

  /** The selected time with a margin, or all. @returns {[number, number]} */
  whole() {
    const {time} = view();
    if (time === null) return [0, this.end];
    const margin = (time[1] - time[0]) * 0.1;
    return [time[0] - margin, time[1] + margin];
  }

  /** @returns {{places: import("./timeline_rows.js").Place[], height: number}} */
  laidOut() {
    const {statements} = view(), keys = this.chosen();
    if (this.layout !== undefined && this.laid.statements === statements && this.laid.chosen === keys) return this.layout;
    this.laid = {statements, chosen: keys};
    const used = Math.floor(this.summary.end / this.summary.interval_ns) + 1;
    const chosen = keys.map((key) => this.choices.find((each) => each.key === key)).filter((each) => each !== undefined);
    return placesOf([recordSeries(this.statements, statements, used), ...chosen], this.tracks);
  }

  /** The keys of the curves. @returns {string[]} */
  chosen() {
    return view().series ?? this.first;
  }

  /** @returns {HTMLCanvasElement} */
  canvas() {
    return /** @type {HTMLCanvasElement} */ (/** @type {HTMLElement} */ (this.base).querySelector("canvas"));
  }

  /** @returns {HTMLElement} */
  scroll() {
    return /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (this.base).querySelector(".timeline"));
  }

  left() {
    return this.canvas().clientWidth < 600 ? 84 : 180;
  }

  // A live page replaces its panels.
  componentWillUnmount() {
    this.unmounted.abort();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.keeper);
  }

  componentDidMount() {
    const canvas = this.canvas();
    listen(canvas, {
      window: () => this.window, left: () => this.left(), all: () => this.end,
      timeAt: (x) => timeOf({window: this.window, left: this.left(), width: canvas.clientWidth}, x),
      onWindow: (window) => this.show(window),
      onBrush: (time, done) => this.select(time, done),
      onHover: (x, y) => this.point({x, y}),
      onLeave: () => this.point(null),
      onClick: (x, y) => this.click(this.at(x, y)),
      onDoubleClick: (x, y) => this.showItem(this.at(x, y)),
      onScroll: (pixels) => this.scroll().scrollBy(0, pixels),
      onKey: (key) => this.key(key),
    });
    new ResizeObserver(() => isPrinting() || this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), {signal: this.unmounted.signal});
    this.seenTime = view().time;
    this.draw();
  }

  componentDidUpdate() {
    const {time, window} = view();
    if (window !== this.seenWindow) this.window = limited(window ?? [0, this.end], this.end);
    else if (time !== this.seenTime && this.brush === null) this.show(this.whole());
    this.seenTime = time;
    this.seenWindow = window;
    this.draw();
  }

  /** @param {[number, number]} window */
  show(window) {
    this.window = limited(window, this.end);
    this.draw();
    this.point(this.pointer);
    // The address follows when the reader pauses: browsers limit how often it can change.
    clearTimeout(this.keeper);
    this.keeper = setTimeout(() => {
      const isWhole = this.window[0] === 0 && this.window[1] >= this.end;
      this.seenWindow = isWhole ? null : [Math.round(this.window[0]), Math.round(this.window[1])];
      changeView({window: this.seenWindow});
    }, 400);
  }

  /** @param {[number, number] | null} time @param {boolean} done */
  select(time, done) {
    this.brush = time === null ? null : [Math.max(0, time[0]), Math.min(this.end, time[1])];
    if (!done) return this.draw();
    const selected = this.brush;
    changeView({time: selected === null || selected[0] >= selected[1] ? null : [Math.floor(selected[0]), Math.floor(selected[1]) + 1]});
    this.seenTime = view().time;
    this.brush = null;
    this.draw();
  }

  scrolled() {
    if (this.pointer !== null) this.point(this.pointer);
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    if (this.unmounted.signal.aborted) return;
    const element = this.canvas(), width = element.clientWidth, height = element.clientHeight, left = this.left();
    const canvas = sized(element, width, height), colours = pageColours(), top = this.scroll().scrollTop;
    canvas.font = "12px system-ui, sans-serif";
    canvas.fillStyle = colours.back;
    canvas.fillRect(0, 0, width, height);
    const {statements, time} = view();
    const chosen = new Set(statements), {losses} = this;
    const scene = {
      canvas, colours, window: this.window, left, width, intervalNs: this.summary.interval_ns, names: this.names, focus: this.focus,
      isSelected: (/** @type {number} */ statement) => chosen.size === 0 || chosen.has(statement), losses, hatching: losses.length > 0 ? hatching(canvas, colours.bad) : null,
    };
    for (const place of placesWithin(this.layout.places, top, top + height - RULER_PIXELS)) {
      const y = place.top - top + RULER_PIXELS;
      if (place.kind === "track") drawTrack(scene, place, y);
      else if (place.kind === "series") drawSeries(scene, place, y);
      else drawHead(scene, place, y);
    }
    const selected = this.brush ?? time;
    if (selected !== null) drawSelection(scene, selected, height);
    drawMoments(scene, this.moments, height);
    drawAxis(canvas, {window: this.window, left, width, height: RULER_PIXELS, beginUnixNs: this.beginUnixNs, colours});
    const range = /** @type {HTMLElement} */ (this.base).querySelector(".range");
    if (range !== null) range.textContent = `${durationText(this.window[1] - this.window[0])} shown`;
  }

  /**
   * What is drawn at a place.
   * @param {number} x
   * @param {number} y
   * @returns {import("./timeline_tips.js").Found | null}
   */
  at(x, y) {
    const canvas = this.canvas(), left = this.left();
    if (x < left) return null;
    if (y < RULER_PIXELS) return this.momentAt(x);
    const inside = y - RULER_PIXELS + this.scroll().scrollTop;
    const place = placesWithin(this.layout.places, inside, inside + 1)[0];
    if (place === undefined) return null;
    const scene = {window: this.window, left, width: canvas.clientWidth};
    const time = timeOf(scene, x), near = 3 * (timeOf(scene, 1) - timeOf(scene, 0));
    const found = foundOf({track: place.track, interval: Math.min(INTERVALS - 1, Math.floor(time / this.summary.interval_ns)), place});
    const {track} = place;
    if (track === null) return found;
    if (track.kind === "thread") found.loss = this.losses.find((/** @type {any} */ loss) => loss.stream === track.stream && loss.from - 2 * near <= time && time <= loss.to + 2 * near);
    const row = Math.floor((inside - place.top - rowsTop(track)) / ROW_PIXELS);
    if (row < 0 && track.schedule !== null && inside >= place.top + 3 + STRIP_PIXELS) {
      found.at = time;
    } else if (row >= 0) {
      found.span = spanAt(track, row, time, near);
    } else {
      const {times} = track, next = indexAfter(times, time);
      for (const at of [next - 1, next]) {
        if (at < 0 || at >= times.length || Math.abs(times[at] - time) > near) continue;
        if (found.instant < 0 || Math.abs(times[at] - time) < Math.abs(times[found.instant] - time)) found.instant = at;
      }
    }
    return found;
  }

  /** A change of what was collected, near a place of the ruler. @param {number} x */
  momentAt(x) {
    const scene = {window: this.window, left: this.left(), width: this.canvas().clientWidth};
    const away = (/** @type {any} */ each) => Math.abs(xOf(scene, each.at) - x);
    const [nearest] = this.moments.filter((each) => away(each) <= NEAR_PIXELS).sort((a, b) => away(a) - away(b));
    return nearest === undefined ? null : foundOf({moment: nearest});
  }

  /** Shows what is at a place, also after other things have come there. @param {{x: number, y: number} | null} pointer */
  point(pointer) {
    this.pointer = pointer;
    const lines = pointer === null ? [] : linesOf(this, this.at(pointer.x, pointer.y));
    if (lines.length > 0 || this.state.tip !== null) this.setState({tip: lines.length === 0 ? null : {lines, ...pointer}});
  }

  /** @param {import("./timeline_tips.js").Found | null} found */
  click(found) {
    if (found === null || found.track === null || (found.span < 0 && found.instant < 0)) return;
    this.focus = {track: found.track, span: found.span, instant: found.instant, loss: undefined};
    toggleStatement(statementOfFocus(this.focus));
    this.draw();
  }

  /** @param {import("./timeline_tips.js").Found | null} found */
  showItem(found) {
    if (found !== null && found.span >= 0) this.fill({track: found.track, span: found.span, instant: -1, loss: undefined});
  }

  /** @param {import("./timeline_steps.js").Focus} focus what the window shows, with a margin */
  fill(focus) {
    const [begin, end] = rangeOfFocus(focus), margin = Math.max(5, (end - begin) * 0.1);
    this.show([begin - margin, end + margin]);
  }

  /** @param {string} key @returns {boolean} whether it means something */
  key(key) {
    if (key === "ArrowUp" || key === "ArrowDown") {
      this.scroll().scrollBy(0, key === "ArrowUp" ? -60 : 60);
    } else if (key === "," || key === ".") {
      this.step(key === "." ? 1 : -1, true);
    } else if (key === "<" || key === ">") {
      this.step(key === ">" ? 1 : -1, false);
    } else if (key === "[" || key === "]") {
      this.stepTrack(key === "]" ? 1 : -1);
    } else if (key === "Enter" && this.focus !== null) {
      if (statementOfFocus(this.focus) >= 0) toggleStatement(statementOfFocus(this.focus));
    } else if (key === "f" && this.focus !== null) {
      this.fill(this.focus);
    } else if (key === "Escape") {
      this.focus = null;
      this.point(null);
      this.draw();
    } else {
      return false;
    }
    return true;
  }

  /**
   * Moves the focus within its track: to another span, or to another record without a duration or loss.
   * @param {number} steps
   * @param {boolean} isOfSpans
   */
  step(steps, isOfSpans) {
    const places = this.places(), {focus} = this;
    const has = (/** @type {import("./timeline_rows.js").Place} */ place) => this.sequence(place.track, isOfSpans).length > 0;
    const place = focus === null ? places.find((each) => has(each) && this.sequence(each.track, isOfSpans).isOfSpans === isOfSpans) ?? places[0] : places.find((each) => each.track === focus.track);
    if (place === undefined) return;
    const sequence = this.sequence(place.track, isOfSpans);
    this.focusOn(place, focus === null ? sequence.after(this.window[0] - 0.5) : sequence.moved(focus, steps));
  }

  /** Moves the focus to another track. @param {number} tracks */
  stepTrack(tracks) {
    const places = this.places(), {focus} = this;
    if (places.length === 0) return;
    const at = focus === null ? 0 : places.findIndex((place) => place.track === focus.track) + tracks;
    const place = places[Math.max(0, Math.min(places.length - 1, at))];
    this.focusOn(place, this.sequence(place.track, true).after((this.window[0] + this.window[1]) / 2));
  }

  /** Of tracks that have something. */
  places() {
    return this.layout.places.filter(({track}) => track !== null && this.sequence(track, true).length > 0);
  }

  /** What keys move through; a track without spans has the others, and the other way round. @param {any} track @param {boolean} isOfSpans */
  sequence(track, isOfSpans) {
    let both = this.sequences.get(track);
    if (both === undefined) {
      both = [new Sequence(track, this.losses, true), new Sequence(track, this.losses, false)];
      this.sequences.set(track, both);
    }
    const [wanted, other] = isOfSpans ? both : [both[1], both[0]];
    return wanted.length > 0 ? wanted : other;
  }

  /** @param {import("./timeline_rows.js").Place} place @param {import("./timeline_steps.js").Focus} focus */
  focusOn(place, focus) {
    this.focus = focus;
    this.pointer = null;
    const begin = timeOfFocus(focus), length = this.window[1] - this.window[0], {track} = focus;
    if (begin < this.window[0] || begin > this.window[1]) this.show([begin - length / 3, begin + length * 2 / 3]);
    const scroll = this.scroll();
    if (place.top < scroll.scrollTop || place.top + place.height > scroll.scrollTop + scroll.clientHeight - RULER_PIXELS) scroll.scrollTop = place.top;
    const x = Math.max(this.left(), xOf({window: this.window, left: this.left(), width: this.canvas().clientWidth}, begin));
    this.setState({tip: {lines: linesOf(this, foundOf(focus)), x, y: place.top - scroll.scrollTop + RULER_PIXELS + (focus.span < 0 ? 0 : rowsTop(track) + track.spans.row[focus.span] * ROW_PIXELS)}});
    this.draw();
  }

  /** @param {any} _ @param {{tip: any}} state */
  render(_, {tip}) {
    const chosen = this.chosen().filter((key) => this.choices.some((each) => each.key === key));
    this.layout = this.laidOut();
    const height = Math.min(MOST_HEIGHT, this.layout.height + RULER_PIXELS);
    const zoom = (/** @type {number} */ factor) => this.show(zoomed(this.window, factor, (this.window[0] + this.window[1]) / 2));
    const note = leftOutText({timeline: this.timeline, schedule: this.schedule, health: section("health"), series: section("series")}), crowded = crowdedText(this.tracks);
    const others = this.choices.filter((each) => !chosen.includes(each.key));
    return html`<section class="panel" id="timeline" aria-labelledby="timeline-title">
      <h2 id="timeline-title">Timeline</h2>
      <div class="tools">
        <button type="button" aria-label="Zoom in" onClick=${() => zoom(0.5)}>+</button>
        <button type="button" aria-label="Zoom out" onClick=${() => zoom(2)}>−</button>
        <button type="button" onClick=${() => this.show([0, this.end])}>Whole trace</button>
        <span class="range"></span>
        ${others.length > 0 && html`<label>Number <select value="" onChange=${(/** @type {any} */ event) => {
          if (event.target.value !== "") changeView({series: [...chosen, event.target.value]});
          event.target.value = "";
        }}><option value="">add a curve</option>${others.map((each) => html`<option value=${each.key}>${each.label}</option>`)}</select></label>`}
        ${chosen.map((key) => html`<button type="button" class="chip" aria-label=${"Remove the curve " + this.choices.find((each) => each.key === key).label} onClick=${() => changeView({series: chosen.filter((each) => each !== key)})}>${this.choices.find((each) => each.key === key).label} ×</button>`)}
      </div>
      <div class="scroll timeline" style=${{height: `${height + 2}px`}} onScroll=${() => this.scrolled()}>
        <canvas tabindex="0" role="application" aria-label="Timeline of threads and tasks" aria-describedby="timeline-help" style=${{height: `${height}px`}}></canvas>
        <div aria-hidden="true" style=${{height: `${Math.max(0, this.layout.height + RULER_PIXELS - height)}px`}}></div>
      </div>
      ${tip !== null && html`<div class="tip" style=${{left: `min(${Math.round(tip.x + 24)}px, calc(100% - 292px))`, top: `${Math.round(tip.y + 100)}px`}} aria-hidden="true">${tip.lines.map((/** @type {string} */ line, /** @type {number} */ i) => (i === 0 ? html`<b>${line}</b>` : html`<div>${line}</div>`))}</div>`}
      <p class="visually-hidden" role="status">${tip === null ? "" : tip.lines.join(", ")}</p>
      ${note !== "" && html`<p class="note left-out">${note}</p>`}
      ${crowded !== "" && html`<p class="note crowded">${crowded}</p>`}
      ${this.timeline.open_spans > 0 && html`<p class="note">Spans without an end in the trace: ${count(this.timeline.open_spans)}. They are drawn to its end, with a mark.</p>`}
      ${this.schedule.runs > 0 && html`<p class="note">Above the spans of a thread: where it ran, by processor. A thin line: it waited. A thick one: it was preempted, and wanted to run.</p>`}
      <p class="note" id="timeline-help">Drag to move; drag in the ruler, or with Shift, to select a time. Ctrl and wheel, or the wheel after a click, zooms. Keys: w s or + − zoom, a d move, Home all; , . previous and next span, ${"< >"} record without a duration or loss, [ ] track, Enter selects its statement, f fills the window. Hatched: records were lost.${this.moments.length > 0 && " A line with a triangle: what was collected has changed."}</p>
    </section>`;
  }
}
