"""What every object of a record is: closed, so that a misspelt word is an error, and unchanging."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Words(BaseModel):
    """One object of a record."""

    model_config = ConfigDict(extra="forbid", frozen=True)
