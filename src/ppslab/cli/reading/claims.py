"""`ppslab claims`: the published claims and their verdicts from the newest records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import typer
from rich.table import Table

from ppslab.cli.printing import console, left_out
from ppslab.core.documents import write_atomic
from ppslab.core.text.terminal import echo
from ppslab.judge import badge, claims, outcome
from ppslab.model.lab import lab


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("claims")(show_claims)


def show_claims(
    name: str | None = typer.Argument(None, metavar="[LAB]", help="One lab; default: all."),
    as_json: bool = typer.Option(False, "--json", help="Print a JSON list, one object per claim."),
    badge_file: Path | None = typer.Option(
        None, "--badge", help="Write the README's badge here, from the runs kept in results/."
    ),
) -> None:
    """Show what was published, what was measured, and the verdict.

    Exits with 1 where RouterOS itself, or its manual, refutes a claim, or a lab could not be
    judged; with 2 where a lab could not be read, or you name a lab and one of its files is wrong.
    """
    if badge_file is not None:
        write_atomic(badge_file, badge.svg(badge.said([name] if name else None)))
        return
    readable, unreadable = lab.Tried([lab.find(name)], {}) if name else lab.tried()
    outcomes = [outcome.of(each) for each in readable]
    faults = [each for each in outcomes if each.fault]
    if name and faults and faults[0].fault:
        raise faults[0].fault
    verdicts = [verdict for each in outcomes for verdict in each.judged]
    if as_json:
        echo(json.dumps([verdict.plain() for verdict in verdicts], indent=1))
    else:
        console.print(_table(verdicts))
    for each in faults:
        echo(each.sentence, err=True)
    wrong = left_out(unreadable)
    refuted = any(each.verdict == claims.REFUTED for each in verdicts)
    raise typer.Exit(wrong or int(bool(faults) or refuted))


def _table(verdicts: Iterable[claims.Judged]) -> Table:
    shown = Table(title="Claims")
    for column in ("claim", "published", "measured", "verdict", "evidence", "reason"):
        shown.add_column(column)
    for verdict in verdicts:
        shown.add_row(
            verdict.id,
            verdict.published,
            str(verdict.quantity),
            f"[{_COLOURS[verdict.verdict]}]{verdict.verdict}[/]",
            verdict.evidence or "-",
            verdict.reason,
        )
    return shown


_COLOURS = {
    claims.CONFIRMED: "bold green",
    claims.REFUTED: "bold red",
    claims.CONSISTENT: "green",
    claims.INCONSISTENT: "red",
    claims.IN_SIZE: "green",
    claims.IN_DIRECTION: "cyan",
    claims.DIFFERS: "magenta",
    claims.CANNOT_TELL: "yellow",
    claims.NO_VERDICT: "dim",
    claims.NOT_TESTABLE: "dim",
}
