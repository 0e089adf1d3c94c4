"""What a run through the faults says, and when a fault counts as caught."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import BackendError
from ppslab.measure.faults import (
    ATTEMPTS,
    MOST_ATTEMPTS,
    FaultSetup,
    Tried,
    fastest_rate,
    find,
    judge,
    try_out,
)
from ppslab.measure.trial.patience import ALL_SECONDS
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.results.kinds import FaultFound
from ppslab.model.validity import Cause
from ppslab.show.record_tables import faults
from tests.support.faults_factory import make_faults, make_trial
from tests.support.stolen_machine import StolenMachine, stand

LATE, SLOW = find(["late-tester", "slow-tester"])


@pytest.mark.parametrize(
    ("before", "causes", "happened", "outcome"),
    [
        ((), (Cause.TESTER_LATE,), True, "caught"),
        ((), (Cause.STEAL, Cause.TESTER_LATE), True, "caught"),
        ((), (), True, "missed"),
        ((), (Cause.STEAL,), True, "missed"),
        ((Cause.TESTER_LATE,), (Cause.TESTER_LATE,), True, "not broken"),
        ((), (), False, "not broken"),
    ],
)
def test_a_fault_is_caught_when_it_is_said_of_the_broken_trial_alone(
    before: tuple[Cause, ...], causes: tuple[Cause, ...], happened: bool, outcome: str
) -> None:
    broken = make_trial(1, causes, 0)
    tried = Tried(make_trial(0, before, 0), broken, happened=happened)
    assert judge(LATE, tried) == (outcome, broken.invalid_because)


@pytest.mark.parametrize(
    ("before", "limited", "outcome"),
    [
        ("", "tester-limited", "caught"),
        ("", "", "missed"),
        ("tester-limited", "tester-limited", "not broken"),
    ],
)
def test_a_slow_tester_is_caught_by_the_searches_alone(
    before: str, limited: str, outcome: str
) -> None:
    """No trial is invalid; another cause of the broken one does not count."""
    tried = Tried(
        make_trial(0, (), 0),
        make_trial(1, (Cause.STEAL,), 0),
        limited=limited,
        limited_before=before,
    )
    assert judge(SLOW, tried) == (outcome, (limited,) if limited else ())


def tried_until_caught(
    machine: StolenMachine, causes_of_tries: Iterable[tuple[Any, Any]]
) -> FaultFound:
    """A fault whose tries have these causes: of the healthy trial, and of the broken one."""
    testbed = stand(lab.find("fastpath"), machine)
    plain = testbed.lab.condition("routing-plain")
    tries = iter(causes_of_tries)

    def try_it(setup: FaultSetup) -> Tried:
        healthy, broken = next(tries)
        return Tried(make_trial(0, healthy, 0), make_trial(1, broken, 0))

    return try_out(FaultSetup(testbed, plain, None, 64, 1e6), replace(LATE, try_it=try_it))


LATE_TOO = ((Cause.TESTER_LATE,), (Cause.TESTER_LATE,))


def test_a_fault_that_is_missed_in_quiet_is_tried_no_longer() -> None:
    machine = StolenMachine()
    found = tried_until_caught(machine, repeat(((), ())))
    assert (found.outcome, len(found.trials), machine.now) == ("missed", ATTEMPTS, 0)


def test_noise_without_end_is_an_end_too() -> None:
    machine = StolenMachine()
    found = tried_until_caught(machine, repeat(LATE_TOO))
    assert (found.outcome, len(found.trials)) == ("not broken", MOST_ATTEMPTS)
    assert machine.now <= ALL_SECONDS


def fastest(machine: StolenMachine) -> float:
    """What the tester is seen to send into the router, on such a machine."""
    testbed = stand(lab.find("fastpath"), machine)
    testbed.profile = testbed.profile.model_copy(update={"repeats_of_noisy_trials": 0})
    spec = testbed.lab.spec
    plain = testbed.lab.condition(spec.reference)
    return fastest_rate(testbed, plain, min(spec.frame_sizes))


def test_the_tester_is_asked_for_its_rate_until_the_machine_is_quiet() -> None:
    assert fastest(StolenMachine(end=20, share=0.5, gap=0.1)) == fastest(StolenMachine())
    with pytest.raises(BackendError):
        fastest(StolenMachine(end=1e9, share=0.5, gap=0.1))


def test_the_newest_whole_run_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    assert faults.newest("fastpath") is None
    part = make_faults(only=("late-tester",))
    results.save(part, tmp_path / "faults-fastpath-20260105T000000Z-namespaces.json")
    assert faults.newest("fastpath") == part
    whole = make_faults()
    results.save(whole, tmp_path / "faults-fastpath-20260103T000000Z-namespaces.json")
    (tmp_path / "faults-fastpath-20260106T000000Z-namespaces.json").write_text("{}")
    assert faults.newest("fastpath") == whole
    assert results.newest("fastpath") is None


def test_the_tables_hold_what_was_said_and_plain_text_does_not() -> None:
    record = make_faults({"small-ring": "missed"})
    table = faults.fault_table(record)
    assert [row[-1].text for row in table.rows].count("missed") == 1
    assert "made up" in table.html()
    assert "tester-late: made up" not in table.plain()
    delays = faults.pause_table(record)
    assert delays is not None
    assert [row[-1].text for row in delays.rows] == ["-", "-", "yes", "no"]
    assert faults.pause_table(make_faults(only=("rules-gone",))) is None
