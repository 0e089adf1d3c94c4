// Bundle what pages load: node build.mjs MODELS.json OUT
//   widgets.js  ipywidgets' views for pages without a kernel (html-manager, controls, anywidget)
//   models.js   MicroPython with our models in it: answers where no Python is behind the page
//   live.js     the button that runs a page's cells; worker.mjs is the Python behind it (Pyodide)
// No require.js and no CDN: html-manager's own embed bundle asks one for every third-party widget.
import { build } from "esbuild";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const [models, out] = process.argv.slice(2).map((name) => path.resolve(name));
if (!out) {
  console.error("usage: build.mjs MODELS.json OUT");
  process.exit(2);
}
const require = createRequire(import.meta.url);
const wasm = require.resolve("@micropython/micropython-webassembly-pyscript/micropython.wasm");

// anywidget comes as an AMD module, which wants require.js; its one dependency is handed to it.
const anywidget = {
  name: "anywidget-without-amd",
  setup(builder) {
    builder.onResolve({ filter: /^anywidget-amd$/ }, () => ({
      path: path.join(HERE, "node_modules/anywidget/dist/index.js"),
      namespace: "amd",
    }));
    builder.onLoad({ filter: /.*/, namespace: "amd" }, ({ path: file }) => {
      const text = fs.readFileSync(file, "utf8");
      const tail = text.match(/define\(\["@jupyter-widgets\/base"\],\s*([\w$]+)\);?\s*$/);
      if (!tail) throw new Error(`${file}: its last line is no define(["@jupyter-widgets/base"], ...)`);
      const contents = `${text.slice(0, tail.index)}export default ${tail[1]};`;
      return { contents, loader: "js", resolveDir: HERE };
    });
  },
};

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
    builder.onResolve({ filter: /^ppslab-models$/ }, () => ({ path: models }));
    builder.onResolve({ filter: /^micropython-wasm$/ }, () => ({ path: wasm }));
    // It looks for its own address, and for a command line to serve; a classic script, the only
    // kind that file:// allows, has neither.
    builder.onLoad({ filter: /micropython\.mjs$/ }, ({ path: file }) => {
      const text = fs.readFileSync(file, "utf8").replaceAll("import.meta.url", "document.baseURI");
      const command = /if\(globalThis\.loadMicroPython=loadMicroPython,"object"==typeof process.*?\}\(\)\}(?=class PyProxy)/s;
      if (!command.test(text)) throw new Error(`${file}: its command line is not where it was`);
      return { contents: text.replace(command, ""), loader: "js" };
    });
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
  build({
    ...common,
    entryPoints: ["src/static.js"],
    outfile: `${out}/widgets.js`,
    plugins: [slim, anywidget, styles],
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
    entryPoints: ["src/models.js"],
    outfile: `${out}/models.js`,
    plugins: [ours],
    external: ["fs", "path", "url", "module", "crypto"],
    loader: { ".wasm": "binary" },
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
]);
for (const name of ["widgets.js", "models.js", "live.js", "worker.mjs"]) {
  const bytes = fs.statSync(path.join(out, name)).size;
  console.log(`web: ${name} ${Math.round(bytes / 1024)} KB`);
}
if (made.some((one) => one.errors.length)) process.exit(1);
