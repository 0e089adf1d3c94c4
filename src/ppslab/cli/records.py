"""`ppslab report` and `ppslab compare`: what records say, and what differs between two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import typer

from ppslab.cli.printing import console
from ppslab.core import documents
from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.core.text.terminal import echo

Form = Literal["html", "pdf", "csv", "json"]
FORMS: tuple[Form, ...] = get_args(Form)
PRINTED: frozenset[Form] = frozenset({"csv", "json"})
"""Forms that go to standard output where no file is named."""


def make_report(
    record: list[str] = typer.Argument(
        metavar="RECORD...", help="Files of records, or names of records in results/."
    ),
    html: bool = typer.Option(False, "--html", help="One HTML file that opens offline (default)."),
    pdf: bool = typer.Option(False, "--pdf", help="A PDF to print."),
    csv: bool = typer.Option(
        False, "--csv", help="CSV, one row per result; printed without --out."
    ),
    json: bool = typer.Option(False, "--json", help="One JSON object; printed without --out."),
    out: Path | None = typer.Option(
        None,
        help="Write to this file; its suffix chooses the format. Default: RECORD.html or .pdf.",
    ),
) -> None:
    """Write a report on records: method, environment, deviations, results, configurations."""
    # Imported here, since every other command would wait for matplotlib too.
    from ppslab.show import report  # noqa: PLC0415

    asked: dict[Form, bool] = {"html": html, "pdf": pdf, "csv": csv, "json": json}
    form = _form(asked, out)
    sources = [report.load(name) for name in record]
    make: dict[Form, Callable[[Sequence[report.Source]], str | bytes]] = {
        "html": report.html,
        "pdf": report.pdf,
        "csv": report.csv,
        "json": report.json,
    }
    made = make[form](sources)
    if out is None and form in PRINTED:
        echo(made, nl=False)
        return
    path = out or Path(f"{sources[0].path.stem if len(sources) == 1 else 'report'}.{form}")
    documents.write_atomic(path, made)
    echo(path)


def compare(
    a: str = typer.Argument(metavar="A", help="A record, or RECORD:CONDITION."),
    b: str = typer.Argument(metavar="B", help="The record to compare with it, in the same form."),
) -> None:
    """List the differences between two records, with intervals; no rows if the records agree."""
    # Imported here, since every other command would wait for matplotlib too.
    from ppslab.show.report.comparing import comparing  # noqa: PLC0415

    found = comparing.compare(a, b)
    for line in comparing.named(found):
        console.print(line, markup=False)
    if (differing := comparing.differing(found)).rows:
        console.print(differing)
    if found.questions:
        console.print(comparing.judged(found))
    why = Counter(row.why_not for row in found.rows if not row.judged)
    for reason, count in why.items():
        console.print(f"not judged, {plural(count, 'row')}: {reason}", style="yellow", markup=False)
    for note in found.notes:
        console.print(note, style="dim", markup=False)
    for sentence in found.conclusion():
        console.print(sentence, markup=False)


def _form(asked: Mapping[Form, bool], out: Path | None) -> Form:
    """The form of a report: by its option, else by the suffix of --out, else HTML.

    UsageError for two forms at once, and for a --out that is a folder or of no known form.
    """
    forms = [form for form, yes in asked.items() if yes]
    if len(forms) > 1:
        raise UsageError(f"one form at a time: --{' or --'.join(forms)}")
    if out is not None and out.is_dir():
        raise UsageError(f"--out {out}: this is a folder; name a file")
    if forms or out is None:
        return forms[0] if forms else "html"
    suffix = out.suffix.removeprefix(".").lower()
    if suffix not in FORMS:
        raise UsageError(f"--out {out}: name a .html, .pdf, .csv or .json file, or add --html")
    return suffix
