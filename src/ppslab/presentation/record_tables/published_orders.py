"""Every order of conditions that a source claims, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from ppslab.analysis import claims
from ppslab.analysis import costs as analysis
from ppslab.base.text.quantities import Content, Outcome, Sentence, quantity
from ppslab.base.text.tables import Cell, Table, cells
from ppslab.lab.lab import Lab
from ppslab.results import Record
from ppslab.theory.statistics import Interval

HOLDS = "holds"
UNDECIDED = "undecided"
BROKEN = "broken"


@dataclass(frozen=True)
class Step:
    """One step of a published order: `dearer` should cost the router more than `cheaper`."""

    cheaper: str
    dearer: str
    ratio: Interval | None
    noise: float

    @property
    def says(self) -> str:
        """Holds or broken only where the whole interval and the noise of the run allow it."""
        if self.ratio is None or not self.ratio.excludes(1.0):
            return UNDECIDED
        if abs(self.ratio.estimate - 1) <= self.noise:
            return UNDECIDED
        return HOLDS if self.ratio.estimate > 1 else BROKEN


def order_steps(record: Record, conditions: Iterable[str], size: int) -> list[Step]:
    """The steps of an order of conditions, cheapest first, as this record shows them."""
    try:
        noise = analysis.noise(record, size)
    except analysis.NoDataError:
        noise = 0.0
    steps = []
    for cheaper, dearer in pairwise(conditions):
        try:
            ratio = analysis.ratio(record, dearer, cheaper, size)
        except analysis.NoDataError:
            ratio = None
        steps.append(Step(cheaper, dearer, ratio, noise))
    return steps


def orders(lab: Lab, record: Record) -> Table:
    """Every order of conditions that a source claims, step by step."""
    words = [claim.judge.order for claim in claims.load(lab)]
    chains = dict.fromkeys((word.conditions, word.size) for word in words if word)
    rows: dict[tuple[str, int], tuple[Cell, ...]] = {}
    notes: list[Content] = []
    for conditions, size in chains:
        steps = order_steps(record, conditions, size)
        for step in steps:
            pair = f"{step.cheaper} < {step.dearer}"
            rows[pair, size] = cells(pair, str(size), quantity(step.ratio), _outcome(step.says))
        verdicts = {step.says for step in steps}
        whole = BROKEN if BROKEN in verdicts else UNDECIDED if UNDECIDED in verdicts else HOLDS
        notes.append(Sentence((f"{' < '.join(conditions)}: order ", _outcome(whole))))
    return Table(
        title="The published order of the conditions, by router time per packet",
        header=("step", "bytes", "times as much", "order"),
        rows=tuple(rows.values()),
        notes=tuple(notes),
        provenance=record.provenance(),
        titles=record.titles,
    )


def _outcome(word: str) -> Outcome:
    return Outcome(word, decided=word != UNDECIDED)
