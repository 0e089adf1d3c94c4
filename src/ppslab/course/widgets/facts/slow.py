"""What the dialogue reads of a router's output: book/slow.yml."""

from __future__ import annotations

from typing import Any

from ppslab.core import paths
from ppslab.course.learning import slow


def facts() -> dict[str, Any]:
    """The readings of the dialogue's questions."""
    return {"readings": slow.load(paths.project_root() / slow.FILE).readings()}
