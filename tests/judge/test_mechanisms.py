"""What the articles say of the why: each claim is decided by the record that is kept, and could
have been decided otherwise, as a record or a row that says something else shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ppslab.judge import claims
from ppslab.judge.claims import runs
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.results import TcpRecord

Changed = Callable[[Any], Any]


def of(trials: str, **counted: Changed) -> Callable[[results.Record], results.Record]:
    """The record whose trials of a condition counted something else.

    By counter, or by one of the tester's own counts: what it is, of all that the trial counted.
    """

    def changed(record: results.Record) -> results.Record:
        return record.model_copy(update={"trials": tuple(map(trial, record.trials))})

    def trial(each: results.Trial) -> results.Trial:
        if each.condition != trials or each.counts is None:
            return each
        all_counts = {**each.counts, **each.counters}
        new = {name.replace("_", " "): how(all_counts) for name, how in counted.items()}
        counts = {**each.counts, **{k: v for k, v in new.items() if k in each.counts}}
        counters = {**each.counters, **{k: v for k, v in new.items() if k in each.counters}}
        return each.model_copy(update={"counts": counts, "counters": counters})

    return changed


def cpus(share: float) -> Callable[[TcpRecord], TcpRecord]:
    """The record in whose transfers every CPU worked so much of the time."""

    def changed(record: TcpRecord) -> TcpRecord:
        transfers = [
            each.model_copy(
                update={"router": each.router.model_copy(update={"busy": {"0": share, "1": share}})}
            )
            for each in record.transfers
            if each.router
        ]
        return record.model_copy(update={"transfers": tuple(transfers)})

    return changed


EVENTS: list[tuple[str, str, str, Callable[[Any], Any], str]] = [
    ("eoip", "one-cpu-keeps-the-order", claims.IN_SIZE,
     of("eoip-ipsec", reordered=lambda c: c["received"] // 50), claims.DIFFERS),
    ("fasttrack", "takes-udp", claims.IN_SIZE,
     of("fasttrack", accepted=lambda c: c["offered"]), claims.DIFFERS),
    ("queues", "without-fasttrack-the-queue-sees-all", claims.IN_SIZE,
     of("tracked-simple", in_the_queue=lambda _: 0), claims.DIFFERS),
    ("l3offload", "by-the-cpu-everything-counts", claims.IN_SIZE,
     of("cpu-ip-interface", packets_of_the_IP_interface=lambda _: 0), claims.DIFFERS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "claim", "verdict", "change", "then"), EVENTS, ids=[each[1] for each in EVENTS]
)
def test_a_record_decides_it_and_another_record_otherwise(
    name: str, claim: str, verdict: str, change: Callable[[Any], Any], then: str
) -> None:
    kept = runs.kept(name)
    if not measured(name, claim, kept):
        pytest.skip(f"no record of {name} in results/ has been made with it yet")
    assert judged(name, claim, kept) == verdict
    others = claims.Runs(tuple(map(change, kept.packets)), kept.tcp)
    assert judged(name, claim, others) == then


ROWS = [
    ("pppoe", "from-6-7-to-6-8", "ccr1036-plain-6-7-64", 0.4),
    ("pppoe", "from-6-7-to-6-8-encrypted", "ccr1036-encrypted-tracking-6-8rc1-64", 0.5),
    ("pppoe", "collapse-at-1518-bytes-from-6-8", "ccr1036-plain-tracking-6-8rc1-1518", 10),
    ("pppoe", "collapse-at-1518-bytes-encrypted-from-6-8",
     "ccr1036-encrypted-tracking-6-8rc1-1518", 3),
    ("hundred", "memory-hardly-matters", "memory-enough-small", 0.1),
    ("l3offload", "three-thousand-ipv6-routes-fit", "ipv6-routes", 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "claim", "row", "times"), ROWS, ids=[each[1] for each in ROWS])
def test_the_rows_decide_it_and_another_number_otherwise(
    monkeypatch: pytest.MonkeyPatch, name: str, claim: str, row: str, times: float
) -> None:
    assert judged(name, claim, claims.Runs()) == claims.CONSISTENT
    numbers = dict(published.load(lab.find(name)))
    numbers[row] = changed(numbers[row], times)
    monkeypatch.setattr(published, "load", lambda _: numbers)
    assert judged(name, claim, claims.Runs()) == claims.INCONSISTENT


def changed(row: published.Published, times: float) -> published.Published:
    """The row with another number."""
    return replace(row, said=row.said.times(times))


def judged(name: str, claim: str, of_runs: claims.Runs) -> str:
    """The verdict on one claim."""
    found = lab.find(name)
    return next(each.verdict for each in claims.judge_all(found, of_runs) if each.id == claim)


def measured(name: str, claim: str, kept: claims.Runs) -> bool:
    """Whether a run has said something of a claim."""
    return any(each.runs for each in claims.judge_all(lab.find(name), kept) if each.id == claim)
