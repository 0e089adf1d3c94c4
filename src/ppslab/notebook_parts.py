"""A run in a notebook, as far as runs of every kind show themselves alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from ppslab.errors import UsageError
from ppslab.lab import Lab
from ppslab.results import Run
from ppslab.shown import Words

Made = TypeVar("Made", bound=Run)

RECORDED = "recorded"
"""The backend that measures nothing and takes the newest record."""


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
        return repr(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

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

    def summary(self) -> Words:
        """What was measured, and what made the numbers; or how to measure it."""
        if self._record is None:
            return self._missing()
        return Words(self._title(self._record), [self._record.provenance()], aside=True)

    def _missing(self) -> Words:
        return Words(f"No {self.called} yet.", [f"Measure: {self._how()}"])

    def _how(self) -> str:
        return f"ppslab {self.command} {self.lab.name}"
