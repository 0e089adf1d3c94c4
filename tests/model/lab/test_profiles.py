"""A profile says where it leaves RFC 2544, and only there."""

from __future__ import annotations

import pytest

from ppslab.core.errors import UsageError
from ppslab.model.lab import profiles


def test_the_quick_profile_names_each_deviation() -> None:
    said = " ".join(profiles.load("quick").deviations())
    for word in ("not 60 s", "section 24", "section 23", "section 9", "exceed ratio"):
        assert word in said


def test_the_rfc2544_profile_deviates_only_in_what_the_rfc_does_not_have() -> None:
    said = profiles.load("rfc2544").deviations()
    assert len(said) == 1
    assert "not part of RFC 2544" in said[0]


def test_an_unknown_profile_names_a_near_one() -> None:
    with pytest.raises(UsageError, match=r'did you mean "quick"'):
        profiles.load("qick")
