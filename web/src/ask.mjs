// For tests: read {"files", "name", "facts", "asked": [inputs]} from standard input, answer each.
import fs from "node:fs";
import { start } from "./node.mjs";

const { files, name, facts, asked } = JSON.parse(fs.readFileSync(0, "utf8"));
const python = await start(files);
const answers = asked.map(inputs => python.answer(name, inputs, facts));
process.stdout.write(JSON.stringify(answers));
