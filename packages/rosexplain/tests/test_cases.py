"""Every case is answered as its file says; `python tests/transcript.py` writes the answers anew."""

from __future__ import annotations

import pytest
from transcript import CASES, Case, read

EVERY = [
    pytest.param(case, id=f"{path.stem}: {case.name}")
    for path in sorted(CASES.glob("*.txt"))
    for case in read(path)
    if isinstance(case, Case)
]


@pytest.mark.parametrize("case", EVERY)
def test_the_answer_is_the_one_that_is_written_there(case: Case) -> None:
    assert list(case.answer()) == case.lines
