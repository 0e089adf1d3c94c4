"""A TCP run as a notebook's reader sees it: goodput, retransmits, verdicts."""

from __future__ import annotations

from ppslab.core.errors import UsageError
from ppslab.core.text.display import TextBlock
from ppslab.core.text.tables import Table
from ppslab.course.notebook.parts import RECORDED, Measured
from ppslab.course.notebook.progress import NotebookProgress, show_heading
from ppslab.judge import balance, claims
from ppslab.model import results
from ppslab.model.lab.lab import Lab
from ppslab.model.results import TcpRecord
from ppslab.show.figures import Figure, goodput_figure, links_figure
from ppslab.show.record_tables import claims_table
from ppslab.show.record_tables.tcp import goodput_table, retransmits


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
        show_heading(heading)
        record = results.newest_of(TcpRecord, lab.name)
        return TcpRun(lab, results.only_tcp(record, conditions) if record else None)
    from ppslab.measure.tcp import Options, run  # noqa: PLC0415  (needs a machine that can)

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

    def figure(self, kind: str = "goodput") -> Figure | TextBlock:
        """`goodput`: by condition and direction; `links`: by port of the router's bond."""
        if kind not in ("goodput", "links"):
            raise UsageError(f"no figure {kind!r}: there are goodput and links")
        if self._record is None:
            return self._missing()
        return goodput_figure(self._record) if kind == "goodput" else links_figure(self._record)

    def table(self, kind: str = "goodput") -> Table | TextBlock:
        """One of three.

        `goodput`: with its ratio to the reference; `retransmits`: what was sent again; `links`: how
        the router's bond used its ports.
        """
        made = {"goodput": goodput_table, "retransmits": retransmits, "links": balance.table}
        if kind not in made:
            raise UsageError(f"no table {kind!r}: there are {', '.join(made)}")
        return made[kind](self._record) if self._record else self._missing()

    def claims(self) -> Table | TextBlock:
        """The sources' claims on TCP, and this run's verdicts."""
        if self._record is None:
            return self._missing()
        judged = claims.judge_run(self.lab, self._record)
        made_by = self._record.provenance()
        return claims_table(judged, made_by, conditions=self._record.titles)
