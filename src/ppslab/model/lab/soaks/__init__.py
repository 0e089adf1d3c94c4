"""How long a soak lasts: soaks.yml."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean


class Soak(StrictModel):
    """Legs of equal length, one after the other."""

    name: str = Field(description="what commands and records call it")
    legs: int = Field(gt=0, description="how many")
    seconds: float = Field(gt=0, description="of sending in each")


def load(name: str) -> Soak:
    """The soak called `name`; UsageError names the near ones where there is none."""
    document = documents.load_yaml(Path(__file__).with_name("soaks.yml"))
    if name not in document.data:
        near = did_you_mean(name, document.data)
        raise UsageError(f"no soak {name!r}{near}: there are {', '.join(document.data)}")
    return Soak.model_validate({"name": name, **document.data[name]})
