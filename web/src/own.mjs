// MicroPython's package as the page runs it: build.mjs bundles this text, and node.mjs runs it in tests.
// MicroPython keeps its program (Module) and its references to JavaScript's objects in globals of the
// page: a second interpreter (the drills beside the tasks) took the place of the first,
// "globals.get(...) is not a function".  Each bundle has one interpreter; here it keeps its own.
const GLOBALS = /globalThis\.((?:proxy_js_|pyProxy)\w+)/g;
const PROGRAM = "globalThis.Module=Module";
// The package is a build for debugging: at each call from C through JavaScript, as one of every
// Python function is, it looks whether its copy of the table of functions is right.  That was a third
// of the time of a long answer; the table does not change while a page runs.
const CHECK = /,assert\(wasmTable\.get\(funcPtr\)==func,"[^"]*"\)/;

export const FILE = /micropython\.mjs$/;

/** The text of that file with its program and references its own, and its calls unchecked. */
export function own(text, file) {
  const names = [...new Set([...text.matchAll(GLOBALS)].map(([, name]) => name))];
  if (!names.length || !text.includes(PROGRAM)) throw new Error(`${file}: its globals are called otherwise now`);
  if (!CHECK.test(text)) throw new Error(`${file}: the check at each call is written otherwise now, or gone`);
  // Where the program is assigned, a variable of the same name is nearer.
  const globals = `let Module, ${names};\nfunction keepModule(made) { Module = made; }\n`;
  return globals + text.replace(GLOBALS, "$1").replace(PROGRAM, "keepModule(Module)").replace(CHECK, "");
}
