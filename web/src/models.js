// For pages without a kernel: ppslab.models.answer(name, inputs, facts) by the models in this bundle.
// A long answer comes from this same bundle in a worker (aside.js), so that the page stays awake.
import { Aside, serve } from "./aside.js";
import { start } from "./micropython.js";
import files from "ppslab-models";
import wasm from "micropython-wasm";

const python = (hears) => start(files, URL.createObjectURL(new Blob([wasm], { type: "application/wasm" })), hears);

if (typeof document === "undefined") {
  serve(python);
} else {
  let running;
  const here = async (name, inputs, facts) => (await (running ??= python())).answer(name, inputs, facts);
  const aside = new Aside(`(${globalThis.ppslab.bundle})();`, here);
  globalThis.ppslab.models = {
    /** With `hears(done, of)` a worker answers, and calls it meanwhile; `hears()`: the page itself answers now. */
    answer: (name, inputs, facts, hears) => (hears ? aside.answer(name, inputs, facts, hears) : here(name, inputs, facts)),
    stop: () => aside.stop(),
  };
}
