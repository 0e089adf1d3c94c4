"""Tables of a lab: its conditions and published numbers, what its newest records say, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from docutils import nodes

from ppslab.core.errors import UsageError
from ppslab.core.provenance import MACHINES
from ppslab.core.text.quantities import Quantity
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.course.notebook import notebook
from ppslab.course.notebook.prediction import Prediction
from ppslab.course.site.directives.frame import folds
from ppslab.course.site.directives.nodes import closed, shown
from ppslab.course.site.directives.sources import (
    LabDirective,
    NotRecordedError,
    Source,
    find_kind,
)
from ppslab.course.site.directives.views import View, listing, table
from ppslab.judge import balance, kernels, placement
from ppslab.judge.claims import vendor
from ppslab.model import results
from ppslab.model.results import CalibrationRecord, ProfileRecord, Run, SuiteRecord, TcpRecord
from ppslab.model.results.kinds import FaultsRecord
from ppslab.show import record_tables


@table("conditions")
def conditions(page: LabDirective, lab: str) -> list[nodes.Node]:
    """The conditions in words; the section with this table is closed."""
    source = page.source(lab)
    rows = tuple(
        (Cell(each.title, under=each.name), Cell(each.description))
        for each in source.lab.conditions.values()
    )
    header = ("condition", "what happens to a packet")
    listed = Table(f"The conditions of {source.lab.title}", header, rows)
    return [nodes.container("", *shown(listed), classes=[folds.INSIDE])]


@table("published")
def published(page: LabDirective, lab: str) -> list[Table]:
    """A table for each source, with an anchor on each row; of one source only with `:source:`."""
    numbers = page.source(lab).published
    named = dict.fromkeys(row.source for row in numbers.values())
    chosen = page.options.get("source")
    if chosen and chosen not in named:
        raise UsageError(f"no source {chosen!r}: there are {', '.join(named)}")
    return [
        record_tables.published_table(numbers, name) for name in named if chosen in (None, name)
    ]


@table("costs")
def router_times(page: LabDirective, lab: str) -> Table:
    """Router time per packet by condition and frame size."""
    source = page.source(lab)
    shown = record_tables.costs(source.newest)
    results = vendor.Results(source.published.values())
    # "1 [1, 1]" of the reference says nothing.
    rows = tuple(
        (row[0], replace(row[1], content=Quantity(1.0)), *row[2:])
        if row[0].text == source.newest.reference
        else row
        for row in shown.rows
    )
    shown = replace(shown, rows=rows)
    sentence = record_tables.vendor_sentence(results, source.lab.titles)
    if sentence and source.newest.measure == "counted":
        return replace(shown, notes=(*shown.notes, sentence))
    return shown


@table("guesses")
def guesses(page: LabDirective, lab: str) -> list[nodes.Node]:
    """The reader's guesses beside what the newest run measured, in a fold: the costs again."""
    source = page.source(lab)
    asked = Prediction(source.lab.name, source.lab.titles, source.lab.spec.reference)
    return closed("Your guesses", *shown(asked.beside(source.newest)))


@table("mikrotik-ratios")
def mikrotik_ratios(page: LabDirective, lab: str) -> Table:
    """MikroTik's own tables as ratios, beside the stand-in's."""
    source = page.source(lab)
    results = vendor.Results(source.published.values())
    if not results.rows:
        raise UsageError(f"{source.lab.name}: published.csv has no results of MikroTik's own")
    newest = [source.runs.of_measure(measure)[:1] for measure in ("counted", "timed")]
    records = [record for runs in newest for record in runs]
    return record_tables.vendor_ratios(source.lab, results, records)


@table("both-measures")
def both_measures(page: LabDirective, lab: str) -> Table:
    """Instructions, nanoseconds, and the time of an instruction."""
    runs = page.source(lab).runs
    counted, timed = runs.of_measure("counted"), runs.of_measure("timed")
    if not counted or not timed:
        raise NotRecordedError.of_run(lab)
    return record_tables.both_measures(counted[0], timed[0])


