"""What the program shows is what it showed; a change that means to move it renews the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.model.results.storing import kept_only
from tests.golden import outputs

CASES = list(outputs.cases())


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed records, without what this machine measured."""
    return kept_only(tmp_path_factory.mktemp("golden") / "results")


@pytest.mark.parametrize("case", CASES, ids=[case.expected.stem for case in CASES])
def test_an_output_is_as_kept(case: outputs.Case, records: Path) -> None:
    """A change that is meant renews the file."""
    assert outputs.output(case, records) == case.expected.read_text(encoding="utf-8"), (
        "is the change meant? .venv/bin/python -m tests.golden renews every output; read its diff"
    )


def test_no_file_is_left_of_a_case_that_went() -> None:
    """A command that went takes its kept output along."""
    kept = {outputs.HERE / "help.txt", *outputs.HERE.glob("outputs/*")}
    assert kept == {case.expected for case in CASES}
