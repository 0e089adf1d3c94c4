"""What every word of a lab's files is made of: strict mappings, and names."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]


class Words(BaseModel):
    """One mapping of a lab file: unknown words are errors, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)
