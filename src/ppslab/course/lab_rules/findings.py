"""What a rule finds: how bad it is, where it stands, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ppslab.model.lab.lab import Lab

FAULT: Literal["fault"] = "fault"
TO_WRITE: Literal["to write"] = "to write"
ADVICE: Literal["advice"] = "advice"
Kind = Literal["fault", "to write", "advice"]


@dataclass(frozen=True)
class Finding:
    """One; `line` is counted from 1, None where the whole file is meant."""

    kind: Kind
    path: Path
    line: int | None
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        return f"{place}: {self.message}"

    def fails(self, lab: Lab) -> bool:
        """Whether it is wrong as the lab stands: nobody has yet to write what a draft lacks."""
        return self.kind == FAULT or (self.kind == TO_WRITE and not lab.spec.draft)
