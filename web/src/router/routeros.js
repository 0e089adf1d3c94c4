// A terminal that takes RouterOS commands and tells the Linux router what they amount to: a model,
// not RouterOS.  What is translated, and what is refused, our Python says, in MicroPython
// (ppslab.model.packet_path.on_linux), the same as `ppslab translate`.
import { interpreter } from "../micropython.js";
import files from "ppslab-routeros";
import wasm from "micropython-wasm";
import { make } from "./making.mjs";
import { BETWEEN, base64, scriptOf } from "./script.mjs";
import style from "./routeros.css";

const CALL = `
import sys
sys.path.insert(0, "/models")
from ppslab.model.packet_path.on_linux.in_page import Talk
_talk = None
def _open(wired):
    global _talk
    _talk = Talk(wired)
def _take(text):
    return _talk.take(text)
def _shown(output):
    return _talk.shown(output)
def _asks(menu):
    return _talk.asks(menu)
def _rows(menu, output):
    return _talk.rows(menu, output)
def _back():
    _talk.back()
def _prompt():
    return _talk.prompt()
`;
// What was typed is kept on the router itself, so that a saved one still knows it.
const TYPED = "/run/ppslab-routeros";

let python; // One interpreter a page.

class Routeros {
  constructor(router) {
    this.router = router;
    this.told = router.told.routeros;
    this.history = [];
    this.log = make("div", { className: "ppslab-routeros-log", tabIndex: 0 });
    this.log.setAttribute("role", "log");
    this.log.setAttribute("aria-label", "Your commands, and the commands that Linux ran");
    this.input = make("input", { id: "ppslab-routeros-line", autocomplete: "off", spellcheck: false,
      autocapitalize: "off", onkeydown: (event) => this.key(event) });
    this.prompt = make("label", { htmlFor: this.input.id });
    const form = make("form", { onsubmit: (event) => this.entered(event) }, this.prompt, this.input);
    this.place = make("section", { className: "ppslab-routeros" },
      make("p", { className: "ppslab-routeros-model" },
        "Model, not RouterOS: your commands are translated for this Linux router."), this.log, form);
    this.place.setAttribute("aria-label", "RouterOS commands (model, not RouterOS)");
    this.begin();
  }

  begin() {
    python.globals.get("_open")(JSON.stringify(this.told.wired));
    this.log.replaceChildren();
    const names = [...new Set(this.told.wired.map(([name]) => name))].join(", ");
    this.show("note", `The router is ${this.told.router}; its interfaces: ${names}. `
      + "? lists what can be typed. Try:\n"
      + "/ip firewall filter add chain=forward protocol=icmp action=drop");
    this.ask();
  }

  /** A saved router: what was typed then is known again, and Linux is told nothing. */
  async remember() {
    const { output } = await this.router.asking({ do: "ask", script: `cat ${TYPED} 2>/dev/null` });
    // At once: a line may go on in the next one.
    if (output.trim()) python.globals.get("_take")(output);
    if (output.trim()) this.show("note", `Typed before:\n${output.trim()}`);
    this.ask();
  }

  /** The lab is deployed again, and nothing that was typed holds. */
  forget() {
    this.router.asking({ do: "ask", script: `rm -f ${TYPED}` });
    this.begin();
  }

  ask() {
    this.prompt.textContent = python.globals.get("_prompt")();
  }

  focus() {
    this.input.focus();
  }

  show(kind, text) {
    this.log.append(make("pre", { className: kind }, text));
    this.log.scrollTop = this.log.scrollHeight;
  }

  key(event) {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const step = event.key === "ArrowUp" ? -1 : 1;
    this.at = Math.min(Math.max((this.at ?? this.history.length) + step, 0), this.history.length);
    this.input.value = this.history[this.at] ?? "";
  }

  async entered(event) {
    event.preventDefault();
    const line = this.input.value.trim();
    if (!line || this.busy) return;
    this.history.push(line);
    this.at = undefined;
    this.input.value = "";
    this.show("typed", `${this.prompt.textContent}${line}`);
    this.busy = true;
    this.place.dataset.busy = "true";
    try {
      await this.take(line);
    } catch (error) {
      this.show("refused", error.message ?? String(error));
    } finally {
      this.busy = false;
      delete this.place.dataset.busy;
      this.ask();
    }
  }

  /** Type the lines with which a task begins, or its solution; why some were refused. */
  async type(text) {
    const lines = text.split("\n").filter((line) => !/^\s*(#|\/?$)/.test(line));
    this.show("note", `Typed for the task:\n${lines.join("\n")}`);
    const whole = `${text}\n/`; // What is typed next begins at the top.
    const { refused, script } = JSON.parse(python.globals.get("_take")(whole));
    if (refused.length) return refused.map(([, why]) => why);
    if (script.length) {
      const why = await this.tell(script.join("\n"));
      if (why) {
        python.globals.get("_back")();
        return [`Linux refused it: ${why}`];
      }
      this.router.untouched = false;
    }
    await this.note(whole);
    this.ask();
    return [];
  }

  /** The rows of a menu, with what Linux has counted. */
  async rows(menu) {
    const asks = python.globals.get("_asks")(menu);
    const { code, stdout, stderr } = asks ? await this.linux(asks) : { code: 0, stdout: "" };
    if (code) throw new Error(stderr || `${asks}: exit code ${code}`);
    return JSON.parse(python.globals.get("_rows")(menu, stdout));
  }

  /** Keep lines on the router, so that a saved one still knows them. */
  async note(text) {
    const kept = `printf '%s\n' "$(printf %s ${base64(text)} | base64 -d)" >>${TYPED}`;
    await this.router.asking({ do: "ask", script: kept });
  }

  async take(line) {
    const { refused, notes, printed, script, asks } = JSON.parse(python.globals.get("_take")(line));
    for (const [, why] of refused) this.show("refused", why);
    for (const note of notes) this.show("note", note);
    if (printed.length) this.show("printed", printed.join("\n"));
    if (asks) {
      const { code, stdout, stderr } = await this.linux(asks);
      if (code) throw new Error(stderr || `${asks}: exit code ${code}`);
      this.show("printed", python.globals.get("_shown")(stdout));
    }
    if (script.length) {
      this.show("linux", `Linux is told:\n${script.join("\n")}`);
      const why = await this.tell(script.join("\n"));
      if (why) {
        python.globals.get("_back")();
        this.show("refused", `Linux refused it, so the command was dropped: ${why}`);
        return;
      }
      this.router.untouched = false;
    }
    if (!refused.length && !printed.length && !asks) await this.note(line);
  }

  /** Why Linux did not do it; empty where it did. */
  async tell(script) {
    const { code, stderr } = await this.linux(script);
    return code ? stderr || `exit code ${code}` : "";
  }

  /** Run lines of a shell on the router. */
  async linux(script) {
    const step = { on: this.told.router, argv: ["sh", "-ec", script], input: "", env: {} };
    const { code, output } = await this.router.asking({ do: "ask", script: scriptOf(step, this.router.told.within) });
    const at = output.lastIndexOf(BETWEEN);
    return { code, stdout: output.slice(0, at), stderr: output.slice(at + 1).trim() };
  }
}

globalThis.ppslabRouteros = async function open(router) {
  if (!python) {
    document.head.append(make("style", { textContent: style }));
    const address = URL.createObjectURL(new Blob([wasm], { type: "application/wasm" }));
    python = await interpreter(files, address);
    python.runPython(CALL);
  }
  const made = new Routeros(router);
  await made.remember();
  return made;
};
