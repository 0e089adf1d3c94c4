"""What the value of a row must be."""

from __future__ import annotations

import pytest

from ppslab.course import practice
from ppslab.course.models.cases import rows


def fits(wanted: str, value: str | None) -> bool:
    row = {} if value is None else {"max-limit": value}
    return rows.fits({"max-limit": wanted}, row)


@pytest.mark.parametrize(
    "value", ["47500k", "47.5M", "47500000", "47500kbps", "47.5Mbps", "47500000bps", "0.0475G"]
)
def test_one_amount_has_many_spellings(value: str) -> None:
    assert rows.prefixed_number(value) == 47500000
    assert fits("47.5M", value)
    assert fits(">=40M <=50M", value)
    assert not fits("!>=40M", value)


@pytest.mark.parametrize(
    ("wanted", "value", "good"),
    [
        ("<=50M", "50M", True),
        ("<=50M", "50000001", False),
        (">=40M", "39999k", False),
        (">=1", "0", False),
        (">=1", None, False),
        ("<=50M", "yes", False),
        ("<=50M", "10.0.0.1", False),
        ("<=50M", "4.7", False),
        ("<=50M", "10M/50M", True),
        ("<=50M", "10M/51M", False),
        ("<=10M/<=50M", "10M/50M", True),
        ("<=10M/<=50M", "50M/10M", False),
        ("<=10M/<=50M", "10M", False),
        ("10M", "10M/10000k", True),
        ("198.18.0.1", "198.18.0.1/32", True),
        ("7.5", "7.50", False),
    ],
)
def test_bounds(wanted: str, value: str | None, good: bool) -> None:
    assert fits(wanted, value) is good


@pytest.mark.parametrize("wanted", [">=", ">=fast", ">=4.7", "<=10M ==3", "!<=x", "~("])
def test_what_bounds_nothing_is_refused_in_the_file(wanted: str) -> None:
    with pytest.raises(ValueError, match=r"bound|expression"):
        practice.wanted({"max-limit": wanted})
