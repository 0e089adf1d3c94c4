"""A page's terminal in Node: what of it is visible and typed into, and when share.js sends it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.course.models.both import NODE

ROOT = Path(__file__).resolve().parents[3]

SHELLS = r"""
import { type, visible } from "SCRIPT";
const told = [];
globalThis.KeyboardEvent = class {
  constructor(kind, { key }) { Object.assign(this, { kind, key }); }
};
const lines = ["scrolled away", "lab# ls   ", "caf\u00e9", "lab# ", "", ""];
const lineAt = (at) => lines[at] === undefined ? undefined
  : { translateToString: (trim) => trim ? lines[at].trimEnd() : lines[at] };
const terminal = {
  rows: 5,
  modes: { applicationCursorKeysMode: false },
  buffer: { active: { viewportY: 1, getLine: lineAt } },
  input: (text) => told.push(text),
};
const input = {
  value: "/ip ",
  form: { requestSubmit: () => told.push(`entered ${input.value}`) },
  dispatchEvent: ({ kind, key }) => told.push(`${kind} ${key}`),
};
const log = { innerText: `${"y".repeat(5000)}\nthe end` };
const prompt = { textContent: "[lab] > " };
const shells = { model: undefined };
const router = { terminal, shells };
const linux = visible(router);
for (const key of ["enter", "", "ctrl-c", "up"]) type(router, { text: key ? "" : "ls", key });
terminal.modes.applicationCursorKeysMode = true;
type(router, { text: "", key: "left" });
type({ terminal, shells }, { text: "x", key: "tab" });
const there = told.splice(0);
shells.model = { log, prompt, input };
const model = visible(router);
type(router, { text: "rout", key: "backspace" });
type(router, { text: "te", key: "enter" });
type(router, { text: "", key: "up" });
type(router, { text: "", key: "ctrl-c" });
console.log(JSON.stringify({ linux, there, model, line: told, left: input.value }));
"""

SHARE = r"""
class Element {
  constructor() { Object.assign(this, { heard: {}, children: [] }); }
  addEventListener(kind, does) { this.heard[kind] = does; }
  setAttribute() {}
  append(...more) { this.children.push(...more); }
  replaceChildren() { this.children = []; }
  after() {}
  remove() {}
}
globalThis.document = { hidden: false };
let leave;
globalThis.addEventListener = (kind, does) => { leave = does; };
await import("SCRIPT");

const made = {};
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(new Element(), properties, { children });
  (made[properties.className ?? tag] ??= []).push(element);
  return element;
};
const posts = [];
let answers = [];
let screen = "lab# ";
const typed = [];
const ask = async (name, { consent, life, ...body }) => {
  posts.push({ ...body, banner: !banner.hidden });
  const answer = answers.shift() ?? {};
  if (answer.status) throw Object.assign(new Error("refused"), answer);
  return { agreed: true, watched: false, have: false, keys: [], ...answer };
};
let count = 0;
const newId = () => `consent-${count += 1}`;
const type = ({ text, key }) => typed.push(text + key);
const share = globalThis.ppslabShare({ beside: new Element(), visible: () => screen, type },
  { ask, now: () => {}, life: () => 0, make, newId });
const [see, write] = made.input;
const banner = made["ppslab-share-banner"][0];
const line = made["ppslab-share-line"][0];
const tick = (box, on) => { box.checked = on; box.heard.change(); };
const told = {};
const failures = [];
/** Poll until these answers are used up; what was posted meanwhile. */
const poll = async (name, ...next) => {
  answers = next;
  const before = posts.length;
  const failed = () => failures.push(name);
  for (let turn = 0; answers.length || !turn; turn += 1) await share.talk().catch(failed);
  told[name] = posts.slice(before);
};
const W = { watched: true };
const H = { watched: true, have: true };
const keys = (n) => ({ ...H, keys: [{ n, text: `ls${n}`, key: "enter" }] });
await poll("nobody agreed");
tick(see, true);
await poll("nobody looks", {});
await poll("somebody looks", W, H);
await poll("the same again", H);
screen = "a\u0000b\ud800c\r\nd";
await poll("changed", H);
await poll("the server was started again", W, H);
await poll("not allowed", keys(1));
tick(write, true);
await poll("allowed, and told twice", keys(2), keys(2));
document.hidden = true;
await poll("in the background", keys(3));
document.hidden = false;
await poll("nobody looks any more", {}, {});
await poll("too often", { status: 429 });
await poll("a dead network", { status: 503 });
tick(see, false);
await poll("taken back, in a dead network", { status: 500 });
await poll("taken back", {});
await poll("for good");
tick(see, true);
await poll("another page shows its own", { agreed: false });
const state = [see.checked, write.checked, write.disabled, banner.hidden];
const why = line.textContent;
await poll("then", {});
tick(see, true);
await poll("a screen that the board does not take", { status: 400 }, {});
const ended = !see.checked;
tick(see, true);
const before = posts.length;
leave();
told.left = posts.slice(before);
console.log(JSON.stringify({ told, typed, failures, state, why, ended, ticked: see.checked }));
"""


def asked(script: str, file: str) -> dict[str, Any]:
    script = script.replace("SCRIPT", str(ROOT / file))
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


def test_a_screen_goes_only_while_it_is_agreed_watched_and_new() -> None:
    out = asked(SHARE, "packages/ppslab-class/src/ppslab_class/pages/share.js")
    told = out["told"]

    def texts(name: str) -> list[str | None]:
        return [each.get("text") for each in told[name]]

    assert told["nobody agreed"] == []
    assert texts("nobody looks") == [None] and told["nobody looks"][0]["first"]
    assert texts("somebody looks") == [None, "lab# "]
    assert [each["banner"] for each in told["somebody looks"]] == [False, True], "first the banner"
    assert texts("the same again") == [None]
    assert texts("changed") == ["a b?c\nd"]
    assert texts("the server was started again") == [None, "a b?c\nd"]
    assert out["typed"] == ["ls2enter"], "once, when it was allowed, and not in the background"
    assert texts("nobody looks any more") == [None, None]
    assert told["too often"][0]["typed"] == 2
    assert out["failures"] == ["a dead network", "taken back, in a dead network"]
    assert [each["see"] for each in told["taken back, in a dead network"]] == [False]
    assert [each["see"] for each in told["taken back"]] == [False], "until the board has heard it"
    assert told["for good"] == []
    assert told["another page shows its own"][0]["first"], "each agreement is a new one"
    assert not told["another page shows its own"][0]["type"]
    assert out["state"] == [False, False, True, True] and "no longer shown" in out["why"]
    assert [each["see"] for each in told["then"]] == [False]
    assert out["ended"], "else it would be sent again and again"
    assert [each["see"] for each in told["left"]] == [False], "who leaves the page ends it"
    assert not out["ticked"]


def test_the_shell_that_is_shown_is_seen_and_typed_into() -> None:
    told = asked(SHELLS, "web/src/router/page/shown.mjs")
    assert told["linux"] == "lab# ls\ncaf\u00e9\nlab#"
    assert told["there"] == ["\r", "ls", "\x03", "\x1b[A", "\x1bOD", "x\t"]
    assert told["model"].endswith("y\nthe end\n[lab] > /ip ") and len(told["model"]) < 5000
    assert told["line"] == ["entered /ip route", "keydown ArrowUp"] and told["left"] == ""
