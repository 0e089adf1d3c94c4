// For pages without a kernel: ppslab.answer(name, inputs, facts) from the models in this bundle.
import { start } from "./micropython.js";
import files from "ppslab-models";
import wasm from "micropython-wasm";

let running;
const host = (globalThis.ppslab ??= {});
host.answer = async (name, inputs, facts) => {
  running ??= start(files, URL.createObjectURL(new Blob([wasm], { type: "application/wasm" })));
  return (await running).answer(name, inputs, facts);
};
