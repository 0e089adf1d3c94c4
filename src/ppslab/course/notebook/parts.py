"""The parts of a run in a notebook that all kinds of runs share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from ppslab.core.errors import UsageError
from ppslab.core.text.display import TextBlock
from ppslab.model.lab.lab import Lab
from ppslab.model.results import Run

RunRecord = TypeVar("RunRecord", bound=Run)

RECORDED = "recorded"
"""The backend that measures nothing and takes the newest record."""


class Measured(ABC, Generic[RunRecord]):
    """A run of a lab and its record, or the text shown where nothing was measured yet."""

    called: ClassVar[str]
    """Name of such a run in a sentence."""

    command: ClassVar[str]
    """The ppslab command that measures it."""

    def __init__(self, lab: Lab, record: RunRecord | None, path: str = "") -> None:
        self.lab = lab
        self._record = record
        self.path = path

    def __repr__(self) -> str:
        return repr(self.summary())

    def _repr_html_(self) -> str:
        return self.summary().html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.summary()._repr_mimebundle_(include, exclude)

    @property
    def record(self) -> RunRecord:
        """The record; UsageError where nothing was measured yet."""
        if self._record is None:
            raise UsageError(f"no {self.called} of {self.lab.name} yet: {self._how()}")
        return self._record

    @property
    def cannot_show(self) -> TextBlock:
        """The limits of this router and this profile."""
        if self._record is None:
            return self._missing()
        record = self._record
        return TextBlock(
            "What this run cannot show",
            [record.router["cannot_show"], *record.deviations, *self._left_out(record)],
        )

    @abstractmethod
    def _title(self, record: RunRecord) -> str:
        """The lab, and how much of it was measured."""

    def _left_out(self, record: RunRecord) -> Sequence[str]:
        """Sentences on what was not measured, and why."""
        del record
        return ()

    def summary(self) -> TextBlock:
        """The measured result with its provenance; or the command that measures it."""
        if self._record is None:
            return self._missing()
        return TextBlock(
            self._title(self._record), [self._record.provenance().sentence], aside=True
        )

    def _missing(self) -> TextBlock:
        return TextBlock(f"No {self.called} yet.", [f"Measure: {self._how()}"])

    def _how(self) -> str:
        return f"ppslab {self.command} {self.lab.name}"
