"""Bounds of the judges: what lies on one, and what lies just beside it."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, nextafter
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from ppslab.judge import agreement, balance, costs, placement, port_limits
from ppslab.judge.claims import MOST_SHOWN, Comparison, arithmetic, judges, judging
from ppslab.judge.claims.deciding import Band, Size, Steps, Width, decide, times_more
from ppslab.judge.claims.verdicts import Judged
from ppslab.model.lab import lab
from ppslab.model.lab.published import Value
from ppslab.model.results import Trial
from ppslab.model.statistics import Interval
from tests.support.factory import make_record

SAME = agreement.SAME


def above(value: float) -> float:
    return nextafter(value, inf)


def below(value: float) -> float:
    return nextafter(value, -inf)


@pytest.mark.parametrize(
    ("published", "measured", "comparison"),
    [
        (Value(2, 4), Interval(3, 2, 4, 9), Comparison.SIZE),
        (Value(2, 4), Interval(3, 2, above(4), 9), Comparison.OPEN),
        (Value(2, 4), Interval(3, below(2), 4, 9), Comparison.OPEN),
        # A direction is one where 1 is not in the interval.
        (Value(3, inf), Interval(1.5, 1, 2, 9), Comparison.OTHER_SIZE),
        (Value(3, inf), Interval(1.5, above(1), 2, 9), Comparison.DIRECTION),
        (Value(0.2, 0.3), Interval(0.7, 0.6, 1, 9), Comparison.OTHER_SIZE),
        (Value(0.2, 0.3), Interval(0.7, 0.6, below(1), 9), Comparison.DIRECTION),
        # As good as no difference, where a clear one is claimed, is against it.
        (Value(3, inf), Interval(1, 0.9, SAME, 9), Comparison.OTHER_SIZE),
        (Value(3, inf), Interval(1, 0.9, below(SAME), 9), Comparison.AGAINST),
        (Value(0, 1 / 3), Interval(1, 1 / SAME, 1.1, 9), Comparison.OTHER_SIZE),
        (Value(0, 1 / 3), Interval(1, above(1 / SAME), 1.1, 9), Comparison.AGAINST),
        # How clear it must be: the square of that.
        (Value(SAME**2, inf), Interval(1, 0.9, below(SAME), 9), Comparison.AGAINST),
        (Value(below(SAME**2), inf), Interval(1, 0.9, below(SAME), 9), Comparison.OTHER_SIZE),
        # A published ratio of 1 has no direction to hold.
        (Value(1, 1), Interval(3, 2, 4, 9), Comparison.AGAINST),
    ],
)
def test_a_size_at_its_ends(published: Value, measured: Interval, comparison: Comparison) -> None:
    assert Size(measured, published).finding(1.0).comparison == comparison


@pytest.mark.parametrize(
    ("value", "rising"),
    [
        (Value(above(1), 9), True),
        (Value(1, 9), None),
        (Value(0, 1), None),
        (Value(0, below(1)), False),
    ],
)
def test_the_way_of_a_published_ratio(value: Value, rising: bool | None) -> None:
    assert agreement.rises(value) is rising


@pytest.mark.parametrize(("high", "noise"), [(1.0, False), (above(1), True)])
def test_a_step_of_one_is_no_noise(high: float, noise: bool) -> None:
    finding = decide(Steps(((Interval(1, 1, high, 1), "a step"),), rising=True))
    assert finding.comparison == Comparison.OPEN
    assert (Width.NOISE.of_step in finding.reason) is noise


def test_further_rounds_where_an_interval_reaches_what_has_no_logarithm() -> None:
    assert times_more(Size(Interval(1.5, 0, 3, 9), Value(1.2, 1.2))) == inf


@pytest.mark.parametrize(("estimate", "times"), [(1.0, inf), (2.0, 2.25), (4.0, 1.0)])
def test_further_rounds_by_hand(estimate: float, times: float) -> None:
    """1.5 below the estimate, where 0 is 1 below it: 2.25 times the rounds."""
    measured = Interval(estimate - 1, estimate - 2.5, estimate + 0.5, 9)
    assert times_more(Band(measured, 0.0, inf, "a difference")) == pytest.approx(times)


@pytest.mark.parametrize(
    ("measured", "times"),
    [
        (Interval(0, 0, 1, 9), inf),  # 0 itself: it never leaves the bound
        (Interval(0, -1, 0, 9), inf),
        (Interval(2, 0, 3, 9), 1.0),  # with its end there: as many rounds
        (Interval(-2, -3, 0, 9), 1.0),
        (Interval(2, 1, 3, 9), 1.0),
    ],
)
def test_further_rounds_for_an_interval_that_ends_on_the_bound(
    measured: Interval, times: float
) -> None:
    assert times_more(Band(measured, 0.0, inf, "a difference")) == times


@pytest.mark.parametrize(
    ("low", "high", "times"),
    [
        # The bound is at half the estimate, and the noise reaches to a quarter of it.
        (2.0, 2.0, (log(4) / log(2)) ** 2),
        (above(1.0), 64.0, (log(4) / log(2)) ** 2),
        (1.0, 2.0, inf),
        (0.25, 2.0, inf),
    ],
)
def test_further_rounds_over_a_floor_that_they_do_not_narrow(
    low: float, high: float, times: float
) -> None:
    """The bound that decides is the floor's own end: beside it rounds decide, on it none do."""
    question = Steps(((Interval(2.0, 0.5, 7.0, 9), "a step"),), rising=True)
    floor = question.with_intervals([Interval(2.0, low, high, 9)])
    assert times_more(question, floor) == pytest.approx(times)


