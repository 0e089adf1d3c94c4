"""A lab as a notebook's reader uses it: open, predict, run, look, judge.

    lab = ppslab.open("fastpath")
    run = lab.run()
    run.figure()

Results show themselves as HTML in a notebook and as text elsewhere, with the same numbers.
Where `$PPSLAB_BACKEND` is `recorded`, `run` measures nothing and takes the newest record.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ppslab.core.errors import UsageError
from ppslab.core.provenance import CLOCKS
from ppslab.core.text.display import Files, TextBlock
from ppslab.core.text.tables import Cell, Table
from ppslab.course.notebook.prediction import Prediction
from ppslab.course.notebook.progress import NotebookProgress, show_heading
from ppslab.judge import balance, claims, costs, placement
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.results import Record, TcpRecord
from ppslab.show import record_tables
from ppslab.show.figures import (
    Figure,
    beside_figure,
    gains_figure,
    goodput_figure,
    lab_wiring_figure,
    links_figure,
)
from ppslab.show.record_tables.tcp import goodput_table, retransmits

if TYPE_CHECKING:
    from ppslab.course.tasks.notebook import TasksPanel


def open_lab(name: str) -> OpenLab:
    """The lab called `name`; UsageError suggests near names where there is none."""
    return OpenLab(labs.find(name))


class OpenLab:
    """A lab that a notebook has opened."""

    def __init__(self, lab: labs.Lab) -> None:
        self.lab = lab
        self._prediction = Prediction(lab.name, lab.titles, lab.spec.reference)

    def __repr__(self) -> str:
        conditions = ", ".join(self.lab.conditions)
        return f"{self.lab.title}: {len(self.lab.conditions)} conditions ({conditions})"

    def wiring(self) -> Figure:
        """The wiring, drawn from the topology file."""
        return lab_wiring_figure(self.lab)

    def conditions(self) -> Table:
        """The conditions in their order, in words."""
        rows = tuple(
            (Cell(self.lab.named(each.name), under=each.name), Cell(each.description))
            for each in self.lab.conditions.values()
        )
        header = ("condition", "what happens to a packet")
        return Table("The conditions", header, rows)

    def published(self, source: str | None = None, *, everything: bool = False) -> Table:
        """The numbers that claims rest on, as the sources print them; or all of them.

        A claim on very many numbers only describes what the hardware did: its numbers are left out.
        """
        numbers = published.load(self.lab)
        few = (c for c in claims.load(self.lab) if len(c.published) <= claims.MOST_SHOWN)
        named = {row for claim in few for row in claim.rows}
        kept = {name: row for name, row in numbers.items() if everything or name in named}
        return record_tables.published_table(kept, source)

    def placement(self) -> Table:
        """Table of each stream's way through a machine of several sockets, as the lab says."""
        return placement.table(self.lab)

    def predict(self, **factors: float) -> Prediction:
        """Guess before measuring: how many times as much as the reference does each condition cost?

        In a live notebook the fields can be filled in; a guess may also be given here, with
        underscores for dashes: `lab.predict(routing_fast_path=0.5)`.
        """
        for name, factor in factors.items():
            self._prediction.guess(name.replace("_", "-"), factor)
        return self._prediction

    def run(
        self,
        conditions: Sequence[str] = (),
        sizes: Sequence[int] = (),
        *,
        profile: str = "quick",
        backend: str | None = None,
        search: bool = True,
        seed: int | None = None,
    ) -> Run:
        """Measure the lab, all of it or some conditions and frame sizes (bytes), and show progress.

        `backend`: auto, namespaces, vm, containerlab, or recorded; without it `$PPSLAB_BACKEND`,
        or auto.
        """
        chosen = backend or os.environ.get("PPSLAB_BACKEND") or "auto"
        heading = f"{self.lab.title}, profile {profile}"
        if chosen == RECORDED:
            show_heading(heading)
            kept = results.newest(self.lab.name)
            part = results.only(kept, conditions, sizes, search=search) if kept else None
            return Run(self.lab, part, self._prediction)
        from ppslab.measure.run import Options, run  # noqa: PLC0415  (needs a machine that can)

        options = Options(
            conditions=tuple(conditions),
            sizes=tuple(sizes),
            backend=chosen,
            profile=profile,
            seed=seed,
            search=search,
        )
        with NotebookProgress(heading) as progress:
            record, path = run(self.lab, options, progress)
        return Run(self.lab, record, self._prediction, str(path))

    def tcp(
        self,
        conditions: Sequence[str] = (),
        *,
        profile: str = "quick",
        backend: str | None = None,
        seed: int | None = None,
    ) -> TcpRun:
        """Measure the lab with TCP, all of it or some conditions, and show progress."""
        chosen = backend or os.environ.get("PPSLAB_BACKEND") or "auto"
        heading = f"{self.lab.title}, profile {profile}"
        if chosen == RECORDED:
            show_heading(heading)
            kept = results.newest_of(TcpRecord, self.lab.name)
            return TcpRun(self.lab, results.only_tcp(kept, tuple(conditions)) if kept else None)
        from ppslab.measure.tcp import Options, run  # noqa: PLC0415  (needs a machine that can)

        options = Options(conditions=tuple(conditions), backend=chosen, profile=profile, seed=seed)
        with NotebookProgress(heading) as progress:
            record, path = run(self.lab, options, progress)
        return TcpRun(self.lab, record, str(path))

    def tasks(self) -> TasksPanel:
        """The lab's tasks; UsageError without any."""
        from ppslab.course.tasks import reading  # noqa: PLC0415  (needs a machine that can)
        from ppslab.course.tasks.notebook import TasksPanel  # noqa: PLC0415

        return TasksPanel(reading.load(self.lab))

    def on_your_chr(self, condition: str | None = None) -> Files:
        """The condition's RouterOS configuration, to paste into a CHR or a router of your own."""
        chosen = self.lab.condition(condition or next(iter(self.lab.conditions)))
        if not chosen.routeros:
            raise UsageError(f"condition {chosen.name} has no RouterOS configuration")
        return Files(
            f"{chosen.title}, for RouterOS 7",
            "Checked against RouterOS's command tree, not yet confirmed by a run on a real CHR. "
            "Apply to a router that carries nothing else.",
            {file: self.lab.text(file) for file in chosen.routeros},
        )


