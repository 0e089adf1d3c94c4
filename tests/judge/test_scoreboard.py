"""The scoreboard: every number once, beside the claim that says most; and the README's badge."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.judge import claims, outcome, scoreboard
from ppslab.judge.claims import Runs
from ppslab.judge.claims.judging import JudgeError
from ppslab.judge.outcome import Outcome
from ppslab.judge.scoreboard import Entry
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.lab.lab import Lab
from tests.support.factory import COSTS, make_record

ROOT = Path(__file__).resolve().parents[2]


def judged(of: Lab, *runs: results.Run) -> Outcome:
    return outcome.of(of, lambda _: Runs.of(*runs))


@pytest.fixture(scope="module")
def fastpath() -> Lab:
    return lab.find("fastpath")


@pytest.fixture(scope="module")
def board(fastpath: Lab) -> list[Entry]:
    return scoreboard.entries([judged(fastpath, make_record())])


def test_a_claim_names_all_its_numbers_here_or_elsewhere(board: list[Entry]) -> None:
    for entry in board:
        if entry.claim:
            named = {number.id for number in (*entry.numbers, *entry.elsewhere)}
            assert named == set(entry.claim.rows)


def test_a_number_stands_beside_the_claim_that_says_most(fastpath: Lab) -> None:
    """The rate with connection tracking is in claims of costs and of sums."""
    row = "rb1100-connection-tracking-total-rx-bits"

    def beside(costs: dict[str, float]) -> str:
        found = scoreboard.entries([judged(fastpath, make_record(costs=costs))])
        (home,) = [e for e in found if row in {number.id for number in e.numbers}]
        assert home.judged
        return home.judged.verdict

    # Arithmetic is stronger than a stand-in, whatever that says.
    assert beside({}) == claims.CONSISTENT
    upside_down = {"routing-3-rules": COSTS["routing-connection-tracking"] / 4}
    assert beside(upside_down) == claims.CONSISTENT
    (home,) = [
        e
        for e in scoreboard.entries([judged(fastpath)])
        if row in {number.id for number in e.numbers}
    ]
    assert home.judged and home.judged.evidence == claims.ARITHMETIC


def test_the_summary_adds_up(fastpath: Lab, board: list[Entry]) -> None:
    table = scoreboard.summary(board)
    *sources, whole = [[cell.text for cell in row] for row in table.rows]
    for column in range(1, len(table.header)):
        assert sum(int(row[column]) for row in sources) == int(whole[column])
    assert int(whole[1]) == len(published.load(fastpath))
    assert int(whole[2]) == len(claims.load(fastpath))


def test_no_row_adds_kinds_of_evidence_up(board: list[Entry]) -> None:
    judged = [entry.judged for entry in board if entry.judged]
    table = scoreboard.evidence_table(judged)
    shown = {
        (kind.text, verdict): int(count)
        for kind, cell in table.rows
        for count, _, verdict in (each.partition(" ") for each in cell.text.split(", "))
    }
    assert {"timed", "arithmetic", claims.PUBLISHED} <= {kind for kind, _ in shown}
    for (kind, verdict), count in shown.items():
        mine = [j for j in judged if (j.evidence or scoreboard.NO_EVIDENCE) == kind]
        assert count == sum(each.verdict == verdict for each in mine)
    assert sum(shown.values()) == len(judged)


def test_a_published_ratio_counts_once_by_what_the_stand_in_says_of_it(fastpath: Lab) -> None:
    """The published ratio of tracking is 2.27: half of that is another size."""

    def found(times: float) -> scoreboard.Reproduced:
        fast = COSTS["routing-fast-path"]
        record = make_record(costs={"routing-connection-tracking": times * fast})
        return scoreboard.reproduced(scoreboard.entries([judged(fastpath, record)]))

    in_size, too_small, upside_down = found(2.27), found(1.2), found(0.5)
    assert in_size.asked == too_small.asked == upside_down.asked > 1
    assert in_size.in_size > too_small.in_size == upside_down.in_size
    assert scoreboard.reproduced(scoreboard.entries([judged(fastpath)])).asked == 0


# --- a lab that cannot be judged ----------------------------------------------------------------


def test_what_one_lab_fails_with_leaves_the_others_their_verdicts(fastpath: Lab) -> None:
    """A record that is valid, and that the judging cannot read: its clock is one nobody took."""
    record = make_record()
    trials = tuple(
        each.model_copy(update={"counts": {**each.counts, "send_cpu_seconds": None}})
        for each in record.trials
        if each.counts
    )
    broken = judged(fastpath, record.model_copy(update={"trials": trials, "clock": "cpu"}))
    assert broken.judged == () and isinstance(broken.fault, JudgeError)
    assert broken.fault.claim in {each.id for each in claims.load(fastpath)}
    assert record.id in broken.sentence and "no CPU time (parts.py:" in broken.sentence
    eoip = lab.find("eoip")
    board = scoreboard.entries([broken, judged(eoip)])
    assert {entry.lab.name for entry in board} == {"eoip"}
    assert len([entry for entry in board if entry.claim]) == len(claims.load(eoip))


def test_a_lab_names_an_article_whose_numbers_stand_with_another_lab() -> None:
    entries = scoreboard.by_source(scoreboard.entries([judged(lab.find("numa"))]))
    title = scoreboard.document("iparchitechs-chr-100g", entries["iparchitechs-chr-100g"])
    assert "100" in title and title != "iparchitechs-chr-100g"


def test_no_published_number_is_without_a_claim_or_a_named_need() -> None:
    for name in lab.names():
        here = lab.find(name)
        claimed = {row for claim in claims.load(here) for row in claim.rows}
        assert not [
            row.id
            for row in published.load(here).values()
            if row.id not in claimed and not row.needs
        ]
