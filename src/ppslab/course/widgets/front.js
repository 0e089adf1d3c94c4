// The front of every model: its controls, and its answer.  It knows no model by name.
// Python answers where a kernel is behind the page, the page's own models (ppslab.answer) where not.

let views = 0;

/** Controls that fill a screen by themselves. */
const MANY = 6;

/** An element with attributes and children; text is never read as HTML. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// ----- controls: each gives {element, show(value)}; `put(value)` is what a reader's change calls ---

function labelled(control, id, ...inputs) {
  return make("div", { class: "ppslab-control" },
    make("label", { for: id }, control.label),
    make("span", { class: "ppslab-inputs" }, ...inputs),
    help(control, id));
}

function help(control, id) {
  return control.help ? make("small", { id: `${id}-help` }, control.help) : undefined;
}

function group(control, id, ...children) {
  return make("fieldset", { class: "ppslab-control", "aria-describedby": control.help && `${id}-help` },
    make("legend", {}, control.label), ...children, help(control, id));
}

const CONTROLS = {
  number(control, id, put) {
    const limits = { min: control.low, max: control.high, step: control.step };
    const slider = make("input", { type: "range", id, name: control.name, ...limits,
      "aria-describedby": control.help && `${id}-help` });
    const box = make("input", { type: "number", ...limits, "aria-label": `${control.label}, as a number` });
    slider.addEventListener("input", () => { box.value = slider.value; put(Number(slider.value)); });
    box.addEventListener("change", () => {
      const value = Math.min(control.high, Math.max(control.low, Number(box.value) || control.low));
      box.value = slider.value = value;
      put(value);
    });
    const unit = control.unit ? make("span", { class: "ppslab-unit" }, control.unit) : undefined;
    return {
      element: labelled(control, id, slider, box, unit),
      show(value) {
        slider.value = box.value = value;
        if (control.unit) slider.setAttribute("aria-valuetext", `${value} ${control.unit}`);
      },
    };
  },

  choice(control, id, put) {
    const select = make("select", { id, name: control.name, "aria-describedby": control.help && `${id}-help` },
      ...control.choices.map(([, label], index) => make("option", { value: index }, label)));
    select.addEventListener("change", () => put(control.choices[select.value][0]));
    return {
      element: labelled(control, id, select),
      show(value) { select.value = control.choices.findIndex(([one]) => same(one, value)); },
    };
  },

  switch(control, id, put) {
    const box = make("input", { type: "checkbox", id, name: control.name });
    box.addEventListener("change", () => put(box.checked));
    const element = make("div", { class: "ppslab-control ppslab-switch" },
      box, make("label", { for: id }, control.label), help(control, id));
    return { element, show(value) { box.checked = value; } };
  },

  many(control, id, put) {
    const boxes = control.choices.map(([value], index) =>
      make("input", { type: "checkbox", id: `${id}-${index}`, name: control.name, value }));
    const chosen = () => control.choices.filter((_, index) => boxes[index].checked).map(([value]) => value);
    boxes.forEach((box) => box.addEventListener("change", () => put(chosen())));
    const rows = control.choices.map(([, label], index) =>
      make("span", { class: "ppslab-switch" }, boxes[index], make("label", { for: `${id}-${index}` }, label)));
    return {
      element: group(control, id, make("div", { class: "ppslab-many" }, ...rows)),
      show(value) {
        control.choices.forEach(([one], index) => { boxes[index].checked = value.some((it) => same(it, one)); });
      },
    };
  },

  text(control, id, put) {
    const attributes = { id, name: control.name, spellcheck: "false", autocomplete: "off" };
    const box = control.rows ? make("textarea", { ...attributes, rows: control.rows })
      : make("input", { type: "text", ...attributes });
    box.addEventListener("input", () => put(box.value));
    return { element: labelled(control, id, box), show(value) { if (box.value !== value) box.value = value; } };
  },

  preset(control, id, put, putAll) {
    const buttons = control.choices.map(([label, inputs]) => {
      const button = make("button", { type: "button", name: control.name }, label);
      button.addEventListener("click", () => putAll(inputs));
      return button;
    });
    // Pressed is the preset whose inputs are the current ones.
    const changed = (inputs) => buttons.forEach((button, index) => {
      const meant = Object.entries(control.choices[index][1]);
      button.setAttribute("aria-pressed", meant.every(([name, value]) => same(inputs[name], value)));
    });
    return { element: group(control, id, make("div", { class: "ppslab-many" }, ...buttons)), show() {}, changed };
  },

  step(control, id, put) {
    const slider = make("input", { type: "range", id, name: control.name, min: 0, max: 0, step: 1 });
    const play = make("button", { type: "button" }, "Play");
    let running = 0, wanted = 0;
    const stop = () => { clearInterval(running); running = 0; play.textContent = "Play"; };
    const go = (to) => {
      slider.value = to;
      put(Number(slider.value));
      if (Number(slider.value) >= Number(slider.max)) stop();
    };
    const button = (label, to) => {
      const element = make("button", { type: "button" }, label);
      element.addEventListener("click", () => { stop(); go(to()); });
      return element;
    };
    slider.addEventListener("input", () => { stop(); go(slider.value); });
    play.addEventListener("click", () => {
      if (running) return stop();
      if (Number(slider.value) >= Number(slider.max)) go(0);
      play.textContent = "Pause";
      running = setInterval(() => (slider.isConnected ? go(Number(slider.value) + 1) : stop()), 700);
    });
    return {
      element: labelled(control, id, button("First", () => 0), button("Back", () => Number(slider.value) - 1),
        play, button("Next", () => Number(slider.value) + 1), slider),
      show(value) { wanted = value; slider.value = value; },
      answered(answer) {
        slider.max = answer.steps ?? 0;
        // How many steps there are is known with the answer only; until then a slider has none.
        slider.value = wanted;
        slider.setAttribute("aria-valuetext", `step ${slider.value} of ${slider.max}`);
      },
    };
  },

  place(control, id, put) {
    let placed = {};
    const move = (item, place) => { placed = { ...placed, [item]: place }; put(placed); show(placed); };
    const groups = [...new Set(control.places.map(([, , where]) => where ?? ""))];
    const boxes = new Map(control.places.map(([place, label]) => {
      const box = make("div", { class: "ppslab-place", "data-place": place },
        make("span", { class: "ppslab-place-name" }, label));
      box.addEventListener("dragover", (event) => { event.preventDefault(); box.classList.add("ppslab-over"); });
      box.addEventListener("dragleave", () => box.classList.remove("ppslab-over"));
      box.addEventListener("drop", (event) => {
        event.preventDefault();
        box.classList.remove("ppslab-over");
        const item = event.dataTransfer.getData("text/plain");
        if (control.items.some(([one]) => one === item)) move(item, place);
      });
      return [place, box];
    }));
    const chips = new Map(control.items.map(([item, label]) => {
      const chip = make("span", { class: "ppslab-chip", draggable: "true", "data-item": item }, label);
      chip.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", item));
      return [item, chip];
    }));
    // Dragging needs a pointer; these do the same from the keyboard, and on a phone.
    const selects = new Map(control.items.map(([item, label], index) => {
      const select = make("select", { id: `${id}-${index}`, name: control.name, "data-item": item },
        ...groups.map((where) => {
          const options = control.places.filter(([, , one]) => (one ?? "") === where)
            .map(([place, text]) => make("option", { value: place }, text));
          return where ? make("optgroup", { label: where }, ...options) : options;
        }).flat());
      select.addEventListener("change", () => move(item, select.value));
      return [item, make("span", { class: "ppslab-seat" },
        make("label", { for: `${id}-${index}` }, label), select)];
    }));
    function show(value) {
      placed = { ...value };
      for (const [item, chip] of chips) {
        boxes.get(placed[item])?.append(chip);
        selects.get(item).querySelector("select").value = placed[item];
      }
    }
    const board = groups.map((where) => make("div", { class: "ppslab-places" },
      make("span", { class: "ppslab-places-name" }, where),
      ...control.places.filter(([, , one]) => (one ?? "") === where).map(([place]) => boxes.get(place))));
    return {
      element: group(control, id, make("div", { class: "ppslab-board", "aria-hidden": "true" }, ...board),
        make("div", { class: "ppslab-many" }, ...selects.values())),
      show,
    };
  },

  file(control, id, put) {
    const input = make("input", { type: "file", id, name: control.name, accept: control.accept ?? ".json,application/json" });
    const name = make("output", { for: id });
    const clear = make("button", { type: "button", hidden: true }, "Remove");
    const show = (value) => {
      name.textContent = value ? value.name : "";
      clear.hidden = !value;
      if (!value) input.value = "";
    };
    const take = async (file) => {
      if (!file) return;
      const value = { name: file.name, text: await file.text() };
      show(value);
      put(value);
    };
    input.addEventListener("change", () => take(input.files[0]));
    clear.addEventListener("click", () => { show(null); put(null); input.focus(); });
    // What is pasted goes straight on, and what is typed when the reader leaves the field: neither is
    // kept in the page, as it may hold a password.
    const paste = control.paste ? make("textarea", { rows: 1, placeholder: control.paste,
      "aria-label": `${control.label}, ${control.paste}`, spellcheck: "false", autocomplete: "off" }) : undefined;
    const handOver = () => {
      const text = paste.value;
      paste.value = "";
      if (!text.trim()) return;
      const value = { name: "pasted", text };
      show(value);
      put(value);
    };
    paste?.addEventListener("paste", (event) => {
      event.preventDefault();
      paste.setRangeText(event.clipboardData.getData("text/plain"), paste.selectionStart, paste.selectionEnd, "end");
      handOver();
    });
    // Some pastes come as input alone, as from the clipboard of a phone's keyboard.
    paste?.addEventListener("input", (event) => {
      if (event.inputType?.startsWith("insertFrom") || event.data?.includes("\n")) handOver();
    });
    paste?.addEventListener("change", handOver);
    const element = labelled(control, id, ...[input, paste, name, clear].filter(Boolean));
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); });
    return { element, show };
  },
};

// ----- answers ------------------------------------------------------------------------------------

function shownTable({ title, header, rows }) {
  // A row that is about no line has no header.
  const cells = (row) => row.map((text, index) =>
    (index || text === "" ? make("td", {}, text) : make("th", { scope: "row" }, text)));
  return make("div", { class: "ppslab-scroll", tabindex: "0", role: "region", "aria-label": title },
    make("table", { class: "ppslab-table" },
      make("caption", {}, title),
      make("thead", {}, make("tr", {}, ...header.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row))))));
}

function shownFigure({ title, svg }) {
  const figure = make("figure", { class: "ppslab-drawing" });
  // Made by ppslab.course.models.drawn.drawing, which escapes every text in it.
  figure.innerHTML = svg;
  figure.append(make("figcaption", {}, title));
  return figure;
}

/** A text line by line: lines that decide are marked, lines taken as gone are struck out. */
function shownListing({ listing, switches }, change) {
  const able = new Set(switches?.lines);
  const shown = listing.map(([number, text, mark]) => {
    const box = able.has(number) ? make("input", { type: "checkbox", checked: mark !== "gone", "data-line": number,
      "aria-label": `Line ${number} is there: ${text}` }) : undefined;
    const line = `${String(number).padStart(5)} ${text}`;
    return make("span", { class: "ppslab-line" },
      make(box ? "label" : "span", {}, box), mark ? make(mark === "gone" ? "del" : "mark", {}, line) : line, "\n");
  });
  const text = make("pre", { class: "ppslab-scroll ppslab-listing", tabindex: "0", role: "region",
    "aria-label": "The text, line by line" }, ...shown);
  if (!switches) return text;
  // By the boxes, not by the answer: a reader may be faster than that.
  text.addEventListener("change", () => change({
    [switches.input]: [...text.querySelectorAll("input:not(:checked)")].map(({ dataset }) => dataset.line).join(" ") }));
  const gone = listing.some(([, , mark]) => mark === "gone");
  return make("div", { class: "ppslab-switched" }, text, allBack(switches, gone, change));
}

