// Where each track of the timeline is, from top to bottom.

export const ROWS = 64;  // of spans that are open at a time
export const ROW_PIXELS = 17;
export const STRIP_PIXELS = 12;
export const SCHEDULE_PIXELS = 12;
export const SHADE_PIXELS = 6;
export const SERIES_PIXELS = 44;
export const HEAD_PIXELS = 20;
export const RULER_PIXELS = 34;

/**
 * @typedef {object} Place
 * @property {"series" | "head" | "track"} kind
 * @property {number} top
 * @property {number} height
 * @property {string} label
 * @property {any} series
 * @property {import("./timeline_data.js").Track | null} track
 */

/** Where the rows of spans begin. @param {import("./timeline_data.js").Track} track */
export function rowsTop(track) {
  return 3 + STRIP_PIXELS + (track.schedule === null ? 0 : SCHEDULE_PIXELS);
}

/** @param {import("./timeline_data.js").Track} track */
export function heightOf(track) {
  return 1 + rowsTop(track) + track.rows.length * ROW_PIXELS + (track.spansLeftOut === null ? 0 : SHADE_PIXELS);
}

/**
 * @param {{label: string}[]} series
 * @param {import("./timeline_data.js").Track[]} tracks
 * @returns {{places: Place[], height: number}}
 */
export function placesOf(series, tracks) {
  /** @type {Place[]} */
  const places = [];
  let top = 0;
  const add = (/** @type {Place} */ place) => {
    places.push(place);
    top += place.height;
  };
  for (const each of series) add({kind: "series", top, height: SERIES_PIXELS, label: each.label, series: each, track: null});
  let group = "";
  for (const track of tracks) {
    const own = (track.kind === "thread" ? "" : "Tasks of ") + (track.kind === "further" ? "all processes" : track.group);
    if (own !== group) add({kind: "head", top, height: HEAD_PIXELS, label: own, series: null, track: null});
    group = own;
    add({kind: "track", top, height: heightOf(track), label: track.label, series: null, track});
  }
  return {places, height: top};
}

/**
 * The places within a part of the height.
 * @param {Place[]} places
 * @param {number} from
 * @param {number} to
 */
export function placesWithin(places, from, to) {
  let low = 0, high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle].top + places[middle].height > from) high = middle; else low = middle + 1;
  }
  let end = low;
  while (end < places.length && places[end].top < to) ++end;
  return places.slice(low, end);
}
