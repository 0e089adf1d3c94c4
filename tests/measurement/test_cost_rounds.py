"""Which trials the cost rounds ask for: conditions with sizes and rounds of their own."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from ppslab.lab import lab, profiles
from ppslab.measurement.rounds import cost_rounds
from ppslab.measurement.trial.spec import TrialSpec

LAB = lab.find("l3offload")
NAMES = ["cpu-one-flow", "offload-ipv6", "offload-blackhole", "cpu-many-addresses"]


def asked(sizes: list[int], of: lab.Lab = LAB) -> Counter[tuple[str, str | None, int]]:
    """Purpose, condition and size of each trial that the rounds ask for."""
    seen: Counter[tuple[str, str | None, int]] = Counter()

    def trial(wanted: TrialSpec) -> None:
        seen[wanted.purpose, wanted.condition and wanted.condition.name, wanted.size] += 1

    router = SimpleNamespace(is_external=False)
    testbed: Any = SimpleNamespace(
        lab=of, profile=profiles.load("quick"), trial=trial, router=router
    )
    cost_rounds(testbed, [of.conditions[name] for name in NAMES], sizes, random.Random(1))
    return seen


def test_sizes_and_rounds_of_a_conditions_own() -> None:
    cost = profiles.load("quick").cost
    few = LAB.conditions["offload-blackhole"].rounds
    seen = asked([64, 84])
    assert seen["cost", "cpu-one-flow", 64] == cost.rounds
    assert seen["cost", "cpu-one-flow", 84] == cost.rounds_other_sizes
    assert seen["a-a", "cpu-one-flow", 84] == cost.rounds_other_sizes
    assert seen["cost", "cpu-many-addresses", 64] == cost.rounds
    assert seen["cost", "offload-blackhole", 64] == few
    # 84 bytes are IPv6's own, 64 are too small for it.
    assert seen["cost", "offload-ipv6", 84] == cost.rounds_other_sizes
    assert seen["cost", "offload-ipv6", 64] == 0
    assert seen["cost", "cpu-many-addresses", 84] == seen["cost", "offload-blackhole", 84] == 0
    assert seen["cable", None, 84] == cost.rounds_other_sizes


def test_a_lab_says_how_many_rounds_its_conditions_have() -> None:
    spec = LAB.spec.model_copy(update={"rounds": 1})
    seen = asked([64, 84], lab.Lab(LAB.folder, spec))
    assert seen["cost", "cpu-one-flow", 64] == seen["cost", "cpu-one-flow", 84] == 1
    assert seen["cost", "offload-blackhole", 64] == LAB.conditions["offload-blackhole"].rounds


def test_a_size_that_was_asked_for_is_every_conditions_that_has_none_of_its_own() -> None:
    seen = asked([1518])
    assert {name for purpose, name, _ in seen if purpose == "cost"} == {
        "cpu-many-addresses",
        "offload-blackhole",
    }


def test_the_cable_is_measured_right_behind_the_reference_and_with_it_standing() -> None:
    wanted: list[TrialSpec] = []
    testbed: Any = SimpleNamespace(
        lab=LAB,
        profile=profiles.load("quick"),
        trial=wanted.append,
        router=SimpleNamespace(is_external=False),
    )
    reference = LAB.conditions[LAB.spec.reference]
    for seed in range(5):
        cost_rounds(testbed, [LAB.conditions[n] for n in NAMES], [64], random.Random(seed))
    for before, spec in pairwise(wanted):
        if spec.purpose == "cable":
            assert spec.standing is reference
            assert before.condition is reference
        else:
            assert spec.standing is None
