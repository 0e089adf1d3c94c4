// Widgets of a page that no kernel stands behind: their state is in the page, the models in models.js.
import { HTMLManager } from "@jupyter-widgets/html-manager/lib/htmlmanager";
import * as base from "@jupyter-widgets/base";
import anywidgetFactory from "anywidget-amd";

let anywidget;
async function loader(name) {
  if (name === "anywidget") return (anywidget ??= anywidgetFactory(base));
  throw new Error(`the widget module ${name} is not in widgets.js`);
}

/** A manager whose widgets know that they must answer for themselves (front.js asks). */
class PageManager extends HTMLManager {
  withoutKernel = true;
}

// ipywidgets 8 calls MathJax 2 for every label; pages have no MathJax at all.
(globalThis.MathJax ??= {}).Hub ??= { Queue() {} };

// ipywidgets 8 leaves slider handles and Play buttons without a name for screen readers.
const PLAY = ["Play", "Pause or stop", "Repeat"];
function nameControls() {
  for (const handle of document.querySelectorAll(".noUi-handle:not([aria-label])")) {
    const slider = handle.closest(".widget-slider, .widget-hslider, .widget-vslider");
    const text = slider?.querySelector(".widget-label")?.textContent.trim();
    if (text) handle.setAttribute("aria-label", text);
  }
  for (const player of document.querySelectorAll(".widget-play")) {
    player.querySelectorAll("button:not([aria-label])").forEach((button, index) => {
      button.setAttribute("aria-label", button.title || PLAY[index] || "Control");
    });
  }
}

const of = (kind) =>
  document.querySelectorAll(`script[type="application/vnd.jupyter.widget-${kind}+json"]`);

// html-manager's own renderWidgets does the same, and brings a validator of 0.1 MB that the state
// of our own build does not need and that warns on the console.
async function show(state) {
  const manager = new PageManager({ loader });
  const models = await manager.set_state(JSON.parse(state.textContent));
  for (const tag of of("view")) {
    const id = JSON.parse(tag.textContent).model_id;
    const model = models.find((one) => one.model_id === id);
    if (!model) continue;
    const place = document.createElement("div");
    place.className = "widget-subarea";
    tag.before(place);
    await manager.display_view(await manager.create_view(model), place);
  }
}

function begin() {
  new MutationObserver(nameControls).observe(document.body, { childList: true, subtree: true });
  for (const state of of("state")) {
    show(state).catch((error) => console.error("widgets:", error));
  }
}
// Not at `load`: that waits for every picture of the page.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();

// The first answer of every widget is in its state; the models are fetched when the page has
// nothing else to do, or when a reader asks before that.  A script, since file:// allows no fetch.
const models = document.currentScript.src.replace(/widgets\.js(\?.*)?$/, "models.js");
let fetched;
function answer(...asked) {
  fetched ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = models;
    script.onload = () => done(globalThis.ppslab.models);
    script.onerror = () => failed(new Error(`${models} could not be loaded`));
    document.head.append(script);
  });
  return fetched.then((python) => python.answer(...asked));
}

Object.assign((globalThis.ppslab ??= {}), { HTMLManager, base, loader, answer });
