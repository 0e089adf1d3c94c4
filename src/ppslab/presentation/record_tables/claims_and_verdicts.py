"""The claims of the sources, each with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ppslab.analysis.claims import CANNOT_TELL, NO_VERDICT, NOT_TESTABLE, Judged, Verdict
from ppslab.base.provenance import Provenance
from ppslab.base.text.quantities import Outcome
from ppslab.base.text.tables import Cell, Table


def claims_table(
    judged: Sequence[Judged],
    provenance: Provenance | None,
    rows_of: Mapping[str, tuple[str, ...]] | None = None,
    *,
    conditions: Mapping[str, str],
) -> Table:
    """Claims: published, measured, verdict, evidence, reason; for readers the statement of each.

    `rows_of` gives for each claim the ids of its rows in published.csv, which the page links to;
    `conditions` the titles of the conditions that the reasons name.
    """
    rows_of = rows_of or {}
    return Table(
        title="Claims and verdicts",
        header=("claim", "published", "measured", "verdict", "evidence", "reason"),
        rows=tuple(
            (
                Cell(each.id, target=f"claim-{each.lab}-{each.id}"),
                Cell(
                    each.published,
                    links=tuple(f"published-{row}" for row in rows_of.get(each.id, ())),
                ),
                Cell(each.quantity),
                Cell(
                    _shown(each.verdict), kind=f"verdict verdict-{each.verdict.replace(' ', '-')}"
                ),
                Cell(each.evidence or "-"),
                Cell(each.reason),
            )
            for each in judged
        ),
        provenance=provenance,
        asides=frozenset({"reason"}),
        titles={**conditions, **{each.id: each.statement for each in judged}},
    )


def _shown(verdict: Verdict) -> Outcome | str:
    """No other run decides what cannot be tested here, or is built in: these are plain words."""
    plain = verdict in (NOT_TESTABLE, NO_VERDICT)
    return verdict if plain else Outcome(verdict, verdict != CANNOT_TELL)
