// Python for one page, in a worker of its own: Pyodide from our site, one message after the other.
import boot from "./boot.py";

let handle;

async function start({ base, packages }) {
  const { loadPyodide } = await import(`${base}pyodide.mjs`);
  const python = await loadPyodide({
    indexURL: base,
    packages,
    stdout: (text) => console.log(text),
    stderr: (text) => console.warn(text),
  });
  postMessage({ kind: "status", content: '"starting Python"', parent: "" });
  handle = python.runPython(boot);
  postMessage({ kind: "ready", content: "{}", parent: "" });
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