@table("kernels")
def on_kernels(page: LabDirective, lab: str) -> Table:
    """Costs times the reference, on each kernel that counted them."""
    name = page.source(lab).lab.name
    for path in kernels.files():
        page.env.note_dependency(str(path))
    if not kernels.records(name):
        raise NotRecordedError(f"{name}: counted on one kernel only.")
    return kernels.kernels_table(name)


@table("counting-bias")
def counting_bias(page: LabDirective, lab: str) -> Table:
    """Each condition's counted ratio over its timed one."""
    name = page.source(lab).lab.name
    if not kernels.biases(name):
        raise NotRecordedError(f"{name}: no kept runs of both measures.")
    return kernels.bias_table(name)


OF_LAB: Mapping[str, Callable[[Source], Table]] = {
    "throughput": lambda source: record_tables.throughputs(source.searched or source.newest),
    "beside": lambda source: record_tables.beside_table(
        source.lab,
        record_tables.beside(source.lab, source.published, source.record),
        source.provenance,
    ),
    "mikrotik-rates": lambda source: record_tables.vendor_rates(
        source.lab, vendor.Results(source.published.values())
    ),
    "bond-rules": lambda source: balance.rules_table(source.lab),
    "placement": lambda source: placement.table(source.lab, source.record),
}
"""Tables that a lab makes also without a run, or of another than the newest."""
OF_RUN = ("order", "counters", "cards", "served", "spread", "forwarded")
"""Tables of the newest run, as a notebook shows them."""


def _of_lab(make: Callable[[Source], Table]) -> View:
    return lambda page, lab: make(page.source(lab))


def _of_run(name: str) -> View:
    return _of_lab(lambda source: notebook.Run.tables[name](source.lab, source.newest))


for _name, _make in OF_LAB.items():
    table(_name)(_of_lab(_make))
for _name in OF_RUN:
    table(_name)(_of_run(_name))


@listing("cannot-show")
def cannot_show(page: LabDirective, lab: str) -> list[nodes.Node]:
    """Limits of the newest run's router; closed below them, what the run leaves out.

    The words are the record's own, with code in backquotes.
    """
    record = page.source(lab).newest
    skipped = [f"Not measured: {each.condition}: {each.reason}." for each in record.skipped]
    left_out = [*record.deviations, *skipped]
    blind = _list(page, [record.router["cannot_show"]])
    if not left_out:
        return [blind]
    return [blind, *closed("What this run leaves out", _list(page, left_out))]


def _list(page: LabDirective, texts: Iterable[str]) -> nodes.Node:
    items = (nodes.list_item("", nodes.paragraph("", "", page.inline(text))) for text in texts)
    return nodes.bullet_list("", *items)


COMMANDS: Mapping[type[Run], str] = {
    TcpRecord: "tcp",
    SuiteRecord: "rfc2544",
    ProfileRecord: "profile",
    FaultsRecord: "break",
}
"""The commands that make a lab's records beside `ppslab run`, in the order of the table."""


@table("runs")
def newest_runs(page: LabDirective) -> Table:
    """The newest record of each measurement of each lab."""
    rows = []
    for source in page.every():
        name = source.lab.name
        if source.record is not None:
            rows.append(_run(f"ppslab run {name}", source.record))
        for kind, command in COMMANDS.items():
            if path := find_kind(page.env, kind, name):
                rows.append(_run(f"ppslab {command} {name}", results.load_as(path, kind)))
    if tester := find_kind(page.env, CalibrationRecord, "ppstraffic"):
        rows.append(_run("ppslab calibrate", results.load_as(tester, CalibrationRecord)))
    header = ("measurement", "measured", "took", "on", "kernel", "profile", "ppslab")
    return Table("The newest run of each measurement", header, tuple(rows))


def _run(command: str, record: Run | CalibrationRecord) -> tuple[Cell, ...]:
    made, commit = record.provenance(), record.ppslab.get("commit", "unknown")
    seconds = (record.finished - record.started).total_seconds()
    minutes, rest = divmod(round(seconds), 60)
    return cells(
        command,
        f"{record.started:%Y-%m-%d %H:%M} UTC",
        f"{minutes} min {rest} s" if minutes else f"{seconds:.2g} s",
        MACHINES[made.kind],
        made.kernel,
        made.profile or "-",
        commit[:7] + ("+" if commit.endswith("+") else ""),
    )
