"""What every word of a lab's files is made of: strict mappings, and names."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
