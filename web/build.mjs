// Bundle what pages load: node build.mjs PYTHON OUT; PYTHON: the folder of models.json and tasks.json
//   widgets.js  the widgets of a page without a kernel: the front of every model
//   compare.js, results.js  two devices side by side, and the test results that a reader pasted
//   ipywidgets.js  ipywidgets' views for Python in the page (html-manager, controls, anywidget)
//   models.js   MicroPython with our models in it: answers where no Python is behind the page
//   live.js     the button that runs a page's cells; worker.mjs is the Python behind it (Pyodide)
//   fonts.css  the site's typeface, with its files and their licences in fonts/
//   router.js   the router in the page: router-worker.mjs is v86, router-terminal.js is xterm.js,
//               router-tasks.js the tasks at it, judged by our Python in MicroPython,
// No require.js and no CDN: html-manager's own embed bundle asks one for every third-party widget.
import { build } from "esbuild";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { FILE, own } from "./src/own.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const [python, out] = process.argv.slice(2).map((name) => path.resolve(name));
if (!out) {
  console.error("usage: build.mjs PYTHON OUT");
  process.exit(2);
}
const require = createRequire(import.meta.url);
const front = path.join(HERE, "../src/ppslab/course/widgets/front/widget.js");
const wasm = require.resolve("@micropython/micropython-webassembly-pyscript/micropython.wasm");

// The theme has icons already, and no notebook of ipywidgets 7 is in the book: 2.4 MB less.
const slim = {
  name: "without-icons-and-ipywidgets-7",
  setup(builder) {
    builder.onResolve({ filter: /^@fortawesome\/.*\.css$/ }, ({ path: name }) => ({
      path: name,
      namespace: "nothing",
    }));
    builder.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "", loader: "js" }));
    builder.onResolve({ filter: /^@jupyter-widgets\/(base|controls)7/ }, (asked) =>
      builder.resolve(asked.path.replace(/(base|controls)7/, "$1"), {
        kind: asked.kind,
        resolveDir: asked.resolveDir,
      }),
    );
  },
};

// html-manager imports its styles from JavaScript.
const styles = {
  name: "styles-in-the-script",
  setup(builder) {
    builder.onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      const made = await build({
        entryPoints: [file],
        bundle: true,
        write: false,
        minify: true,
        logLevel: "silent",
        loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "empty", ".eot": "empty", ".svg": "dataurl" },
      });
      const text = JSON.stringify(made.outputFiles[0].text);
      const contents = `const s=document.createElement("style");s.textContent=${text};document.head.append(s);`;
      return { contents, loader: "js" };
    });
  },
};

const ours = {
  name: "our-models",
  setup(builder) {
    builder.onResolve({ filter: /^ppslab-(models|tasks)$/ }, ({ path: name }) => ({
      path: path.join(python, `${name.slice("ppslab-".length)}.json`),
    }));
    builder.onResolve({ filter: /^ppslab-front$/ }, () => ({ path: front }));
    builder.onResolve({ filter: /^micropython-wasm$/ }, () => ({ path: wasm }));
  },
};

const owned = {
  name: "each-interpreter-keeps-its-own-globals-and-calls-unchecked",
  setup(builder) {
    builder.onLoad({ filter: FILE }, ({ path: file }) => ({
      contents: own(fs.readFileSync(file, "utf8"), file),
      loader: "js",
    }));
  },
};

const common = {
  absWorkingDir: HERE,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  logLevel: "warning",
  legalComments: "none",
};
const made = await Promise.all([
  build({ ...common, entryPoints: ["src/static.js"], outfile: `${out}/widgets.js`, plugins: [ours] }),
  build({ ...common, entryPoints: ["src/compare.js", "src/results.js"], outdir: out }),
  build({
    ...common,
    entryPoints: ["src/ipywidgets.js"],
    outfile: `${out}/ipywidgets.js`,
    plugins: [slim, styles],
    define: {
      "process.env.NODE_ENV": '"production"',
      global: "globalThis",
      __webpack_public_path__: "globalThis.__ppslabPath",
    },
    loader: { ".svg": "text" },
    alias: {
      path: "path-browserify",
      url: "./src/nothing.js",
      fs: "./src/nothing.js",
      "source-map-js": "./src/nothing.js",
    },
  }),
  build({
    ...common,
    entryPoints: { models: "src/models.js", "router-tasks": "src/router/tasks.js" },
    outdir: out,
    plugins: [ours, owned],
    // It looks for its own address, and for a command line to serve; a classic script, the only
    // kind that file:// allows, has neither.
    define: { "import.meta.url": "location.href", process: "undefined" },
    // Its own text, which it hands to its worker: file:, and a page without a network, fetch nothing.
    banner: { js: "(function bundle(){(globalThis.ppslab??={}).bundle=bundle;" },
    footer: { js: "})();" },
    external: ["fs", "path", "url", "module", "crypto"],
    loader: { ".wasm": "binary", ".css": "text" },
  }),
  build({
    ...common,
    entryPoints: ["src/live.js"],
    outfile: `${out}/live.js`,
    loader: { ".css": "text" },
  }),
  build({
    ...common,
    entryPoints: ["src/worker.mjs"],
    format: "esm",
    outfile: `${out}/worker.mjs`,
    loader: { ".py": "text" },
  }),
  build({
    ...common,
    entryPoints: { router: "src/router/page/page.js", "router-terminal": "src/router/terminal.js" },
    outdir: out,
    define: { PPSLAB_V86: JSON.stringify(require("v86/package.json").version) },
    loader: { ".css": "text" },
  }),
  build({
    ...common,
    entryPoints: ["src/router/worker.mjs"],
    format: "esm",
    outfile: `${out}/router-worker.mjs`,
    // v86 looks whether it is in Node.
    define: { require: "undefined", process: "undefined" },
    external: ["node:*", "crypto", "fs", "perf_hooks"],
  }),
]);
// Not every server compresses a .wasm; the worker unpacks this one itself.
fs.writeFileSync(`${out}/v86.wasm.gz`, gzipSync(fs.readFileSync(require.resolve("v86/build/v86.wasm")), { level: 9 }));
// The typeface of the site: its files as the packages have them, each family's licence with them.
fs.mkdirSync(`${out}/fonts`, { recursive: true });
const licences = [];
for (const [family, weights] of [["ibm-plex-sans", [400, 600]], ["ibm-plex-mono", [400]]]) {
  const folder = path.dirname(require.resolve(`@fontsource/${family}/package.json`));
  for (const weight of weights) {
    const name = `${family}-latin-${weight}-normal.woff2`;
    fs.copyFileSync(path.join(folder, "files", name), `${out}/fonts/${name}`);
  }
  licences.push(fs.readFileSync(path.join(folder, "LICENSE"), "utf8"));
}
fs.writeFileSync(`${out}/fonts/LICENSE.txt`, licences.join("\n\n"));
fs.copyFileSync(path.join(HERE, "src/fonts.css"), `${out}/fonts.css`);
for (const name of ["widgets.js", "ipywidgets.js", "models.js", "live.js", "worker.mjs", "router.js", "router-terminal.js", "router-tasks.js", "router-worker.mjs", "v86.wasm.gz"]) {
  const bytes = fs.statSync(path.join(out, name)).size;
  console.log(`web: ${name} ${Math.round(bytes / 1024)} KB`);
}
if (made.some((one) => one.errors.length)) process.exit(1);
