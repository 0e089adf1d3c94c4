"""Every committed record is read, and says what it said when it was made."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ppslab.model import results
from tests.model.results import committed

EXPECTED = json.loads(committed.EXPECTED.read_text(encoding="utf-8"))


def test_every_committed_record_is_listed() -> None:
    assert [path.name for path in committed.paths()] == sorted(EXPECTED), (
        "records came or went: python -m tests.model.results.committed, and look at the difference"
    )


@pytest.mark.parametrize("path", committed.paths(), ids=lambda path: path.stem)
def test_it_says_what_it_said(path: Path) -> None:
    assert committed.told(path) == EXPECTED[path.name]


@pytest.mark.long
@pytest.mark.parametrize("path", committed.paths(), ids=lambda path: path.stem)
def test_it_fits_the_published_schema(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(data, results.schema(results.KINDS[data["schema"]]))
