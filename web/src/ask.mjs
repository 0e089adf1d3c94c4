// For tests: read {"files", "name", "facts", "asked": [inputs]} from standard input, answer each.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import fs from "node:fs";
import { start } from "./micropython.js";

const require = createRequire(import.meta.url);
const wasm = require.resolve("@micropython/micropython-webassembly-pyscript/micropython.wasm");
const { files, name, facts, asked } = JSON.parse(fs.readFileSync(0, "utf8"));
const python = await start(files, wasm);
const answers = asked.map(inputs => python.answer(name, inputs, facts));
process.stdout.write(JSON.stringify(answers));
