// The tasks of a lab at the router in the page.  What a check comes to, and what is done before a
// task, decides the same Python as at a live lab (ppslab.course.tasks.engine), in MicroPython; here
// is what it asks for: commands on nodes, a clock, a way back.  Linux, not RouterOS.
import { gettext } from "../gettext.mjs";
import { interpreter } from "../micropython.js";
import files from "ppslab-tasks";
import wasm from "micropython-wasm";
import { make } from "./making.mjs";
import { BETWEEN, beforeOf, scriptOf } from "./script.mjs";
import style from "./tasks.css";

const CALL = `
import sys
sys.path.insert(0, "/models")
from ppslab.course.tasks.engine.in_page import Talk
_talk = None
def _open(plan, state):
    global _talk
    _talk = Talk(plan, state)
def _begin(action, name, run, when):
    return _talk.begin(action, name, run, when)
def _go(answer):
    return _talk.go(answer)
`;
const WORDS = { pass: gettext("pass"), fail: gettext("fail") };
const ACTIONS = [
  [gettext("Start"), "start", gettext("Start this task; earlier tasks that you have not completed are solved for you")],
  [gettext("Check"), "check", gettext("Check whether the task is done")],
  [gettext("Hint"), "hint", gettext("The next hint")],
  [gettext("Send packets"), "send", gettext("Send the task's packets once")],
  [gettext("Solve"), "solve", gettext("Solve the task for you, and show how")],
  [gettext("Reset"), "reset", gettext("Restore the lab to its state at the start of the task")],
];

const INTO_TERMINAL = ["start", "reset"]; // After these the reader types.

let python; // One interpreter a page.

/** A sentence of ours, in which `...` is code. */
function words(text) {
  return text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
}

class Tasks {
  constructor(router, run) {
    this.router = router;
    this.run = run;
    this.plan = router.told.tasks;
    this.key = `ppslab-router-tasks:${this.plan.lab}`;
    this.state = this.kept();
    python.globals.get("_open")(JSON.stringify(this.plan), JSON.stringify(this.state));
    this.choice = make("select", { onchange: () => this.show() },
      ...this.plan.tasks.map((task, at) =>
        make("option", { value: task.name },
          `${at + 1}. ${gettext("{title} ({minutes} minutes)", task)}`)));
    this.text = make("div", { className: "ppslab-router-task-text" });
    this.said = make("div", { className: "ppslab-router-task-said" });
    this.said.setAttribute("aria-live", "polite");
    this.buttons = ACTIONS.map(([text, action, title]) => {
      const button = make("button", { type: "button", title, onclick: () => this.act(action) }, text);
      button.dataset.task = action;
      return button;
    });
    const row = make("div", { className: "ppslab-router-buttons" }, ...this.buttons);
    this.place = make("section", { className: "ppslab-router-tasks" },
      make("p", { className: "ppslab-router-model" },
        gettext("Tasks on this router: Linux, not RouterOS. Type in the terminal below.")),
      make("label", {}, gettext("Task "), this.choice), this.text, row, this.said);
    this.place.setAttribute("aria-label", gettext("Tasks"));
    this.choice.value = this.begun() ? this.state.at : this.next.name;
    this.show();
  }

  /** The first task that is not done; else the first. */
  get next() {
    return this.plan.tasks.find(({ name }) => !(name in this.state.done)) ?? this.plan.tasks[0];
  }

  begun() {
    return this.state.run === this.run && this.plan.tasks.some(({ name }) => name === this.state.at);
  }

  kept() {
    const empty = { at: "", run: "", done: {}, solved: [], hints: {}, failed: {} };
    try {
      return { ...empty, ...JSON.parse(localStorage.getItem(this.key)) };
    } catch {
      return empty; // A browser that keeps nothing: the tasks of this visit are there.
    }
  }

  keep(state) {
    this.state = state;
    try {
      localStorage.setItem(this.key, JSON.stringify(state));
    } catch {
      // As above.
    }
  }

  get task() {
    return this.plan.tasks.find(({ name }) => name === this.choice.value);
  }

  /** The task's words, and which buttons make sense. */
  show() {
    const { task } = this;
    const paragraphs = task.text.split("\n\n").map((part) => make("p", {}, ...words(part)));
    this.text.replaceChildren(...paragraphs);
    const begun = this.begun() && this.state.at === task.name;
    for (const button of this.buttons) {
      const needs = ["check", "send", "solve", "reset"].includes(button.dataset.task);
      button.disabled = this.busy || (needs && !begun);
      if (button.dataset.task === "send") button.hidden = !task.traffic;
    }
  }

  tell(...lines) {
    this.said.replaceChildren(...lines);
  }

