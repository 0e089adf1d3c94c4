// For tests: MicroPython in Node, from the same text as in the page's bundles.
import { createRequire, registerHooks } from "node:module";
import { FILE, own } from "./own.mjs";

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    return FILE.test(url) ? { ...loaded, source: own(String(loaded.source), url) } : loaded;
  },
});
const { interpreter: page, start: started } = await import("./micropython.js");
const wasm = createRequire(import.meta.url).resolve("@micropython/micropython-webassembly-pyscript/micropython.wasm");

export const interpreter = (files) => page(files, wasm);
export const start = (files) => started(files, wasm);
