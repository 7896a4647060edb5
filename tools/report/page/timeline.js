// The timeline: what each thread and each task did, and numbers over time.

import { html, Component, visible } from "./html.js";
import { section } from "./data.js";
import { causeText, count, durationText, momentText } from "./numbers.js";
import { view, changeView, toggleStatement } from "./view.js";
import { pageColours, sized } from "./colours.js";
import { INTERVALS, indexAfter } from "./timeline_arrays.js";
import { spanAt, tracksOf } from "./timeline_data.js";
import { recordSeries, seriesOf } from "./timeline_series.js";
import { stateLines } from "./schedule.js";
import { RULER_PIXELS, ROW_PIXELS, STRIP_PIXELS, placesOf, placesWithin, rowsTop } from "./timeline_rows.js";
import { drawHead, drawSelection, drawSeries, drawTrack, hatching } from "./timeline_draw.js";
import { timeOf } from "./timeline_scale.js";
import { drawAxis } from "./timeline_axis.js";
import { fieldLines } from "./timeline_fields.js";
import { limited, listen, zoomed } from "./timeline_input.js";

const MOST_HEIGHT = 460;
const FIRST_SERIES = 3;

/** @param {any} timeline of the document @param {any} schedule of the document */
function leftOutText(timeline, schedule) {
  const texts = [];
  const spans = timeline.spans - timeline.drawn_spans;
  if (spans > 0)
    texts.push(`${count(spans)} of ${count(timeline.spans)} spans are left out. All of at least ${durationText(timeline.least_duration_ns)} are here; of shorter ones, samples: they are complete where the bar below a track is green, and the grey bar shows how busy the track was.`);
  const instants = timeline.instants - timeline.drawn_instants;
  if (instants > 0) texts.push(`${count(instants)} of ${count(timeline.instants)} records without a duration have no tick of their own; bars show where they are.`);
  if (timeline.further_tracks > 0) texts.push(`${count(timeline.further_tracks)} tracks with ${count(timeline.further_records)} records are left out.`);
  const runs = schedule.runs - schedule.drawn_runs;
  if (runs > 0) texts.push(`${count(runs)} of ${count(schedule.runs)} runs of threads are left out, all shorter than ${durationText(schedule.least_duration_ns)}; the grey bar shows how much the thread ran.`);
  return texts.join(" ");
}

