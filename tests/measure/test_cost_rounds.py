"""Which trials the cost rounds ask for: conditions with sizes and rounds of their own."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from ppslab.measure.rounds import cost_rounds
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model.lab import lab, profiles

LAB = lab.find("l3offload")
NAMES = ["cpu-one-flow", "offload-ipv6", "offload-blackhole", "cpu-many-addresses"]


def asked(sizes: list[int], of: lab.Lab = LAB) -> Counter[tuple[str, str | None, int]]:
    """Purpose, condition and size of each trial that the rounds ask for."""
    seen: Counter[tuple[str, str | None, int]] = Counter()

    def trial(wanted: TrialSpec) -> None:
        seen[wanted.purpose, wanted.condition and wanted.condition.name, wanted.size] += 1

    router = SimpleNamespace(is_external=False)
    testbed: Any = SimpleNamespace(
        lab=of, profile=profiles.load("quick"), trial=trial, router=router, counted=False
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


@pytest.mark.parametrize(
    ("counted", "seconds", "valid", "trials"),
    [
        (True, (0.0500, 0.0501), (True, True), 2),
        (True, (0.0500, 0.0503), (True, True), 4),  # of which three agree
        (True, (0.0503, 0.0503, 0.0500, 0.0500), (True, False) + (True,) * 2, 5),
        (True, (0.0500, 0.0510, 0.0520, 0.0530, 0.0540, 0.0550, 0.0560, 0.0570, 0.0580), (), 9),
        (True, (0.0500, 0.0500), (True, False), 3),
        (True, (0.0500,) * 9, (False,) * 9, 3),
        (False, (0.0500, 0.0900), (True, True), 2),
    ],
)
def test_counts_that_are_apart_are_asked_for_until_most_agree(
    counted: bool, seconds: tuple[float, ...], valid: tuple[bool, ...], trials: int
) -> None:
    """A size of two rounds, in a profile of three; another condition and size have agreed.

    Three fifths of what is counted is the cable's.
    """
    odd = LAB.conditions["cpu-many-addresses"]
    ran: list[Any] = []

    def trial(wanted: TrialSpec) -> None:
        name = wanted.condition and wanted.condition.name
        before = sum(t.condition == name and t.frame_size == 1518 for t in ran)
        apart = name == odd.name and wanted.size == 1518
        took = 0.03 if wanted.purpose == "cable" else 0.05
        took = seconds[before] if apart and before < len(seconds) else took
        counts = {"send_cpu_seconds": took, "kernel_thread_seconds": 0.0, "offered": 1000}
        ran.append(
            SimpleNamespace(
                purpose=wanted.purpose,
                condition=name,
                frame_size=wanted.size,
                valid=valid[before] if apart and before < len(valid) else True,
                counts=counts,
            )
        )

    testbed: Any = SimpleNamespace(
        lab=LAB,
        profile=profiles.load("quick").counted(),
        trial=trial,
        trials=ran,
        router=SimpleNamespace(is_external=False),
        counted=counted,
    )
    conditions = [LAB.conditions["cpu-one-flow"], odd]
    cost_rounds(testbed, conditions, [64, 1518], random.Random(1))
    seen = Counter(t.frame_size for t in ran if t.condition == odd.name and t.purpose == "cost")
    assert seen == {64: 3, 1518: trials}


def test_the_cable_is_measured_right_behind_the_reference_and_with_it_standing() -> None:
    wanted: list[TrialSpec] = []
    testbed: Any = SimpleNamespace(
        lab=LAB,
        profile=profiles.load("quick"),
        trial=wanted.append,
        router=SimpleNamespace(is_external=False),
        counted=False,
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
