"""What the program shows is what it showed; a change that means to move it renews the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.model.results.storing import kept_only
from tests.golden import outputs

CASES = list(outputs.cases())
RENEW = "is the change meant? .venv/bin/python -m tests.golden renews every output; read its diff"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed records, without what this machine measured."""
    return kept_only(tmp_path_factory.mktemp("golden") / "results")


@pytest.mark.parametrize("case", CASES, ids=[case.expected.stem for case in CASES])
def test_an_output_is_as_kept(case: outputs.Case, records: Path) -> None:
    """A change that is meant renews the file."""
    assert outputs.output(case.arguments, records) == case.expected.read_text("utf-8"), RENEW


def test_the_help_of_every_command_is_as_kept(records: Path) -> None:
    """A command that came or went, or another option, renews the file."""
    assert outputs.help_texts(records) == outputs.HELP.read_text("utf-8"), RENEW


def test_no_file_is_left_of_a_case_that_went() -> None:
    """A command that went takes its kept output along."""
    assert {*outputs.HERE.glob("outputs/*")} == {case.expected for case in CASES}
