// What the state of ringview means for the data that a page shows.

import { visible } from "./html.js";
import { counted } from "./numbers.js";

const MOST_NAMED = 5;

/** @param {any[]} all @param {(one: any) => string} textOf */
export function named(all, textOf) {
  const texts = all.slice(0, MOST_NAMED).map(textOf);
  return texts.join(", ") + (all.length > texts.length ? ` and ${all.length - texts.length} more` : "");
}

/** @param {any} service */
export function serviceText(service) {
  return visible(`${service.service} ${service.pid}`, 60);
}

/** "12:04:05 UTC" of Unix time. @param {number} ms */
export function clockText(ms) {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

/** Services that nothing reads: what they log goes to no trace. @param {any} live */
function unread(live) {
  return (live.services ?? []).filter((/** @type {any} */ one) => one.alive !== false && one.consumer === "none");
}

/** Services whose newest records are here, though no trace has them. @param {any} live */
function fromSegments(live) {
  return live.segments ?? [];
}

/**
 * What stands in the way of newer or further records, one sentence each.
 * @param {import("./live.js").LiveStatus} status
 * @returns {string[]}
 */
export function obstacles({live, isConnected, trouble}) {
  const texts = [];
  if (!isConnected) texts.push(`The connection to ringview is lost (${visible(trouble, 200)}). Trying again.`);
  if (live === null) return texts;
  if (live.error !== "") texts.push(`The traces cannot be read now: ${visible(live.error, 500)}.`);
  if (live.unreadable.count > 0)
    texts.push(`${counted(live.unreadable.count, "file")} cannot be read: ${live.unreadable.first.map((/** @type {any} */ one) => visible(`${one.path}: ${one.why}`, 500)).join(", ")}.`);
  const alone = unread(live);
  if (alone.length > 0) texts.push(`No consumerd reads ${named(alone, serviceText)}: new records are not in a trace.`);
  const direct = fromSegments(live);
  if (direct.length > 0) texts.push(`The newest records of ${named(direct, serviceText)} are read from ${direct.length === 1 ? "its segment" : "their segments"}, which ${direct.length === 1 ? "keeps no more than its rings hold" : "keep no more than their rings hold"}.`);
  return texts;
}

/**
 * Why the page must not claim that all records are here; empty: nothing is known that says so.
 * @param {import("./live.js").LiveStatus} status @param {any} summary
 */
export function doubt(status, summary) {
  const {live} = status;
  if (live === null) return "";
  if (live.read_unix_ms === null && live.error === "") return "The trace files are not read yet.";
  const texts = obstacles(status);
  if (summary.files === 0) texts.push("There is no trace file with records yet.");
  if (live.selection.length > 0) texts.push(`Only records of ${visible(live.selection.join(" "), 200)} are here.`);
  return texts.join(" ");
}

/** Costs of the services whose records are here. @param {any} live @param {any} summary */
export function costsOf(live, summary) {
  const here = new Set(summary.streams.map(serviceText));
  return (live?.call_costs ?? []).filter((/** @type {any} */ one) => here.has(serviceText(one)));
}

/** How many sections of the trace still grow. @param {any} live @param {any} summary */
export function growing(live, summary) {
  const here = new Set(summary.streams.map(serviceText));
  return (live?.services ?? []).filter((/** @type {any} */ one) => one.alive !== false && one.consumer !== "none" && here.has(serviceText(one))).length;
}
