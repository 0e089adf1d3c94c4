"""The lists of tests/README.md are those of the marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suite import marked
from tests.suite.marked import LISTS, List

_, UNSTEADY = LISTS


@pytest.mark.parametrize("asked", LISTS, ids=lambda asked: asked.mark)
def test_a_list_is_that_of_the_marks(asked: List) -> None:
    found = asked.found()
    assert asked.faults(found) == []
    text = marked.PAGE.read_text(encoding="utf-8")
    assert asked.page(text, found) == text, "make refresh"


UNSTEADY_TEST = "@pytest.mark.unsteady('why', since='2026-11-23')\ndef test_{}(): ...\n"


def test_an_unsteady_test_says_since_when(tmp_path: Path) -> None:
    file = tmp_path / "test_one.py"
    file.write_text(
        f"import pytest\n{UNSTEADY_TEST.format('a')}@pytest.mark.unsteady('x')\ndef test_b(): ...\n"
    )
    first, second = UNSTEADY.found(tmp_path)
    assert UNSTEADY.faults([first]) == []
    (fault,) = UNSTEADY.faults([second])
    assert fault.startswith(f"{file}:4: ")


def test_five_tests_are_unsteady_at_most(tmp_path: Path) -> None:
    file = tmp_path / "test_one.py"
    file.write_text("import pytest\n" + "".join(UNSTEADY_TEST.format(name) for name in "abcdef"))
    found = UNSTEADY.found(tmp_path)
    assert UNSTEADY.faults(found[:5]) == []
    assert len(UNSTEADY.faults(found)) == 1
