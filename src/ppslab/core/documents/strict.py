"""The one base of every model that a file is read into."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """One mapping of a file: an unknown key is an error, and what was read does not change.

    Infinity and NaN are no values of a file either.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
