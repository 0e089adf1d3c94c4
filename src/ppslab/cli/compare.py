"""`ppslab compare`: two records, or two conditions, side by side."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from ppslab.cli import writing

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("compare")(compare)


def compare(
    a: str = typer.Argument(metavar="A", help="A record, or RECORD:CONDITION."),
    b: str = typer.Argument(metavar="B", help="What is compared with it, in the same form."),
    html: bool = typer.Option(False, "--html", help="One HTML file that opens offline."),
    pdf: bool = typer.Option(False, "--pdf", help="Pages to print."),
    csv: bool = typer.Option(False, "--csv", help="One row a quantity; printed without --out."),
    json: bool = typer.Option(False, "--json", help="One object; printed without --out."),
    out: Path | None = typer.Option(None, help="Write here; its suffix says the form."),
) -> None:
    """Say what differs between two records, with intervals; nothing where nothing does."""
    # Here, since every other command would wait for matplotlib too.
    from ppslab import report  # noqa: PLC0415
    from ppslab.report import comparing  # noqa: PLC0415

    asked: dict[writing.Form, bool] = {"html": html, "pdf": pdf, "csv": csv, "json": json}
    form = writing.chosen(asked, out, None)
    found = comparing.compare(a, b)
    if form is not None:
        writing.write(
            form,
            {
                "html": lambda: report.html(comparing.document(found)),
                "pdf": lambda: report.pdf(comparing.document(found)),
                "csv": lambda: comparing.csv(found),
                "json": lambda: comparing.json(found),
            },
            out,
            "comparison",
        )
        return
    table = comparing.table(found)
    shown = Table(title=table.title)
    for name in table.header:
        shown.add_column(name)
    for row in table.rows:
        style = "bold" if row[-1].kind == "real" else None
        shown.add_row(*(cell.text.replace("[", "\\[") for cell in row), style=style)
    console.print(shown)
    for note in table.notes:
        console.print(note, style="dim", markup=False)
    for sentence in found.sentences() or (comparing.NONE,):
        console.print(sentence, markup=False)
