"""What shows a widget: its modules, its controls, and sharing an answer by link, post, picture."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import UsageError
from ppslab.course.models import WIDGETS
from ppslab.course.widgets import controls, front, live
from tests.course.models.both import NODE

FOLDER = Path(front.__file__).parent

RUNS = """
const made = await import(`data:text/javascript;base64,${process.argv[1]}`);
console.log(Object.keys(made).join(), typeof made.default.render);
"""


def test_every_module_that_is_there_is_in_the_one_text() -> None:
    assert sorted(front.MODULES) == sorted(path.name for path in FOLDER.glob("*.js"))


@pytest.mark.parametrize("name", front.MODULES)
def test_a_module_imports_only_from_those_before_it(name: str) -> None:
    text = (FOLDER / name).read_text()
    imported = re.findall(r'^import .* from "\./(.*)";$', text, re.MULTILINE)
    assert len(imported) == len(re.findall(r"^\s*import\b|\bimport\(", text, re.MULTILINE))
    assert set(imported) <= set(front.MODULES[: front.MODULES.index(name)])


def test_the_one_text_is_a_module_that_anywidget_takes() -> None:
    """Node says where two modules have a name of their own in common."""
    encoded = base64.b64encode(front.module().encode()).decode()
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", RUNS, encoded],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "default function\n", done.stderr


def test_every_control_is_of_a_kind_that_the_page_has() -> None:
    script = (FOLDER / "controls.js").read_text()
    shown = {*re.findall(r"^  (\w+)\(control, id", script, re.MULTILINE), "fragment", "results"}
    assert {control["kind"] for name in WIDGETS for control in live.parts(name, {})[1]} == shown


@pytest.mark.parametrize(
    ("inputs", "wrong"),
    [
        ({"size": 64}, ""),
        ({"size": 9216}, ""),
        ({"size": 63}, "a number from 64 to 9216, not 63"),
        ({"size": 9217}, "a number from 64 to 9216"),
        ({"size": "64"}, "a number from 64 to 9216"),
        ({"speed": 25000, "headers": ["vlan", "eoip"]}, ""),
        ({"speed": 11}, "speed is one of 10, 100"),
        ({"headers": ["vlan", "lan"]}, "headers is one of vlan"),
        ({"sise": 64}, "no input 'sise' (did you mean \"size\"?)"),
        ({"example": 1}, "no input 'example'"),
    ],
)
def test_the_inputs_that_a_page_names_fit_their_controls(
    inputs: dict[str, Any], wrong: str
) -> None:
    if wrong:
        with pytest.raises(UsageError) as caught:
            live.parts("line-rate", inputs)
        assert wrong in str(caught.value)
    else:
        assert inputs.items() <= controls.beginning(live.parts("line-rate", inputs)[1]).items()


# --- sharing ------------------------------------------------------------------------------------

# As much of a browser as the modules ask for.
PAGE = """
const [element, path, share, address, root, answer, copies, replaced] =
  JSON.parse(process.argv[1]);
