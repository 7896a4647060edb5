// usage: node critical_path.mjs PAGE_MODULES_DIR < SPANS
// Prints the critical path of the spans of each line, [[begin, end], ...], as [[from, to, index], ...].
import fs from "node:fs";
import path from "node:path";

const { criticalPath } = await import(path.join(process.argv[2], "critical_path.js"));
for (const line of fs.readFileSync(0, "utf8").trim().split("\n")) {
  const spans = JSON.parse(line).map(([begin, end], index) => ({begin, end, index}));
  console.log(JSON.stringify(criticalPath(spans).map(({from, to, index}) => [from, to, index])));
}
