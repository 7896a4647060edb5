// Which records of the trace the report has, and why.

import { count, counted } from "./numbers.js";

const REASONS = /** @type {Record<string, string>} */ ({
  all: "The report has all records.",
  first: "One of the first records.",
  last: "One of the last records.",
  trigger: "Around a trigger or another change of what was collected, in its process.",
  loss: "A loss, or one of the records of its thread after it.",
  error: "Of level ERROR or above.",
  warning: "Of level WARNING.",
  sample: "A sample: the first of its statement in an interval.",
});

/** @param {string} reason */
export function reasonText(reason) {
  return REASONS[reason] ?? "";
}

/** @param {import("./record_list.js").RecordList} list @returns {{headline: string, details: string[]}} */
export function rulesOf({index, length, losses}) {
  const kept = length - losses;
  if (index.all) return {headline: `All ${counted(index.of, "record")}.`, details: []};
  const details = [];
  const line = (/** @type {string} */ rule, /** @type {(kept: string, of: string) => string} */ text) => {
    const found = index.rules[rule];
    if (found !== undefined) details.push(text(count(found.kept), count(found.of)));
  };
  line("first", (number) => `The first ${number}.`);
  line("last", (number) => `${number} at the end.`);
  line("trigger", (number) => `${number} around triggers and other changes of what was collected: up to 50 of the process before and after each, within a second.`);
  line("loss", (number, of) => `${number} losses and records after them, of ${of}: up to 10 of the thread after each.`);
  line("error", (number, of) => `${number} of ${of} others of level ERROR and above.`);
  line("warning", (number, of) => `${number} of ${of} others of level WARNING.`);
  line("sample", (number) => `${number} samples: the first of each statement in each ${index.sample_intervals > 1 ? `${index.sample_intervals} intervals` : "interval"} of the trace, which has up to 256.`);
  if (index.halvings > 0) details.push(`Then one of ${2 ** index.halvings}: the texts are long.`);
  return {headline: `${count(kept)} of ${count(index.of)} records. ringcat shows the others.`, details};
}
