"""What shows itself in a notebook: as HTML, as text, and as the numbers both are made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

NUMBERS = "application/vnd.ppslab.numbers+json"
"""The MIME type of the numbers beside the text and the HTML of an output."""


class Shown(ABC):
    """Something with a text, an HTML and the data of both."""

    @abstractmethod
    def plain(self) -> str:
        """As text."""

    @abstractmethod
    def html(self) -> str:
        """As HTML."""

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """As JSON: `kind` and `title`, its words and its numbers with their units and intervals."""

    @property
    @abstractmethod
    def of_a_run(self) -> bool:
        """Whether another run would show other numbers: words alone are the same each time."""

    def __repr__(self) -> str:
        return self.plain()

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """What Jupyter keeps beside the text and the HTML."""
        del include, exclude
        return {NUMBERS: self.data()} if self.of_a_run else {}