RunRecord = TypeVar("RunRecord", Record, TcpRecord)
Drawn = TypeVar("Drawn", Figure, Table)

RECORDED = "recorded"
"""The backend that measures nothing and takes the newest record."""


class Measured(ABC, Generic[RunRecord]):
    """A run of a lab and its record, or the text shown where nothing was measured yet."""

    called: ClassVar[str]
    """Name of such a run in a sentence."""

    command: ClassVar[str]
    """The ppslab command that measures it."""

    figures: ClassVar[Mapping[str, Callable[[labs.Lab, Any], Figure]]]
    tables: ClassVar[Mapping[str, Callable[[labs.Lab, Any], Table]]]
    """Makers by the names that a reader asks for; the first is shown without a name."""

    def __init__(self, lab: labs.Lab, record: RunRecord | None, path: str = "") -> None:
        self.lab = lab
        self._record: RunRecord | None = record
        self.path = path

    def __repr__(self) -> str:
        return repr(self.summary())

    def _repr_html_(self) -> str:
        return self.summary().html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.summary()._repr_mimebundle_(include, exclude)

    @property
    def record(self) -> RunRecord:
        """The record; UsageError where nothing was measured yet."""
        if self._record is None:
            raise UsageError(f"no {self.called} of {self.lab.name} yet: {self._how()}")
        return self._record

    @property
    def cannot_show(self) -> TextBlock:
        """The limits of this router and this profile."""
        if self._record is None:
            return self._missing()
        run: RunRecord = self._record
        return TextBlock(
            "What this run cannot show",
            [run.router["cannot_show"], *run.deviations, *self._left_out(run)],
        )

    @abstractmethod
    def _title(self, record: RunRecord) -> str:
        """The lab, and how much of it was measured."""

    def _left_out(self, record: RunRecord) -> Sequence[str]:
        """Sentences on what was not measured, and why."""
        del record
        return ()

    def summary(self) -> TextBlock:
        """The measured result with its provenance; or the command that measures it."""
        if self._record is None:
            return self._missing()
        return TextBlock(
            self._title(self._record), [self._record.provenance().sentence], aside=True
        )

    def _missing(self) -> TextBlock:
        return TextBlock(f"No {self.called} yet.", [f"Measure: {self._how()}"])

    def _how(self) -> str:
        return f"ppslab {self.command} {self.lab.name}"

    def figure(self, kind: str = "") -> Figure | TextBlock:
        """One of `figures`; UsageError for another."""
        return self._chosen("figure", kind, self.figures)

    def table(self, kind: str = "") -> Table | TextBlock:
        """One of `tables`; UsageError for another."""
        return self._chosen("table", kind, self.tables)

    def _chosen(
        self, what: str, kind: str, makers: Mapping[str, Callable[[labs.Lab, RunRecord], Drawn]]
    ) -> Drawn | TextBlock:
        """Show the record by the maker of this kind, the first without a kind."""
        kind = kind or next(iter(makers))
        if kind not in makers:
            raise UsageError(f"no {what} {kind!r}: there are {', '.join(makers)}")
        return makers[kind](self.lab, self._record) if self._record else self._missing()

    def claims(self) -> Table | TextBlock:
        """The sources' claims, with this run's verdicts."""
        if self._record is None:
            return self._missing()
        judged = claims.judge_run(self.lab, self._record)
        made_by = self._record.provenance()
        return record_tables.claims_table(judged, made_by, conditions=self._record.titles)


