"""Which shell a page's router opens with, and that a reader's choice is kept."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.course.models.both import NODE

ROOT = Path(__file__).resolve().parents[4]
SHELLS = ROOT / "web/src/router/page/shells.mjs"

PAGE = f"""
const {{ tasks, chosen, presses }} = JSON.parse(process.argv[1]);
class Element {{
  constructor() {{ this.dataset = {{}}; this.children = []; this.hidden = false; }}
  setAttribute() {{}}
  append(...more) {{ this.children.push(...more); }}
  replaceChildren(...children) {{ this.children = children; }}
  after() {{}}
  focus() {{}}
  remove() {{}}
}}
globalThis.document = {{
  currentScript: {{ src: "http://x/router.js" }},
  createElement: () => new Element(),
}};
const KEY = "sphinx-design-tab-id-words";
const kept = new Map(chosen ? [[KEY, chosen]] : []);
globalThis.localStorage = {{
  getItem: (key) => {{
    if (chosen === "nothing is kept") throw new Error("SecurityError");
    return kept.get(key) ?? null;
  }},
  setItem: (key, value) => kept.set(key, value),
}};
globalThis.ppslabRouteros = async () => ({{ place: new Element(), focus() {{}} }});
const {{ Shells }} = await import("{SHELLS.as_uri()}");
const router = {{
  told: {{ tasks }}, screen: new Element(), terminal: new Element(), say() {{}},
  tried: (act) => act(),
}};
const shells = new Shells(router);
await shells.begin();
const first = shells.place.children[0].dataset.shell;
const words = [shells.words];
for (const name of presses) {{
  await shells.place.children.find(({{ dataset }}) => dataset.shell === name).onclick();
  words.push(shells.words);
}}
console.log(JSON.stringify({{ first, words, kept: kept.get(KEY) ?? null }}));
"""

TYPED = {"tasks": [{"routeros": {"why": "no"}}, {"routeros": {"checks": []}}]}
LINUX = {"tasks": [{"routeros": {"why": "no"}}, {}]}


def opened(tasks: Any, chosen: str = "", presses: tuple[str, ...] = ()) -> Any:
    told = json.dumps({"tasks": tasks, "chosen": chosen, "presses": presses})
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", PAGE, told], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("tasks", "chosen", "words"),
    [
        (TYPED, "", "routeros"),
        (TYPED, "linux", "linux"),
        (TYPED, "nothing is kept", "routeros"),
        (LINUX, "", "linux"),
        (LINUX, "routeros", "routeros"),
        (None, "", "linux"),
    ],
)
def test_a_page_opens_in_the_words_that_its_tasks_and_its_reader_have(
    tasks: Any, chosen: str, words: str
) -> None:
    assert opened(tasks, chosen)["words"] == [words]


def test_what_a_reader_presses_is_kept_for_the_next_page() -> None:
    seen = opened(TYPED, presses=("linux",))
    assert seen == {"first": "routeros", "words": ["routeros", "linux"], "kept": "linux"}
    assert opened(TYPED)["kept"] is None, "nobody chose"
