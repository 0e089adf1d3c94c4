// What a cell shows: text, errors, HTML, pictures and widgets.
import { regroup } from "./numbers.js";

const VIEW = "application/vnd.jupyter.widget-view+json";
const SVG = "image/svg+xml";

function add(place, tag, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  place.append(element);
  return element;
}

/** Text as it stands; long lines scroll, by keyboard too. */
function text(box, shown, look = "") {
  add(box, "pre", { textContent: shown, className: look, tabIndex: 0 });
}

/** A function that shows one message after the other in `place`. */
export function shower(place, manager) {
  let clearing = false;
  return async (kind, content) => {
    if (kind === "clear_output") {
      if (content.wait) clearing = true;
      else place.replaceChildren();
      return;
    }
    if (clearing) place.replaceChildren();
    clearing = false;
    const last = place.lastElementChild;
    // What is printed comes in pieces.
    if (kind === "stream" && last?.dataset.stream === content.name) {
      last.firstElementChild.textContent += content.text;
      return;
    }
    const box = add(place, "div", { className: "output" });
    if (kind === "stream") {
      box.dataset.stream = content.name;
      text(box, content.text);
    } else if (kind === "error") {
      const said = content.traceback.join("\n").replace(/\x1b\[[0-9;]*m/g, "");
      text(box, said, "ppslab-live-error");
    } else {
      await data(box, content.data, manager);
    }
  };
}

async function data(box, shown, manager) {
  if (shown[VIEW]) {
    const model = await manager.get_model(shown[VIEW].model_id);
    await manager.display_view(await manager.create_view(model), box);
  } else if (shown["text/html"] ?? shown[SVG]) {
    // The reader's own code made it, in the reader's own page.
    box.innerHTML = shown["text/html"] ?? shown[SVG];
    regroup(box);
  } else if (shown["image/png"]) {
    add(box, "img", { src: `data:image/png;base64,${shown["image/png"]}`, alt: shown["text/plain"] ?? "" });
  } else {
    text(box, shown["text/plain"] ?? "");
  }
}
