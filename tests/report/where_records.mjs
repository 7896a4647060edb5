// usage: node where_records.mjs PAGE_MODULES_DIR REPORT < QUESTIONS
// Each line is a question, as JSON. A string is a condition: prints what it selects from the records of a report, {"lines": [...]} or
// {"error": "..."}. {"pattern": ..., "texts": [...]}: prints which of the texts match, {"matches": [...]} or the error.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [folder, report] = process.argv.slice(2);
const { RecordList } = await import(path.join(folder, "record_list.js"));
const { compilePattern } = await import(path.join(folder, "where_pattern.js"));
const { Where } = await import(path.join(folder, "where.js"));
vm.runInThisContext(fs.readFileSync(path.join(folder, "vendor", "fzstd.js"), "utf8"));

const page = fs.readFileSync(report, "latin1");
const section = (name) => {
  const [, data] = new RegExp(`id="data-${name}">([^<]*)<`).exec(page);
  return new TextDecoder().decode(fzstd.decompress(Buffer.from(data, "base64")));
};
const list = new RecordList(JSON.parse(section("records")), (chunk) => section(`records-${chunk}`));

const records = [];
for (let i = 0; i < list.length; ++i) if (!list.isLoss(i)) records.push([list.line(i), list.whereRecord(i)]);

const select = (condition) => {
  const where = new Where(condition);
  return {lines: records.filter(([, record]) => where.matches(record)).map(([line]) => line)};
};
const match = ({pattern, texts}) => {
  const matches = compilePattern(pattern);
  return {matches: texts.filter(matches)};
};
for (const question of fs.readFileSync(0, "utf8").trim().split("\n").map(JSON.parse)) {
  let answer;
  try {
    answer = typeof question === "string" ? select(question) : match(question);
  } catch (error) {
    answer = {error: error.message};
  }
  console.log(JSON.stringify(answer));
}
