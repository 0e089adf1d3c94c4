"""A point of an outline that is not taught has its reason, in the data and in what is printed."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ppslab_class.planning import outlines


@pytest.mark.parametrize("extent", ["none", "part"])
def test_a_point_that_is_not_wholly_taught_needs_a_reason(extent: str) -> None:
    told = {"part": "DNS", "point": "static entries", "extent": extent}
    with pytest.raises(ValidationError, match="static entries: what is not wholly taught"):
        outlines.Point.model_validate(told)
    outlines.Point.model_validate(told | {"note": "a service"})
    outlines.Point.model_validate(told | {"extent": "whole"})


def test_the_table_prints_the_reason_of_each_point() -> None:
    for name, outline in outlines.load().mapped.items():
        rows = outline.table(name).rows
        assert [row[-1].text for row in rows] == [each.note for each in outline.points]
        assert all(row[-1].text for row in rows if row[2].text != "whole")


def test_an_outline_that_nobody_could_read_says_so_and_when() -> None:
    for name, outline in outlines.load().unread.items():
        sentence = outline.sentence(name)
        assert "not mapped" in sentence and str(outline.tried) in sentence
        assert outline.source in sentence
