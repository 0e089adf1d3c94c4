"""`ppslab report`: records as one file for a reader, or as rows for a program."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.cli.reading import writing


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("report")(make_report)


def make_report(
    record: list[str] = typer.Argument(
        metavar="RECORD...", help="Files of records, or names of records in results/."
    ),
    html: bool = typer.Option(False, "--html", help="One HTML file that opens offline (default)."),
    pdf: bool = typer.Option(False, "--pdf", help="Pages to print."),
    csv: bool = typer.Option(
        False, "--csv", help="CSV, one row per result; printed without --out."
    ),
    json: bool = typer.Option(False, "--json", help="One JSON object; printed without --out."),
    out: Path | None = typer.Option(
        None,
        help="Write to this file; its suffix chooses the format. Default: RECORD.html or .pdf.",
    ),
) -> None:
    """Report what records say: method, environment, deviations, results, configurations."""
    # Imported here, since every other command would wait for matplotlib too.
    from ppslab.show import report  # noqa: PLC0415

    asked: dict[writing.Form, bool] = {"html": html, "pdf": pdf, "csv": csv, "json": json}
    form = writing.chosen(asked, out, "html")
    assert form is not None
    sources = [report.load(name) for name in record]
    name = sources[0].path.stem if len(sources) == 1 else "report"
    writing.write(
        form,
        {
            "html": lambda: report.html(report.document(sources)),
            "pdf": lambda: report.pdf(report.document(sources)),
            "csv": lambda: report.csv(sources),
            "json": lambda: report.json(sources),
        },
        out,
        name,
    )
