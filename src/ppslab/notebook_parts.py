"""What a notebook shows beside figures and tables: sentences, configuration files, and a run as
far as runs of every kind show themselves alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from typing import ClassVar, Generic, TypeVar

from ppslab.errors import UsageError
from ppslab.lab import Lab
from ppslab.results import Run

Made = TypeVar("Made", bound=Run)

RECORDED = "recorded"
"""The backend that measures nothing and takes the newest record."""


class Words:
    """Sentences under a heading; `aside` where they differ from run to run."""

    def __init__(self, title: str, lines: Sequence[str], *, aside: bool = False) -> None:
        self.title = title
        self.lines = tuple(lines)
        self.aside = aside

    def __repr__(self) -> str:
        mark = "provenance: " if self.aside else ""
        return "\n".join([self.title, *(f"{mark}{line}" for line in self.lines)])

    def _repr_html_(self) -> str:
        aside = " data-aside" if self.aside else ""
        items = "".join(f"<li{aside}>{escape(line)}</li>" for line in self.lines)
        return f'<div class="ppslab"><p>{escape(self.title)}</p><ul>{items}</ul></div>'


class Files:
    """Configuration files, each whole and under its name."""

    def __init__(self, title: str, note: str, files: dict[str, str]) -> None:
        self.title = title
        self.note = note
        self.files = files

    def __repr__(self) -> str:
        parts = [f"{self.title}\n{self.note}"]
        parts += [f"--- {name}\n{text.rstrip()}" for name, text in self.files.items()]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        shown = "".join(
            f"<details><summary><code>{escape(name)}</code></summary>"
            f"<pre>{escape(text.rstrip())}</pre></details>"
            for name, text in self.files.items()
        )
        return (
            f'<div class="ppslab"><p><strong>{escape(self.title)}</strong></p>'
            f"<p>{escape(self.note)}</p>{shown}</div>"
        )


class Measured(ABC, Generic[Made]):
    """A run of a lab and its record, or the words that stand where nothing was measured yet."""

    called: ClassVar[str]
    """What such a run is called in a sentence."""

    command: ClassVar[str]
    """The ppslab command that measures it."""

    def __init__(self, lab: Lab, record: Made | None, path: str = "") -> None:
        self.lab = lab
        self._record = record
        self.path = path

    def __repr__(self) -> str:
        return repr(self._summary())

    def _repr_html_(self) -> str:
        return self._summary()._repr_html_()

    @property
    def record(self) -> Made:
        """The record; UsageError where nothing was measured yet."""
        if self._record is None:
            raise UsageError(f"no {self.called} of {self.lab.name} yet: {self._how()}")
        return self._record

    @property
    def cannot_show(self) -> Words:
        """What this router and this profile cannot show."""
        if self._record is None:
            return self._missing()
        record = self._record
        return Words(
            "What this run cannot show",
            [record.router["cannot_show"], *record.deviations, *self._left_out(record)],
        )

    @abstractmethod
    def _title(self, record: Made) -> str:
        """The lab, and how much of it was measured."""

    def _left_out(self, record: Made) -> Sequence[str]:
        """What was not measured and why, a sentence each."""
        del record
        return ()

    def _summary(self) -> Words:
        if self._record is None:
            return self._missing()
        return Words(self._title(self._record), [self._record.provenance()], aside=True)

    def _missing(self) -> Words:
        return Words(f"No {self.called} yet.", [f"Measure: {self._how()}"])

    def _how(self) -> str:
        return f"ppslab {self.command} {self.lab.name}"
