// The records of this report.

import { section, sectionText } from "./data.js";
import { RecordList } from "./record_list.js";

/** @type {RecordList | null} */
let list = null;

/** Null if the report has none. */
export function recordList() {
  const index = section("records");
  if (list === null && index !== null) list = new RecordList(index, (chunk) => sectionText(`records-${chunk}`));
  return list;
}
