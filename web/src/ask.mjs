// For tests: read {"files", "asked": [{name, inputs, facts}]} from standard input, answer each.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import fs from "node:fs";
import { start } from "./micropython.js";

const require = createRequire(import.meta.url);
const wasm = require.resolve("@micropython/micropython-webassembly-pyscript/micropython.wasm");
const { files, asked } = JSON.parse(fs.readFileSync(0, "utf8"));
const python = await start(files, wasm);
const facts = new Map();
const answers = asked.map(({ name, inputs, facts: known }) => {
  // The same facts are one object, so that they are read once.
  const key = JSON.stringify(known);
  if (!facts.has(key)) facts.set(key, known);
  return python.answer(name, inputs, facts.get(key));
});
process.stdout.write(JSON.stringify(answers));
