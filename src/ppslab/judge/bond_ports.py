"""The table of a bond's ports: how evenly they were used, and whether the hash has said so."""

from __future__ import annotations

from statistics import median

from ppslab.core.text.quantities import Content, Quantity, Sentence
from ppslab.core.text.tables import Table, cells
from ppslab.judge import balance
from ppslab.judge.costs import NoDataError
from ppslab.model.results import ConditionRecord, TcpDirection, TcpRecord

PREDICTED = 0.1
"""A prediction that misses by less than this share of the bytes holds: it knows the data of every
connection, but not what was sent again, and its acknowledgements only by half of the segments."""


def table(record: TcpRecord, direction: TcpDirection = "both") -> Table:
    """One row a condition: medians over the rounds."""
    rows = []
    for condition in record.conditions:
        try:
            found = balance.of_condition(record, condition.name, direction)
        except NoDataError:
            continue
        missed = median(balance.error(shares) for shares in found)
        rows.append(
            cells(
                condition.name,
                f"{median(_used(shares) for shares in found):.0f}",
                _percent(median(max(s.measured for s in shares) for shares in found)),
                _percent(median(balance.evenness(shares) for shares in found)),
                _rule(condition),
                _as_predicted(missed),
            )
        )
    return Table(
        title="The ports of the router's bond",
        header=(
            "condition",
            "ports used",
            "busiest port",
            "of the bond's speed",
            "chosen by",
            "as predicted",
        ),
        rows=tuple(rows),
        notes=(
            "Busiest port: its share of the bytes that the router sent.",
            "Of the bond's speed: what all ports carry when the busiest is full, as a share of "
            "what they could.",
            f"As predicted: less than {PREDICTED:.0%} of the bytes left by another port than the "
            "kernel's rule says.",
        ),
        provenance=record.provenance(),
        titles=record.titles,
    )


def _used(shares: list[balance.Share]) -> int:
    """Ports with more than the LACP frames and what else is no data: a thousandth of the bytes."""
    return sum(share.measured > 0.001 for share in shares)


def _rule(condition: ConditionRecord) -> str:
    bond = balance.bond_of(condition)
    return f"hash of {bond.policy}" if bond.policy else "turn"


def _as_predicted(missed: float) -> Content:
    if missed < PREDICTED:
        return "yes"
    return Sentence(("no, ", _percent(missed), " left by another port"))


def _percent(share: float) -> Quantity:
    return Quantity(100 * share, unit="%", digits=3)
