// What lies beside this script, loaded when it is needed.
import { make } from "../making.mjs";

const HERE = document.currentScript.src;

export const beside = (name) => new URL(name, HERE).href;

/** Load a script; it says what it brings in globalThis. */
export function script(name) {
  const address = beside(name);
  return new Promise((done, failed) => {
    const lost = () => failed(new Error(`${address} did not load`));
    document.head.append(make("script", { src: address, onload: done, onerror: lost }));
  });
}
