"""The scoreboard: every published number of every article once, with the claims that judge it.

A number may stand on several claims.  It is shown beside the one that says most about it: one
that a run contradicts goes before one that it reproduces, that before one that it leaves open,
and all of them before one that cannot be tested here; of equals the first in claims.yml.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from ppslab import claims, published
from ppslab.claims import Claim, Judged, Verdict
from ppslab.lab import Lab
from ppslab.published import Published
from ppslab.results import Record, TcpRecord
from ppslab.tables import Cell, Table

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

_SAYS_MOST = {
    verdict: place
    for place, verdict in enumerate(
        (claims.CONTRADICTED, claims.REPRODUCED, claims.INCONCLUSIVE, claims.NOT_TESTABLE)
    )
}


@dataclass(frozen=True)
class Measured:
    """A lab with what was measured of it; a record is None where there is none."""

    lab: Lab
    record: Record | None = None
    tcp: TcpRecord | None = None

    @property
    def provenances(self) -> tuple[str, ...]:
        """What made its numbers, a line a record."""
        records = {"packets": self.record, "TCP": self.tcp}
        return tuple(
            f"{self.lab.title}, {what}: {record.provenance()}; ppslab {record.ppslab['commit']}."
            for what, record in records.items()
            if record is not None
        )


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
        """Where it stands on the page."""
        return f"claim-{self.lab.name}-{self.claim.id if self.claim else 'none'}"

    def number_anchor(self, number: Published) -> str:
        """Where a number of its lab stands on the page."""
        return f"published-{self.lab.name}-{number.id}"


def entries(measured: Iterable[Measured]) -> list[Entry]:
    """Every claim of every lab, in the order of the files; a lab's unjudged numbers at its end."""
    return [entry for each in measured for entry in _of_lab(each)]


def _of_lab(measured: Measured) -> list[Entry]:
    lab = measured.lab
    numbers = published.load(lab)
    said = claims.load(lab)
    judged = {each.id: each for each in claims.judge_all(lab, measured.record, measured.tcp)}
    home: dict[str, str] = {}
    for claim in sorted(said, key=lambda claim: _SAYS_MOST[judged[claim.id].verdict]):
        for row in claim.published:
            home.setdefault(row, claim.id)
    found = [
        Entry(
            lab,
            claim.source,
            claim,
            judged[claim.id],
            tuple(numbers[row] for row in claim.published if home[row] == claim.id),
            tuple(numbers[row] for row in claim.published if home[row] != claim.id),
        )
        for claim in said
    ]
    unjudged: dict[str, list[Published]] = {}
    for number in numbers.values():
        if number.id not in home:
            unjudged.setdefault(number.source, []).append(number)
    return found + [Entry(lab, name, None, None, tuple(rows)) for name, rows in unjudged.items()]


def by_source(found: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries by the article that they are of."""
    sources: dict[str, list[Entry]] = {}
    for entry in found:
        sources.setdefault(entry.source, []).append(entry)
    return sources


def document(found: Iterable[Entry]) -> str:
    """The article that entries of one source are of, as published.csv names it."""
    rows = (row for entry in found for row in (*entry.numbers, *entry.elsewhere))
    return next((row.document for row in rows), "")


def count(found: Iterable[Entry]) -> dict[Verdict, int]:
    """How many claims got which verdict."""
    counted: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    for entry in found:
        if entry.judged is not None:
            counted[entry.judged.verdict] += 1
    return counted


def summary(found: list[Entry]) -> Table:
    """For each source how many numbers and claims there are, and the claims by verdict."""
    sources = by_source(found)
    rows = [_row(name, each) for name, each in sources.items()]
    return Table(
        title="Published numbers and claims, by source",
        header=("source", "numbers", "claims", *VERDICTS),
        rows=(*rows, _row("all", found)),
        notes=("Numbers are counted once, claims by their verdict.",),
    )


def _row(name: str, found: list[Entry]) -> tuple[Cell, ...]:
    numbers = sum(len(entry.numbers) for entry in found)
    judged = sum(entry.judged is not None for entry in found)
    counts = count(found)
    return (
        Cell(name),
        Cell(str(numbers)),
        Cell(str(judged)),
        *(Cell(str(counts[verdict])) for verdict in VERDICTS),
    )