/** Draws on a canvas, which is as large as the visible part. */
export class Timeline extends Component {
  /** @param {any} properties */
  constructor(properties) {
    super(properties);
    this.timeline = section("timeline");
    this.summary = section("summary");
    this.statements = section("statements");
    this.schedule = section("schedule");
    this.end = section("health").intervals.reduce((/** @type {number} */ most, /** @type {any} */ loss) => Math.max(most, loss.to), Math.max(this.timeline.end, this.schedule.end, this.summary.end, 10));
    this.tracks = tracksOf(this.timeline, this.summary, section("health").intervals, this.schedule);
    /** @type {any[]} */
    this.choices = section("series").series.map((/** @type {any} */ each) => ({...seriesOf(each, this.statements), isCounter: each.is_counter}));
    this.names = this.statements.map((/** @type {any} */ row) => visible(row.text === "" ? `${row.file}:${row.line}` : row.text, 200));
    this.beginUnixNs = BigInt(this.summary.begin_unix_ns);
    /** @type {[number, number]} */
    this.window = limited(view().window ?? this.whole(), this.end);
    /** @type {[number, number] | null} */
    this.brush = null;
    /** @type {[number, number] | null} */
    this.seenTime = null;
    /** @type {{track: any, span: number} | null} */
    this.focus = null;
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

  /** @returns {[number, number]} */
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
      onHover: (x, y) => this.tell(this.at(x, y), x, y),
      onLeave: () => this.setState({tip: null}),
      onClick: (x, y) => this.click(this.at(x, y)),
      onDoubleClick: (x, y) => this.showItem(this.at(x, y)),
      onScroll: (pixels) => this.scroll().scrollBy(0, pixels),
      onKey: (key) => this.key(key),
    });
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), {signal: this.unmounted.signal});
    this.seenTime = view().time;
    this.draw();
  }

  componentDidUpdate() {
    const {time, window} = view();
    if (window !== this.seenWindow) this.window = limited(window ?? this.whole(), this.end);
    else if (time !== this.seenTime && this.brush === null) this.show(this.whole());
    this.seenTime = time;
    this.seenWindow = window;
    this.draw();
  }

  /** @param {[number, number]} window */
  show(window) {
    this.window = limited(window, this.end);
    this.draw();
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
    changeView({time: selected === null || selected[0] >= selected[1] ? null : [Math.floor(selected[0]), Math.ceil(selected[1])]});
    this.seenTime = view().time;
    this.brush = null;
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
    const chosen = new Set(statements), losses = section("health").intervals;
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
    drawAxis(canvas, {window: this.window, left, width, height: RULER_PIXELS, beginUnixNs: this.beginUnixNs, colours});
    const range = /** @type {HTMLElement} */ (this.base).querySelector(".range");
    if (range !== null) range.textContent = `${durationText(this.window[1] - this.window[0])} shown`;
  }

  /**
   * What is drawn at a place.
   * @param {number} x
   * @param {number} y
   * @returns {{track: any, span: number, instant: number, at: number, interval: number, place: any, loss: any} | null} at: a time of the thread's schedule
   */
  at(x, y) {
    const canvas = this.canvas(), left = this.left();
    if (y < RULER_PIXELS || x < left) return null;
    const inside = y - RULER_PIXELS + this.scroll().scrollTop;
    const place = placesWithin(this.layout.places, inside, inside + 1)[0];
    if (place === undefined) return null;
    const scene = {window: this.window, left, width: canvas.clientWidth};
    const time = timeOf(scene, x), near = 3 * (timeOf(scene, 1) - timeOf(scene, 0));
    const found = {track: place.track, span: -1, instant: -1, at: NaN, interval: Math.min(INTERVALS - 1, Math.floor(time / this.summary.interval_ns)), place, loss: undefined};
    const {track} = place;
    if (track === null) return found;
    if (track.kind === "thread") found.loss = section("health").intervals.find((/** @type {any} */ loss) => loss.stream === track.stream && loss.from - 2 * near <= time && time <= loss.to + 2 * near);
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

  /** @param {any} found @returns {string[]} lines */
  linesOf(found) {
    if (found === null) return [];
    const {track, span, instant, interval, place, loss} = found;
    if (place !== null && place.kind === "series") {
      const point = place.series.points.find((/** @type {any} */ each) => each.interval === interval);
      if (point === undefined) return [];
      return [place.label, place.series.key === "records" ? `${count(point.records)} records in ${durationText(this.summary.interval_ns)}` : `${point.least} to ${point.most}, mean ${point.mean}, of ${count(point.records)} records`];
    }
    if (track === null) return [];
    const lost = loss === undefined ? [] : [`${count(loss.records)} records lost: ${causeText(loss.cause)}`, `${momentText(this.beginUnixNs, loss.from)} UTC, within ${durationText(loss.to - loss.from)}`];
    const where = `${track.group} ${track.label}`;
    if (!Number.isNaN(found.at)) {
      const state = stateLines(track.schedule, found.at);
      return state.length === 0 ? [] : [...state, `${momentText(this.beginUnixNs, found.at)} UTC`, where];
    }
    if (span >= 0) {
      const {begin, end, open, statement} = track.spans, row = this.statements[statement[span]];
      return [this.names[statement[span]], open[span] ? "without an end in the trace" : durationText(end[span] - begin[span]),
        `${momentText(this.beginUnixNs, begin[span])} UTC`, `${visible(row.file.replace(/.*\//, ""))}:${row.line} ${visible(row.function ?? "", 200)}`, where,
        ...fieldLines(track, statement[span], begin[span]), ...lost];
    }
    if (instant >= 0) {
      const row = this.statements[track.instantStatement[instant]];
      return [this.names[track.instantStatement[instant]], `${row.level}, ${momentText(this.beginUnixNs, track.times[instant])} UTC`, `${visible(row.file.replace(/.*\//, ""))}:${row.line}`, where,
        ...fieldLines(track, track.instantStatement[instant], track.times[instant]), ...lost];
    }
    if (loss !== undefined) return [...lost, where];
    const lines = [];
    if (track.spansLeftOut !== null && track.spansLeftOut[interval] > 0) lines.push(`${count(track.spansLeftOut[interval])} spans that begin in ${durationText(this.summary.interval_ns)} here are left out`);
    if (track.instantsLeftOut !== null && track.instantsLeftOut[interval] > 0) lines.push(`${count(track.instantsLeftOut[interval])} records in ${durationText(this.summary.interval_ns)} here have no tick`);
    if (lines.length > 0) lines.push(where);
    return lines;
  }

  /** @param {any} found @param {number} x @param {number} y */
  tell(found, x, y) {
    const lines = this.linesOf(found);
    if (lines.length > 0 || this.state.tip !== null) this.setState({tip: lines.length === 0 ? null : {lines, x, y}});
  }

  /** @param {any} found */
  click(found) {
    if (found === null || found.track === null) return;
    if (found.span >= 0) {
      this.focus = {track: found.track, span: found.span};
      toggleStatement(found.track.spans.statement[found.span]);
    } else if (found.instant >= 0) {
      toggleStatement(found.track.instantStatement[found.instant]);
    }
    this.draw();
  }

  /** @param {any} found */
  showItem(found) {
    if (found === null || found.span < 0) return;
    const {begin, end} = found.track.spans;
    const margin = Math.max(5, (end[found.span] - begin[found.span]) * 0.1);
    this.show([begin[found.span] - margin, end[found.span] + margin]);
  }

  /** @param {string} key @returns {boolean} whether it means something */
  key(key) {
    if (key === "ArrowUp" || key === "ArrowDown") {
      this.scroll().scrollBy(0, key === "ArrowUp" ? -60 : 60);
    } else if (key === "," || key === ".") {
      this.step(key === "." ? 1 : -1, 0);
    } else if (key === "[" || key === "]") {
      this.step(0, key === "]" ? 1 : -1);
    } else if (key === "Enter" && this.focus !== null) {
      toggleStatement(this.focus.track.spans.statement[this.focus.span]);
    } else if (key === "f" && this.focus !== null) {
      this.showItem(this.focus);
    } else if (key === "Escape") {
      this.focus = null;
      this.setState({tip: null});
      this.draw();
    } else {
      return false;
    }
    return true;
  }

  /**
   * Moves the focus to another span of the track, or to another track with spans.
   * @param {number} spans
   * @param {number} tracks
   */
  step(spans, tracks) {
    const places = this.layout.places.filter((place) => place.track !== null && place.track.spans.begin.length > 0);
    if (places.length === 0) return;
    const {focus} = this;
    let at = focus === null ? 0 : places.findIndex((place) => place.track === focus.track);
    at = Math.max(0, Math.min(places.length - 1, at + (focus === null ? 0 : tracks)));
    const track = /** @type {import("./timeline_data.js").Track} */ (places[at].track);
    const middle = (this.window[0] + this.window[1]) / 2;
    let span = focus !== null && tracks === 0 ? focus.span + spans : indexAfter(track.spans.begin, focus === null ? this.window[0] - 0.5 : middle);
    span = Math.max(0, Math.min(track.spans.begin.length - 1, span));
    this.focus = {track, span};
    const {begin} = track.spans, length = this.window[1] - this.window[0];
    if (begin[span] < this.window[0] || begin[span] > this.window[1]) this.show([begin[span] - length / 3, begin[span] + length * 2 / 3]);
    const scroll = this.scroll();
    if (places[at].top < scroll.scrollTop || places[at].top + places[at].height > scroll.scrollTop + scroll.clientHeight - RULER_PIXELS) scroll.scrollTop = places[at].top;
    const x = Math.max(this.left(), this.left() + (begin[span] - this.window[0]) * (this.canvas().clientWidth - this.left()) / (this.window[1] - this.window[0]));
    this.setState({tip: {lines: this.linesOf({track, span, instant: -1, at: NaN, interval: 0, place: null}), x, y: places[at].top - scroll.scrollTop + RULER_PIXELS + rowsTop(track) + track.spans.row[span] * ROW_PIXELS}});
    this.draw();
  }

  /** @param {any} _ @param {{tip: any}} state */
  render(_, {tip}) {
    const chosen = this.chosen().filter((key) => this.choices.some((each) => each.key === key));
    this.layout = this.laidOut();
    const height = Math.min(MOST_HEIGHT, this.layout.height + RULER_PIXELS);
    const zoom = (/** @type {number} */ factor) => this.show(zoomed(this.window, factor, (this.window[0] + this.window[1]) / 2));
    const note = leftOutText(this.timeline, this.schedule);
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
      <div class="scroll timeline" style=${{height: `${height + 2}px`}} onScroll=${() => this.draw()}>
        <canvas tabindex="0" role="application" aria-label="Timeline of threads and tasks" aria-describedby="timeline-help" style=${{height: `${height}px`}}></canvas>
        <div aria-hidden="true" style=${{height: `${Math.max(0, this.layout.height + RULER_PIXELS - height)}px`}}></div>
      </div>
      ${tip !== null && html`<div class="tip" style=${{left: `min(${Math.round(tip.x + 24)}px, calc(100% - 292px))`, top: `${Math.round(tip.y + 100)}px`}} aria-hidden="true">${tip.lines.map((/** @type {string} */ line, /** @type {number} */ i) => (i === 0 ? html`<b>${line}</b>` : html`<div>${line}</div>`))}</div>`}
      <p class="visually-hidden" role="status">${tip === null ? "" : tip.lines.join(", ")}</p>
      ${note !== "" && html`<p class="note left-out">${note}</p>`}
      ${this.timeline.open_spans > 0 && html`<p class="note">${count(this.timeline.open_spans)} spans have no end in the trace: they are drawn to its end, with a mark.</p>`}
      ${this.schedule.runs > 0 && html`<p class="note">Above the spans of a thread: where it ran, by processor. A thin line: it waited. A thick one: it was preempted, and wanted to run.</p>`}
      <p class="note" id="timeline-help">Drag to move; drag in the ruler, or with Shift, to select a time. Ctrl and wheel, or the wheel after a click, zooms. Keys: w s or + − zoom, a d move, Home all; , . next span, [ ] next track, Enter selects its statement, f fills the window. Hatched: records were lost.</p>
    </section>`;
  }
}