  async act(action) {
    const { name } = this.task;
    let next = document.activeElement;
    this.busy = true;
    this.choice.disabled = true;
    this.place.dataset.busy = action;
    this.show();
    this.tell(make("p", {}, `${action} …`));
    try {
      const done = await this.does(action, name);
      this[`tell_${action}`](done);
      this.told(action, name, done);
      if (INTO_TERMINAL.includes(action)) next = this.router.terminal;
    } catch (error) {
      this.tell(make("p", { className: "ppslab-router-task-fail" }, error.message ?? String(error)));
    } finally {
      this.busy = false;
      this.choice.disabled = false;
      delete this.place.dataset.busy;
      this.show();
    }
    // A button that was switched off meanwhile has lost the focus.
    if (document.activeElement === document.body) next.focus();
  }

  /** Let the engine act, and do what it asks for. */
  async does(action, name) {
    const go = python.globals.get("_go");
    let said = python.globals.get("_begin")(action, name, this.run, new Date().toISOString());
    for (;;) {
      const { ask, done, failed } = JSON.parse(said);
      if (failed !== undefined) throw new Error(failed);
      if (ask === undefined) return done;
      said = go(JSON.stringify((await this.answer(ask)) ?? null));
    }
  }

  answer(ask) {
    return {
      run: () => this.command(ask),
      restore: () => this.router.anew(),
      save: () => this.keep(ask.state),
      now: () => performance.now() / 1000,
      wait: () => new Promise((done) => setTimeout(done, 1000 * ask.seconds)),
      match: () => new RegExp(ask.source, ask.flags).test(ask.text),
    }[ask.do]();
  }

  async command(step) {
    const how = step.counted ? "count" : "ask";
    for (const script of beforeOf(step)) {
      const { code, output } = await this.router.asking({ do: "ask", script });
      if (code) return [code, "", output];
    }
    const { code, output } = await this.router.asking({ do: how, script: scriptOf(step, this.router.told.within) });
    const at = output.lastIndexOf(BETWEEN);
    return [code, output.slice(0, at), output.slice(at + 1)];
  }

  /** The reader's progress in the course, and the seat of a workshop. */
  told(action, name, done) {
    const say = (event, detail) => document.dispatchEvent(new CustomEvent(event, { detail }));
    const here = { chapter: this.plan.lab, id: name };
    if (action === "check") {
      if (done.result !== "fail") say("ppslab:done", { ...here, kind: "task" });
      say("ppslab:task", { ...here, kind: "tried", value: done.result });
    } else if (action === "hint") say("ppslab:task", { ...here, kind: "hint" });
    else if (action === "solve") say("ppslab:task", { ...here, kind: "solved" });
  }

  tell_start() {
    this.tell(make("p", {}, "Started. ", ...words(`A shell on the router: \`${this.plan.router}\`.`)));
  }

  tell_reset() {
    this.tell(make("p", {}, gettext("The lab is restored to its state at the start of the task.")));
  }

  tell_check({ findings, result, next }) {
    const lines = findings.map(([says, state, said, shown]) => {
      const line = make("li", { className: `ppslab-router-task-${state}` },
        make("strong", {}, WORDS[state]), ` ${says}: `, ...words(said));
      if (state !== "pass" && shown) line.append(make("pre", {}, shown));
      return line;
    });
    const after = result === "fail" ? gettext("Not yet.")
      : next ? gettext("Done. Choose the next one.") : gettext("Done. You have completed all tasks.");
    this.tell(make("ul", {}, ...lines), make("p", {}, after));
  }

  tell_hint({ hint, number, count }) {
    const which = number ? gettext("Hint {number} of {count}: ", { number, count }) : gettext("For the check that failed: ");
    this.tell(make("p", {}, which, ...words(hint)));
  }

  tell_send({ packets, arrived }) {
    const cost = make("button", { type: "button", onclick: () => this.router.counted() },
      gettext("What does a packet cost now?"));
    this.tell(
      make("p", {}, gettext("{packets} packets sent, {arrived} arrived.", { packets, arrived })),
      ...(this.router.costs ? [cost] : []),
    );
  }

  tell_solve({ solution }) {
    this.tell(make("p", {}, gettext("Done:")), ...solution.flatMap(([node, text]) => [
      make("p", {}, gettext("On {node}:", { node })), make("pre", {}, text)]));
  }
}

globalThis.ppslabTasks = async function open(router, run) {
  if (!python) {
    document.head.append(make("style", { textContent: style }));
    const address = URL.createObjectURL(new Blob([wasm], { type: "application/wasm" }));
    python = await interpreter(files, address);
    python.runPython(CALL);
  }
  return new Tasks(router, run);
};
