// The picture of the heat map: cells in the colours of their counts, quantiles as lines, and a selection by the mouse.

import { Component, html } from "./html.js";
import { durationText } from "./numbers.js";
import { INTERVALS, QUANTILES, quantileLine } from "./heat_cells.js";
import { isPrinting } from "./printed.js";
import { valueScale, fieldText } from "./value_scale.js";

const HEIGHT = 320;
const LEAST_DRAG_PIXELS = 5;
export const DASHES = [[], [10, 4], [5, 3], [2, 2]];
const SECONDS = [60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800];
const INCREMENTS = [...[...Array(11).keys()].flatMap((exponent) => [1, 2, 5].map((digit) => digit * 10 ** exponent)).filter((ns) => ns < 6e10),
  ...SECONDS.map((seconds) => seconds * 1e9)];

/** A colour of the page. @param {string} name */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * The colours of counts, from few to many.
 * @param {number} steps
 */
export function heatColours(steps) {
  const parts = (/** @type {string} */ text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const low = parts(colour("--heat-low")), high = parts(colour("--heat-high"));
  return [...Array(steps).keys()].map((step) => `rgb(${low.map((each, i) => Math.round(each + (high[i] - each) * step / (steps - 1))).join(",")})`);
}

/**
 * @typedef {object} ChartProperties
 * @property {import("./heat_cells.js").Cells} cells
 * @property {any} summary
 * @property {[number, number] | null} time
 * @property {[number, number] | null} values
 * @property {(time: [number, number] | null, values: [number, number] | null) => void} onSelect ranges as drawn
 * @property {(event: any) => void} onKeyDown
 */

export class HeatChart extends Component {
  componentDidMount() {
    /** @type {uPlot | null} */
    this.plot = null;
    this.sizes = new ResizeObserver(() => {
      const width = isPrinting() ? 0 : this.width();
      if (this.plot !== null && this.plot !== undefined && width > 0) {
        this.plot.setSize({width, height: HEIGHT});
        queueMicrotask(() => this.showSelection());
      }
    });
    this.sizes.observe(/** @type {HTMLElement} */ (this.base));
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.draw();
    this.dark.addEventListener("change", this.redraw);
    this.draw();
  }

  componentWillUnmount() {
    this.sizes?.disconnect();
    if (this.redraw !== undefined) this.dark?.removeEventListener("change", this.redraw);
    this.plot?.destroy();
  }

  componentDidUpdate() {
    if (this.drawn !== this.props.cells) this.draw();
    else this.showSelection();
  }

  width() {
    return Math.floor(/** @type {HTMLElement} */ (this.base).clientWidth);
  }

  draw() {
    this.plot?.destroy();
    const {cells, summary} = /** @type {ChartProperties} */ (this.props);
    this.drawn = cells;
    const scale = this.scale = valueScale(cells.bounds);
    const last = Math.min(INTERVALS, Math.floor(summary.end / summary.interval_ns) + 1);
    const times = [...Array(last).keys()].map((i) => (i + 0.5) * summary.interval_ns);
    const lines = QUANTILES.map((_, q) => quantileLine(cells, last, q).map((each) => (each === null ? null : scale.position(each))));
    const text = colour("--faint"), grid = {stroke: colour("--line"), width: 1};
    const line = (/** @type {string} */ stroke, /** @type {number} */ width, /** @type {number} */ q) =>
      ({stroke, width, dash: DASHES[q], spanGaps: false, points: {show: true, size: width, fill: stroke, width: 0}});
    this.plot = new uPlot({
      width: this.width(), height: HEIGHT, legend: {show: false}, padding: [8, 12, 0, 0],
      cursor: {drag: {x: true, y: true, uni: 24, dist: LEAST_DRAG_PIXELS, setScale: false}, points: {show: false}},
      scales: {x: {time: false, range: [0, last * summary.interval_ns]}, y: {range: scale.range}},
      axes: [
        {stroke: text, grid, ticks: grid, size: 32, incrs: INCREMENTS, values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map(durationText)},
        {stroke: text, grid, ticks: grid, size: 64, splits: scale.ticks.map(scale.position), values: () => scale.ticks.map((tick) => fieldText(cells.field, tick))},
      ],
      series: [{}, ...QUANTILES.map((_, q) => line(colour("--panel"), 4, q)), ...QUANTILES.map((_, q) => line(colour(`--quantile-${q}`), 2, q))],
      hooks: {drawClear: [(/** @type {uPlot} */ plot) => this.drawCells(plot)], setSelect: [(/** @type {uPlot} */ plot) => this.selected(plot)]},
    }, [times, ...lines, ...lines], /** @type {HTMLElement} */ (this.base));
    // uPlot knows its scales after this task.
    queueMicrotask(() => this.showSelection());
  }

  /** @param {uPlot} plot */
  drawCells(plot) {
    const {cells, summary} = /** @type {ChartProperties} */ (this.props);
    const {ctx, bbox} = plot;
    const steps = 24;
    const colours = heatColours(steps);
    const most = Math.log(Math.max(2, cells.most));
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const lefts = [...Array(INTERVALS + 1).keys()].map((i) => Math.round(plot.valToPos(i * summary.interval_ns, "x", true)));
    cells.bounds.forEach(([low, high], c) => {
      const position = this.scale?.position ?? Number;
      const ends = low === 0 && high === 0 ? [-1, 0] : [position(low === 0 ? Number.MIN_VALUE : low), position(high === 0 ? -Number.MIN_VALUE : high)];
      const top = Math.round(plot.valToPos(ends[1], "y", true));
      const height = Math.max(1, Math.round(plot.valToPos(ends[0], "y", true)) - top);
      for (let i = 0; i < INTERVALS; ++i) {
        const number = cells.counts[c * INTERVALS + i];
        if (number === 0) continue;
        ctx.fillStyle = colours[Math.min(steps - 1, Math.floor(Math.log(number) / most * (steps - 1)))];
        ctx.fillRect(lefts[i], top, Math.max(1, lefts[i + 1] - lefts[i]), height);
      }
    });
    ctx.restore();
  }

  /** The selection of the mouse. @param {uPlot} plot */
  selected({select, over, posToVal}) {
    if (this.scale === undefined) return;
    const {onSelect} = /** @type {ChartProperties} */ (this.props);
    if (select.width <= 0 || select.height <= 0) return onSelect(null, null);
    const scale = this.scale;
    const part = (/** @type {number} */ from, /** @type {number} */ size, /** @type {number} */ all) => size < all - 1;
    const time = part(select.left, select.width, over.clientWidth)
      ? /** @type {[number, number]} */ ([posToVal(select.left, "x"), posToVal(select.left + select.width, "x")]) : null;
    const values = part(select.top, select.height, over.clientHeight)
      ? /** @type {[number, number]} */ ([scale.value(posToVal(select.top + select.height, "y")), scale.value(posToVal(select.top, "y"))]) : null;
    onSelect(time, values);
  }

  showSelection() {
    const {plot, scale} = this;
    if (!plot || scale === undefined) return;
    const {time, values} = /** @type {ChartProperties} */ (this.props);
    const none = {left: 0, top: 0, width: 0, height: 0};
    let select = none;
    if (time !== null || values !== null) {
      const [left, right] = time === null ? [0, plot.over.clientWidth] : time.map((ns) => Math.max(0, Math.min(plot.over.clientWidth, plot.valToPos(ns, "x"))));
      const edge = (/** @type {number} */ value, /** @type {number} */ ofZero) => plot.valToPos(value === 0 ? ofZero : scale.position(value), "y");
      const [bottom, top] = values === null ? [plot.over.clientHeight, 0] : [edge(values[0], -1), edge(values[1], 0)];
      select = {left, top, width: right - left, height: bottom - top};
    }
    plot.setSelect(select, false);
  }

  /** @param {ChartProperties} properties */
  render({cells, onKeyDown}) {
    return html`<div class="heat-chart" tabindex="0" role="group" onKeyDown=${onKeyDown} aria-label=${`Heat map of ${cells.field.values} values. Arrow keys move the selection, with Shift they extend it, Escape removes it. The table below has the numbers.`}></div>`;
  }
}