/** What is different without the lines that are taken as gone, and the button that brings them back. */
function allBack({ input, says }, gone, change) {
  const button = make("button", { type: "button", disabled: !gone }, "All lines back");
  button.addEventListener("click", () => change({ [input]: "" }));
  const said = says.length ? says : ["Switch a line off to ask what happens without it."];
  return make("div", { class: "ppslab-all-back" }, make("div", {}, ...said.map((text) => make("p", {}, text))), button);
}

/** What made the numbers: badges that unfold, as ppslab.base.provenance.html writes them. */
function shownMade({ badges, parts }) {
  const marks = badges.map(([kind, label]) =>
    make("span", { class: `ppslab-origin ppslab-origin-${kind}` }, label));
  const lists = parts.map((part) => make("dl", {}, ...part.map(([term, words]) =>
    make("div", {}, make("dt", {}, term), make("dd", {}, words)))));
  return make("details", { class: "ppslab-made" }, make("summary", {}, ...marks), ...lists);
}

function shownAnswer(answer, change) {
  return [
    ...(answer.warns ?? []).map((text) => make("p", { class: "ppslab-warns" }, text)),
    ...(answer.figures ?? []).map(shownFigure),
    ...(answer.tables ?? []).map(shownTable),
    ...(answer.listing?.length ? [shownListing(answer, change)] : []),
    ...(answer.made ?? []).map(shownMade),
  ];
}

