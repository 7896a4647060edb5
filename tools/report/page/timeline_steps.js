// The order in which keys move through what a track has: its spans, or its records without a duration and its losses.

import { indexAfter } from "./timeline_arrays.js";

/** What the keyboard is at. @typedef {{track: import("./timeline_data.js").Track, span: number, instant: number, loss: any}} Focus */

/** @param {any} track @returns {any[]} of a thread, in the order of time */
export function lossesOf(track, /** @type {any[]} */ losses) {
  return track.kind !== "thread" ? [] : losses.filter((loss) => loss.stream === track.stream).sort((a, b) => a.from - b.from);
}

/** Spans, or what else the track has, with their times. */
export class Sequence {
  /** @param {import("./timeline_data.js").Track} track @param {any[]} losses of the trace @param {boolean} isOfSpans */
  constructor(track, losses, isOfSpans) {
    /** @type {Focus[]} */
    this.others = [];
    this.track = track;
    this.isOfSpans = isOfSpans;
    if (isOfSpans) {
      this.times = track.spans.begin;
      return;
    }
    this.others = [...lossesOf(track, losses).map((loss) => ({track, span: -1, instant: -1, loss})),
      ...[...track.times].map((_, instant) => ({track, span: -1, instant, loss: undefined}))];
    this.others.sort((a, b) => timeOfFocus(a) - timeOfFocus(b));
    this.times = Float64Array.from(this.others, timeOfFocus);
  }

  get length() {
    return this.times.length;
  }

  /** @param {number} i @returns {Focus} */
  at(i) {
    return this.isOfSpans ? {track: this.track, span: i, instant: -1, loss: undefined} : this.others[i];
  }

  /** -1: it is not one of these. @param {Focus} focus */
  indexOf(focus) {
    if (focus.track !== this.track) return -1;
    if (this.isOfSpans) return focus.span;
    return this.others.findIndex((each) => each.instant === focus.instant && each.loss === focus.loss && focus.span < 0);
  }

  /** The first one after a time, or the last one. @param {number} time */
  after(time) {
    return this.at(Math.min(this.length - 1, indexAfter(this.times, time)));
  }

  /** The one so many steps away; from another kind, the nearest in that direction. @param {Focus} focus @param {number} steps */
  moved(focus, steps) {
    const index = this.indexOf(focus);
    const next = index >= 0 ? index + steps : indexAfter(this.times, timeOfFocus(focus)) - (steps > 0 ? 0 : 1);
    return this.at(Math.max(0, Math.min(this.length - 1, next)));
  }
}

/** When it begins. @param {Focus} focus */
export function timeOfFocus({track, span, instant, loss}) {
  return span >= 0 ? track.spans.begin[span] : instant >= 0 ? track.times[instant] : loss.from;
}

/** From when until when it is. @param {Focus} focus @returns {[number, number]} */
export function rangeOfFocus(focus) {
  const begin = timeOfFocus(focus);
  return [begin, focus.span >= 0 ? focus.track.spans.end[focus.span] : focus.instant >= 0 ? begin : focus.loss.to];
}

/** The statement of what has the focus; -1: a loss. @param {Focus} focus */
export function statementOfFocus({track, span, instant}) {
  return span >= 0 ? track.spans.statement[span] : instant >= 0 ? track.instantStatement[instant] : -1;
}
