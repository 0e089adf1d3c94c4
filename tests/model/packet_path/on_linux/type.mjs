// What MicroPython says of each line, as the page asks it: {files, wired, typed, answers} in, what
// is taken of each line out, and what is shown where Linux gave an answer.
import { interpreter } from "../../../../web/src/micropython.js";
import { createRequire } from "node:module";
import fs from "node:fs";

const require = createRequire(new URL("../../../../web/package.json", import.meta.url));
const wasm = require.resolve("@micropython/micropython-webassembly-pyscript/micropython.wasm");
const { files, wired, typed, answers } = JSON.parse(fs.readFileSync(0, "utf8"));
const python = await interpreter(files, wasm);
python.runPython(`
import sys
sys.path.insert(0, "/models")
from ppslab.model.packet_path.on_linux.in_page import Talk
_talk = None
def _open(wired):
    global _talk
    _talk = Talk(wired)
def _take(text):
    return _talk.take(text)
def _shown(output):
    return _talk.shown(output)
`);
python.globals.get("_open")(JSON.stringify(wired));
const take = python.globals.get("_take");
const shown = python.globals.get("_shown");
console.log(JSON.stringify(typed.map((line, at) => {
  const taken = JSON.parse(take(line));
  return at in answers ? [taken, shown(answers[at])] : [taken];
})));
