"""Any widget, driven as a reader drives it, and what it then shows.

The controls say what there is to be driven: no widget is known here by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
_STATE = re.compile(
    r'<script type="application/vnd\.ppslab\.widget\+json">(.*?)</script>', re.DOTALL
)


@cache
def with_widgets() -> dict[str, str]:
    """Widget to the first page that has it, as its address in the site."""
    found: dict[str, str] = {}
    for file in sorted((ROOT / "book").rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r"(?m)^ *[`:]{3,}\{ppslab-widget\} +(\S+)", text):
            found.setdefault(name, file.relative_to(ROOT).with_suffix(".html").as_posix())
    return found


def state(folder: Path, name: str) -> dict[str, Any]:
    """The traits of a widget as its page embeds them: controls, inputs, facts, answer."""
    text = (folder / with_widgets()[name]).read_text(encoding="utf-8")
    for embedded in _STATE.findall(text):
        found: dict[str, Any] = json.loads(embedded)
        if found["name"] == name:
            return found
    raise AssertionError(f"{with_widgets()[name]} has no state of {name}")


SHOWN = """root => {
  const texts = (selector, within) => [...(within ?? root).querySelectorAll(selector)]
    .map(one => one.textContent);
  const answer = root.querySelector(".ppslab-answer");
  // Below a refused input the last answer stays, greyed.
  if (root.matches(".ppslab-stale")) {
    return {problem: texts(".ppslab-problem:not([hidden])"), values: null, says: [], warns: [],
      drawn: [], tables: []};
  }
  return {
    values: JSON.parse(answer.dataset.values ?? "null"),
    problem: texts(".ppslab-problem:not([hidden])"),
    says: texts(".ppslab-says p"),
    warns: texts(".ppslab-warns"),
    drawn: [...answer.querySelectorAll("svg")].map(one => texts("text", one).join(" ")),
    tables: [...answer.querySelectorAll("table")].map(table =>
      [...table.rows].map(row =>
        [...row.cells].map(cell => (cell.querySelector("span") ?? cell).textContent))),
  };
}"""


SLIDE = """(slider, value) => {
  slider.value = value;
  slider.dispatchEvent(new Event("input", {bubbles: true}));
  return Number(slider.value);
}"""


def selector(name: str) -> str:
    """The widget of this name, alive."""
    return f'.ppslab-widget[data-widget="{name}"][data-ready="true"]'


def widget(page: Any, name: str) -> Any:
    """The widget of this name, alive."""
    found = page.locator(selector(name)).first
    found.wait_for(state="attached", timeout=1000 * PATIENCE)
    return found


def expected(answer: dict[str, Any]) -> dict[str, Any]:
    """What is to be shown of a model's answer."""
    if "problem" in answer:
        return {"problem": [answer["problem"]["says"]], "says": [], "warns": [], "drawn": [],
                "tables": [], "values": None}  # fmt: skip
    figures = answer.get("figures", ())
    # Of the paths of several classes one is shown, lying and standing.
    drawn = [text for one in figures if "narrow" in one for text in (one["svg"], one["narrow"])][:2]
    drawn += [one["svg"] for one in figures if "narrow" not in one]
    return {
        "values": json.loads(json.dumps(answer.get("values"))),
        "problem": [],
        "says": list(answer.get("says", ())),
        "warns": list(answer.get("warns", ())),
        "drawn": [_texts(svg) for svg in drawn],
        "tables": [
            [list(one["header"]), *(list(row) for row in one["rows"])]
            for one in (*answer.get("tables", ()), *answer.get("folded", ("", ()))[1])
        ],
    }


def _texts(svg: str) -> str:
    root = ElementTree.fromstring(svg)
    return " ".join("".join(one.itertext()) for one in root.iter() if one.tag.endswith("text"))


def rounded(shown: Any) -> Any:
    """The answer, its numbers without their last digits, as two Pythons round."""
    if isinstance(shown, dict):
        return {key: rounded(value) for key, value in shown.items()}
    if isinstance(shown, list):
        return [rounded(value) for value in shown]
    return float(f"{shown:.9g}") if isinstance(shown, float) else shown


def differs(page: Any, root: Any, answer: dict[str, Any]) -> dict[str, Any]:
    """Wait until a widget shows this answer; return what it shows where it differs after that."""
    wanted, waited = rounded(expected(answer)), 0.0
    while (shown := rounded(root.evaluate(SHOWN))) != wanted and waited < PATIENCE:
        page.wait_for_timeout(50)
        waited += 0.05
    return {key: (shown[key], each) for key, each in wanted.items() if shown[key] != each}


def changes(controls: list[Any], inputs: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """A walk over all controls: each with a few values that it can have.

    Controls that are not shown for the `inputs` at their turn are made to be: what shows them is
    yielded first.  The caller keeps `inputs` as they then are.
    """
    by_name = {one["name"]: one for one in controls}
    for control in controls:
        if "when" in control:
            other, values = control["when"]
            if inputs[other] not in values:
                yield by_name[other], values[0]
        for value in _values(control):
            yield control, value


def _values(control: Any) -> list[Any]:
    value, choices = control.get("value"), [one[0] for one in control.get("choices", ())]
    values = {
        "number": lambda: [control["low"], control["high"], value],
        "choice": lambda: choices[-3:],
        "switch": lambda: [not value, value],
        "many": lambda: [[], choices, choices[:1], value],
        "text": lambda: ["", value],
        "preset": lambda: [inputs for _, inputs in control["choices"]],
        "step": lambda: [1, 0],
    }
    return values.get(control["kind"], list)()


def put(root: Any, control: Any, value: Any, before: dict[str, Any]) -> dict[str, Any]:
    """Give a control a value, as a reader does; the inputs after it."""
    name, kind = control["name"], control["kind"]
    folded = root.locator('.ppslab-asked button[aria-expanded="false"]')
    if folded.is_visible() and not control.get("after"):
        folded.click()
    field = root.locator(f'[name="{name}"]')
    if kind in ("number", "step"):
        # A slider takes the nearest value that it has.
        value = field.evaluate(SLIDE, value)
    elif kind == "choice":
        labels = [one for one, _ in control["choices"]]
        field.select_option(index=labels.index(value))
    elif kind == "switch":
        field.set_checked(value)
    elif kind == "many":
        for index, (one, _) in enumerate(control["choices"]):
            field.nth(index).set_checked(one in value)
    elif kind == "text":
        field.fill(value)
    elif kind == "preset":
        field.nth([one for _, one in control["choices"]].index(value)).click()
        return {**before, **value}
    else:
        raise AssertionError(f"nobody has said how a {kind} is driven")
    return {**before, name: value}


def drive(
    page: Any,
    root: Any,
    answer: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]],
    controls: list[Any],
    inputs: dict[str, Any],
    facts: dict[str, Any],
) -> None:
    """Drive every control of a widget; it must show what its model answers each time."""
    inputs = dict(inputs)
    assert not differs(page, root, answer(inputs, facts))
    said = set()
    for control, value in changes(controls, inputs):
        inputs.update(put(root, control, value, inputs))
        wanted = answer(inputs, facts)
        found = differs(page, root, wanted)
        assert not found, f"{control['name']} = {value}: {found}"
        said.add(str(expected(wanted)))
    assert len(said) > 1, "whatever is changed, it says the same"
