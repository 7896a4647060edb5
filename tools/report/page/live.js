// The page of ringview: its data comes from the server that sent it, again after each change.

import { setSections } from "./data.js";

const TOKEN = "ringview-token";

/** The token of the address, which is then removed from it: copies of the address shall not have it. */
function takeToken() {
  const found = /(?:^|[#&])token=([0-9a-f]+)/.exec(location.hash);
  if (found === null) return sessionStorage.getItem(TOKEN) ?? "";
  sessionStorage.setItem(TOKEN, found[1]);
  const rest = location.hash.replace(/([#&])token=[0-9a-f]+&?/, "$1").replace(/[#&]$/, "");
  history.replaceState(null, "", rest === "" ? location.pathname : rest);
  return found[1];
}

let token = "";

/** @param {string} path @param {RequestInit} how */
async function ask(path, how = {}) {
  return fetch(path, {...how, headers: {Authorization: "Bearer " + token}});
}

async function load() {
  const answer = await ask("data");
  if (!answer.ok) throw new Error(await answer.text());
  setSections(await answer.json());
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

/**
 * Loads the data, and again after each change.
 * @param {() => void} onChange
 * @param {(isConnected: boolean) => void} onConnection
 */
export async function follow(onChange, onConnection) {
  token = takeToken();
  await load();
  onChange();
  const events = new EventSource("events?token=" + token);
  let isLoading = false;
  events.onmessage = async () => {
    onConnection(true);
    // The next event tells of what came meanwhile.
    if (isLoading || document.hidden) return;
    isLoading = true;
    try {
      await load();
      onChange();
    } catch {
      onConnection(false);
    }
    isLoading = false;
  };
  events.onopen = () => onConnection(true);
  events.onerror = () => onConnection(false);
}
