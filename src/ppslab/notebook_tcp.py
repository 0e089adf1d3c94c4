"""A TCP run as a notebook's reader sees it: goodput, what was sent again, verdicts."""

from __future__ import annotations

from ppslab import claims, goodput, links, results
from ppslab.analysis import NoDataError
from ppslab.errors import UsageError
from ppslab.figures import Figure, goodput_figure, links_figure
from ppslab.goodput import NAMES
from ppslab.lab import Lab
from ppslab.notebook_parts import RECORDED, Measured
from ppslab.results import TcpDirection, TcpRecord
from ppslab.shown import Words
from ppslab.statistics import Interval, short
from ppslab.tables import Cell, Table
from ppslab.views import claims_table


def measure(
    lab: Lab,
    conditions: tuple[str, ...],
    profile: str,
    backend: str,
    seed: int | None,
    heading: str,
) -> TcpRun:
    """Measure, or take the newest record where the backend is `recorded`."""
    if backend == RECORDED:
        from ppslab.progress import show_heading  # noqa: PLC0415

        show_heading(heading)
        record = results.newest_of(TcpRecord, lab.name)
        return TcpRun(lab, results.only_tcp(record, conditions) if record else None)
    from ppslab.progress import NotebookProgress  # noqa: PLC0415  (needs a machine that can)
    from ppslab.tcp import Options, run  # noqa: PLC0415

    options = Options(conditions=conditions, backend=backend, profile=profile, seed=seed)
    with NotebookProgress(heading) as progress:
        made, path = run(lab, options, progress)
    return TcpRun(lab, made, str(path))


class TcpRun(Measured[TcpRecord]):
    """Measured transfers: their figure, tables and verdicts."""

    called = "TCP run"
    command = "tcp"

    def _title(self, record: TcpRecord) -> str:
        found = (t for t in record.transfers if t.valid and t.purpose == "transfer")
        measured = {transfer.condition for transfer in found}
        return f"{self.lab.title}, TCP: {len(measured)} conditions measured"

    def figure(self, kind: str = "goodput") -> Figure | Words:
        """`goodput`: by condition and direction; `links`: by port of the router's bond."""
        if kind not in ("goodput", "links"):
            raise UsageError(f"no figure {kind!r}: there are goodput and links")
        if self._record is None:
            return self._missing()
        return goodput_figure(self._record) if kind == "goodput" else links_figure(self._record)

    def table(self, kind: str = "goodput") -> Table | Words:
        """One of three.

        `goodput`: with its ratio to the reference; `retransmits`: what was sent again; `links`: how
        the router's bond used its ports.
        """
        made = {"goodput": goodput_table, "retransmits": retransmits, "links": links.table}
        if kind not in made:
            raise UsageError(f"no table {kind!r}: there are {', '.join(made)}")
        return made[kind](self._record) if self._record else self._missing()

    def claims(self) -> Table | Words:
        """What the sources claim of TCP, and this run's verdict."""
        if self._record is None:
            return self._missing()
        judged = claims.judge_tcp(self.lab, self._record)
        return claims_table(judged, self._record.provenance())


def goodput_table(record: TcpRecord) -> Table:
    """Goodput of every condition, and its ratio to the reference, in every direction."""
    shown = goodput.directions(record)
    found = {d: {row.condition: row for row in goodput.rows(record, d)} for d in shown}
    rows = []
    for condition in record.conditions:
        row = [Cell(condition.name)]
        for direction in shown:
            each = found[direction].get(condition.name)
            row.append(Cell(_giga(each.goodput) if each else "-"))
            row.append(Cell(str(each.ratio) if each and each.ratio else "-"))
        rows.append(tuple(row))
    header = ["condition"]
    for direction in shown:
        header += [NAMES[direction], f"times {record.reference}"]
    return Table(
        title=f"TCP goodput, median and 95 % interval ({record.profile['name']})",
        header=tuple(header),
        rows=tuple(rows),
        notes=tuple(_null(record, direction) for direction in shown),
        provenance=record.provenance(),
    )


def retransmits(record: TcpRecord) -> Table:
    """Segments sent again, per cent of the full segments that the goodput took."""
    shown = goodput.directions(record)
    found = {d: {row.condition: row for row in goodput.rows(record, d)} for d in shown}
    return Table(
        title="Segments sent again, median and 95 % interval",
        header=("condition", *(NAMES[d] for d in shown)),
        rows=tuple(
            (
                Cell(c.name),
                *(
                    Cell(_percent(found[d][c.name].retransmitted) if c.name in found[d] else "-")
                    for d in shown
                ),
            )
            for c in record.conditions
        ),
        notes=record.explanations,
        provenance=record.provenance(),
    )


def _null(record: TcpRecord, direction: TcpDirection) -> str:
    try:
        null = goodput.null_interval(record, direction)
    except NoDataError:
        return f"{record.reference} was not measured against itself, {NAMES[direction]}."
    return f"{record.reference} against itself (A/A), {NAMES[direction]}: {null}"


def _giga(found: Interval) -> str:
    return f"{_scaled(found, 1e-9)} Gbit/s"


def _percent(found: Interval) -> str:
    return f"{_scaled(found, 100.0)} %"


def _scaled(found: Interval, factor: float) -> str:
    estimate, low, high = (short(v * factor) for v in (found.estimate, found.low, found.high))
    return f"{estimate} [{low}, {high}]"
