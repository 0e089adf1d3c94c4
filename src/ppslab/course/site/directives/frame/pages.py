"""Titles and descriptions for search engines, and words that find a page here: book/pages.yml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, RootModel
from sphinx.application import Sphinx

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel

FILE = "book/pages.yml"

MOST_TITLE = 60
MOST_DESCRIPTION = 155
"""Letters of a title and of a description that search engines show whole."""


class Page(StrictModel):
    """A row; `search`: the words and phrases of those who look for the page."""

    title: Annotated[str, Field(min_length=1, max_length=MOST_TITLE)]
    description: Annotated[str, Field(min_length=1, max_length=MOST_DESCRIPTION)]
    search: tuple[str, ...] = ()


class _Pages(RootModel[dict[str, Page]]):
    """The whole file: page to row."""


def load(path: Path) -> dict[str, Page]:
    """The rows, in the file's order; FileError with the line of what is wrong in it."""
    return fitting.validate(documents.load_yaml(path), _Pages).root


def of(app: Sphinx) -> dict[str, Page]:
    """The rows of the book; none where it has no such file."""
    path = Path(app.srcdir) / FILE
    return load(path) if path.is_file() else {}


def shortened(text: str, most: int) -> str:
    """A text of at most `most` letters, cut behind a sentence or a word."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = text[: most - 3]
    sentence = cut.rfind(". ")
    return cut[: sentence + 1] if sentence > most // 3 else cut[: cut.rfind(" ")] + " ..."
