// What the reader of the report has selected. All panels show it; the fragment of the address keeps it.

/**
 * @typedef {object} View
 * @property {number[]} statements numbers of those that are selected; empty: all
 * @property {[number, number] | null} time ns after the beginning; null: all
 * @property {string} search text in the table of statements
 * @property {string} sort column of the table
 * @property {boolean} rising
 * @property {number | null} field of the heat map, as its index in the data; null: the first one of the selected statements
 * @property {[number, number] | null} values least and greatest of `field`, both selected; null: all
 * @property {string} where condition on records
 * @property {[number, number] | null} records first and last selected record, as numbers in the list
 * @property {number} row first visible row of the list of records
 * @property {string} request the activity that is shown
 * @property {[number, number] | null} window what the timeline shows, ns; null: all
 * @property {string[] | null} series curves of the timeline; null: the first counters
 * @property {number | null} trigger the change of what is collected whose records are shown, as its index in the data
 * @property {FlameView} flame
 */

/**
 * @typedef {object} FlameView
 * @property {string} kind of paths; empty: the first that the trace has
 * @property {number | null} thread null: all
 * @property {number[]} zoom names from the root to what fills the width
 * @property {number | null} sandwich the name whose callers and callees are shown
 */

/** @type {View} */
const FIRST = {
  statements: [], time: null, search: "", sort: "records", rising: false, field: null, values: null,
  where: "", records: null, row: 0, request: "", window: null, series: null, trigger: null,
  flame: {kind: "", thread: null, zoom: [], sandwich: null},
};

/** @type {Set<() => void>} */
const listeners = new Set();

/**
 * @param {string} fragment without #
 * @returns {View}
 */
export function viewOfFragment(fragment) {
  const parameters = new URLSearchParams(fragment);
  const numbers = (/** @type {string | null} */ text) =>
    (text ?? "").split(",").filter((each) => /^\d+(\.\d+)?$/.test(each)).map(Number);
  const time = numbers(parameters.get("t"));
  const field = numbers(parameters.get("h"));
  const values = (parameters.get("v") ?? "").split(",").filter((each) => each !== "").map(Number).filter(Number.isFinite);
  const window = numbers(parameters.get("window"));
  const whole = (/** @type {string} */ name) => integersOf(parameters.get(name) ?? "");
  return {
    statements: numbers(parameters.get("s")).filter(Number.isInteger),
    time: time.length === 2 && time[0] < time[1] ? [time[0], time[1]] : null,
    search: parameters.get("q") ?? "",
    sort: parameters.get("sort") ?? FIRST.sort,
    rising: parameters.get("rising") === "1",
    field: Number.isInteger(field[0]) ? field[0] : null,
    values: field.length === 1 && values.length === 2 && values[0] <= values[1] ? [values[0], values[1]] : null,
    where: parameters.get("w") ?? "",
    records: recordsOf(parameters.get("r") ?? ""),
    row: numbers(parameters.get("row"))[0] ?? 0,
    request: parameters.get("request") ?? "",
    window: window.length === 2 && window[0] < window[1] ? [window[0], window[1]] : null,
    series: parameters.has("curve") ? parameters.getAll("curve").filter((key) => key !== "") : null,
    trigger: whole("trigger").find((each) => each >= 0) ?? null,
    flame: {kind: parameters.get("paths") ?? "", thread: whole("thread")[0] ?? null, zoom: whole("zoom"), sandwich: whole("around")[0] ?? null},
  };
}

/** @param {string} text "12,-3" @returns {number[]} */
function integersOf(text) {
  return text.split(",").filter((each) => /^-?\d{1,9}$/.test(each)).map(Number);
}

/** @param {string} text "12" or "12-15" @returns {[number, number] | null} */
function recordsOf(text) {
  const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text);
  return found === null ? null : [Number(found[1]), Number(found[2] ?? found[1])];
}

/** @param {View} view */
export function fragmentOf(view) {
  const parameters = new URLSearchParams();
  if (view.statements.length > 0) parameters.set("s", view.statements.join(","));
  if (view.time !== null) parameters.set("t", view.time.join(","));
  if (view.field !== null) parameters.set("h", String(view.field));
  if (view.values !== null) parameters.set("v", view.values.join(","));
  if (view.search !== "") parameters.set("q", view.search);
  if (view.sort !== FIRST.sort) parameters.set("sort", view.sort);
  if (view.rising) parameters.set("rising", "1");
  if (view.where !== "") parameters.set("w", view.where);
  if (view.records !== null) parameters.set("r", view.records[0] === view.records[1] ? String(view.records[0]) : view.records.join("-"));
  if (view.row > 0) parameters.set("row", String(view.row));
  if (view.request !== "") parameters.set("request", view.request);
  if (view.window !== null) parameters.set("window", view.window.join(","));
  for (const key of view.series === null || view.series.length > 0 ? view.series ?? [] : [""]) parameters.append("curve", key);
  if (view.trigger !== null) parameters.set("trigger", String(view.trigger));
  const {kind, thread, zoom, sandwich} = view.flame;
  if (kind !== "") parameters.set("paths", kind);
  if (thread !== null) parameters.set("thread", String(thread));
  if (zoom.length > 0) parameters.set("zoom", zoom.join(","));
  if (sandwich !== null) parameters.set("around", String(sandwich));
  return parameters.toString();
}

let current = viewOfFragment(location.hash.slice(1));

/** @returns {View} */
export function view() {
  return current;
}

/** @param {Partial<View>} change */
export function changeView(change) {
  current = {...current, ...change};
  const fragment = fragmentOf(current);
  history.replaceState(null, "", fragment === "" ? location.pathname + location.search : "#" + fragment);
  for (const listener of listeners) listener();
}

/** @param {() => void} listener */
export function onViewChange(listener) {
  listeners.add(listener);
}

addEventListener("hashchange", () => {
  current = viewOfFragment(location.hash.slice(1));
  for (const listener of listeners) listener();
});

/** @param {number} statement */
export function isSelected(statement) {
  return current.statements.length === 0 || current.statements.includes(statement);
}

/** @param {number} statement */
export function toggleStatement(statement) {
  const without = current.statements.filter((each) => each !== statement);
  changeView({statements: without.length < current.statements.length ? without : [...current.statements, statement]});
}
