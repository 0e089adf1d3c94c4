"""Changes on a router, on disk before they are made: so that they are undone whatever happens.

One file a router, a line an event, written before the change (what) and after it (done).  A run
that is killed leaves the file, and the next one puts back what stands there.  Lines are handed to
the kernel at once, so no signal loses one; only the machine's own power loss could.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ppslab.core.errors import FileError, UsageError
from ppslab.testbed.routers.devices import Device
from ppslab.testbed.routers.routeros.rsc.values import HIDDEN, SECRETS, shown

LONG = 2000
LONG_SHARE = 4
"""From so many lines on, and so many for each change that stands, a journal is written anew."""

FORM = 1
"""Of the file: another number is another program's."""


@dataclass
class Change:
    """One change: a row added, or properties set of a row or of a menu's settings.

    `before`: what the properties were, None where a property was not there.  `known`: by what the
    row is known again.  `id`: None for settings, and for a row that was perhaps not added.
    `asked`: seconds since 1970 of the request; None as soon as RouterOS has answered it.
    """

    number: int
    do: Literal["add", "set"]
    menu: str
    after: dict[str, str]
    at: str
    before: dict[str, str | None] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    id: str | None = None
    settings: bool = False
    asked: float | None = None

    @property
    def title(self) -> str:
        """Return its name in messages: its row or what it sets, and the line that wants it."""
        names = " ".join(f"{key}={value}" for key, value in list(self.known.items())[:1])
        properties = " ".join(f"{key}={shown(key, value)}" for key, value in self.after.items())
        return f"{self.menu} {names or properties} ({self.at})"


def default_path(device: Device) -> Path:
    """Return the path of a router's journal: kept over a reboot of this machine."""
    base = os.environ.get("XDG_STATE_HOME")
    folder = (Path(base) if base else Path.home() / ".local" / "state") / "ppslab" / "routers"
    name = device.url.partition("://")[2].replace(":", "_").replace("[", "").replace("]", "")
    return folder / f"{name}.journal"


