"""scripts/records/verdicts_moved.py: the weekly run's question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.system.setup.conftest import Run

pytestmark = pytest.mark.long

SCRIPT = "scripts/records/verdicts_moved.py"


def claim(name: str, verdict: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "lab": "fastpath",
        "source": "article",
        "statement": f"The statement of {name}",
        "published": 2.27,
        "measured": 2.1,
        "interval": [2.0, 2.2],
        "verdict": verdict,
        "reason": "",
    } | more


@pytest.fixture
def compare(run: Run, tmp_path: Path) -> Any:
    def compare(before: Any, after: Any) -> Any:
        for name, data in (("before", before), ("after", after)):
            text = data if isinstance(data, str) else json.dumps(data)
            (tmp_path / f"{name}.json").write_text(text)
        return run(SCRIPT, tmp_path / "before.json", tmp_path / "after.json")

    return compare


def test_a_verdict_that_moved_is_a_row(compare: Any) -> None:
    same = compare([claim("ratio", "confirmed")], [claim("ratio", "confirmed", measured=2.15)])
    assert (same.returncode, same.stdout) == (0, "No verdict moved (1 claims).\n")
    done = compare(
        [claim("ratio", "confirmed"), claim("order", "confirmed")],
        [
            claim("order", "confirmed"),
            claim("ratio", "refuted", measured=1.0, interval=[0.9, 1.1], reason="too low"),
        ],
    )
    assert done.returncode == 1
    rows = [line for line in done.stdout.splitlines() if "`ratio`" in line]
    assert rows == [
        "| fastpath: The statement of ratio (`ratio`) | 2.27 | 2.1 [2, 2.2] | 1 [0.9, 1.1] "
        "| confirmed | **refuted** |",
        "- `ratio`: too low",
    ]
    assert "`order`" not in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "{\n  oops\n}",
        "{}",
        '[{"id": "ratio", "lab": "fastpath"}]',
        json.dumps([claim("r", "confirmed")] * 2),
    ],
)
def test_what_is_no_list_of_claims(compare: Any, text: str) -> None:
    done = compare([], text)
    assert done.returncode == 2
    assert "after.json" in done.stderr
    assert "Traceback" not in done.stderr
