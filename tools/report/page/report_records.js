// The records of this report.

import { section, sectionText, dataNumber } from "./data.js";
import { RecordList } from "./record_list.js";

/** @type {RecordList | null} */
let list = null;
let listNumber = 0;

/** Null if the report has none. */
export function recordList() {
  const index = section("records");
  if (listNumber !== dataNumber()) list = null;
  listNumber = dataNumber();
  if (list === null && index !== null) list = new RecordList(index, (chunk) => sectionText(`records-${chunk}`));
  return list;
}
