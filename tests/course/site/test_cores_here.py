"""Whether the machine that builds a page could time a curve over cores: said of its own CPUs."""

from __future__ import annotations

import pytest

from ppslab.course.site.directives.records import cores
from ppslab.testbed.backends.capabilities import CpuFacts


@pytest.mark.parametrize(
    ("allowed", "siblings", "says"),
    [
        (1, (), ["has 1 CPU.", "leaves none", "needs 5"]),
        (2, (), ["has 2 CPUs, and none of them shares", "leaves 1 to route", "needs 5"]),
        (4, (2, 3), ["has 4 CPUs on 2 cores", "leaves 1 to route", "needs 5"]),
        (4, (), ["leaves 3 to route", "needs 5"]),
        (5, (), ["has 5 CPUs", "could time 1 to 4 cores"]),
        (8, (4, 5, 6, 7), ["on 4 cores", "leaves 3 to route"]),
        (10, (5, 6, 7, 8, 9), ["on 5 cores", "could time 1 to 4 cores"]),
    ],
)
def test_a_curve_needs_a_core_more_than_it_has_points(
    allowed: int, siblings: tuple[int, ...], says: list[str]
) -> None:
    facts = CpuFacts("made up", allowed, tuple(range(allowed)), siblings)
    found = cores.curve(facts, 4)
    assert all(each in found for each in says), found
    assert ("could time" in found) != ("needs 5" in found)
