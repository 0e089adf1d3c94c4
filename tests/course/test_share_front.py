"""The links to answers in the page: their address, what copies them, and what they open."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.widgets import front
from tests.course.models.both import NODE

FOLDER = Path(front.__file__).parent

# As much of a browser as the modules ask for.
PAGE = """
const [element, share, address, root, asked, copies] = JSON.parse(process.argv[1]);
class Element {
  constructor(tag) { Object.assign(this, { tag, children: [], heard: {} }); }
  setAttribute(name, value) { this[name] = value; }
  append(...more) { this.children.push(...more); }
  addEventListener(name, run) { this.heard[name] = run; }
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
const made = await import(url(share.replace("./element.js", url(element))));
const shown = made.shownShare(asked);
const all = (one) => [one, ...(one.children ?? []).flatMap(all)];
const every = shown.flatMap(all);
const button = every.find(({ textContent }) => textContent === "Copy link");
await button?.heard.click();
const control = made.fragment({}, "id", (value) => put.push(`asked ${value}`));
const arrived = control.arrived();
location.hash = "#for=other";
heard.hashchange();
location.hash = "#a-section";
heard.hashchange();
console.log(JSON.stringify({
  links: every.filter(({ tag }) => tag === "a").map((link) => [link.href, link.textContent]),
  button: button?.textContent, put, arrived,
}));
"""
SHARE = [{"fragment": "for=new&answer=no&path=slow", "says": "the first packet: slow path."}]
SHARED = {"chapter": "FastTrack", "address": "book/fasttrack/index.html"}
ADDRESS = "https://example.org/course/book/explain.html"
LINK = f"{ADDRESS}#for=new&answer=no&path=slow"


def page(
    asked: dict[str, Any], address: str = ADDRESS, root: str | None = "../", copies: bool = True
) -> dict[str, Any]:
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("element.js", "share.js")]
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", PAGE,
         json.dumps([*texts, address, root, asked, copies])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS}?q=my-search", f"{ADDRESS}#old"])
def test_a_link_is_the_page_s_own_address_and_the_fragment(address: str) -> None:
    seen = page({"share": SHARE}, address)
    assert seen["links"] == [[LINK, "the first packet: slow path."]]
    assert seen["put"][0] == LINK
    assert seen["button"] == "Copied"


def test_where_nothing_may_be_copied_the_link_is_selected() -> None:
    seen = page({"share": SHARE}, copies=False)
    assert (seen["put"][0], seen["button"]) == (LINK, "Selected")


def test_what_a_link_opens_leads_to_the_chapter() -> None:
    assert page({"shared": SHARED})["links"] == [["../book/fasttrack/index.html", "FastTrack"]]


def test_a_notebook_has_no_address_for_a_link() -> None:
    assert page({"share": SHARE, "shared": SHARED}, root=None)["links"] == []


def test_the_address_is_asked_about_when_it_names_an_answer() -> None:
    assert page({}, LINK)["arrived"] == "for=new&answer=no&path=slow"
    seen = page({}, f"{ADDRESS}#how-to-read-the-answer")
    assert seen["arrived"] == ""
    assert seen["put"] == ["asked for=other"]
