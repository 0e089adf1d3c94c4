"""A table of what was measured when."""

from __future__ import annotations

from collections.abc import Mapping

from ppslab.core.provenance import MACHINES
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.course.site.directives.sources import LabDirective, find_kind
from ppslab.course.site.directives.views import table
from ppslab.model import results
from ppslab.model.results import CalibrationRecord, ProfileRecord, Run, SuiteRecord, TcpRecord
from ppslab.model.results.kinds import FaultsRecord

COMMANDS: Mapping[type[Run], str] = {
    TcpRecord: "ppslab tcp",
    SuiteRecord: "ppslab rfc2544",
    ProfileRecord: "ppslab profile",
    FaultsRecord: "ppslab break",
}
"""The records of a lab beside that of `ppslab run`, in the order of the table."""


@table("runs")
def newest_runs(page: LabDirective) -> Table:
    """The newest record of each measurement of each lab."""
    rows = []
    for source in page.every():
        name = source.lab.name
        if source.record is not None:
            rows.append(_row(f"ppslab run {name}", source.record))
        for kind, command in COMMANDS.items():
            path = find_kind(page.env, kind, name)
            if path is not None:
                rows.append(_row(f"{command} {name}", results.load_as(path, kind)))
    tester = find_kind(page.env, CalibrationRecord, "ppstraffic")
    if tester is not None:
        rows.append(_row("ppslab calibrate", results.load_as(tester, CalibrationRecord)))
    return Table(
        title="The newest run of each measurement",
        header=("measurement", "measured", "took", "on", "kernel", "profile", "ppslab"),
        rows=tuple(rows),
    )


def _row(command: str, record: Run | CalibrationRecord) -> tuple[Cell, ...]:
    facts = record.provenance()
    commit = record.ppslab.get("commit", "unknown")
    return cells(
        command,
        f"{record.started:%Y-%m-%d %H:%M} UTC",
        duration((record.finished - record.started).total_seconds()),
        MACHINES[facts.kind],
        facts.kernel,
        facts.profile or "-",
        commit[:7] + ("+" if commit.endswith("+") else ""),
    )


def duration(seconds: float) -> str:
    """`8 s`, `4 min 12 s`."""
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{seconds:.2g} s"
