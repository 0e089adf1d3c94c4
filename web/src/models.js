// For pages without a kernel: ppslab.course.models(name, inputs, facts) by the models in this bundle.
import { start } from "./micropython.js";
import files from "ppslab-models";
import wasm from "micropython-wasm";

const address = URL.createObjectURL(new Blob([wasm], { type: "application/wasm" }));
const running = start(files, address);
(globalThis.ppslab ??= {}).models = {
  answer: async (...asked) => (await running).answer(...asked),
};
