"""The lists of tests/README.md are those of the marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suite import marked
from tests.suite.marked import LISTS, List

TIMED, UNSTEADY = LISTS


@pytest.mark.parametrize("asked", LISTS, ids=lambda asked: asked.mark)
def test_a_list_is_that_of_the_marks(asked: List) -> None:
    found = asked.found()
    assert asked.faults(found) == []
    text = marked.PAGE.read_text(encoding="utf-8")
    assert asked.page(text, found) == text, "make refresh"


def test_what_is_timed_is_found_by_its_mark(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/test_one.py").write_text(
        "import pytest\npytestmark = pytest.mark.timed(why='x')\n"
    )
    (tmp_path / "test_two.py").write_text(
        "import pytest\n\n\n@pytest.mark.timed(why='y')\ndef test_a(): ...\n"
    )
    found = TIMED.found(tmp_path)
    page = TIMED.page(f"a\n{TIMED.begin}None.\n{TIMED.end}b\n", found, tmp_path)
    assert page == (
        f"a\n{TIMED.begin}| test | why |\n|---|---|\n"
        f"| `a/test_one.py` | x |\n| `test_two.py::test_a` | y |\n{TIMED.end}b\n"
    )
    assert TIMED.page(page, []) == f"a\n{TIMED.begin}None.\n{TIMED.end}b\n"


UNSTEADY_TEST = "@pytest.mark.unsteady('why', since='2026-11-23')\ndef test_{}(): ...\n"


def test_an_unsteady_test_says_since_when(tmp_path: Path) -> None:
    file = tmp_path / "test_one.py"
    file.write_text(
        f"import pytest\n{UNSTEADY_TEST.format('a')}@pytest.mark.unsteady('x')\ndef test_b(): ...\n"
    )
    first, second = UNSTEADY.found(tmp_path)
    assert UNSTEADY.faults([first]) == []
    text = UNSTEADY.page(f"{UNSTEADY.begin}{UNSTEADY.end}", [first], tmp_path)
    assert "| `test_one.py::test_a` | why | 2026-11-23 |\n" in text
    (fault,) = UNSTEADY.faults([second])
    assert fault.startswith(f"{file}:4: pytest.mark.unsteady wants since=")


def test_five_tests_are_unsteady_at_most(tmp_path: Path) -> None:
    file = tmp_path / "test_one.py"
    file.write_text("import pytest\n" + "".join(UNSTEADY_TEST.format(name) for name in "abcdef"))
    found = UNSTEADY.found(tmp_path)
    assert UNSTEADY.faults(found[:5]) == []
    (fault,) = UNSTEADY.faults(found)
    assert "6 unsteady tests, and at most 5" in fault
