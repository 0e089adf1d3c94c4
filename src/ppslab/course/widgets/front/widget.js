// The front of every model: its controls, and its answer.  It knows no model by name.
// Python answers where a kernel is behind the page, the page's own models (ppslab.answer) where not.
import { shownAnswer, shownSays, shownTable } from "./answer.js";
import { foldingBar } from "./bar.js";
import { CONTROLS } from "./controls.js";
import { gettext, make, same } from "./element.js";
import { linkLines } from "./lines.js";
import { placeOf, showFirst } from "./listing.js";

let views = 0;

/** Kinds of controls that nobody sees. */
const UNSEEN = ["fragment", "results"];

/** Controls that fill a screen by themselves. */
const MANY = 6;

/** Milliseconds between two looks at an answer that is not there yet; no answer before the first has a bar. */
const TICK = 500;

/** Take files that are dropped beside every field, where a browser would leave the page for them. */
function takeAnywhere(take) {
  addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (event.defaultPrevented || !file) return;
    event.preventDefault();
    take(file);
  });
  // What was dropped on the front page (book/assets/drop.js).
  const dropped = sessionStorage.getItem("ppslab-dropped");
  sessionStorage.removeItem("ppslab-dropped");
  if (dropped) {
    const { name, size, text } = JSON.parse(dropped);
    take({ name, size, text: async () => text });
  }
}

