"""A lab as its files describe it: conditions, streams, published numbers, profiles, wiring."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
"""The name of a lab, a condition, a topology."""
