"""Cases of rosexplain's own tests, asked in MicroPython too."""

from __future__ import annotations

from pathlib import Path

import pytest
from transcript import CASES, Case, read

from tests.course.models.both import both

EVERY = 4
"""One case of so many: each takes MicroPython a fraction of a second."""


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(CASES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_page_says_the_same(path: Path) -> None:
    cases = [case for case in read(path) if isinstance(case, Case)]
    asked = [
        {
            "export": {"name": "x", "text": case.exports[0]},
            "packet": (case.packets or [""])[0],
            "printed": {"name": "p", "text": case.printed} if case.printed else None,
        }
        for case in cases[::EVERY]
        if case.exports[0]
    ]
    assert both("explain", asked)
