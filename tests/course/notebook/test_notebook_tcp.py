"""A TCP run and a part of a record in a notebook: what is shown is what was chosen."""

from __future__ import annotations

import pytest

from ppslab.course.notebook.nbval_intervals import disagreements
from ppslab.course.notebook.tcp import TcpRun
from ppslab.judge import claims, costs
from ppslab.model import results
from ppslab.model.lab import lab
from tests.support.factory import make_record
from tests.support.tcp_factory import GOODPUT, make_tcp_record

FASTPATH = lab.find("fastpath")
TWO = ("routing-fast-path", "routing-plain")


def test_two_tcp_runs_of_the_same_router_agree_and_of_another_do_not() -> None:
    stored = TcpRun(FASTPATH, make_tcp_record(seed=1)).table().data()
    # Absolute rates drift; ratios must not.
    twice = {name: 2 * value for name, value in GOODPUT.items()}
    same = TcpRun(FASTPATH, make_tcp_record(twice, seed=2)).table().data()
    assert disagreements(stored, same) == []
    other = dict(GOODPUT) | {"routing-25-ip-filter-rules": 3.0e9}
    assert disagreements(stored, TcpRun(FASTPATH, make_tcp_record(other)).table().data())


def test_a_part_of_a_record_is_as_if_no_more_was_measured() -> None:
    whole = make_record()
    part = results.only(whole, TWO, (64,), search=False)
    assert [condition.name for condition in part.conditions] == list(TWO)
    assert {trial.frame_size for trial in part.trials} == {64}
    assert part.searches == ()
    judged = {each.id for each in claims.judge_run(FASTPATH, part)}
    assert "ratio-of-tracking-to-the-fast-path" not in judged
    assert "a-lot-faster-because-of-the-fast-path" in judged
    assert results.only(whole).trials == whole.trials


def test_a_part_of_a_tcp_record_has_an_a_a_interval_where_the_reference_was_measured() -> None:
    alone = results.only_tcp(make_tcp_record(), ("routing-fast-path",))
    assert {t.condition for t in alone.transfers} == {"routing-fast-path"}
    assert "TCP: 1 conditions" in str(TcpRun(FASTPATH, alone))
    both = results.only_tcp(make_tcp_record(), TWO)
    assert any(t.purpose == "a-a" for t in both.transfers)
    assert "TCP: 2 conditions" in str(TcpRun(FASTPATH, both))


def test_counters_are_shares_of_what_was_offered() -> None:
    record = make_record()
    trials = tuple(
        trial.model_copy(update={"counters": {"seen": 50_000}})
        if trial.condition == "routing-plain"
        else trial
        for trial in record.trials
    )
    record = record.model_copy(update={"trials": trials})
    assert costs.counter_shares(record, "routing-plain", 64)["seen"].estimate == pytest.approx(0.5)
    assert costs.counter_shares(record, "routing-fast-path", 64) == {}
    text = str(costs.counters_table(record))
    assert "seen" in text and "routing-fast-path" not in text
