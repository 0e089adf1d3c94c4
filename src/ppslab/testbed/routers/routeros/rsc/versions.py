"""What a version of RouterOS has not: versions.yml, and who lacks what.

Menus are written without the first slash: `ip/firewall/filter`.  A version is what RouterOS calls
itself, `7.20.8` or `7.20.8 (stable)`; a beta or release candidate counts as the version that it is
to become.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError
from ppslab.model import manual
from ppslab.model.manual import FactIds

FILE = Path(__file__).with_name("versions.yml")

Version = tuple[int, ...]
Platform = Literal["chr", "hardware"]


def parse(text: str) -> Version:
    """`7.20.8` as numbers that compare; UsageError for what is no version."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?(?=$|[\s(]|(?:alpha|beta|rc)\d)", text.strip())
    if not found:
        raise UsageError(f"{text!r} is no version of RouterOS; one is 7.20.8, another 7.21")
    return tuple(int(part or 0) for part in found.groups())


class Change(StrictModel):
    """An argument, or a whole command, that some versions have and some have not."""

    menu: str
    commands: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    """Empty: the commands themselves."""
    since: str | None = None
    gone: str | None = None
    none: bool = False
    """No version that was compared has it."""
    on: Literal["any", "chr", "hardware"] = "any"
    cpus: int = 1
    """How many CPUs a router must have for it."""
    instead: str
    facts: FactIds = Field(min_length=1)
    """Who says so: facts of `ppslab.model.manual`."""

    @property
    def source(self) -> str:
        """Where the versions are told."""
        return "; ".join(manual.fact(name).cited for name in self.facts)

    def holds_on(self, platform: Platform) -> bool:
        """Whether it is told of such a router."""
        return self.on in ("any", platform)

    def had_by(self, version: Version) -> bool:
        """Whether a version has what this is about."""
        begun = self.since is None or version >= parse(self.since)
        return begun and not self.none and (self.gone is None or version < parse(self.gone))

    @property
    def span(self) -> str:
        """The versions that have it, in words."""
        if self.none:
            return "none that was compared"
        if self.cpus > 1:
            return f"all, on a router with {self.cpus} CPUs or more"
        if self.since and self.gone:
            return f"from {self.since} until before {self.gone}"
        return f"from {self.since} on" if self.since else f"before {self.gone}"


class Table(StrictModel):
    """versions.yml."""

    oldest: str
    newest: str
    database: str
    changes: tuple[Change, ...]


@cache
def table() -> Table:
    """versions.yml, read once."""
    return fitting.validate(documents.load_yaml(FILE), Table)


@dataclass(frozen=True)
class Lack:
    """What a statement says and a version has not."""

    name: str
    """The argument, or the command."""
    change: Change
    version: str

    @property
    def said(self) -> str:
        """In a sentence, with what to do."""
        kind = "argument" if self.change.arguments else "command"
        where = f"/{self.change.menu}"
        router = {"chr": " on a CHR", "hardware": " on hardware", "any": ""}[self.change.on]
        router = " on fewer CPUs" if self.change.cpus > 1 else router
        return (
            f"RouterOS {self.version}{router} has no {kind} {self.name} in {where} "
            f"(versions that have it: {self.change.span}): {self.change.instead}."
        )


def lacking(
    menu: str,
    command: str,
    arguments: Collection[str],
    version: str,
    *,
    platform: Platform = "chr",
    cpus: int | None = None,
) -> tuple[Lack, ...]:
    """What of one statement a router of this version and kind has not; empty where it has all.

    `cpus`: how many it has; None: nobody asks.
    """
    numbers = parse(version)
    lacks = []
    for change in table().changes:
        if change.menu != menu.strip("/") or command not in change.commands:
            continue
        if change.cpus > 1:
            if cpus is None or cpus >= change.cpus:
                continue
        elif not change.holds_on(platform) or change.had_by(numbers):
            continue
        named = [name for name in change.arguments if name in arguments]
        if not change.arguments:
            named = [command]
        lacks += [Lack(name, change, version) for name in named]
    return tuple(lacks)
