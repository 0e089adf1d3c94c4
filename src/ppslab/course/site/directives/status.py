"""Tables of what was measured when: the runs, the notebooks, and their verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab.core.provenance_line import MACHINES
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.core.version import VERSION
from ppslab.course.site.directives.env_store import Late, Noted
from ppslab.course.site.directives.nodes import late_table_nodes
from ppslab.course.site.directives.sources import LabDirective, find_kind
from ppslab.course.site.directives.views import table
from ppslab.judge import outcome, scoreboard
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.results import CalibrationRecord, ProfileRecord, Run, SuiteRecord, TcpRecord
from ppslab.model.results.kinds import FaultsRecord

EXECUTED: Noted[dict[str, Any]] = Noted("executed")
"""For each notebook's page myst-nb's data on its execution."""

SHOWN = Late("status", EXECUTED)

COMMANDS: Mapping[type[Run], str] = {
    TcpRecord: "ppslab tcp",
    SuiteRecord: "ppslab rfc2544",
    ProfileRecord: "ppslab profile",
    FaultsRecord: "ppslab break",
}
"""The records of a lab beside that of `ppslab run`, in the order of the table."""


class executions(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """The place of the table of notebooks."""


@table("notebooks")
def notebooks(page: LabDirective) -> nodes.Node:
    """The notebooks of this build, whose table is made when every page has been read."""
    SHOWN.note(page.env)
    return executions("")


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


def read(app: Sphinx, doctree: nodes.document) -> None:
    """Note how a notebook's execution went, when its page has just been read."""
    del doctree
    noted = getattr(app.env, "nb_metadata", {}).get(app.env.docname, {})
    execution = noted.get("exec_data")
    if execution:
        EXECUTED.of(app.env)[app.env.docname] = dict(execution)


def notebooks_table(env: BuildEnvironment, docname: str) -> Table:
    """A row for each notebook; links lead from the page `docname`."""
    rows = []
    pages = sorted(page for page in env.found_docs if env.doc2path(page).endswith(".ipynb"))
    for page in pages:
        execution = EXECUTED.of(env).get(page, {})
        when = execution.get("mtime")
        rows.append(
            (
                Cell(
                    env.titles[page].astext(),
                    links=(f"{env.app.builder.get_relative_uri(docname, page)}#",),
                ),
                Cell(f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d %H:%M} UTC" if when else "-"),
                Cell(duration(execution["runtime"]) if execution.get("runtime") else "-"),
                Cell(_outcome(execution)),
                Cell(_verdicts(page.rsplit("/", 1)[-1])),
            )
        )
    return Table(
        title="Notebook runs for this site",
        header=("notebook", "ran", "took", "outcome", "verdicts of its lab"),
        rows=tuple(rows),
        notes=(
            "On this site, the notebooks read the newest records; "
            "they measure only when you run them.",
            f"Built with ppslab {VERSION}.",
        ),
    )


def _outcome(execution: dict[str, Any]) -> str:
    if not execution:
        return "not run: stored outputs"
    return "passed" if execution.get("succeeded") else "failed"


def _verdicts(lab: str) -> str:
    if lab not in labs.names():
        return "-"
    readable, _ = labs.tried([lab])
    if not readable or (judging := outcome.of(readable[0])).fault:
        return "not judged"
    return scoreboard.evidence_text(judging.judged) or "-"


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the table where its place is."""
    for placed in list(doctree.findall(executions)):
        placed.replace_self(late_table_nodes(notebooks_table(app.env, docname)))


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_node(executions)
    EXECUTED.setup(app)
    SHOWN.setup(app)
    app.connect("doctree-read", read)
    app.connect("doctree-resolved", fill)
