// The models' Python in MicroPython: one interpreter a page, 20 ms to start.
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

// Models keep a route table or a record in memory; MicroPython's own default is 1 MB.
const HEAP = 32 * 1024 * 1024;

const CALL = `
import json, sys
sys.path.insert(0, "/models")
from ppslab.core.text import language
from ppslab.course.models import heard, model
_facts = {}
def _keep(key, text):
    _facts[key] = json.loads(text)
def _speak(text):
    language.use(json.loads(text))
def _hear(hears):
    heard.append(hears)
_files = {}
def _take(name, text):
    _files[name] = text
def _answer(name, key, text):
    inputs = json.loads(text)
    for control in inputs:
        value = inputs[control]
        if isinstance(value, dict) and value.get("text") is True:
            value["text"] = _files[control]
    return json.dumps(model(name).answer(inputs, _facts[key]))
`;

/** An interpreter with these files (path to text) in /models; `wasm` is its program's address. */
export async function interpreter(files, wasm) {
  const python = await loadMicroPython({ url: wasm, heapsize: HEAP });
  const made = new Set();
  for (const [path, text] of Object.entries(files)) {
    const parts = `models/${path}`.split("/");
    for (let i = 1; i < parts.length; i++) {
      const folder = "/" + parts.slice(0, i).join("/");
      if (!made.has(folder)) python.FS.mkdir(folder);
      made.add(folder);
    }
    python.FS.writeFile("/" + parts.join("/"), text);
  }
  return python;
}

/** Start the models with these files; `hears(done, of)` is told how far a long answer is. */
export async function start(files, wasm, hears) {
  const python = await interpreter(files, wasm);
  python.runPython(CALL);
  if (hears) python.globals.get("_hear")(hears);
  const messages = globalThis.ppslab?.messages;
  if (messages) python.globals.get("_speak")(JSON.stringify(messages));
  const keep = python.globals.get("_keep"), ask = python.globals.get("_answer");
  const take = python.globals.get("_take");
  const kept = new Map();
  const texts = new Map();
  // A file of megabytes goes over once, and not as a string inside of JSON: that took seconds.
  const apart = (key, value) => {
    // The inputs themselves come with no name; one of them may be called text.
    if (key === "" || !value || typeof value.text !== "string") return value;
    if (value.text !== texts.get(key)) {
      texts.set(key, value.text);
      take(key, value.text);
    }
    return { ...value, text: true };
  };
  return {
    /** What the model says of these inputs; facts are read once for each object of facts. */
    answer(name, inputs, facts) {
      if (!kept.has(facts)) {
        kept.set(facts, `facts-${kept.size}`);
        keep(kept.get(facts), JSON.stringify(facts));
      }
      return JSON.parse(ask(name, kept.get(facts), JSON.stringify(inputs, apart)));
    },
  };
}