class Journal:
    """The changes that stand on one router, oldest first.  Open, it is ours alone (flock)."""

    def __init__(self, path: Path, device: str, handle: int) -> None:
        self.path = path
        self.device = device
        self.changes: list[Change] = []
        self.there: dict[str, set[str]] = {}
        """A menu's rows before the first of ours."""
        self._handle = handle
        self._next = 1
        self._events = 0

    @classmethod
    def open(cls, path: Path, device: str) -> Journal:
        """Open, or make; what a killed run left is in `changes`.

        `device`: which device it is, as far as it says; a journal of another one is refused.
        UsageError where another run has it; FileError where it is of no use.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = _locked(path)
        except OSError as error:
            raise FileError(path, None, f"no journal can be kept: {error.strerror}") from None
        journal = cls(path, device, handle)
        try:
            journal._read(path.read_text(encoding="utf-8"))
        except BaseException:
            os.close(handle)
            raise
        return journal

    def begin_menu(self, menu: str, ids: set[str]) -> None:
        """The rows of a menu before the first of ours: among others we know ours again."""
        self.there[menu] = ids
        self._write({"menu": menu, "ids": sorted(ids)})

    def begin(
        self,
        do: Literal["add", "set"],
        menu: str,
        properties: Mapping[str, str],
        at: str,
        **more: Any,
    ) -> Change:
        """A row is about to be added, or properties to be set; `more`: a Change's other fields."""
        change = Change(self._next, do, menu, hide(properties), at, asked=time.time(), **more)
        self._next += 1
        self.changes.append(change)
        self._write({"change": change.__dict__})
        return change

    def done(self, change: Change, found: Mapping[str, str]) -> None:
        """It was done; `found`: the row, or the settings, as the router has them now.

        From then on `after` is in RouterOS's own form: what is there no more was changed by others.
        """
        change.asked = None
        change.id = change.id or found.get(".id")
        change.after = hide({key: found[key] for key in change.after if key in found})
        self._write({"done": change.number, "id": change.id, "after": change.after})

    def undone(self, change: Change) -> None:
        """It does not stand any more."""
        # The newest first, nearly always: of fourteen thousand, a search would take minutes.
        if self.changes[-1] is change:
            self.changes.pop()
        else:
            self.changes = [other for other in self.changes if other is not change]
        # A disk that is full stops no way back: what is undone twice is undone.
        with suppress(FileError):
            self._write({"undone": change.number})

    def close(self) -> None:
        """Let go of it; a journal in which nothing stands is removed."""
        if self._handle < 0:
            return
        if not self.changes:
            self.path.unlink(missing_ok=True)
        os.close(self._handle)
        self._handle = -1

    def forget(self) -> None:
        """Nothing of it stands: the machine that it was of is gone."""
        self.changes.clear()
        self.there.clear()
        os.ftruncate(self._handle, 0)
        self._head()

    def shorten(self) -> None:
        """Write only what stands, where the file has grown by what does not any more."""
        if self._events < LONG or self._events < LONG_SHARE * len(self.changes):
            return
        fresh = self.path.with_suffix(".new")
        fresh.unlink(missing_ok=True)  # of a run that was killed here
        old, self._handle = self._handle, _locked(fresh)
        self._events = 0
        self._head()
        for menu, ids in self.there.items():
            self.begin_menu(menu, ids)
        for change in self.changes:
            self._write({"change": change.__dict__})
        # Whoever opens the file sees the old one or the whole new one, and both are locked.
        fresh.replace(self.path)
        os.close(old)

    def not_put_back(self, where: str, told: Sequence[str]) -> str:
        """Say what could not be undone on the router at `where`, and where the rest is kept."""
        lines = "\n".join(f"  {sentence}" for sentence in told)
        kept = f"\nthe remaining changes are in {self.path}, and the next run tries again"
        return f"{where}: not all changes were undone:\n{lines}{kept if self.changes else ''}"

    def _head(self) -> None:
        self._write({"form": FORM, "device": self.device, "pid": os.getpid()})

    def _write(self, event: Mapping[str, Any]) -> None:
        self._events += 1
        try:
            os.write(self._handle, (json.dumps(event) + "\n").encode())
        except OSError as error:
            message = f"{error.strerror}; without its journal nothing is changed on a router"
            raise FileError(self.path, None, message) from None

    def _read(self, text: str) -> None:
        """The events of the file; a last line that was cut off never became a change."""
        changes: dict[int, Change] = {}
        lines = text.splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            if not line.endswith("\n"):
                os.ftruncate(self._handle, len("".join(lines[:-1]).encode()))
                break
            try:
                self._event(json.loads(line), changes)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise FileError(
                    self.path,
                    number,
                    "this is not a journal of ppslab; the changes in it cannot be undone",
                ) from None
        self.changes = list(changes.values())
        if not lines or not lines[0].endswith("\n"):
            self._head()

    def _event(self, event: dict[str, Any], changes: dict[int, Change]) -> None:
        match event:
            case {"form": form, "device": device}:
                if form != FORM:
                    raise ValueError(form)
                if device != self.device:
                    raise FileError(
                        self.path,
                        1,
                        f"a killed run left it for another device ({device}), at the same address "
                        f"as this one ({self.device}): undo its changes first, or remove the file",
                    )
            case {"menu": menu, "ids": ids}:
                self.there[menu] = set(ids)
            case {"change": words}:
                change = Change(**words)
                changes[change.number] = change
                self._next = change.number + 1
            case {"done": number, "id": item, "after": after}:
                changes[number].id, changes[number].after = item, after
                changes[number].asked = None
            case {"undone": number}:
                del changes[number]
            case _:
                raise ValueError(event)


def _locked(path: Path) -> int:
    """The file, open and locked."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between the two, another run may have ended and removed what was opened here.
            if path.stat().st_ino == os.fstat(handle).st_ino:
                return handle
        except BlockingIOError:
            os.close(handle)
            raise UsageError(f"another run uses this router now ({path})") from None
        except FileNotFoundError:
            pass
        os.close(handle)


def hide(properties: Mapping[str, str]) -> dict[str, str]:
    """Words without secrets: no file has them."""
    return {key: HIDDEN if key in SECRETS else value for key, value in properties.items()}
