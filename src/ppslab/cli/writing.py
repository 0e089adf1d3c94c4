"""What `ppslab report` and `ppslab compare` share: in which form, and into which file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, get_args

import typer

from ppslab import documents
from ppslab.errors import UsageError

Form = Literal["html", "pdf", "csv", "json"]
FORMS: tuple[Form, ...] = get_args(Form)
PRINTED: frozenset[Form] = frozenset({"csv", "json"})
"""Forms that go to standard output where no file is named."""


def chosen(asked: Mapping[Form, bool], out: Path | None, otherwise: Form | None) -> Form | None:
    """The form that was asked for: by its option, else by the suffix of --out, else `otherwise`.

    UsageError for two forms at once, and for a --out that is a folder or of no known form.
    """
    wanted = [form for form, yes in asked.items() if yes]
    if len(wanted) > 1:
        raise UsageError(f"one form at a time: --{' or --'.join(wanted)}")
    if out is not None and out.is_dir():
        raise UsageError(f"--out {out}: this is a folder, a file is wanted")
    if wanted:
        return wanted[0]
    if out is None:
        return otherwise
    suffix = out.suffix.removeprefix(".").lower()
    if suffix not in FORMS:
        raise UsageError(f"--out {out}: name it .html, .pdf, .csv or .json, or say --html")
    return suffix


def write(
    form: Form,
    make: Mapping[Form, Callable[[], str | bytes]],
    out: Path | None,
    name: str,
) -> None:
    """Make the form and write it, whole or not at all; the file's name is printed.

    `name` is the file's, without suffix, where --out gives none.  CSV and JSON go to standard
    output then, and nothing else does.  FileError where the file cannot be written.
    """
    made = make[form]()
    if out is None and form in PRINTED:
        typer.echo(made, nl=False)
        return
    path = out or Path(f"{name}.{form}")
    documents.write_atomic(path, made)
    typer.echo(path)