# --- judges ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rank", "share"), [(1, 0.5), (2, 0.3), (3, 0.2), (4, None)]
)  # fmt: skip
def test_the_share_of_a_counter_by_rank(rank: int, share: float | None) -> None:
    judge = judges.Spread.model_construct(counters=("a", "b", "c"), rank=rank, condition="a")
    made = Trial.model_construct(counters={"a": 3, "b": 5, "c": 2})
    assert judge.share(made, {}) == share
    assert judge.share(Trial.model_construct(counters={"a": 3, "b": 5}), {}) is None


@pytest.mark.parametrize(("rank", "most"), [(1, 1.0), (2, 0.5), (4, 0.25)])
def test_runs_that_differ_widely_leave_a_share_within_its_rank(rank: int, most: float) -> None:
    """The t of two runs reaches far beyond what the fourth of four counters can have."""
    counters = ("a", "b", "c", "d")
    judge = judges.Spread(
        condition="routing-plain", size=64, counters=counters, rank=rank, at_least=0.01
    )
    record = make_record()
    counted = {"counters": dict.fromkeys(counters, 1000)}
    trials = tuple(each.model_copy(update=counted) for each in record.trials)
    band = judge.question(record.model_copy(update={"trials": trials}), ())
    runs = (Interval(0.1, 0.09, 0.11, 3), Interval(0.24, 0.23, 0.25, 3))
    assert band.pooled(runs).high == most


@pytest.mark.parametrize(("rank", "least"), [(1, False), (2, False), (3, True)])
def test_the_last_of_several_counters_is_the_least_busy(rank: int, least: bool) -> None:
    judge = judges.Spread.model_construct(counters=("a", "b", "c"), rank=rank)
    assert ("least" in judge.title) is least


@pytest.mark.parametrize(("larger", "taken"), [(65, True), (64, False)])
def test_the_larger_frame_is_larger(larger: int, taken: bool) -> None:
    words = {"judge": "size-ratio", "condition": "a", "larger": larger, "smaller": 64}
    fields = {name: words[name] for name in words if name in judges.SizeRatio.model_fields}
    if taken:
        judges.SizeRatio(**fields)
    else:
        with pytest.raises(ValidationError):
            judges.SizeRatio(**fields)


