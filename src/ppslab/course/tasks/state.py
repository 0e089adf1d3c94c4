"""A learner's progress through a lab's tasks: one JSON file a lab, kept over reboots.

`done` says when a task's check first passed; `solved` which were solved by `solve`.  `at` is the
task that was started last, and `run` in which deployment: another one is another lab, in which
nothing of it stands.  `failed` has, by task, the hint of the check that failed last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from ppslab.core import documents
from ppslab.core.errors import FileError

FORM = 1
SUFFIX = "-linux"
"""In a file's name after its lab: the first files had it, and they are still read."""


@dataclass
class State:
    """The progress through one lab's tasks."""

    lab: str
    at: str = ""
    run: str = ""
    done: dict[str, str] = field(default_factory=dict)
    solved: list[str] = field(default_factory=list)
    hints: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return folder() / f"{self.lab}{SUFFIX}.json"

    def save(self) -> None:
        documents.write_json(self.path, {"ppslab-tasks": FORM, **asdict(self)})


_KEPT = TypeAdapter(State)


def folder() -> Path:
    """The folder of the files, among those that ppslab keeps for this user."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "ppslab" / "tasks"


def load(lab: str) -> State:
    """The progress so far, possibly none.  FileError for a file that is not ours."""
    state = State(lab)
    if not state.path.exists():
        return state
    try:
        data = documents.load_json(state.path).data
        if data.pop("ppslab-tasks") != FORM:
            raise ValueError
        return _KEPT.validate_python(data)
    except (FileError, ValueError, TypeError, KeyError, AttributeError):
        message = "is no list of tasks that this ppslab knows; move it away to begin anew"
        raise FileError(state.path, None, message) from None


def finished() -> Iterator[tuple[str, str, str]]:
    """Lab, task and time of every task that was ever done here."""
    for path in sorted(folder().glob("*.json")):
        lab = path.stem.removesuffix(SUFFIX)
        if lab and lab != path.stem:
            for task, when in load(lab).done.items():
                yield lab, task, when
