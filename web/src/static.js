// Widgets of a page that no kernel stands behind: their state is in the page, the models in models.js.
import { HTMLManager } from "@jupyter-widgets/html-manager";
import { renderWidgets } from "@jupyter-widgets/html-manager/lib/libembed";
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

function begin() {
  new MutationObserver(nameControls).observe(document.body, { childList: true, subtree: true });
  renderWidgets(() => new PageManager({ loader })).catch((error) => {
    console.error("widgets:", error);
  });
}
// Not at `load`: that waits for every picture of the page.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();

Object.assign((globalThis.ppslab ??= {}), { HTMLManager, base, loader });
