// "Run Python in this page": the cells of a notebook and of a widget become Python that runs here.
// Nothing is fetched before the button is pressed.
import { gettext } from "./gettext.mjs";
import { Kernel, managerOf } from "./kernel.js";
import { shower } from "./output.js";
import style from "./live.css";

const HERE = document.currentScript.src;
// What to load, and how much that is: src/ppslab/course/site/directives/frame/live.py.
const TOLD = JSON.parse(document.currentScript.dataset.python);
const beside = (name) => new URL(name, HERE).href;
const PYTHON = new URL("../lite/static/pyodide/", HERE).href;

// The button says how much it loads.
const OFFER = gettext("Run Python in this page ({value} MB)", { value: (TOLD.bytes / 1e6).toFixed(0) });

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function script(address) {
  return new Promise((done, failed) => {
    const lost = () => failed(new Error(`${address} did not load`));
    document.head.append(make("script", { src: address, onload: done, onerror: lost }));
  });
}

/** The parts of a page that hold code: those of a notebook, and the two lines of a widget. */
function cellsOf(page) {
  const found = [];
  for (const frame of page.querySelectorAll("div.cell, .ppslab-cell")) {
    const pre = frame.querySelector(".cell_input pre, .ppslab-python pre, pre.ppslab-python");
    if (pre) found.push({ frame, code: pre.closest("[class*='highlight-']") ?? pre, pre });
  }
  return found;
}

class Live {
  constructor(cells) {
    this.cells = cells;
    this.button = make("button", { type: "button", className: "ppslab-live-start" }, OFFER);
    this.stopper = make("button", { type: "button", className: "ppslab-live-stop", hidden: true }, gettext("Stop"));
    this.all = make("button", { type: "button", className: "ppslab-live-all", hidden: true }, gettext("Run all cells"));
    this.status = make("span", { className: "ppslab-live-status" });
    this.status.setAttribute("role", "status");
    this.button.addEventListener("click", () => this.start());
    this.stopper.addEventListener("click", () => this.stop());
    this.all.addEventListener("click", () => this.runAll().catch(() => {}));
    this.bar = make("div", { className: "ppslab-live" }, this.button, this.all, this.stopper, this.status);
  }

  async start() {
    const began = performance.now();
    this.button.disabled = true;
    this.stopper.hidden = false;
    this.say(gettext("loading …"));
    try {
      if (!globalThis.ppslab?.HTMLManager) await script(beside("ipywidgets.js"));
      this.kernel = new Kernel({
        worker: beside("worker.mjs"),
        python: PYTHON,
        told: TOLD,
        manager: managerOf(globalThis.ppslab),
        says: (text) => this.say(`${text} …`),
      });
      await this.kernel.ready;
      for (const cell of this.cells) this.edit(cell);
      // After a stop nothing runs unasked: what was stopped would run, and be stopped, again.
      if (!this.stopped) await this.runAll();
    } catch (error) {
      this.ended(error);
      return;
    }
    const took = ((performance.now() - began) / 1000).toFixed(1);
    const next = this.stopped ? gettext(" Its variables are gone: run the cells that you need, or all cells.") : "";
    this.say(gettext("Python is running in this page ({took} s).{next}", { took, next }));
    this.button.textContent = gettext("Python is on");
    this.all.hidden = false;
    document.documentElement.dataset.live = "ready";
  }

  /** One after the other; a cell that fails keeps none of the others from it. */
  async runAll() {
    await Promise.all(this.cells.map((cell) => this.run(cell)));
  }

  stop() {
    this.stopped = true;
    this.kernel?.stop();
    this.ended(new Error("stopped"));
  }

  ended(error) {
    this.kernel?.stop();
    this.kernel = undefined;
    for (const { runner } of this.cells) if (runner) runner.disabled = true;
    this.button.disabled = false;
    this.button.textContent = OFFER;
    this.all.hidden = true;
    this.stopper.hidden = true;
    delete document.documentElement.dataset.live;
    this.say(error.message === "stopped" ? "Python was stopped; its variables are gone."
      : gettext("Python could not run: {message}", { message: error.message }));
  }

  say(text) {
    this.status.textContent = text;
  }

  /** The code becomes a text field with a button; what a reader typed before stays. */
  edit(cell) {
    if (cell.runner) {
      cell.runner.disabled = false;
      return;
    }
    const text = cell.pre.textContent.replace(/\n$/, "");
    cell.field = make("textarea", { className: "ppslab-live-code", value: text, spellcheck: false });
    cell.field.setAttribute("aria-label", "Python code; Shift+Enter runs it");
    const fit = () => { cell.field.rows = cell.field.value.split("\n").length; };
    cell.field.addEventListener("input", fit);
    cell.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.shiftKey) return;
      event.preventDefault();
      this.run(cell).catch(() => {});
    });
    fit();
    cell.runner = make("button", { type: "button", className: "ppslab-live-run" }, gettext("Run"));
    cell.runner.addEventListener("click", () => this.run(cell).catch(() => {}));
    cell.output = make("div", { className: "cell_output ppslab-live-output" });
    cell.code.hidden = true;
    cell.code.before(cell.field, cell.runner);
    cell.frame.querySelectorAll(".cell_output").forEach((old) => old.remove());
    cell.frame.append(cell.output);
    this.beside(cell);
  }

  /** The widget that answered without Python makes room for the one with Python behind it. */
  beside(cell) {
    const block = cell.frame.closest(".ppslab-widget-block");
    block?.querySelectorAll(".widget-subarea, .ppslab-widget-still").forEach((old) => { old.hidden = true; });
  }

  /** Run a cell when those before it are done; it says that it waits, then that it runs. */
  run(cell) {
    const { kernel } = this;
    if (!kernel) return Promise.resolve();
    mark(cell, "waiting");
    const turn = kernel.turn.then(() => this.now(cell, kernel));
    kernel.turn = turn.catch(() => {});
    return turn;
  }

  async now(cell, kernel) {
    try {
      if (kernel !== this.kernel) throw new Error("stopped");
      mark(cell, "running");
      cell.output.replaceChildren();
      await kernel.run(cell.field.value, shower(cell.output, kernel.manager));
      cell.frame.dataset.ran = String(Number(cell.frame.dataset.ran ?? 0) + 1);
    } finally {
      mark(cell);
    }
  }
}

/** What a cell is busy with, for eyes and for ears. */
function mark(cell, busy) {
  for (const one of ["waiting", "running"]) {
    if (one === busy) cell.frame.dataset[one] = "true";
    else delete cell.frame.dataset[one];
  }
  cell.output.setAttribute("aria-busy", String(Boolean(busy)));
}

function begin() {
  // The theme has another heading, for print, before the article.
  const article = document.querySelector(".bd-article") ?? document.body;
  const cells = cellsOf(article);
  // A page that was opened from a disk has no workers; its widgets answer without them.
  if (!cells.length || location.protocol === "file:") return;
  document.head.append(make("style", { textContent: style }));
  const live = new Live(cells);
  const heading = cells[0].frame.matches("div.cell") && article.querySelector("h1");
  if (heading) heading.after(live.bar);
  else cells[0].frame.before(live.bar);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
