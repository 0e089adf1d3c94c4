// Widgets of a page that no kernel stands behind: their state is in the page, the models in models.js.
import front from "ppslab-front";

const STATE = 'script[type="application/vnd.ppslab.widget+json"]';

/** The state of one widget as the front (widgets/front/widget.js) reads a model; nobody else changes it. */
class PageModel {
  widget_manager = { withoutKernel: true };

  constructor(state) {
    this.state = state;
  }

  get(name) {
    return this.state[name];
  }

  on() {}

  off() {}
}

function show(script) {
  const el = document.createElement("div");
  el.className = "widget-subarea";
  script.before(el);
  front.render({ model: new PageModel(JSON.parse(script.textContent)), el });
}

function begin() {
  document.querySelectorAll(STATE).forEach(show);
}
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

(globalThis.ppslab ??= {}).answer = answer;
globalThis.ppslab.stop = () => globalThis.ppslab.models?.stop();

// Not at `load`: that waits for every picture of the page.  Not earlier in this file: a page whose
// address names an answer asks at once.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
