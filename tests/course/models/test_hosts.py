"""MicroPython, in a page, answers as CPython does: asked.yml has what each model is asked."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.course.widgets import controls
from tests.course.models.both import both, known

pytestmark = pytest.mark.usefixtures("made_up")

ASKED = yaml.safe_load(Path(__file__).with_name("asked.yml").read_text(encoding="utf-8"))


def spread(name: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Every question of a row."""
    if "product" in row:
        values = itertools.product(*row["product"].values())
        return [dict(zip(row["product"], each, strict=True)) for each in values]
    known_controls = {each["name"]: each for each in controls.of(name, known(name))}
    if "example" in row:
        return [{**dict(known_controls["example"]["choices"])[row["example"]], **row}]
    if "export" in row:
        return [{**row, "export": {"name": "x", "text": row["export"]}}]
    if "all" not in row:
        return [row]
    rest = {key: value for key, value in row.items() if key != "all"}
    asked = known_controls[row["all"]]
    values = [each[1 if asked["kind"] == "preset" else 0] for each in asked["choices"]]
    if asked["kind"] == "preset":
        return [{**value, **rest} for value in values]
    return [{row["all"]: [v] if asked["kind"] == "many" else v, **rest} for v in values]


@pytest.mark.long
@pytest.mark.parametrize("name", ASKED)
def test_both_hosts_say_the_same(name: str) -> None:
    asked = [inputs for row in ASKED[name] for inputs in spread(name, row)]
    assert len(both(name, asked)) == len(asked) >= len(ASKED[name])
