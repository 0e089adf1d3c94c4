"""What is left open, what more it would take, and a command that goes on within its budget."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from ppslab.cli.measuring import run as command
from ppslab.judge import claims
from ppslab.judge.claims import judging
from ppslab.judge.claims.deciding import Band, Size, Steps, as_it_repeats, decide, times_more
from ppslab.judge.claims.judging import Undecided, without_noise
from ppslab.judge.claims.verdicts import Finding
from ppslab.measure.run import Options
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.lab.published import Value
from ppslab.model.statistics import Interval
from tests.support.factory import make_record

FASTPATH = lab.find("fastpath")
NOISY = {"routing-13-rules": 550.0}
"""25 rules cost 1.13 times as much: too near to 1.15 for one run to decide if that is little."""


def stand_in(finding: Finding) -> str:
    return claims.verdict_of(claims.COUNTED, finding.comparison)


def test_so_many_times_the_rounds_would_decide() -> None:
    question = Size(Interval(1.7, 1.4, 2.06, 5), Value(2.27, 2.27))
    more = times_more(question)
    reach = math.log(1.7 / 1.4) / math.sqrt(more)
    shrunk = Interval(1.7, 1.7 * math.exp(-reach * 0.99), 1.7 * math.exp(reach * 0.99), 5)
    assert stand_in(decide(question)) == claims.CANNOT_TELL
    assert stand_in(decide(Size(shrunk, Value(2.27, 2.27)))) == claims.IN_SIZE
    on_the_bound = Band(Interval(1.0, 0.9, 1.1, 5), 1.0, 2.0, "share")
    assert math.isinf(times_more(on_the_bound))
    assert math.isinf(times_more(Size(Interval(1.9, 0.0, math.inf, 3), Value(2, 2))))


def test_a_count_that_is_as_near_to_a_bound_as_runs_to_one_another_decides_nothing() -> None:
    """Two runs of a day fell on either side of it, each of them with an interval of 0.1 %."""
    published, repeats = Value(4.11, 4.11), 1.003
    for estimate in (6.1595, 6.1705):
        narrow = Size(Interval(estimate, estimate * 0.9995, estimate * 1.0005, 3), published)
        assert stand_in(decide(narrow)) != claims.CANNOT_TELL
        wide = as_it_repeats(narrow, repeats)
        assert stand_in(decide(wide)) == claims.CANNOT_TELL
        assert math.isinf(times_more(wide, as_it_repeats(without_noise(narrow), repeats)))
    steps = as_it_repeats(Steps([(Interval(1.002, 1.0019, 1.0021, 3), "a step")], True), repeats)
    assert stand_in(decide(steps)) == claims.CANNOT_TELL
    # What is printed of a step is the interval that decides, not the one of the newest run.
    step = as_it_repeats(Steps([(Interval(3.0, 2.9, 3.1, 3), "{} times")], True), 1.5)
    finding = decide(step)
    assert str(finding.interval) in finding.reason and "2.9" not in finding.reason
    far = Size(Interval(5.0, 4.0, 6.2, 3), published)
    assert as_it_repeats(far, repeats) == far
    floor = as_it_repeats(without_noise(far), repeats)
    assert times_more(far, floor) == times_more(far) < 2


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    return tmp_path


def test_it_stops_when_all_is_decided(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What another kernel would say, no number of rounds decides.
    monkeypatch.setattr(judging, "another_says", lambda *words: words[-1])
    asked: list[Options] = []

    def measure(options: Options) -> None:
        asked.append(options)
        costs = NOISY if len(asked) == 1 else {}
        number = len(asked)
        record = make_record(costs=costs, seed=number)
        results.save(record, kept / f"fastpath-20261121T03000{number}Z-namespaces.json")
        if number == 2:  # The noisy one is out of the way.
            (kept / "fastpath-20261121T030001Z-namespaces.json").unlink()

    said = command.repeat_until_decided(FASTPATH, Options(), 1e6, measure)
    assert len(asked) == 2 and len(said) == 1
    assert asked[0].conditions == ()
    assert "routing-13-rules" in asked[1].conditions and "routing-plain" in asked[1].conditions


@pytest.mark.parametrize(
    ("budget", "made"), [(39, 1), (85, 3), pytest.param(400, 11, marks=pytest.mark.long)]
)
def test_it_stops_at_its_budget_and_says_what_is_left(
    kept: Path, monkeypatch: pytest.MonkeyPatch, budget: float, made: int
) -> None:
    clock = [0.0]
    monkeypatch.setattr(command.time, "monotonic", lambda: clock[0])
    # One claim, of all conditions, which two times the rounds would decide: a run takes 40 s.
    open_one = Undecided(
        "one", tuple(FASTPATH.conditions), FASTPATH.spec.frame_sizes, False, "why", ("timed",), 2.0
    )
    monkeypatch.setattr(command, "undecided", lambda *_: [open_one])
    runs = 0

    def measure(options: Options) -> None:
        nonlocal runs
        runs += 1
        clock[0] += 40
        results.save(
            make_record(costs=NOISY), kept / f"fastpath-20261121T0300{runs:02}Z-namespaces.json"
        )

    head, *rest = command.repeat_until_decided(FASTPATH, Options(), budget, measure)
    assert runs == made
    assert f"{budget} s" in head
    assert rest == ["  one: why"]


@pytest.mark.parametrize(
    ("measures", "times_more", "made"),
    [
        (("timed",), None, 2),  # No round has spoken of it.
        (("timed",), 2.5, 1),  # Takes two runs more, and there is time for one.
        (("timed",), math.inf, 1),
        (("counted",), 1.5, 1),  # The runs are timed.
    ],
)
def test_it_spends_nothing_on_what_it_cannot_decide(
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
    measures: tuple[str, ...],
    times_more: float | None,
    made: int,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(command.time, "monotonic", lambda: clock[0])
    whole = (tuple(FASTPATH.conditions), FASTPATH.spec.frame_sizes)
    open_one = Undecided("one", *whole, False, "why", measures, times_more)
    monkeypatch.setattr(command, "undecided", lambda *_: [open_one])
    runs = 0

    def measure(options: Options) -> None:
        nonlocal runs
        runs += 1
        clock[0] += 40
        results.save(make_record(), kept / f"fastpath-20261121T03000{runs}Z-namespaces.json")

    command.repeat_until_decided(FASTPATH, Options(), 60, measure)
    assert runs == made