@pytest.mark.parametrize("faster", [{"tester_limited": True}, {"relevant_upper_bound": None}])
def test_a_rate_ratio_without_an_upper_bound_is_that_of_what_passed(faster: dict[str, Any]) -> None:
    slow, fast = "routing-connection-tracking", "routing-fast-path"
    record = make_record()
    passed = {}
    searches = []
    for search in record.searches:
        change = faster if search.condition == fast else {}
        goals = tuple(goal.model_copy(update=change) for goal in search.goals)
        searches.append(search.model_copy(update={"goals": goals}))
        if search.frame_size == 64:
            passed[search.condition] = [
                goal.relevant_lower_bound for goal in goals if goal.loss_ratio == 0.001
            ]
    judge = judges.RateRatio(numerator=slow, denominator=fast, size=64)
    rows: Any = [SimpleNamespace(said=Value(number, number), unit="") for number in (1, 2)]
    question = judge.question(record.model_copy(update={"searches": tuple(searches)}), rows)
    assert question.measured.high == inf
    assert question.measured.estimate == passed[fast][0] / passed[slow][0]


@pytest.mark.parametrize(("count", "listed"), [(MOST_SHOWN, True), (MOST_SHOWN + 1, False)])
def test_so_many_numbers_are_shown(count: int, listed: bool) -> None:
    rows: Any = [SimpleNamespace(shown=f"n{number}") for number in range(count)]
    text = judges.Judge.published(judges.Frames.model_construct(of="lost"), rows)
    assert ("n0" in text) is listed


@pytest.mark.parametrize(
    ("sentence", "within", "fits"),
    [
        ("[two] = [one]", 0.0, False),
        ("[two] = [one]", 0.99, False),
        ("[two] = [one]", 1.0, True),
        ("[one] = [two]", 0.5, True),
        ("[one] = [two]", 0.49, False),
        ("[one] <= [two]", 0.0, True),
        ("[one] >= [two]", 0.0, False),
        ("[one] = [one]", 0.0, True),
        ("[one] <= [one]", 0.0, True),
        ("[one] >= [one]", 0.0, True),
        # A rounding of its own goes before the claim's.
        ("[one] = [two] within 0.5", 0.0, True),
        ("[one] = [two] within 0.49", 0.0, False),
        ("[one] = [two] within 0.49", 0.5, False),
    ],
)
def test_a_printed_equation_at_its_tolerance(
    monkeypatch: pytest.MonkeyPatch, sentence: str, within: float, fits: bool
) -> None:
    monkeypatch.setattr(arithmetic, "rate", lambda row: row.said)
    rows: Any = [SimpleNamespace(id=name, shown=name, said=Value(number, number))
                 for name, number in (("one", 1), ("two", 2))]  # fmt: skip
    assert arithmetic._checked(sentence, within, rows)[0] is fits


# --- numbers --------------------------------------------------------------------------------

MOST = judging.MOST_ROUNDS


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (lambda: judging._more(MOST, 3) == judging._more(above(MOST), 3), False),
        (lambda: undecided(MOST).decided_by("timed"), True),
        (lambda: undecided(above(MOST)).decided_by("timed"), False),
        (lambda: undecided(1.0).decided_by("counted"), False),
        (lambda: Interval(1, 0, 2, 1).noise_factor, inf),
        (lambda: Interval(1, 0.5, 1, 1).noise_factor, 2.0),
        (lambda: placement._in_words(Interval(below(0.1), 0, 1, 1)), "none"),
        (lambda: placement._in_words(Interval(0.1, 0, 1, 1)), "some"),
        (lambda: placement._in_words(Interval(below(0.4), 0, 1, 1)), "some"),
        (lambda: placement._in_words(Interval(0.4, 0, 1, 1)), "half"),
        (lambda: placement._in_words(Interval(0.6, 0, 1, 1)), "half"),
        (lambda: placement._in_words(Interval(above(0.6), 0, 1, 1)), "some"),
        (lambda: placement._in_words(Interval(0.9, 0, 1, 1)), "some"),
        (lambda: placement._in_words(Interval(above(0.9), 0, 1, 1)), "all"),
        (lambda: port_limits.speed_text(1e9), "1 Gbit/s"),
        (lambda: port_limits.speed_text(1e6), "1 Mbit/s"),
        (lambda: port_limits.speed_text(1e3), "1 kbit/s"),
        (lambda: port_limits.speed_text(999), "999 bit/s"),
        (lambda: balance._as_predicted(below(balance.PREDICTED)), "yes"),
        (lambda: balance._as_predicted(balance.PREDICTED) == "yes", False),
    ],
)
def test_an_answer_at_a_bound(question: Callable[[], Any], answer: Any) -> None:
    assert question() == answer


