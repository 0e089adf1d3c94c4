// ipywidgets for Python in the page: nothing of it is loaded before a reader starts Python.
import { HTMLManager } from "@jupyter-widgets/html-manager/lib/htmlmanager";
import * as base from "@jupyter-widgets/base";
import anywidgetFactory from "./anywidget.js";

let anywidget;
async function loader(name) {
  if (name === "anywidget") return (anywidget ??= anywidgetFactory(base));
  throw new Error(`the widget module ${name} is not in ipywidgets.js`);
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

new MutationObserver(nameControls).observe(document.body, { childList: true, subtree: true });

Object.assign((globalThis.ppslab ??= {}), { HTMLManager, base, loader });
