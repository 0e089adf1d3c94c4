// Controls: each gives {element, show(value)}; `put(value)` is what a reader's change calls.
import { gettext, make, same } from "./element.js";
import { fragment, results } from "./share.js";

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

/** Bytes of a file: four times the largest export seen. */
const MOST = 4_000_000;

/** What is wrong with a file or a pasted text before any model reads it; nothing where it may be read. */
function unfit(name, size, text, instead = "") {
  if (size > MOST) return `${name} has ${(size / 1e6).toFixed(1)} MB; this page reads at most ${MOST / 1e6} MB.`;
  if (text === undefined) return gettext("{name} could not be read. Choose one file, not a folder.", { name });
  if (!text.trim()) return gettext("{name} is empty.", { name });
  if (text.includes("\0") || text.startsWith("%PDF-")) return gettext("{name} is not a text file. {instead}", { name, instead });
}

export const CONTROLS = {
  fragment,
  results,

  number(control, id, put) {
    const limits = { min: control.low, max: control.high, step: control.step };
    const slider = make("input", { type: "range", id, name: control.name, ...limits,
      "aria-describedby": control.help && `${id}-help` });
    const box = make("input", { type: "number", ...limits, "aria-label": gettext("{label}, as a number", { label: control.label }) });
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
    const play = make("button", { type: "button" }, gettext("Play"));
    let running = 0, wanted = 0;
    const stop = () => { clearInterval(running); running = 0; play.textContent = gettext("Play"); };
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
      play.textContent = gettext("Pause");
      running = setInterval(() => (slider.isConnected ? go(Number(slider.value) + 1) : stop()), 700);
    });
    return {
      element: labelled(control, id, button(gettext("First"), () => 0), button(gettext("Back"), () => Number(slider.value) - 1),
        play, button(gettext("Next"), () => Number(slider.value) + 1), slider),
      show(value) { wanted = value; slider.value = value; },
      answered(answer) {
        slider.max = answer.steps ?? 0;
        // How many steps there are is known with the answer only; until then a slider has none.
        slider.value = wanted;
        slider.setAttribute("aria-valuetext", gettext("step {value} of {max}", { value: slider.value, max: slider.max }));
      },
    };
  },

  file(control, id, put, _putAll, refuse) {
    const input = make("input", { type: "file", id, name: control.name, accept: control.accept });
    const name = make("output", { for: id });
    const clear = make("button", { type: "button", hidden: true }, gettext("Remove"));
    const show = (value) => {
      name.textContent = value ? value.name || gettext("pasted") : "";
      clear.hidden = !value;
      if (!value) input.value = "";
    };
    const hand = (called, size, value) => {
      const wrong = unfit(called, size, value.text, control.instead);
      show(wrong ? null : value);
      if (wrong) refuse(wrong);
      else put(value);
    };
    // A folder that is dropped is a file too, until it is read.
    const take = async (file) => {
      if (!file) return;
      const text = file.size > MOST ? undefined : await file.text().catch(() => undefined);
      hand(file.name, file.size, { name: file.name, text });
    };
    input.addEventListener("change", () => take(input.files[0]));
    clear.addEventListener("click", () => { show(null); put(null); input.focus(); });
    // What is pasted goes straight on, and what is typed when the reader leaves the field: neither is
    // kept in the page, as it may hold a password.
    const paste = control.paste ? make("textarea", { class: "ppslab-paste", rows: 5, placeholder: control.paste,
      "aria-label": `${control.label}, ${control.paste}`, spellcheck: "false", autocomplete: "off" }) : undefined;
    const handOver = () => {
      const text = paste.value;
      paste.value = "";
      if (text.trim()) hand(gettext("What you pasted"), text.length, { name: "", text });
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
    return { element, show, take };
  },
};
