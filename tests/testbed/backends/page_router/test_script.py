"""A long input for a command on a node: it arrives whole, in pieces that the serial line takes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

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