def undecided(times: float) -> Any:
    return judging.Undecided(**{
        name: {"measures": ("timed",), "times_more": times}.get(name, "") for name in
        judging.Undecided.__dataclass_fields__
    })  # fmt: skip


def forwarded(rates: dict[int, float], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(costs, "forwarding_rates", lambda *_: rates)
    limit = SimpleNamespace(limit=lambda _size: 1000.0)
    return costs._times_between_packets(SimpleNamespace(tester=limit), "a", 64, "cost")


def test_the_times_between_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that forwarded nothing has none, nor has one at the tester's own limit."""
    limit = costs.TESTER_SHARE * 1000.0
    assert forwarded({0: 0.0, 1: 500.0, 2: limit}, monkeypatch) == {1: 2e6}
    assert set(forwarded({0: below(limit)}, monkeypatch)) == {0}
    with pytest.raises(costs.NoDataError):
        forwarded({0: limit}, monkeypatch)


@pytest.mark.parametrize("nothing", [1518, 64])
def test_a_size_that_costs_nothing_has_no_ratio(
    monkeypatch: pytest.MonkeyPatch, nothing: int
) -> None:
    known = {1518: Interval(4, 2, 8, 7), 64: Interval(1, 0.5, 4, 5)} | {
        nothing: Interval(0, 0, 1, 5)
    }
    monkeypatch.setattr(costs, "cost", lambda _record, _condition, size: known[size])
    with pytest.raises(costs.NoDataError):
        costs.size_ratio(make_record(rounds=1), "routing-plain", 1518, 64)


def test_noise_that_reaches_nothing_is_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "a_a_interval", lambda _record, _size: Interval(1, 0, 1.2, 9))
    assert costs.noise_factor(make_record(rounds=1), 64) == inf


def test_a_cpu_is_at_work_with_a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    tenth = placement.CARRIES
    monkeypatch.setattr(placement, "cpu_shares", lambda _trial: [tenth, below(tenth), 0.8])
    table = placement.cpu_table(make_record(rounds=1))
    assert {row[1].content for row in table.rows} == {"2"}
    assert {row[2].content.value for row in table.rows} == {80.0}


def test_a_port_that_carries_nothing_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balance, "article", lambda *_, **__: [])
    monkeypatch.setattr(balance, "loads", lambda *_: [0.0, 1.0, 2.0])
    table = balance.rules_table(lab.find("hundred"), 3)
    assert {row[1].content.split(" ")[0] for row in table.rows} == {"2"}


@pytest.mark.parametrize(("compared", "titled"), [(("plain",), False), (("plain", "fast"), True)])
def test_a_word_is_a_condition_where_two_are_compared(
    compared: tuple[str, ...], titled: bool
) -> None:
    judged: Any = SimpleNamespace(reason="plain costs more", conditions=compared)
    assert ("Routing" in repr(Judged.why(judged, {"plain": "Routing"}))) is titled


@pytest.mark.parametrize(
    ("published", "anyway"),
    [
        (Value(1, inf), True),
        (Value(above(1), inf), False),
        (Value(0, 1), True),
        (Value(0, below(1)), False),
        (Value(1, 2), False),  # a range is one where something was measured
    ],
)
def test_a_bound_that_two_equal_conditions_lie_on(published: Value, anyway: bool) -> None:
    assert judges.OfTwoRows._holds_anyway(published) is anyway
