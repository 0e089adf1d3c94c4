"""The verdict of the newest records on each claim of a lab."""

from __future__ import annotations

from typing import Any

from ppslab import analysis, published
from ppslab.claims import packets, transfers
from ppslab.claims.verdicts import (
    INCONCLUSIVE,
    NOT_TESTABLE,
    Finding,
    Judged,
    rate,
    ratio_of_costs,
)
from ppslab.claims.words import (
    AtLeast,
    AtMost,
    Capacity,
    Claim,
    CounterShare,
    Goodput,
    GoodputRatio,
    LineRate,
    NotTestable,
    Ratio,
    SizeRatio,
    conditions,
    load,
)
from ppslab.lab import Lab
from ppslab.published import Published
from ppslab.results import Record, Run, TcpRecord

FREE = "free"
LICENCE = (
    "needs a paid licence or the trial of 60 days (/system/license/renew): with the level free a "
    "CHR sends 1 Mbit/s out of an interface, so a rate shows the licence, and only counters tell"
)

MOST_SHOWN = 8
"""More published numbers than this are counted, not listed: the scoreboard has each."""


def judge_all(lab: Lab, record: Record | None, tcp: TcpRecord | None = None) -> list[Judged]:
    """The verdict on every claim of `lab`; where a record is missing nothing is conclusive.

    `record`: of `ppslab run`; `tcp`: of `ppslab tcp`.  Each claim's word says which it needs.
    """
    numbers = published.load(lab)
    return [_judged(lab, claim, numbers, record, tcp) for claim in load(lab)]


def judge_run(lab: Lab, record: Record) -> list[Judged]:
    """The claims that a run of `ppslab run` can speak of: none on TCP, none on what it left out."""
    measured = {condition.name for condition in record.conditions}
    return _about(lab, judge_all(lab, record), measured, record, tcp=False)


def judge_tcp(lab: Lab, record: TcpRecord) -> list[Judged]:
    """The claims that a run of `ppslab tcp` can speak of."""
    measured = {condition.name for condition in record.conditions}
    return _about(lab, judge_all(lab, None, record), measured, record, tcp=True)


def _about(
    lab: Lab, judged: list[Judged], measured: set[str], run: Run, *, tcp: bool
) -> list[Judged]:
    words = {claim.id: claim.word(run) for claim in load(lab)}
    return [
        each
        for each in judged
        if isinstance(words[each.id], Goodput) == tcp
        and measured.issuperset(conditions(words[each.id]))
    ]


def _judged(
    lab: Lab,
    claim: Claim,
    numbers: dict[str, Published],
    record: Record | None,
    tcp: TcpRecord | None,
) -> Judged:
    rows = [numbers[name] for name in claim.published]
    word = claim.word(tcp if isinstance(claim.judge.word, Goodput) else record)
    try:
        finding = _finding(lab, word, rows, record, tcp)
    except analysis.NoDataError as error:
        finding = _left_out(word, record, tcp) or Finding(INCONCLUSIVE, str(error))
    interval = finding.interval
    return Judged(
        id=claim.id,
        lab=lab.name,
        source=claim.source,
        statement=claim.statement,
        where=claim.where,
        published=_published_text(word, rows),
        measured=interval.estimate if interval else None,
        interval=(interval.low, interval.high) if interval else None,
        verdict=finding.verdict,
        reason=finding.reason,
        settled_by=claim.settled_by,
    )


def _left_out(word: Any, record: Record | None, tcp: TcpRecord | None) -> Finding | None:
    """Why a condition of the claim could not be measured on this machine, where that is so."""
    run = tcp if isinstance(word, Goodput) else record
    for each in run.skipped if run else ():
        if each.condition in conditions(word):
            return Finding(NOT_TESTABLE, f"{each.condition}: {each.reason}")
    return None


def _finding(
    lab: Lab, word: Any, rows: list[Published], record: Record | None, tcp: TcpRecord | None
) -> Finding:
    if isinstance(word, NotTestable):
        return Finding(NOT_TESTABLE, f"needs {word.needs}")
    if isinstance(word, LineRate | Capacity):
        return packets.arithmetic(word, rows)
    run, command = (tcp, "tcp") if isinstance(word, Goodput) else (record, "run")
    if run is None:
        return Finding(INCONCLUSIVE, f"no run yet: ppslab {command} {lab.name}")
    if run.licence_level == FREE and not isinstance(word, CounterShare):
        return Finding(NOT_TESTABLE, LICENCE)
    if isinstance(run, TcpRecord):
        return transfers.judge(word, rows, run)
    return packets.judge(word, rows, run)


def _published_text(word: Any, rows: list[Published]) -> str:
    if isinstance(word, GoodputRatio):
        return f"{rate(rows[0]) / rate(rows[1]):.3g}"
    if isinstance(word, Ratio | SizeRatio | AtLeast | AtMost):
        bounds: dict[type, str] = {AtLeast: " or more", AtMost: " or less"}
        bound = bounds.get(type(word), "")
        return f"{ratio_of_costs(rows):.3g}{bound}"
    if len(rows) > MOST_SHOWN:
        return f"{len(rows)} numbers"
    return "; ".join(row.shown for row in rows) or "in words"
