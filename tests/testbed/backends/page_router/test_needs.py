"""What the page says that the router needs, and when it asks before it loads anything."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.course.models.both import NODE

ROOT = Path(__file__).resolve().parents[4]

ASK = f"""
import fs from "node:fs";
const told = JSON.parse(fs.readFileSync(0, "utf8"));
Object.defineProperty(globalThis, "navigator", {{ value: {{ connection: told.line }} }});
globalThis.matchMedia = (asked) => ({{
  matches: told.touched && asked === "(hover: none) and (pointer: coarse)",
}});
const {{ needs, scruple }} = await import("{ROOT}/web/src/router/page/needs.mjs");
console.log(JSON.stringify({{ why: scruple(), needs: needs(11_400_000, 250) }}));
"""


def told(*, touched: bool = False, line: dict[str, Any] | None = None) -> dict[str, str]:
    asked = subprocess.run(
        [NODE, "--input-type=module", "-e", ASK], capture_output=True, text=True, check=True,
        input=json.dumps({"touched": touched, "line": line}),
    )  # fmt: skip
    answer: dict[str, str] = json.loads(asked.stdout)
    return answer


def test_a_phone_hears_of_the_download_the_memory_and_the_keyboard() -> None:
    said = told(touched=True)
    assert said["why"] == "You are on a phone or a tablet."
    assert "11.4 MB, once" in said["needs"] and "250 MB of memory" in said["needs"]
    assert "a keyboard" in said["needs"]


def test_a_computer_on_a_good_line_is_not_asked() -> None:
    said = told(line={"effectiveType": "4g"})
    assert said["why"] == "" and "keyboard" not in said["needs"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"saveData": True}, "Your browser is set to save data."),
        ({"type": "cellular"}, "You are on a mobile network."),
        ({"effectiveType": "3g"}, "Your connection is slow."),
    ],
)
def test_what_loading_costs_comes_before_the_screen(line: dict[str, Any], why: str) -> None:
    assert told(touched=True, line=line)["why"] == why
