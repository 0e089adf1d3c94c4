"""Where the seat of this machine is kept; it loads nothing, for commands that only ask."""

from __future__ import annotations

from pathlib import Path

from ppslab.course.tasks import state


def folder() -> Path:
    """Among what ppslab keeps for this user."""
    return state.folder().parent


def file() -> Path:
    """The seat: where the board is, and what it knows this machine by."""
    return folder() / "workshop.json"


def waiting() -> Path:
    """The events that the board has not yet, one a line."""
    return folder() / "workshop-waiting.jsonl"
