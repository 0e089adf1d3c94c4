"""Cases of rosexplain's own tests, asked in MicroPython too."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from rosexplain.base import FILE
from tests.course.models.both import both

TESTS = FILE.parents[2] / "tests"
EVERY = 12
"""One case of so many: each takes MicroPython a fraction of a second."""


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(TESTS.glob("cases/*.txt")), ids=lambda path: path.stem)
def test_the_page_says_the_same(path: Path) -> None:
    spec = importlib.util.spec_from_file_location("rosexplain_transcript", TESTS / "transcript.py")
    assert spec and spec.loader
    transcript = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(transcript)
    cases = [case for case in transcript.read(path) if isinstance(case, transcript.Case)]
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
