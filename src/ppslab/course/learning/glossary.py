"""The glossary: one word for each thing, with its names in RouterOS, Linux and the RFCs."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.text.tables import Cell, Table

FILE = Path("book/glossary.yml")


class Term(StrictModel):
    """One word of the course.

    `also`: other forms of it in sentences.  `routeros`, `linux`, `rfc`: what it is
    called there, empty where it has no name.
    """

    term: str = Field(min_length=2)
    means: str = Field(min_length=20, max_length=400)
    also: tuple[str, ...] = ()
    routeros: str = ""
    linux: str = ""
    rfc: str = ""
    page: str = ""

    @property
    def anchor(self) -> str:
        """Its id on the page of the glossary."""
        return "term-" + re.sub(r"[^a-z0-9]+", "-", self.term.lower()).strip("-")

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.term, *self.also)


class Glossary(StrictModel):
    """book/glossary.yml."""

    terms: tuple[Term, ...] = Field(min_length=1)


def path() -> Path:
    return paths.project_root() / FILE


def load(file: Path | None = None) -> tuple[Term, ...]:
    """Every term, by the alphabet; FileError for one that stands twice or has no neighbour."""
    file = file or path()
    return _load(file, file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache(maxsize=4)
def _load(file: Path, _modified: int) -> tuple[Term, ...]:
    document = documents.load_yaml(file)
    terms = fitting.validate(document, Glossary).terms
    seen: dict[str, str] = {}
    for place, each in enumerate(terms):
        for form in each.forms:
            if form.lower() in seen:
                message = f"{form!r} stands for {seen[form.lower()]} already"
                raise document.error(("terms", place), message)
            seen[form.lower()] = each.term
    return tuple(sorted(terms, key=lambda each: each.term.lower()))


def pattern(terms: tuple[Term, ...]) -> re.Pattern[str]:
    """Finds any form of any term as a word of its own, the longest first.

    A form with a capital letter inside is written so; any other may begin a sentence.
    """
    forms = sorted((form for each in terms for form in each.forms), key=len, reverse=True)
    return re.compile(rf"(?<![\w/.=-])(?:{'|'.join(map(_written, forms))})(?![\w=-]|[./]\w)")


def _written(form: str) -> str:
    if form != form.lower():
        return re.escape(form)
    return f"[{form[0].upper()}{form[0]}]{re.escape(form[1:])}"


def beside(terms: tuple[Term, ...]) -> Table:
    """The names of the same things in RouterOS, Linux and the RFCs."""
    rows = tuple(
        (Cell(each.term, links=(each.anchor,)), *(Cell(name or "-") for name in names))
        for each in terms
        if any(names := (each.routeros, each.linux, each.rfc))
    )
    return Table("One thing, three names", ("here", "RouterOS", "Linux", "RFC"), rows)
