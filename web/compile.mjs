// Compile the Python of a folder for the browser: node compile.mjs FOLDER
// The browser's Python does it itself, at every start: half of the time until a page's cells run.
// Each .py becomes a .pyc in its place, made by the very Python that will load it.
import path from "node:path";
import { loadPyodide } from "pyodide";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: compile.mjs FOLDER");
  process.exit(2);
}

const COMPILE = `
import pathlib, py_compile
count = 0
for path in sorted(pathlib.Path("/folder").rglob("*.py")):
    try:
        # No times: the file is never looked at again.
        py_compile.compile(str(path), str(path) + "c", str(path).removeprefix("/folder/"), doraise=True,
                           invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    except py_compile.PyCompileError:
        continue  # a template or a test for another Python, which stays as it is
    path.unlink()
    count += 1
count
`;

const python = await loadPyodide({ packages: [] });
python.FS.mkdir("/folder");
python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(folder) }, "/folder");
console.log(`${await python.runPythonAsync(COMPILE)} files compiled`);