def _beside(lab: labs.Lab, record: Record) -> list[record_tables.Beside]:
    return record_tables.beside(lab, published.load(lab), record)


class Run(Measured[Record]):
    """A measured run: its figures, tables and verdicts."""

    called = "run"
    command = "run"
    # `costs`: of a packet without a thing and with it; `published`: published ratios beside
    # measured ones.
    figures: ClassVar[Mapping[str, Callable[[labs.Lab, Record], Figure]]] = {
        "costs": lambda lab, record: gains_figure(record, lab),
        "published": lambda lab, record: beside_figure(_beside(lab, record), record),
    }
    # Of a machine with cards from `placement` on; `forwarded` at the highest load, `served` by
    # which CPU, `spread` over how many.
    tables: ClassVar[Mapping[str, Callable[[labs.Lab, Record], Table]]] = {
        "costs": lambda _, record: record_tables.costs(record),
        "published": lambda lab, record: record_tables.beside_table(
            lab, _beside(lab, record), record.provenance()
        ),
        "order": record_tables.orders,
        "throughput": lambda _, record: record_tables.throughputs(record),
        "counters": lambda _, record: costs.counters_table(record),
        "forwarded": lambda _, record: costs.forwarding_table(record),
        "placement": placement.table,
        "cards": lambda _, record: placement.cards(record),
        "served": lambda _, record: placement.served(record),
        "spread": lambda _, record: placement.cpu_table(record),
    }

    def __init__(
        self, lab: labs.Lab, record: Record | None, prediction: Prediction, path: str = ""
    ) -> None:
        super().__init__(lab, record, path)
        self._prediction = prediction

    def _title(self, record: Record) -> str:
        measured = len(costs.measured_conditions(record))
        return f"{self.lab.title}: {measured} of {len(record.conditions)} conditions measured"

    def _left_out(self, record: Record) -> list[str]:
        return [f"Not measured: {each.condition}: {each.reason}." for each in record.skipped]

    def order(self) -> Table | TextBlock:
        """Every published order of the conditions, step by step."""
        return self.table("order")

    def prediction(self) -> Table | TextBlock:
        """The reader's guesses beside the measured ratios."""
        if self._record is None:
            return self._missing()
        return self._prediction.beside(self._record)

    @property
    def provenance(self) -> TextBlock:
        """The provenance of the numbers: machine, method, date."""
        if self._record is None:
            return self._missing()
        record = self._record
        spoiled = sum(not trial.valid for trial in record.trials)
        environment = record.environment
        return TextBlock(
            "Where these numbers come from",
            [
                record.provenance().sentence,
                f"CPU: {environment.get('cpu', 'unknown')}; "
                f"clock: {CLOCKS[record.clock]}; "
                f"seed {record.seed}; "
                f"ppslab {record.ppslab['version']} {record.ppslab['commit']}",
                f"trials: {len(record.trials)}, of which invalid and not used: {spoiled}",
            ],
            aside=True,
        )


class TcpRun(Measured[TcpRecord]):
    """Measured transfers: their figure, tables and verdicts."""

    called = "TCP run"
    command = "tcp"
    # `goodput`: by condition and direction; `links`: by port of the router's bond.
    figures: ClassVar[Mapping[str, Callable[[labs.Lab, TcpRecord], Figure]]] = {
        "goodput": lambda _, record: goodput_figure(record),
        "links": lambda _, record: links_figure(record),
    }
    # `retransmits`: what was sent again.
    tables: ClassVar[Mapping[str, Callable[[labs.Lab, TcpRecord], Table]]] = {
        "goodput": lambda _, record: goodput_table(record),
        "retransmits": lambda _, record: retransmits(record),
        "links": lambda _, record: balance.table(record),
    }

    def _title(self, record: TcpRecord) -> str:
        measured = {
            each.condition for each in record.transfers if each.valid and each.purpose == "transfer"
        }
        return f"{self.lab.title}, TCP: {len(measured)} conditions measured"
