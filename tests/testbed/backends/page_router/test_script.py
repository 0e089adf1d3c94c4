"""JavaScript beside the router: a long input comes in pieces, and what loading costs is said."""

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
import {{ beforeOf, scriptOf }} from "{ROOT}/web/src/router/script.mjs";
const step = {{ on: "dut", argv: ["sh"], env: {{}}, input: fs.readFileSync(0, "utf8") }};
console.log(JSON.stringify({{ pieces: beforeOf(step), script: scriptOf(step, "/pinned") }}));
"""

LINES = "".join(f"map update $key `{number}` value '00 00' \\n\n" for number in range(6000))


@pytest.mark.parametrize(("text", "pieces"), [(LINES, 4), ("", 0), (LINES[:60_000], 0)])
def test_a_long_input_comes_in_pieces(tmp_path: Path, text: str, pieces: int) -> None:
    asked = subprocess.run(
        [NODE, "--input-type=module", "-e", ASK], input=text, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    told = json.loads(asked.stdout)
    assert len(told["pieces"]) == pieces
    assert max(map(len, [*told["pieces"], told["script"]])) < 100_000
    assert "netns exec dut /pinned /bin/dash" in told["script"]
    if pieces:
        file = tmp_path / "input"
        for script in told["pieces"]:
            local = script.replace("/tmp/.input", str(file))
            subprocess.run(["sh", "-e"], input=local, text=True, check=True)
        assert file.read_text() == text


# --- what the router needs ------------------------------------------------------------------------


ASK_NEEDS = f"""
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
        [NODE, "--input-type=module", "-e", ASK_NEEDS], capture_output=True, text=True, check=True,
        input=json.dumps({"touched": touched, "line": line}),
    )  # fmt: skip
    answer: dict[str, str] = json.loads(asked.stdout)
    return answer


def test_what_the_page_asks_before_it_loads_anything() -> None:
    phone, computer = told(touched=True), told(line={"effectiveType": "4g"})
    assert phone["why"] and "11.4 MB" in phone["needs"] and "keyboard" in phone["needs"]
    assert not computer["why"] and "keyboard" not in computer["needs"]


@pytest.mark.parametrize(
    "line",
    [
        {"saveData": True},
        {"type": "cellular"},
        {"effectiveType": "3g"},
    ],
)
def test_what_loading_costs_comes_before_the_screen(line: dict[str, Any]) -> None:
    assert told(line=line)["why"] and not told()["why"]
