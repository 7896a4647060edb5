// The page of ringview: its data comes from the server that sent it, again after each change.

import { section, setSections } from "./data.js";
import { keepSelection, keptFrom, restoreSelection, selectionToKeep } from "./kept_selection.js";
import { isInUse, onRelease } from "./panel_use.js";

const TOKEN = "ringview-token", SELECTION = "ringview-selection";
const RETRY_MS = 1000;

/**
 * @typedef {object} LiveStatus
 * @property {any} live the newest state of ringview (its README.md, "Live"); null: none has come
 * @property {boolean} isConnected
 * @property {string} trouble why there is no connection, or no data
 * @property {boolean} isPaused the reader of the page wants no newer data
 * @property {boolean} isWaiting there is newer data
 * @property {string[]} dropped what was selected, and is not in the data any more
 */

/** @type {LiveStatus} */
let status = {live: null, isConnected: true, trouble: "", isPaused: false, isWaiting: false, dropped: []};
/** @type {Set<() => void>} */
const listeners = new Set();
let token = "";
let isUpdating = false;
let showData = () => {};

/** @returns {LiveStatus} */
export function liveStatus() {
  return status;
}

/** @param {() => void} listener */
export function onLiveStatus(listener) {
  listeners.add(listener);
}

/** @param {Partial<LiveStatus>} change */
function setStatus(change) {
  status = {...status, ...change};
  for (const listener of listeners) listener();
}

/** The token of the address, which is then removed from it: copies of the address shall not have it. */
function takeToken() {
  const found = /(?:^|[#&])token=([0-9a-f]+)/.exec(location.hash);
  if (found === null) return sessionStorage.getItem(TOKEN) ?? "";
  sessionStorage.setItem(TOKEN, found[1]);
  const rest = location.hash.replace(/([#&])token=[0-9a-f]+&?/, "$1").replace(/[#&]$/, "");
  history.replaceState(null, "", rest === "" ? location.pathname : rest);
  return found[1];
}

/** @param {string} path @param {RequestInit} how */
async function ask(path, how = {}) {
  return fetch(path, {...how, headers: {Authorization: "Bearer " + token}});
}

/** @param {string} path @param {RequestInit} how @returns {Promise<ReadableStream<Uint8Array<ArrayBuffer>>>} */
async function bodyOf(path, how = {}) {
  const answer = await ask(path, how);
  if (!answer.ok || answer.body === null) throw new Error((await answer.text()).trim());
  return answer.body;
}

/** @param {ReadableStream<any>} body @param {(part: any) => void} use */
async function readAll(body, use) {
  const reader = body.getReader();
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    use(value);
  }
}

/** @param {(bytes: number) => void} onBytes how many have come */
async function load(onBytes = () => {}) {
  /** @type {BlobPart[]} */
  const parts = [];
  let bytes = 0;
  await readAll(await bodyOf("data"), (part) => {
    parts.push(part);
    onBytes(bytes += part.length);
  });
  return JSON.parse(await new Blob(parts).text());
}

/**
 * Asks ringview for a change, and tells its answer.
 * @param {Record<string, string>} request README.md, "Control"
 * @returns {Promise<{isDone: boolean, text: string}>}
 */
export async function control(request) {
  try {
    const answer = await ask("control", {method: "POST", body: JSON.stringify(request)});
    return {isDone: answer.ok, text: (await answer.text()).trim()};
  } catch (error) {
    return {isDone: false, text: String(error)};
  }
}

/** Shows data; what is selected stays the same, where it is still there. @param {any} data @param {import("./kept_selection.js").Kept | null} kept */
function use(data, kept) {
  setSections(data);
  const dropped = restoreSelection(kept);
  setStatus({live: status.live === null || status.live.number < data.live.number ? data.live : status.live,
    dropped: dropped.length > 0 ? dropped : status.dropped});
  showData();
}

function mustWait() {
  return status.isPaused || isInUse();
}

/** Until the newest data is shown, or must wait. */
async function update() {
  if (isUpdating || status.live === null) return;
  isUpdating = true;
  try {
    while (status.live.number > section("live").number && !mustWait()) {
      const data = await load();
      // The reader of the page has begun to use a panel meanwhile.
      if (!mustWait()) use(data, selectionToKeep());
    }
  } catch (error) {
    setStatus({isConnected: false, trouble: String(error)});
    setTimeout(update, RETRY_MS);
  }
  isUpdating = false;
  const isWaiting = status.live.number > section("live").number && mustWait();
  if (isWaiting !== status.isWaiting) setStatus({isWaiting});
}

/** @param {boolean} isPaused */
export function setPaused(isPaused) {
  setStatus({isPaused});
  update();
}

export function forgetDropped() {
  setStatus({dropped: []});
}

/** @param {AbortSignal} signal */
async function readEvents(signal) {
  let text = "";
  await readAll((await bodyOf("events", {signal})).pipeThrough(new TextDecoderStream()), (part) => {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      setStatus({live: JSON.parse(line.slice("data: ".length)), isConnected: true, trouble: ""});
      update();
    }
  });
  throw new Error("ringview has ended the connection");
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

function shown() {
  return new Promise((done) => document.addEventListener("visibilitychange", done, {once: true}));
}

/** A hidden page has no connection: browsers have few for one server. The first event tells what has changed meanwhile. */
async function followEvents() {
  for (;;) {
    while (document.hidden) await shown();
    const stop = new AbortController();
    document.addEventListener("visibilitychange", () => stop.abort(), {signal: stop.signal});
    try {
      await readEvents(stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) {
        setStatus({isConnected: false, trouble: String(error)});
        await pause(RETRY_MS);
      }
    }
    stop.abort();
  }
}

/**
 * Loads the data, and again after each change.
 * @param {() => void} onData
 * @param {(bytes: number) => void} onBytes how much of the first data has come
 */
export async function follow(onData, onBytes) {
  token = takeToken();
  onBytes(0);
  const data = await load(onBytes);
  showData = onData;
  use(data, keptFrom(sessionStorage.getItem(SELECTION)));
  addEventListener("pagehide", () => sessionStorage.setItem(SELECTION, keepSelection()));
  onRelease(() => { update(); });
  followEvents();
}