/** Where a reader is at the switches of an answer: brings them back there in the next one. */
function placeOf(shown) {
  const at = document.activeElement;
  if (!at.closest(".ppslab-switched") || !shown.contains(at)) return () => {};
  const listing = () => shown.querySelector(".ppslab-listing");
  const same = () => shown.querySelector(`[data-line="${at.dataset.line}"]`) ?? listing();
  const left = listing().scrollLeft, height = same().getBoundingClientRect().top;
  return () => {
    if (!same()) return;
    listing().scrollLeft = left;
    same().focus({ preventScroll: true });
    // At once: a site that scrolls smoothly would show the reader another place first.
    scrollBy({ top: same().getBoundingClientRect().top - height, behavior: "instant" });
  };
}

// ----- the widget ---------------------------------------------------------------------------------

function render({ model, el }) {
  const prefix = `ppslab-${model.get("name")}-${++views}`;
  const alone = Boolean(model.widget_manager?.withoutKernel);
  const controls = model.get("controls");
  let inputs = { ...model.get("inputs") };
  let asked = 0, answered = 0, waiting = false, touched = false;

  const says = make("div", { class: "ppslab-says", role: "status" });
  const shown = make("div", { class: "ppslab-answer" });
  const form = make("form", { class: "ppslab-controls" });
  form.addEventListener("submit", (event) => event.preventDefault());
  const told = make("div", { class: "ppslab-told" }, says, shown);
  const root = make("section", { class: "ppslab-widget", "aria-label": model.get("title"),
    "data-widget": model.get("name"), "data-source": alone ? "page" : "kernel" },
  make("p", { class: "ppslab-widget-title" }, model.get("title")), form, told);

  const fronts = controls.map((control, index) => {
    const emptied = Object.fromEntries((control.empties ?? []).map((name) => [name, ""]));
    const put = (value) => change({ ...emptied, [control.name]: value });
    const front = CONTROLS[control.kind](control, `${prefix}-${index}`, put, change);
    // There from the beginning, so that a screen reader says what comes into it.
    const wrong = make("p", { class: "ppslab-problem", role: "alert", hidden: true });
    front.element.append(wrong);
    form.append(front.element);
    return { ...front, control, wrong };
  });
  // Many controls: examples above the answer, what they set beside or below it.
  if (controls.length > MANY) {
    root.classList.add("ppslab-many-controls");
    const examples = fronts.filter(({ control }) => control.kind === "preset");
    const open = matchMedia("(min-width: 60rem)").matches;
    const rest = make("details", { class: "ppslab-more", open }, make("summary", {}, "Set it yourself"));
    rest.append(...fronts.filter((front) => !examples.includes(front)).map(({ element }) => element));
    form.append(rest);
  }

  function change(changed) {
    inputs = { ...inputs, ...changed };
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
    globalThis.ppslab.answer(model.get("name"), inputs, model.get("facts")).then(
      (answer) => { if (number === asked) show(answer); },
      (error) => {
        console.error(error);
        show({ problem: { says: `The model failed on these values: ${error.message}` } });
      });
  }

  // The last answer stays, greyed, where an input has none; what is wrong is shown at that input.
  function refuse({ input, says: text }) {
    const at = fronts.find(({ control }) => control.name === input) ?? fronts[0];
    at.wrong.textContent = text;
    at.wrong.hidden = false;
  }

  function show(answer) {
    fronts.forEach(({ wrong }) => { wrong.hidden = true; });
    root.classList.toggle("ppslab-stale", Boolean(answer.problem));
    if (answer.problem) refuse(answer.problem);
    else draw(answer);
    root.dataset.problem = answer.problem ? answer.problem.input : "";
    fronts.forEach((front) => front.answered?.(answer));
    root.dataset.answered = ++answered;
    root.dataset.ready = "true";
    el.closest(".ppslab-widget-block")?.classList.add("ppslab-alive");
  }

  function draw(answer) {
    says.replaceChildren(...(answer.says ?? []).map((text) => make("p", {}, text)));
    const unfolded = [...shown.querySelectorAll("details.ppslab-made")].map(({ open }) => open);
    const back = placeOf(shown);
    shown.replaceChildren(...shownAnswer(answer, change));
    back();
    shown.querySelectorAll("details.ppslab-made").forEach((sign, place) => { sign.open = Boolean(unfolded[place]); });
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
  el.append(root);
  display();
  said();
  if (!answered) ask();
  return () => {
    model.off("change:answer", said);
    model.off("change:inputs", synced);
  };
}

export default { render };