class Element {
  constructor(tag) { Object.assign(this, { tag, children: [], heard: {} }); }
  setAttribute(name, value) { this[name] = value; }
  append(...more) { this.children.push(...more); }
  addEventListener(name, run) {
    const before = this.heard[name];
    this.heard[name] = async () => { await before?.(); await run(); };
  }
  get textContent() { return this.children.map((one) => one.textContent ?? one).join(""); }
  set textContent(text) { this.children = [text]; }
}
globalThis.document = {
  documentElement: { dataset: root === null ? {} : { content_root: root } },
  createElement: (tag) => new Element(tag),
};
const { href, hash } = new URL(address);
globalThis.location = { href, hash };
const heard = {}, put = [];
globalThis.addEventListener = (name, run) => { heard[name] = run; };
globalThis.getSelection = () => ({ selectAllChildren: (chosen) => put.push(chosen.textContent) });
Object.defineProperty(globalThis, "navigator", { value: { clipboard: { writeText: async (text) => {
  if (!copies) throw new Error("a page may not");
  put.push(text);
} } } });
const url = (text) => `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
const below = url(path.replace("./element.js", url(element)));
const text = share.replace("./element.js", url(element)).replace("./path.js", below);
const made = await import(url(text));
const asked = [];
const again = async (inputs) => {
  asked.push(inputs);
  if (replaced === null) throw new Error("stopped");
  return replaced;
};
const shown = made.shownShare(answer, again);
const all = (one) => [one, ...(one.children ?? []).flatMap(all)];
const every = shown.flatMap(all);
const button = every.find(({ textContent }) => textContent === "Copy link");
await button?.heard.click();
const details = every.find(({ tag }) => tag === "details");
for (const open of details ? [true, false, true] : []) {
  details.open = open;
  await details.heard.toggle();
}
const opened = shown.flatMap(all);
const buttons = opened.filter(({ tag }) => tag === "button");
const copied = buttons.filter(({ textContent }) => textContent.startsWith("Copy as"));
const names = buttons.map(({ textContent }) => textContent);
for (const one of copied) await one.heard.click();
const control = made.fragment({}, "id", (value) => put.push(`asked ${value}`));
const arrived = control.arrived();
location.hash = "#verdict=other";
heard.hashchange();
location.hash = "#a-section";
heard.hashchange();
console.log(JSON.stringify({
  links: every.filter(({ tag }) => tag === "a").map((link) => [link.href, link.textContent]),
  button: button?.textContent, put, arrived, asked, names,
  waits: opened.find(({ role }) => role === "status")?.textContent,
}));
"""
FRAGMENT = "verdict=slow&classes=new.no.slow"
POSTS = [
    {"name": "Markdown", "text": "**Slow**", "link": "<{link}>"},
    {"name": "BBCode", "text": "[b]Slow[/b]", "link": "[url]{link}[/url]"},
]
MINE = {"share": {"fragment": FRAGMENT, "posts": []}, "figures": [{"label": "my LAN", "svg": ""}]}
REPLACED = {
    "share": {"fragment": FRAGMENT, "posts": POSTS},
    "figures": [{"label": "LAN", "svg": ""}],
}
SHARED = {"chapter": "FastTrack", "address": "book/fasttrack/index.html"}
ADDRESS = "https://example.org/course/book/explain.html"
LINK = f"{ADDRESS}#{FRAGMENT}"


def page(
    answer: dict[str, Any],
    address: str = ADDRESS,
    root: str | None = "../",
    copies: bool = True,
    replaced: dict[str, Any] | None = REPLACED,
) -> dict[str, Any]:
    names = ("element.js", "path.js", "share.js")
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in names]
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", PAGE,
         json.dumps([*texts, address, root, answer, copies, replaced])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS}?q=my-search", f"{ADDRESS}#old"])
def test_a_link_is_the_page_s_own_address_and_the_fragment(address: str) -> None:
    seen = page(MINE, address)
    assert seen["put"][0] == LINK
    assert seen["button"] == "Copied"


def test_where_nothing_may_be_copied_the_text_is_selected() -> None:
    seen = page(MINE, copies=False)
    assert seen["put"][0] == LINK
    assert seen["put"][1].startswith("**Slow**")
    assert seen["button"] == "Selected"


def test_a_post_is_asked_for_once_when_the_panel_opens_and_ends_with_the_link() -> None:
    seen = page(MINE)
    assert seen["asked"] == [{"replace": True}]
    _, markdown, bbcode, *_ = seen["put"]
    assert markdown == f"**Slow**\n\n<{LINK}>\n"
    assert bbcode == f"[b]Slow[/b]\n\n[url]{LINK}[/url]\n"
    assert {"Save SVG", "Save PNG"} <= set(seen["names"])


def test_an_answer_whose_names_are_replaced_is_not_asked_for_again() -> None:
    assert page(REPLACED)["asked"] == []


def test_without_a_post_the_panel_says_why_and_asks_when_it_opens_again() -> None:
    seen = page(MINE, replaced=None)
    assert "stopped" in seen["waits"]
    assert len(seen["asked"]) == 2
    assert not any(name.startswith(("Copy as", "Save")) for name in seen["names"])


def test_what_a_link_opens_leads_to_the_chapter() -> None:
    assert page({"shared": SHARED})["links"] == [["../book/fasttrack/index.html", "FastTrack"]]


def test_a_notebook_has_no_address_for_a_link() -> None:
    seen = page({**MINE, "shared": SHARED}, root=None)
    assert (seen["links"], seen["names"]) == ([], [])


def test_the_address_is_asked_about_when_it_names_an_answer() -> None:
    assert page({}, LINK)["arrived"] == FRAGMENT
    seen = page({}, f"{ADDRESS}#how-to-read-the-answer")
    assert seen["arrived"] == ""
    assert seen["put"] == ["asked verdict=other"]
