// What MicroPython says of each line, as the page asks it: {files, wired, typed} in, answers out.
import { interpreter } from "../../../../web/src/micropython.js";
import { createRequire } from "node:module";
import fs from "node:fs";

const require = createRequire(new URL("../../../../web/package.json", import.meta.url));
const wasm = require.resolve("@micropython/micropython-webassembly-pyscript/micropython.wasm");
const { files, wired, typed } = JSON.parse(fs.readFileSync(0, "utf8"));
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
`);
python.globals.get("_open")(JSON.stringify(wired));
const take = python.globals.get("_take");
console.log(JSON.stringify(typed.map((line) => JSON.parse(take(line)))));
