"""What `ppslab report` and `ppslab compare` share: the form and the file of their output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, get_args

from ppslab.core import documents
from ppslab.core.errors import UsageError
from ppslab.core.text.terminal import echo

Form = Literal["html", "pdf", "csv", "json"]
FORMS: tuple[Form, ...] = get_args(Form)
PRINTED: frozenset[Form] = frozenset({"csv", "json"})
"""Forms that go to standard output where no file is named."""


def chosen(asked: Mapping[Form, bool], out: Path | None, otherwise: Form | None) -> Form | None:
    """The form: by its option, else by the suffix of --out, else `otherwise`.

    UsageError for two forms at once, and for a --out that is a folder or of no known form.
    """
    forms = [form for form, yes in asked.items() if yes]
    if len(forms) > 1:
        raise UsageError(f"one form at a time: --{' or --'.join(forms)}")
    if out is not None and out.is_dir():
        raise UsageError(f"--out {out}: this is a folder; name a file")
    if forms:
        return forms[0]
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
    """Write the output in that form, whole or not at all, and print the file's name.

    `name` is the file's, without suffix, where --out gives none.  CSV and JSON go to standard
    output then, and nothing else does.  FileError where the file cannot be written.
    """
    made = make[form]()
    if out is None and form in PRINTED:
        echo(made, nl=False)
        return
    path = out or Path(f"{name}.{form}")
    documents.write_atomic(path, made)
    echo(path)
