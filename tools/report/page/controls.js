// The panel of ringview's page: how new the data is, and with --allow-control changes of services.

import { html, Component, visible } from "./html.js";
import { section } from "./data.js";
import { statementText } from "./kept_selection.js";
import { control, forgetDropped, liveStatus, onLiveStatus, setPaused } from "./live.js";
import { clockText, named, obstacles, serviceText } from "./live_state.js";
import { durationText } from "./numbers.js";
import { leave } from "./panel_use.js";
import { view } from "./view.js";

const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical", "off"];
const SLOW_MS = 2000;

/** As a glob that matches this text alone. @param {string} text */
export function exactGlob(text) {
  return text.replace(/[*?[\\]/g, (character) => `[${character}]`);
}

/** FILE:LINE of a statement, as `ringctl --site` takes it. @param {any} row */
export function placeOf(row) {
  return exactGlob(`${row.file}:${row.line}`);
}

/** @param {any} live @param {any} summary @returns {any[]} services that can be changed: those that run, if ringview knows them */
function servicesOf(live, summary) {
  const running = live.services?.filter((/** @type {any} */ one) => one.alive !== false) ?? summary.streams;
  /** @type {Map<string, any>} */
  const unique = new Map(running.map((/** @type {any} */ one) => [serviceText(one), one]));
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** @param {import("./live.js").LiveStatus} status */
function stateText({live, isConnected, isPaused}) {
  if (!isConnected) return "The connection to ringview is lost.";
  if (isPaused) return "Paused.";
  if (live?.read_unix_ms === null && live.error === "") return "Reading the trace files for the first time…";
  return live !== null && live.error !== "" ? "Does not follow the traces." : "Follows the traces.";
}

/** @param {any} live of the data that is shown @param {any} newest */
function ageText(live, newest) {
  const age = live.read_unix_ms === null ? "" : ` Data of ${clockText(live.read_unix_ms)}.`;
  const pace = newest.took_ms < SLOW_MS ? "" : ` Reading it takes ${durationText(newest.took_ms * 1e6)}; updates are ${durationText(newest.update_ms * 1e6)} apart.`;
  return age + pace + (live.selection.length === 0 ? "" : ` Only ${live.selection.join(" ")}.`);
}

export class LiveControls extends Component {
  constructor() {
    super();
    this.state = {answers: [], service: "", duration: "10m", level: ""};
  }

  componentDidMount() {
    onLiveStatus(() => this.forceUpdate());
  }

  /** One after the other, until one fails. @param {Record<string, string>[]} requests */
  async ask(requests) {
    this.setState({answers: [{isDone: true, text: "…"}]});
    const answers = [];
    for (const request of requests) {
      answers.push(await control({...request, ...(this.state.duration === "" || request.action === "snapshot" ? {} : {for: this.state.duration})}));
      if (!answers[answers.length - 1].isDone) break;
    }
    this.setState({answers});
  }

  /** @param {string} action @param {Record<string, string>} request */
  askServices(action, request = {}) {
    const {service} = this.state;
    return this.ask([{action, ...request, ...(service === "" ? {} : {service: exactGlob(service)})}]);
  }

  /** Each statement in its own service. @param {string} action @param {any[]} rows */
  askStatements(action, rows) {
    return this.ask(rows.map((row) => ({action, site: placeOf(row), service: exactGlob(row.service)})));
  }

  /** @param {any[]} services @param {any[]} selected rows */
  tools(services, selected) {
    const {service, duration, level} = this.state;
    const names = [...new Set(services.map((each) => each.service))];
    const changed = services.filter((each) => service === "" || each.service === service);
    return html`<div class="tools">
        <label>For <input size="5" value=${duration} onInput=${(/** @type {any} */ event) => this.setState({duration: event.target.value})} /></label>
        <label>Service <select value=${service} onChange=${(/** @type {any} */ event) => this.setState({service: event.target.value})}>
          <option value="">all</option>${names.map((name) => html`<option value=${name}>${visible(name, 60)}</option>`)}</select></label>
        <label>Level <select value=${level} onChange=${(/** @type {any} */ event) => this.setState({level: event.target.value})}>
          <option value="">choose…</option>${LEVELS.map((each) => html`<option value=${each}>${each}</option>`)}</select></label>
        <button type="button" disabled=${level === ""} aria-describedby="live-services" onClick=${() => this.askServices("level", {level})}>Set level</button>
        <button type="button" aria-describedby="live-services" onClick=${() => this.askServices("snapshot")}>Snapshot of flight recorders</button>
        <span id="live-services">${changed.length === 0 ? "No service runs." : `Changes ${named(changed, serviceText)}.`}</span>
      </div>
      <div class="tools">
        <button type="button" disabled=${selected.length === 0} aria-describedby="live-statements" onClick=${() => this.askStatements("enable", selected)}>Enable ${selected.length} selected</button>
        <button type="button" disabled=${selected.length === 0} aria-describedby="live-statements" onClick=${() => this.askStatements("disable", selected)}>Disable ${selected.length} selected</button>
        <span id="live-statements">${selected.length === 0 ? "Select statements in the table below." : `In every process of its service: ${named(selected, (row) => visible(statementText(row), 160))}.`}</span>
      </div>`;
  }

  /** @param {{summary: any, rows: any[]}} properties @param {any} state */
  render({summary, rows}, {answers}) {
    const status = liveStatus(), live = section("live"), newest = status.live ?? live;
    const selected = view().statements.map((number) => rows[number]).filter((row) => row !== undefined);
    return html`<section class="panel" id="live" aria-labelledby="live-title">
      <h2 id="live-title">Live</h2>
      <p><span role="status">${stateText(status)}</span><span class="faint" id="live-age">${visible(ageText(live, newest))}</span>
        ${" "}<button type="button" onClick=${() => setPaused(!status.isPaused)}>${status.isPaused ? "Resume" : "Pause"}</button></p>
      ${obstacles(status).map((text) => html`<p class="bad" role="status">${text}</p>`)}
      ${status.dropped.length > 0 && html`<p role="status" id="live-dropped">Not in the traces any more, and not selected: ${named(status.dropped, (text) => visible(text, 160))}.
        ${" "}<button type="button" onClick=${forgetDropped}>OK</button></p>`}
      ${live.control && this.tools(servicesOf(newest, summary), selected)}
      ${answers.map((/** @type {any} */ answer) => html`<p class=${answer.isDone ? "" : "bad"} role="status">${visible(answer.text)}</p>`)}
      ${status.isWaiting && html`<p class="live-notice" role="status">${status.isPaused ? "There is newer data." : "Newer data waits while you use this panel."}
        ${" "}<button type="button" onClick=${() => {
          leave();
          setPaused(false);
        }}>Show it</button></p>`}
    </section>`;
  }
}
