"""Which trials the cost rounds ask for: conditions with sizes and rounds of their own."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from ppslab.core.errors import BackendError
from ppslab.measure import run
from ppslab.measure.experiment import Silent
from ppslab.measure.rounds import MOST_MODE_ROUNDS, choose_bpf_modes, cost_rounds
from ppslab.measure.trial.patience import ALL_SECONDS, LONGEST_SECONDS, Patience
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.model.results import Trial
from ppslab.model.validity import Cause
from tests.support.stolen_machine import StolenMachine, seen, stand

LAB = lab.find("l3offload")
NAMES = ["cpu-one-flow", "offload-ipv6", "offload-blackhole", "cpu-many-addresses"]


def asked(sizes: list[int], *, external: bool = False) -> Counter[tuple[str, str | None, int]]:
    """Purpose, condition and size of each trial that the rounds ask for."""
    seen: Counter[tuple[str, str | None, int]] = Counter()

    def trial(wanted: TrialSpec) -> None:
        seen[wanted.purpose, wanted.condition and wanted.condition.name, wanted.size] += 1

        assert (wanted.arrangement == "separate") is external

    router = SimpleNamespace(is_external=external)
    testbed: Any = SimpleNamespace(
        lab=LAB, profile=profiles.load("quick"), trial=trial, router=router, counted=False
    )
    cost_rounds(testbed, [LAB.conditions[name] for name in NAMES], sizes, random.Random(1))
    return seen


def test_sizes_and_rounds_of_a_conditions_own() -> None:
    assert {purpose for purpose, *_ in asked([64], external=True)} == {"cost", "a-a"}
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
        counts = {
            "send_seconds": took,
            "send_cpu_seconds": took,
            "kernel_thread_seconds": 0.0,
            "offered": 1000,
        }
        ran.append(
            Trial.model_construct(
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


LABS = [name for name in lab.names() if any(c.flows for c in lab.find(name).conditions.values())]
FASTPATH = lab.find("fastpath")


def measured(name: str, machine: StolenMachine, begin_at: str = "") -> FrameTestbed:
    """The testbed after a whole run of the lab; `begin_at`: the stage at which the steal begins."""
    found = lab.find(name)
    testbed = stand(found, machine)
    span = machine.end - machine.begin

    class Watch(Silent):
        def stage(self, text: str) -> None:
            if begin_at and text.startswith(begin_at):
                machine.begin, machine.end = machine.now, machine.now + span

    options = run.Options(profile="quick", seed=1, measure="timed")
    asked = run.CostRun(found, options, Watch())
    asked.testbed, asked.conditions, asked.environment = testbed, asked.asked, {}
    asked.stages()
    return testbed


@pytest.mark.long
@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize("gap", [0.01, 0.1, 0.3])
def test_three_seconds_of_steal_end_no_lab_and_change_no_choice(name: str, gap: float) -> None:
    quiet = measured(name, StolenMachine())
    for stage in ("the tester's", "choosing", "cost"):
        testbed = measured(name, StolenMachine(end=3.0, share=0.1, gap=gap), stage)
        assert testbed.router.bpf_modes == quiet.router.bpf_modes
        assert testbed.remarks == []
        for each in ("choose", "cost", "a-a", "drop", "cable", "tester"):
            valid = len(seen(testbed.trials, purpose=each, valid=True))
            assert valid == len(seen(quiet.trials, purpose=each, valid=True))
    if gap > 0.1:
        # It was there to be seen.
        assert any(Cause.STEAL in trial.causes for trial in testbed.trials)


@pytest.mark.long
@pytest.mark.parametrize("name", LABS)
def test_a_machine_that_is_never_quiet_ends_no_lab(name: str) -> None:
    machine = StolenMachine(end=1e9, share=0.9, gap=0.09)
    testbed = measured(name, machine)
    assert not any(trial.valid for trial in seen(testbed.trials, purpose="cost"))
    # A condition may say how its program is attached; for the others of that program it is chosen.
    programs = {
        c.linux.bpf
        for c in testbed.lab.conditions.values()
        if c.linux.bpf and c.flows and not c.linux.bpf_mode
    }
    assert set(testbed.router.bpf_modes) == programs
    # What it cost is written down, and a run still ends.
    remarks = [{program for program in programs if program in text} for text in testbed.remarks]
    assert sorted(one for named in remarks for one in named) == sorted(programs)
    assert any("own limit" in text for text in testbed.remarks)
    assert testbed.patience.left == 0


def conditions_with_programs() -> list[lab.Condition]:
    return [c for c in FASTPATH.conditions.values() if c.linux.bpf]


def test_what_was_valid_is_kept_and_a_noisy_mode_comes_again() -> None:
    # All of the CPU for a second, in the middle of choosing.
    machine = StolenMachine(begin=0.4, end=1.4, share=1.0, gap=1.0)
    testbed = stand(FASTPATH, machine)
    told = choose_bpf_modes(testbed, conditions_with_programs(), 64)
    assert set(testbed.router.bpf_modes.values()) == {"xdp-generic"}
    assert not testbed.remarks and not any("noise" in said for said in told.values())
    for mode in ("tc", "xdp-generic", "xdp-native"):
        trials = seen(testbed.trials, purpose="choose", bpf_mode=mode)
        assert len(seen(trials, valid=True)) == 3 * len(testbed.router.bpf_modes)
    assert len(seen(testbed.trials, valid=False)) > 0


@pytest.mark.parametrize("how", ["refuses", "unread"])
def test_a_lasting_reason_rules_a_mode_out(how: str) -> None:
    testbed = stand(FASTPATH, StolenMachine(), **{how: frozenset({"xdp-generic"})})
    told = choose_bpf_modes(testbed, conditions_with_programs(), 64)
    assert set(testbed.router.bpf_modes.values()) == {"tc"}
    said = [text for way, text in told.items() if way.endswith("xdp-generic")]
    assert all(text.startswith(("refused: ip link", "unusable: router state")) for text in said)
    assert len(seen(testbed.trials, bpf_mode="xdp-generic", round=1)) == 0
    every = frozenset({"tc", "xdp-generic", "xdp-native"})
    with pytest.raises(BackendError, match="tc: refused: ip link"):
        choose_bpf_modes(
            stand(FASTPATH, StolenMachine(), refuses=every), conditions_with_programs(), 64
        )


def test_noise_is_waited_out_longer_each_time_and_not_for_ever() -> None:
    slept: list[float] = []
    patience = Patience(sleep=slept.append)
    for _ in range(MOST_MODE_ROUNDS * 9):
        patience.noisy()
    assert slept[:6] == [0.5, 1, 2, 4, 8, 8]
    assert max(slept) == LONGEST_SECONDS and sum(slept) == ALL_SECONDS
    patience = Patience(sleep=slept.append)
    patience.noisy()
    patience.noisy()
    patience.quiet()
    assert patience.noisy() == 0.5
