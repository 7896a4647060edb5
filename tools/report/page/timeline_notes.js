// What the timeline leaves out, in words.

import { count, counted, durationText } from "./numbers.js";
import { ROWS } from "./timeline_rows.js";

/** As in "1 loss is" or "2 losses are". @param {number} number @param {string} one @param {string} many */
function are(number, one, many) {
  return number === 1 ? `1 ${one} is` : `${count(number)} ${many} are`;
}

/** @param {any} timeline of the document @returns {string[]} */
function spanTexts(timeline) {
  const all = timeline.spans - timeline.drawn_spans;
  if (all <= 0) return [];
  const ofTracks = timeline.tracks.reduce((/** @type {number} */ sum, /** @type {any} */ track) => sum + track.spans.number, 0);
  const here = ofTracks - timeline.drawn_spans, elsewhere = timeline.spans - ofTracks;
  const texts = [`${count(all)} of ${count(timeline.spans)} spans are left out.`];
  if (elsewhere > 0) texts.push(`${count(elsewhere)} of them are in tracks that are left out.`);
  if (here > 0)
    texts.push(`All of at least ${durationText(timeline.least_duration_ns)}${elsewhere > 0 ? " in the tracks below" : ""} are here; of shorter ones, samples: they are complete where the bar below a track is green, and the grey bar shows how busy the track was.`);
  return texts;
}

/**
 * @param {{timeline: any, schedule: any, health: any, series: any}} sections of the document
 * @returns {string}
 */
export function leftOutText({timeline, schedule, health, series}) {
  const texts = spanTexts(timeline);
  const instants = timeline.instants - timeline.drawn_instants;
  if (instants > 0) texts.push(`${count(instants)} of ${count(timeline.instants)} records without a duration have no tick of their own; bars show where they are.`);
  if (timeline.further_tracks > 0) texts.push(`${counted(timeline.further_tracks, "track")} with ${counted(timeline.further_records, "record")} left out.`);
  const runs = schedule.runs - schedule.drawn_runs - schedule.further_runs;
  if (runs > 0) texts.push(`${count(runs)} of ${count(schedule.runs)} runs of threads are left out, all shorter than ${durationText(schedule.least_duration_ns)}; the grey bar shows how much the thread ran.`);
  if (schedule.further_runs > 0) texts.push(`${are(schedule.further_runs, "run", "runs")} of threads that are left out.`);
  if (health.further_intervals > 0)
    texts.push(`${are(health.further_intervals, "loss", "losses")} not hatched: the ${count(health.intervals.length)} with the most records are.`);
  if (series.further > 0) texts.push(`${are(series.further, "number", "numbers")} not in the list of curves.`);
  return texts.join(" ");
}

/** Of spans that lie over others, because a track has rows for so many open ones only. @param {import("./timeline_data.js").Track[]} tracks */
export function crowdedText(tracks) {
  const crowded = tracks.reduce((sum, track) => sum + track.crowded, 0);
  return crowded === 0 ? "" : `${are(crowded, "span", "spans")} drawn over others, in the last row of a track: more than ${ROWS} spans were open at a time.`;
}
