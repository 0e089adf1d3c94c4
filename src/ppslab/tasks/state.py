"""What a learner has done at a lab's tasks: one JSON file a lab and variant, kept over reboots.

`done` says when a task's check first passed; `solved` which were solved by `solve`.  `at` is the
task that was started last, and `run` in which deployment: another one is another lab, in which
nothing of it stands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ppslab import documents
from ppslab.errors import FileError
from ppslab.tasks.words import VARIANTS, Variant

FORM = 1


@dataclass
class State:
    """One lab's tasks, as far as they are done."""

    lab: str
    variant: Variant
    at: str = ""
    run: str = ""
    done: dict[str, str] = field(default_factory=dict)
    solved: list[str] = field(default_factory=list)
    hints: dict[str, int] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return folder() / f"{self.lab}-{self.variant}.json"

    def pass_(self, task: str) -> bool:
        """Note that a task's check has passed; whether it is the first time."""
        first = task not in self.done
        if first:
            self.done[task] = datetime.now(UTC).isoformat(timespec="seconds")
        return first

    def save(self) -> None:
        """Write it, whole or not at all."""
        documents.write_json(self.path, {"ppslab-tasks": FORM, **asdict(self)})


def folder() -> Path:
    """Where the files stand: with what else ppslab keeps on this machine for its user."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "ppslab" / "tasks"


def load(lab: str, variant: Variant) -> State:
    """What was done; nothing where nothing was.  FileError for a file that is none of ours."""
    state = State(lab, variant)
    try:
        text = state.path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return state
    except OSError as error:
        raise FileError(state.path, None, f"cannot be read: {error.strerror}") from None
    try:
        found = json.loads(text)
        if found.pop("ppslab-tasks") != FORM:
            raise ValueError
        return State(**found)
    except (ValueError, TypeError, KeyError, AttributeError):
        message = "is no list of tasks that this ppslab knows; move it away to begin anew"
        raise FileError(state.path, None, message) from None


def finished() -> Iterator[tuple[str, str, str]]:
    """Lab, task and time of every task that was ever done here, in whatever variant first."""
    for path in sorted(folder().glob("*.json")):
        lab, _, variant = path.stem.rpartition("-")
        for each in VARIANTS:
            if lab and variant == each:
                for task, when in load(lab, each).done.items():
                    yield lab, task, when