function render({ model, el }) {
  const prefix = `ppslab-${model.get("name")}-${++views}`;
  const alone = Boolean(model.widget_manager?.withoutKernel);
  const controls = model.get("controls");
  let inputs = { ...model.get("inputs") };
  let asked = 0, answered = 0, waiting = false, touched = false;
  let ticking;
  let last = Promise.resolve();
  // Where the reader was who handed over a file that is not answered yet.
  let handedOver;

  // Who waits sees that it works, and can end it.
  const bar = make("progress", { "aria-label": gettext("How far the answer is") });
  const waited = make("span", { "aria-hidden": "true" });
  const stop = make("button", { type: "button" }, gettext("Stop"));
  const working = make("div", { class: "ppslab-working", hidden: true }, bar, waited, stop);
  const says = make("div", { class: "ppslab-says", role: "status" });
  const shown = make("div", { class: "ppslab-answer" });
  const form = make("form", { class: "ppslab-controls", id: `${prefix}-form` });
  form.addEventListener("submit", (event) => event.preventDefault());
  const further = make("form", { class: "ppslab-controls ppslab-further" });
  further.addEventListener("submit", (event) => event.preventDefault());
  const told = make("div", { class: "ppslab-told", role: "group", "aria-label": gettext("Answer"), tabindex: "-1" }, says, shown);
  const folds = controls.find((control) => control.folds);
  const folded = folds && foldingBar(form, further);
  const root = make("section", { class: "ppslab-widget", "aria-label": model.get("title"),
    "data-widget": model.get("name"), "data-source": alone ? "page" : "kernel" },
  make("p", { class: "ppslab-widget-title" }, model.get("title")), folded?.element, form, told, working, ...(controls.some(({ after }) => after) ? [further] : []));

  const fronts = controls.map((control, index) => {
    const emptied = Object.fromEntries((control.empties ?? []).map((name) => [name, ""]));
    const put = (value) => change({ ...emptied, [control.name]: value });
    const refused = (text) => {
      inputs = { ...inputs, ...emptied, [control.name]: null };
      asked++;  // An answer that is on its way is to another file.
      handedOver = document.activeElement;
      display();
      show({ problem: { input: control.name, says: text } });
    };
    const front = CONTROLS[control.kind](control, `${prefix}-${index}`, put, change, refused);
    // There from the beginning, so that a screen reader says what comes into it.
    const wrong = make("p", { class: "ppslab-problem", role: "alert", hidden: true });
    const below = make("div", { class: "ppslab-below" });
    front.element.append(wrong, below);
    (control.after ? further : form).append(front.element);
    return { ...front, control, wrong, below };
  });
  // Many controls: examples above the answer, what they set beside or below it.
  if (controls.filter((control) => !UNSEEN.includes(control.kind) && !control.after).length > MANY) {
    root.classList.add("ppslab-many-controls");
    const examples = fronts.filter(({ control }) => control.kind === "preset");
    const open = matchMedia("(min-width: 60rem)").matches;
    const rest = make("details", { class: "ppslab-more", open }, make("summary", {}, gettext("Set it yourself")));
    rest.append(...fronts.filter((front) => !examples.includes(front) && !front.control.after).map(({ element }) => element));
    form.append(rest);
  }

  function change(changed) {
    inputs = { ...inputs, ...changed };
    if (controls.some(({ kind, name }) => kind === "file" && changed[name])) handedOver = document.activeElement;
    if (!touched) {
      touched = true;
      document.dispatchEvent(new CustomEvent("ppslab:done",
        { detail: { kind: "widget", id: model.get("name") } }));
    }
    // A slider that is dragged asks once a frame, not once an event.
    if (!waiting) requestAnimationFrame(() => { waiting = false; display(); ask(); });
    waiting = true;
  }

  function display() {
    for (const { control, element, show, changed } of fronts) {
      const active = document.activeElement;
      if (!(element.contains(active) && active.matches("input[type=number], textarea"))) {
        if (control.name in inputs) show(inputs[control.name]);
      }
      changed?.(inputs);
      const [other, values] = control.when ?? [];
      element.hidden = other !== undefined && !values.some((value) => same(value, inputs[other]));
    }
  }

  function ask() {
    const number = ++asked;
    if (!alone) {
      model.set("inputs", { ...inputs });
      model.save_changes();
      return;
    }
    const began = performance.now();
    bar.removeAttribute("value");
    clearInterval(ticking);
    ticking = setInterval(() => tick((performance.now() - began) / 1000), TICK);
    const hears = (done, of) => {
      if (number !== asked) return;
      if (done === undefined) {
        // No worker here: what is drawn now stays on the screen until the answer is there.
        works(gettext("Working. This page stands still until the answer is there."));
        stop.hidden = true;
      } else Object.assign(bar, { max: of, value: done });
    };
    const coming = python(inputs, hears);
    last = coming.catch(() => {});
    coming.then(
      (answer) => { if (number === asked) show(answer); },
      (error) => {
        if (number !== asked) return;
        if (error.message === "stopped") {
          const file = controls.find(({ kind }) => kind === "file");
          show({ problem: { input: file?.name, says: gettext("Stopped. Paste your export again, or leave out long lists.") } });
          return;
        }
        console.error(error);
        show({ problem: { says: gettext("The model failed on these values: {message}", { message: error.message }) } });
      });
  }

  /** The page's own answer; a long one comes from a worker, which is heard meanwhile. */
  function python(asking, hears) {
    return globalThis.ppslab.answer(model.get("name"), asking, model.get("facts"), model.get("long") ? hears : undefined);
  }

  /** An answer that is not shown.  Not before the one that is: of two at once, the worker gives the last alone. */
  async function again(changed) {
    await last;
    return python({ ...inputs, ...changed }, () => {});
  }

  function works(text) {
    waited.textContent = text;
    working.hidden = false;
  }

  function tick(seconds) {
    works(gettext("Working, {seconds} s", { seconds: Math.floor(seconds) }));
  }

  stop.addEventListener("click", () => globalThis.ppslab.stop());

  // The last answer to the same file stays, greyed, where an input has none; what is wrong is shown at that input.
  function refuse({ input, says: text }) {
    const at = fronts.find(({ control }) => control.name === input) ?? fronts[0];
    at.wrong.textContent = text;
    at.wrong.hidden = false;
    // Of another file nothing is left: its answer would be taken for this one's.
    if (at.control.kind === "file") draw({});
    if (form.contains(at.element)) folded?.fold(false);
    // Not "nearest": what is still in view would leave a scroll to the last answer to go on.
    if (handedOver) at.wrong.scrollIntoView({ block: "center" });
  }

  // The answer to a file may begin below the screen.  Who has gone to another field meanwhile stays there.
  function reveal() {
    if (handedOver !== document.activeElement) return;
    told.focus({ preventScroll: true });
    if (folded && !folded.element.hidden) {
      folded.fold(true);
      folded.element.scrollIntoView();
    } else told.scrollIntoView();
  }

  function show(answer) {
    clearInterval(ticking);
    working.hidden = true;
    fronts.forEach(({ wrong }) => { wrong.hidden = true; });
    // An address that names no answer leaves what is shown.
    const elsewhere = controls.some(({ kind, name }) => kind === "fragment" && name === answer.problem?.input);
    root.classList.toggle("ppslab-stale", Boolean(answer.problem) && !elsewhere);
    if (answer.problem) refuse(answer.problem);
    else draw(answer);
    if (handedOver && !answer.problem) reveal();
    handedOver = undefined;
    root.dataset.of = answer.of ?? "";
    root.dataset.problem = answer.problem ? answer.problem.input : "";
    fronts.forEach((front) => front.answered?.(answer));
    root.dataset.answered = ++answered;
    root.dataset.ready = "true";
    el.closest(".ppslab-widget-block")?.classList.add("ppslab-alive");
  }

  function draw(answer) {
    folded?.show(inputs[folds.name]?.name, answer.router);
    says.replaceChildren(...shownSays(answer));
    const details = () => [...shown.querySelectorAll("details.ppslab-made, details.ppslab-folded")];
    const unfolded = details().map(({ open }) => open);
    const back = placeOf(shown);
    shown.replaceChildren(...shownAnswer(answer, change, again));
    const named = linkLines(shown, says, shown);
    // Another text is not read from where the last one was left.
    if (handedOver || !back()) showFirst(shown, named);
    for (const { control, below, element } of fronts) {
      const tables = (answer.tables ?? []).filter((table) => table.below === control.name);
      below.replaceChildren(...tables.map(shownTable));
      if (tables.length && element.contains(document.activeElement)) below.scrollIntoView({ block: "nearest" });
    }
    details().forEach((sign, place) => { sign.open = Boolean(unfolded[place]); });
    // What is wider than the screen is moved with the keyboard too.
    for (const drawing of shown.querySelectorAll(".ppslab-drawing")) {
      if (drawing.scrollWidth > drawing.clientWidth) drawing.tabIndex = 0;
    }
    shown.dataset.values = JSON.stringify(answer.values ?? null);
  }

  function said() {
    const answer = model.get("answer");
    if (answer && Object.keys(answer).length) show(answer);
  }
  function synced() { inputs = { ...model.get("inputs") }; display(); }
  if (!alone) {
    model.on("change:answer", said);
    model.on("change:inputs", synced);
  }
  for (const { control, kept } of fronts) if (alone && kept) inputs[control.name] = kept();
  // A link to an answer: who follows it is led to what it shows.
  const linked = fronts.filter(({ arrived }) => arrived?.());
  for (const { control, arrived } of linked) inputs[control.name] = arrived();
  el.append(root);
  display();
  said();
  if (linked.length) handedOver = document.activeElement;
  if (!answered || linked.length) ask();
  const everywhere = alone && fronts.find(({ control }) => control.anywhere);
  if (everywhere) takeAnywhere(everywhere.take);
  return () => {
    model.off("change:answer", said);
    model.off("change:inputs", synced);
  };
}

export default { render };
