// What of a router's terminal is visible, and typing into it for somebody else: for a workshop's
// page, which shows a terminal to the instructor while its learner agrees (workshop/pages/share.js).
const LOG = 4_000;
const CODES = { "": "", enter: "\r", tab: "\t", backspace: "\x7f", escape: "\x1b", "ctrl-c": "\x03" };
const ARROWS = { up: "A", down: "B", right: "C", left: "D" };
const NAMES = { up: "ArrowUp", down: "ArrowDown" };

/** The text that the reader sees: rows of the Linux terminal, or the end of RouterOS's log. */
export function visible(router) {
  const { model } = router.shells;
  if (model) {
    const { log, prompt, input } = model;
    return `${log.innerText.slice(-LOG)}\n${prompt.textContent}${input.value}`;
  }
  const { rows, buffer } = router.terminal;
  const { active } = buffer;
  const lines = Array.from({ length: rows }, (_, row) =>
    active.getLine(active.viewportY + row)?.translateToString(true) ?? "");
  return lines.join("\n").trimEnd();
}

/** Text and then a key, into whichever shell is shown. */
export function type(router, { text, key }) {
  const { model } = router.shells;
  if (model) {
    intoLine(model.input, text, key);
    return;
  }
  // An editor asks for arrows of another kind: DECCKM, which the terminal knows.
  const before = router.terminal.modes.applicationCursorKeysMode ? "\x1bO" : "\x1b[";
  router.terminal.input(text + (ARROWS[key] ? before + ARROWS[key] : CODES[key] ?? ""));
}

function intoLine(input, text, key) {
  input.value += text;
  if (key === "enter") input.form.requestSubmit();
  else if (key === "backspace") input.value = input.value.slice(0, -1);
  else if (key === "ctrl-c") input.value = "";
  else if (NAMES[key]) input.dispatchEvent(new KeyboardEvent("keydown", { key: NAMES[key] }));
}
