"""The scoreboard: every published number of every article once, with the claims that judge it.

A number may stand on several claims.  It is shown beside the one with the strongest evidence,
whatever that says, and of equals the first in claims.yml.  Verdicts are counted by the kind of
their evidence, and no sum adds two kinds up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from ppslab.core.text.tables import Cell, Table
from ppslab.judge import claims
from ppslab.judge.claims import Claim, Evidence, Judged, Verdict
from ppslab.judge.claims.verdicts import Other
from ppslab.judge.outcome import Outcome
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.published import Published

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)
NO_EVIDENCE = "nothing yet"
"""Text in the place of evidence, for a claim that nothing was measured of."""


def _rank(judged: Judged) -> int:
    return EVIDENCE.index(judged.evidence) if judged.evidence else len(EVIDENCE)


@dataclass(frozen=True)
class Entry:
    """One claim on the scoreboard, or (`claim` None) numbers that no claim judges.

    `numbers`: the published numbers that are shown here; `elsewhere`: those that it judges too,
    and that are shown beside another claim.
    """

    lab: Lab
    source: str
    claim: Claim | None
    judged: Judged | None
    numbers: tuple[Published, ...]
    elsewhere: tuple[Published, ...] = ()

    @property
    def anchor(self) -> str:
        return f"claim-{self.lab.name}-{self.claim.id if self.claim else 'none'}"

    def number_anchor(self, number: Published) -> str:
        """Anchor of a number of its lab on the page."""
        return f"published-{self.lab.name}-{number.id}"


def entries(outcomes: Iterable[Outcome]) -> list[Entry]:
    """Every claim of every lab, in the order of the files; a lab's unjudged numbers at its end.

    A lab that could not be judged has none: whoever shows the others says why.
    """
    return [entry for each in outcomes if each.fault is None for entry in _of_lab(each)]


def _of_lab(outcome: Outcome) -> list[Entry]:
    lab = outcome.lab
    numbers = published.load(lab)
    its_claims = claims.load(lab)
    judged = {each.id: each for each in outcome.judged}
    home: dict[str, str] = {}
    for claim in sorted(its_claims, key=lambda claim: _rank(judged[claim.id])):
        for row in claim.rows:
            home.setdefault(row, claim.id)
    found = [
        Entry(
            lab,
            claim.source,
            claim,
            judged[claim.id],
            tuple(numbers[row] for row in claim.rows if home[row] == claim.id),
            tuple(numbers[row] for row in claim.rows if home[row] != claim.id),
        )
        for claim in its_claims
    ]
    unjudged: dict[str, list[Published]] = {}
    for number in numbers.values():
        if number.id not in home:
            unjudged.setdefault(number.source, []).append(number)
    return found + [Entry(lab, name, None, None, tuple(rows)) for name, rows in unjudged.items()]


def by_source(listed: Iterable[Entry]) -> dict[str, list[Entry]]:
    sources: dict[str, list[Entry]] = {}
    for entry in listed:
        sources.setdefault(entry.source, []).append(entry)
    return sources


def document(source: str, found: Iterable[Entry]) -> str:
    """The article that entries of one source are of, as these labs or else the others name it."""
    # A lab may judge an article whose numbers stand with another one.
    for lab in (*dict.fromkeys(entry.lab for entry in found), *labs.tried().readable):
        if title := claims.titles(lab).get(source):
            return title
    return source


def by_evidence(judged: Iterable[Judged]) -> dict[Evidence | None, dict[Verdict, int]]:
    """Count the claims by evidence and verdict; only kinds that occur."""
    counted: dict[Evidence | None, dict[Verdict, int]] = {
        evidence: dict.fromkeys(VERDICTS, 0) for evidence in (*EVIDENCE, None)
    }
    for each in judged:
        counted[each.evidence][each.verdict] += 1
    return {kind: counts for kind, counts in counted.items() if any(counts.values())}


@dataclass(frozen=True)
class Reproduced:
    """How many published ratios a stand-in was asked for, and what became of them."""

    asked: int
    in_size: int
    in_direction: int


STAND_IN: tuple[Evidence, ...] = (claims.TIMED, claims.COUNTED, claims.EMULATED)


def reproduced(listed: Iterable[Entry]) -> Reproduced:
    """Count the published ratios that the Linux router has, in size or in direction alone.

    Also those that MikroTik's own tables decide: there the stand-in speaks beside them.
    """
    verdicts: list[Verdict] = []
    for entry in listed:
        if entry.claim and entry.judged and entry.claim.judge.word.makes_ratio:
            rulings: tuple[Judged | Other, ...] = (entry.judged, *entry.judged.others)
            verdicts += [each.verdict for each in rulings if each.evidence in STAND_IN][:1]
    return Reproduced(
        len(verdicts), verdicts.count(claims.IN_SIZE), verdicts.count(claims.IN_DIRECTION)
    )


def evidence_table(judged: Iterable[Judged]) -> Table:
    """Verdicts by evidence, the strongest first: a row a kind, and none that adds them up."""
    rows = []
    for evidence, counts in by_evidence(judged).items():
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        rows.append((Cell(evidence or NO_EVIDENCE), Cell(verdicts)))
    return Table(
        title="Verdicts by evidence",
        header=("evidence", "verdicts"),
        rows=tuple(rows),
        notes=(MEANINGS,),
    )


MEANINGS = (
    "RouterOS: measured on a RouterOS router, by a reader, by MikroTik or by others who describe "
    "their method. Documented: stated in "
    "MikroTik's manual. Arithmetic: decided by the published numbers alone. Timed, events, "
    "counted: measured on a Linux router; the result can agree with a claim or differ from it, "
    "or hold on Linux, but it cannot refute a claim about RouterOS. By construction: caused by "
    "our own setting, so it is no verdict."
)


def summary(listed: list[Entry]) -> Table:
    """For each source how many numbers and claims there are."""
    rows = [_row(document(name, each), each) for name, each in by_source(listed).items()]
    return Table(
        title="Published numbers and claims, by source",
        header=("source", "numbers", "claims"),
        rows=(*rows, _row("all", listed)),
        notes=("Each number is counted once.",),
    )


def _row(name: str, listed: list[Entry]) -> tuple[Cell, ...]:
    numbers = sum(len(entry.numbers) for entry in listed)
    judged = sum(entry.judged is not None for entry in listed)
    return Cell(name), Cell(str(numbers)), Cell(str(judged))
