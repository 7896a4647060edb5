// Changes of services that are traced, and snapshots: only in the page of ringview.

import { html, Component, visible } from "./html.js";
import { control } from "./live.js";
import { view } from "./view.js";

const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical", "off"];

let isConnected = true;
/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {boolean} connected */
export function setConnected(connected) {
  if (connected === isConnected) return;
  isConnected = connected;
  for (const listener of listeners) listener();
}

/**
 * FILE:LINE of a statement, as `ringctl --site` takes it; globs match themselves alone.
 * @param {any} row
 */
export function placeOf(row) {
  return `${row.file}:${row.line}`.replace(/[*?[\\]/g, (/** @type {string} */ character) => `[${character}]`);
}

export class LiveControls extends Component {
  constructor() {
    super();
    this.state = {answer: null, service: "", duration: "10m"};
  }

  componentDidMount() {
    listeners.add(() => this.forceUpdate());
  }

  /** @param {Record<string, string>} request */
  async ask(request) {
    this.setState({answer: {isDone: true, text: "…"}});
    const {service, duration} = this.state;
    const options = {...(service === "" ? {} : {service}), ...(duration === "" || request.action === "snapshot" ? {} : {for: duration})};
    this.setState({answer: await control({...request, ...options})});
  }

  /** @param {string} action of the selected statements, one after the other @param {any[]} rows */
  async switchSelected(action, rows) {
    for (const number of view().statements) if (rows[number]) await this.ask({action, site: placeOf(rows[number])});
  }

  /** @param {{live: any, summary: any, rows: any[]}} properties @param {any} state */
  render({live, summary, rows}, {answer, service, duration}) {
    const services = [...new Set(summary.streams.map((/** @type {any} */ stream) => stream.service))].sort();
    const selected = view().statements.length;
    return html`<section class="panel" id="live" aria-labelledby="live-title">
      <h2 id="live-title">Live</h2>
      <p role="status">${isConnected ? "Follows the traces." : "The connection to ringview is lost. Trying again."}</p>
      ${live.control && html`<div class="tools">
        <label>Service <select value=${service} onChange=${(/** @type {any} */ event) => this.setState({service: event.target.value})}>
          <option value="">all</option>${services.map((name) => html`<option value=${name}>${visible(/** @type {string} */ (name), 60)}</option>`)}</select></label>
        <label>For <input size="5" value=${duration} onInput=${(/** @type {any} */ event) => this.setState({duration: event.target.value})} /></label>
        <label>Level <select value="" onChange=${(/** @type {any} */ event) => this.ask({action: "level", level: event.target.value})}>
          <option value="">set…</option>${LEVELS.map((level) => html`<option value=${level}>${level}</option>`)}</select></label>
        <button type="button" disabled=${selected === 0} onClick=${() => this.switchSelected("enable", rows)}>Enable ${selected} selected</button>
        <button type="button" disabled=${selected === 0} onClick=${() => this.switchSelected("disable", rows)}>Disable ${selected} selected</button>
        <button type="button" onClick=${() => this.ask({action: "snapshot"})}>Snapshot of flight recorders</button>
      </div>`}
      ${answer !== null && html`<p class=${answer.isDone ? "" : "bad"} role="status">${visible(answer.text)}</p>`}
    </section>`;
  }
}
