"""`ppslab claims`: the published claims and their verdicts from the newest records."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from ppslab import badge, claims, lab, results
from ppslab.documents import write_atomic

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("claims")(show_claims)


def show_claims(
    name: str | None = typer.Argument(None, metavar="[LAB]", help="One lab; all without it."),
    as_json: bool = typer.Option(False, "--json", help="A list of objects, one a claim."),
    badge_file: Path | None = typer.Option(
        None, "--badge", help="Write the README's badge here, from the runs kept in results/."
    ),
) -> None:
    """Show what was published, what was measured, and the verdict.

    Exits with 1 where a claim is contradicted.
    """
    if badge_file is not None:
        write_atomic(badge_file, badge.svg(badge.said([name] if name else None)))
        return
    names = [name] if name else lab.names()
    verdicts = []
    for each in names:
        found = lab.find(each)
        verdicts += claims.judge_all(
            found, results.newest(each), results.newest_of(results.TcpRecord, each)
        )
    contradicted = any(verdict.verdict == claims.CONTRADICTED for verdict in verdicts)
    if as_json:
        typer.echo(json.dumps([verdict.plain() for verdict in verdicts], indent=1))
        raise typer.Exit(int(contradicted))
    shown = Table(title="Claims")
    for column in ("claim", "published", "measured", "verdict", "reason"):
        shown.add_column(column)
    for verdict in verdicts:
        shown.add_row(
            verdict.id,
            verdict.published,
            verdict.measured_text,
            f"[{_COLOURS[verdict.verdict]}]{verdict.verdict}[/]",
            verdict.reason,
        )
    console.print(shown)
    raise typer.Exit(int(contradicted))


_COLOURS = {
    claims.REPRODUCED: "green",
    claims.CONTRADICTED: "red",
    claims.INCONCLUSIVE: "yellow",
    claims.NOT_TESTABLE: "dim",
}
