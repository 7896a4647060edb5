// What the reader of the report has selected. All panels show it; the fragment of the address keeps it.

/**
 * @typedef {object} View
 * @property {number[]} statements numbers of those that are selected; empty: all
 * @property {[number, number] | null} time ns after the beginning; null: all
 * @property {string} search text in the table of statements
 * @property {string} sort column of the table
 * @property {boolean} rising
 * @property {[number, number] | null} window what the timeline shows, ns; null: all
 * @property {string[] | null} series curves of the timeline; null: the first counters
 */

/** @type {View} */
const FIRST = {statements: [], time: null, search: "", sort: "records", rising: false, window: null, series: null};

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
  const time = numbers(parameters.get("t")), window = numbers(parameters.get("w"));
  return {
    statements: numbers(parameters.get("s")).filter(Number.isInteger),
    time: time.length === 2 && time[0] < time[1] ? [time[0], time[1]] : null,
    search: parameters.get("q") ?? "",
    sort: parameters.get("sort") ?? FIRST.sort,
    rising: parameters.get("rising") === "1",
    window: window.length === 2 && window[0] < window[1] ? [window[0], window[1]] : null,
    series: parameters.has("curve") ? parameters.getAll("curve").filter((key) => key !== "") : null,
  };
}

/** @param {View} view */
export function fragmentOf(view) {
  const parameters = new URLSearchParams();
  if (view.statements.length > 0) parameters.set("s", view.statements.join(","));
  if (view.time !== null) parameters.set("t", view.time.join(","));
  if (view.search !== "") parameters.set("q", view.search);
  if (view.sort !== FIRST.sort) parameters.set("sort", view.sort);
  if (view.rising) parameters.set("rising", "1");
  if (view.window !== null) parameters.set("w", view.window.join(","));
  for (const key of view.series === null || view.series.length > 0 ? view.series ?? [] : [""]) parameters.append("curve", key);
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
