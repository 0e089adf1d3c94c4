"""A few of the kills of tests/system/benchmarks/kills.py: the next command leaves nothing."""

from __future__ import annotations

import random

import pytest

from ppslab.testbed.backends import capabilities
from tests.system.benchmarks import kills

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable,
        reason="namespaces are needed: ppslab doctor",
    ),
]

GUEST = (
    pytest.mark.guest,
    pytest.mark.skipif(
        not capabilities.usable("vm").usable, reason="no guest runs here: ppslab doctor"
    ),
)


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        ("namespaces", 1),
        ("namespaces", 2),
        pytest.param("vm", 4, marks=GUEST),
        pytest.param("pair", 3, marks=GUEST),
    ],
)
def test_nothing_is_left_of_a_killed_run(kind: str, seed: int) -> None:
    seen = kills.one(kind, random.Random(seed))
    assert seen["struck"] > 0
    assert seen["left"] == []
    assert seen["torn"] == []
