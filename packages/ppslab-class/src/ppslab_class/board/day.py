"""The day as a whole: when it ends, where the class is, what is locked and what is shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import datetime

from ppslab_class.board.store import Store


@dataclass
class Day:
    """Each field is text, as the file keeps it; empty: nothing of the kind."""

    title: str = "Workshop"
    ends: str = ""
    """An ISO time."""
    page: str = ""
    """Of the stage that late ones catch up to."""
    task: str = ""
    paused: str = ""
    """Since when, an ISO time."""
    over: str = ""
    locked: str = ""
    """Chapters, parted by spaces."""
    shown: str = ""
    phase: str = "before"
    ticket: str = ""
    """The questions of the exit ticket, parted by spaces."""

    @classmethod
    def of(cls, store: Store) -> Day:
        """As the file has it."""
        words = store.words()
        return cls(**{each.name: words[each.name] for each in fields(cls) if each.name in words})

    def keep(self, store: Store) -> None:
        """Write it into the file."""
        for name, value in asdict(self).items():
            store.say(name, value)

    @property
    def chapters_locked(self) -> frozenset[str]:
        """The chapters that nobody but staff reads yet."""
        return frozenset(self.locked.split())

    @property
    def end(self) -> datetime | None:
        """When it ends."""
        return datetime.fromisoformat(self.ends) if self.ends else None
