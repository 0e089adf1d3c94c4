"""Comparisons: what differs is told, what does not is not, and a drift is not a difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core.errors import UsageError
from ppslab.model import results
from ppslab.model.statistics import Interval
from ppslab.show.report.comparing import comparing, quantities
from ppslab.show.report.comparing.comparison import (
    NONE,
    NOTHING_JUDGED,
    Compared,
    Comparison,
    hull,
)
from ppslab.show.rows import Row
from tests.support.factory import TESTER_NS, make_record
from tests.support.suite_factory import make_suite
from tests.support.tcp_factory import GOODPUT, make_tcp_record

DEARER = {"routing-3-rules": 560.0}


SLOWER = {"routing-25-ip-filter-rules": 900.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("records")
    few = {"sizes": (64, 1518), "repeats": 10}
    for name, record in {
        "cost": make_record(seed=1),
        "cost-again": make_record(seed=2),
        "cost-dearer": make_record(seed=3, costs=DEARER),
        "cost-drifted": _drifted(make_record(seed=4), 1.6),
        "suite": make_suite(seed=1, **few),
        "suite-again": make_suite(seed=2, **few),
        "suite-slower": make_suite(seed=3, costs=SLOWER, **few),
        "suite-drifted": make_suite(seed=4, speed=0.7, **few),
    }.items():
        results.save(record, made / f"{name}.json")
    slower = {**GOODPUT, "routing-25-ip-filter-rules": 1.0e9}
    twice = {name: 2 * rate for name, rate in GOODPUT.items()}
    for name, tcp in {
        "tcp": make_tcp_record(seed=1),
        "tcp-again": make_tcp_record(seed=2),
        "tcp-slower": make_tcp_record(slower, seed=3),
        "tcp-twice": make_tcp_record(twice, seed=4),
        "tcp-without": make_tcp_record(seed=5, without=("routing-fast-path",)),
    }.items():
        results.save(tcp, made / f"{name}.json")
    return made


def _drifted(record: results.Record, factor: float) -> results.Record:
    """The same run on a machine on which everything takes `factor` times as long."""
    alone = results.Tester(name="ppstraffic", version="0", into_the_router={64: 2e6 / factor})
    return _slower(record, factor).model_copy(update={"tester": alone, "searches": ()})


def _slower(record: results.Record, factor: float, purpose: str = "") -> results.Record:
    """The record whose trials, of one purpose or of all, took `factor` times as long."""
    trials = []
    for trial in record.trials:
        counts = dict(trial.counts or {})
        if counts and purpose in ("", trial.purpose):
            counts |= {k: counts[k] * factor for k in ("send_seconds", "send_cpu_seconds")}
        trials.append(trial.model_copy(update={"counts": counts or None}))
    return record.model_copy(update={"trials": tuple(trials)})


@cache
def compare(folder: Path, first: str, second: str) -> Comparison:
    return comparing.compare(f"{folder}/{first}", f"{folder}/{second}")


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "second", "least"),
    [
        ("cost.json", "cost-again.json", 21),
        ("cost.json", "cost-drifted.json", 21),
        ("suite.json", "suite-again.json", 21),
        ("suite.json", "suite-drifted.json", 21),
        ("tcp.json", "tcp-again.json", 6),
        ("tcp.json", "tcp-twice.json", 6),
    ],
)
def test_nothing_is_told_where_nothing_differs(
    folder: Path, first: str, second: str, least: int
) -> None:
    found = compare(folder, first, second)
    assert found.conclusion() == (NONE,)
    assert found.questions >= least


@pytest.mark.long
def test_a_condition_that_costs_more_is_told_and_no_other(folder: Path) -> None:
    found = compare(folder, "cost.json", "cost-dearer.json")
    said = found.sentences()
    assert said
    assert all(sentence.startswith("routing-3-rules") for sentence in said)
    assert {row.group for row in found.differences()} == {"relative", "time"}
    relative = next(row for row in found.differences() if row.group == "relative")
    assert relative.ratio is not None
    truth = DEARER["routing-3-rules"] / 460.0
    assert not relative.ratio.excludes(truth)
    assert "higher than in A" in said[0]


SUITE = ("suite.json", "suite-slower.json")
OF_SUITE = ("suite.json:routing-25-ip-filter-rules", "suite.json:routing-fast-path")
OF_TCP = ("tcp.json:routing-plain", "tcp.json:routing-fast-path")
WITHOUT = ("tcp-without.json:routing-plain", "tcp-without.json:routing-25-ip-filter-rules")


@pytest.mark.long
@pytest.mark.parametrize(
    ("pair", "group", "rows", "direction", "truth"),
    [
        (SUITE, "throughput", 0, "lower", (620 + 500) / (900 + 500)),
        (SUITE, "latency", 0, "higher", None),
        (OF_SUITE, "throughput", 0, "higher", None),
        (("tcp.json", "tcp-slower.json"), "tcp", 3, "lower", None),
        (OF_TCP, "tcp", 3, "higher", 4 / 3),
        (WITHOUT, "tcp", 3, "lower", 0.5),
    ],
)
def test_what_differs_is_told_of_its_subject_and_by_its_size(
    folder: Path,
    pair: tuple[str, str],
    group: str,
    rows: int,
    direction: str,
    truth: float | None,
) -> None:
    found = compare(folder, *pair)
    different = [row for row in found.differences() if row.group == group]
    assert different and rows in (0, len(different))
    for row in different:
        assert row.direction == direction and row.ratio is not None
        if truth:
            assert row.ratio.low * 0.97 <= truth <= row.ratio.high * 1.03
        if ":" not in pair[0]:
            assert row.subject.startswith("routing-25-ip-filter-rules")


@pytest.mark.long
def test_a_difference_beyond_the_drift_is_one_and_the_drift_is_said(folder: Path) -> None:
    drifted = compare(folder, "cost.json", "cost-drifted.json")
    line = next(note for note in drifted.notes if note.startswith("The tester alone"))
    assert f"{1.6 * TESTER_NS['cable']:.0f}"[:2] in line
    time = next(row for row in drifted.rows if row.group == "time")
    assert time.ratio is not None and time.ratio.estimate == pytest.approx(1.6, rel=0.05)
    path = folder / "both.json"
    results.save(_drifted(make_record(seed=5, costs={"routing-3-rules": 900.0}), 1.3), path)
    found = compare(folder, "cost.json", "both.json")
    assert {row.subject.split(",")[0] for row in found.differences()} == {"routing-3-rules"}
    assert {row.group for row in found.differences()} == {"relative", "time"}


@pytest.mark.parametrize(
    ("first", "second", "real"),
    [(1.0, 1.0, True), (1.03, 1.0, True), (1.0, 1.03, True), (1.03, 1.03, False)],
)
def test_a_difference_counts_beyond_the_noise_of_both_runs_together(
    folder: Path, first: float, second: float, real: bool
) -> None:
    names = [f"noisy-{first}-{second}-{side}.json" for side in "ab"]
    # The reference took longer the second time.
    results.save(_slower(make_record(seed=1), first, "a-a"), folder / names[0])
    results.save(_slower(make_record(seed=3, costs=DEARER), second, "a-a"), folder / names[1])
    comparison = compare(folder, *names)
    dearer = [row for row in comparison.rows if row.subject == "routing-3-rules, 64 bytes"]
    assert {
        row.group: row.real(comparison.questions) for row in dearer if row.group != "throughput"
    } == {"relative": real, "time": real}


@pytest.mark.parametrize("same_run", [True, False])
def test_where_the_noise_has_no_bound_nothing_is_judged(same_run: bool) -> None:
    record = make_record(seed=1)
    one, other = [
        Row("cost", samples=dict.fromkeys(range(6), each), noise=inf) for each in (1.0, 0.5)
    ]
    sides = quantities.Sides((record, record), (one, other), Interval(1, 1, 1, 1), same_run)
    judged = quantities.judge(Compared("time", "time", "64 bytes", "", ""), sides)
    assert (judged.judged, judged.why_not) == (False, quantities.NO_BAND)


@given(st.floats(0.2, 5), st.floats(0, 1), st.sampled_from([-1, 1]))
def test_the_band_ends_where_drift_and_noise_end(drift: float, noise: float, side: int) -> None:
    band = hull(Interval(drift, drift, drift, 1), noise)
    assert band.low <= min(1.0, drift) and max(1.0, drift) <= band.high
    edge = (max if side > 0 else min)(1.0, drift) * (1 + noise) ** side
    beyond = edge * 1.001**side
    assert Interval(beyond, beyond, beyond, 9).outside(band.low, band.high)
    assert band.edge(beyond) == pytest.approx(edge)


def test_instructions_and_time_are_compared_by_their_ratios_only(folder: Path) -> None:
    path = folder / "counted.json"
    results.save(make_record(seed=1).model_copy(update={"measure": "counted"}), path)
    comparison = compare(folder, "counted.json", "cost-again.json")
    times = [row for row in comparison.rows if row.group == "time"]
    assert times
    assert {row.why_not for row in times} == {quantities.OTHER_MEASURE}
    assert "instructions" in times[0].quantity and "time" in times[0].quantity
    assert any(row.judged for row in comparison.rows if row.group == "relative")


def test_two_conditions_of_one_run_are_paired(folder: Path) -> None:
    found = compare(folder, "cost.json:routing-plain", "cost.json:routing-connection-tracking")
    times = [row for row in found.differences() if row.group == "time"]
    assert len(times) == 3
    assert times[0].ratio is not None
    assert not times[0].ratio.excludes(400 / 220)
    said = found.sentences()[0]
    assert "with routing-connection-tracking" in said
    assert any("paired by round" in note for note in found.notes)
    assert not any("drift" in note for note in found.notes)


def _without_a_a() -> results.Record:
    record = make_record(seed=6, costs=DEARER)
    kept = tuple(trial for trial in record.trials if trial.purpose != "a-a")
    return record.model_copy(update={"trials": kept, "searches": ()})


def _limited() -> results.SuiteRecord:
    record = make_suite(seed=7, sizes=(64, 1518), repeats=10, costs=SLOWER)
    limited = tuple(
        searched.model_copy(
            update={
                "goals": tuple(
                    goal.model_copy(update={"tester_limited": True}) for goal in searched.goals
                )
            }
        )
        for searched in record.throughput
    )
    return record.model_copy(update={"throughput": limited})


SIZES = {"sizes": (64, 1518), "costs": SLOWER}


@pytest.mark.long
@pytest.mark.parametrize(
    ("other", "make", "group", "why"),
    [
        ("suite", lambda: make_suite(seed=5, repeats=3, **SIZES), "latency", "5 a side are needed"),
        (
            "suite",
            lambda: make_suite(seed=5, repeats=10, resolution=1e6, **SIZES),
            "latency",
            "resolves (1 ms)",
        ),
        ("suite", _limited, "throughput", "tester-limited"),
        ("cost", _without_a_a, "time", "A/A"),
        ("cost", _without_a_a, "relative", "A/A"),
    ],
)
def test_what_cannot_be_told_apart_is_not_judged(
    tmp_path: Path, folder: Path, other: str, make: Callable[[], results.Run], group: str, why: str
) -> None:
    results.save(make(), tmp_path / "spoilt.json")
    found = comparing.compare(f"{folder}/{other}.json", f"{tmp_path}/spoilt.json")
    rows = [row for row in found.rows if row.group == group]
    if group == "throughput":
        rows = [row for row in rows if "25-ip-filter" in row.subject]
    assert rows and all(why in found.verdict(row) for row in rows)
    if other == "cost":
        assert found.conclusion() == (NOTHING_JUDGED,)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("cost.json", "suite.json", "kinds"),
        ("cost.json", "cost.json", "same"),
        ("cost.json:routing-plain", "cost.json:routing-plain", "same"),
        ("cost.json:routing-plane", "cost-again.json", '"routing-plain"'),
        ("cost.json", "nothing.json", "nothing.json"),
        ("cost.json", "aborted.json", "aborted"),
        ("cost.json", "other.json", "labs"),
    ],
)
def test_what_cannot_be_compared_is_one_message(
    folder: Path, first: str, second: str, said: str
) -> None:
    results.save(make_record().model_copy(update={"state": "aborted"}), folder / "aborted.json")
    results.save(make_record(seed=9).model_copy(update={"lab": "eoip"}), folder / "other.json")
    with pytest.raises(UsageError, match=said):
        compare(folder, first, second)


def test_the_table_has_the_rows_that_are_judged(folder: Path) -> None:
    found = compare(folder, "tcp.json", "tcp-slower.json")
    first, *others = found.rows
    found = replace(found, rows=(replace(first, why_not="few"), *others))
    verdicts = [found.verdict(row) for row in others if row.judged]
    assert len(found.rows) > found.questions == len(verdicts) > 0
    assert [row[-1].text for row in comparing.judged(found).rows] == verdicts


@pytest.mark.long
def test_two_runs_that_differ_in_configuration_are_seen_to(folder: Path) -> None:
    record = make_record(seed=8)
    changed = tuple(
        c.model_copy(update={"configuration": {**c.configuration, "x.nft": "other"}})
        if c.name == "routing-plain"
        else c
        for c in record.conditions
    )
    path = folder / "changed.json"
    results.save(record.model_copy(update={"conditions": changed}), path)
    table = comparing.differing(compare(folder, "cost.json", "changed.json"))
    assert [row[0].text for row in table.rows] == ["configuration of routing-plain"]
