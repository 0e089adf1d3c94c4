// Python for one page, in a worker of its own: Pyodide from our site, one message after the other.
import boot from "./boot.py";
import { fetcher } from "./fetching.mjs";

let handle;

const status = (text) => postMessage({ kind: "status", content: JSON.stringify(text), parent: "" });

async function start({ base, told }) {
  const fetching = await fetcher(base, told, status);
  // Pyodide has no hook for what it loads.
  globalThis.fetch = fetching.fetch;
  const { loadPyodide } = await import(`${base}pyodide.mjs`);
  const python = await loadPyodide({
    indexURL: base,
    packages: told.packages,
    stdout: (text) => console.log(text),
    stderr: (text) => console.warn(text),
  });
  globalThis.fetch = fetching.browsers;
  status("starting Python");
  handle = python.runPython(boot);
  postMessage({ kind: "ready", content: "{}", parent: "" });
  fetching.keep();
}

let chain = Promise.resolve();
onmessage = ({ data }) => {
  chain = chain.then(async () => {
    try {
      if (data.kind === "start") await start(data);
      else await handle(data.kind, data.id, JSON.stringify(data.content), data.buffers ?? []);
    } catch (error) {
      postMessage({ kind: "fatal", content: JSON.stringify(String(error)), parent: data.id ?? "" });
    }
  });
};
