// Calls tools of `ringcat mcp` with the client of the protocol's SDK, and prints what it gets as JSON.
// usage: node mcp_client.mjs SDK_FOLDER CALLS RINGCAT ARGUMENT...
// CALLS: JSON, [[name, arguments], ...]
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";

const [folder, calls, command, ...args] = process.argv.slice(2);
const require = createRequire(folder + "/node_modules/index.js");
const from = (path) => import(pathToFileURL(require.resolve("@modelcontextprotocol/sdk/" + path)).href);
const {Client} = await from("client/index.js");
const {StdioClientTransport} = await from("client/stdio.js");

const client = new Client({name: "ringside-test", version: "1"});
await client.connect(new StdioClientTransport({command, args, stderr: "inherit"}));
const answers = [];
for (const [name, parameters] of JSON.parse(calls)) {
  try {
    answers.push(await client.callTool({name, arguments: parameters}));
  } catch (error) {
    answers.push({code: error.code, message: error.message});
  }
}
const {tools} = await client.listTools();
console.log(JSON.stringify({server: client.getServerVersion(), tools, answers}));
await client.close();
