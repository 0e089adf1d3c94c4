"""`ppslab compare`: two records, or two conditions, side by side."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.markup import escape
from rich.table import Table

from ppslab.cli.printing import console
from ppslab.cli.reading import writing
from ppslab.core.text.numbers import plural
from ppslab.core.text.quantities import quantity

if TYPE_CHECKING:
    from ppslab.show.report.comparing.comparison import Comparison


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("compare")(compare)


def compare(
    a: str = typer.Argument(metavar="A", help="A record, or RECORD:CONDITION."),
    b: str = typer.Argument(metavar="B", help="What is compared with it, in the same form."),
    html: bool = typer.Option(False, "--html", help="One HTML file that opens offline."),
    pdf: bool = typer.Option(False, "--pdf", help="Pages to print."),
    csv: bool = typer.Option(
        False, "--csv", help="CSV, one row per quantity; printed without --out."
    ),
    json: bool = typer.Option(False, "--json", help="One JSON object; printed without --out."),
    out: Path | None = typer.Option(
        None, help="Write to this file; its suffix chooses the format."
    ),
) -> None:
    """Say what differs between two records, with intervals; nothing if nothing differs."""
    # Imported here, since every other command would wait for matplotlib too.
    from ppslab.show import report  # noqa: PLC0415
    from ppslab.show.report.comparing import comparing, showing  # noqa: PLC0415

    asked: dict[writing.Form, bool] = {"html": html, "pdf": pdf, "csv": csv, "json": json}
    form = writing.chosen(asked, out, None)
    found = comparing.compare(a, b)
    if form is not None:
        writing.write(
            form,
            {
                "html": lambda: report.html(showing.document(found)),
                "pdf": lambda: report.pdf(showing.document(found)),
                "csv": lambda: showing.csv(found),
                "json": lambda: showing.json(found),
            },
            out,
            "comparison",
        )
        return
    for line in showing.named(found):
        console.print(line, markup=False)
    if found.questions:
        console.print(_table(found))
    why = Counter(row.why_not for row in found.rows if not row.judged)
    for reason, count in why.items():
        console.print(f"not judged, {plural(count, 'row')}: {reason}", style="yellow", markup=False)
    for note in found.notes:
        console.print(note, style="dim", markup=False)
    for sentence in found.told():
        console.print(sentence, markup=False)


def _table(comparison: Comparison) -> Table:
    """The rows that are judged; for a terminal of eighty columns."""
    shown = Table()
    for name in ("what", "A", "B", "B over A", "says"):
        shown.add_column(name)
    for row in comparison.rows:
        if row.judged:
            style = "bold" if row.real(comparison.questions) else None
            what = f"{row.subject}: {row.quantity}"
            cells = (what, row.a, row.b, quantity(row.ratio, row.unit), comparison.verdict(row))
            shown.add_row(*(escape(str(cell)) for cell in cells), style=style)
    return shown
