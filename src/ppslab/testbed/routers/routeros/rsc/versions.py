"""Words that a version of RouterOS lacks: versions.yml.

Menus are written without the first slash: `ip/firewall/filter`.  A version is what RouterOS calls
itself, `7.20.8` or `7.20.8 (stable)`; a beta or release candidate counts as the version that it is
to become.

The command tree of routeros-lsp is made into that of another version, and of a switch:
it is that of one CHR (`versions.table().database`).  versions.yml says what a version has
more or less than that one, hardware.yml what no CHR has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from routeros_lsp.analyze import bundled_schema
from routeros_lsp.schema.schema import NodeInfo, Schema

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import CannotHereError, UsageError
from ppslab.model import manual
from ppslab.model.manual import FactIds

FILE = Path(__file__).with_name("versions.yml")

Version = tuple[int, ...]
Platform = Literal["chr", "hardware"]


def parse(text: str) -> Version:
    """`7.20.8` as numbers that compare; UsageError for what is no version."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?(?=$|[\s(]|(?:alpha|beta|rc)\d)", text.strip())
    if not found:
        raise UsageError(f"{text!r} is not a RouterOS version, such as 7.20.8 or 7.21")
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
    """The CPUs that a router must have for it."""
    instead: str
    facts: FactIds = Field(min_length=1)
    """Its sources: facts of `ppslab.model.manual`."""

    @property
    def source(self) -> str:
        """Cite the sources of the versions."""
        return "; ".join(manual.fact(name).cited for name in self.facts)

    def holds_on(self, platform: Platform) -> bool:
        """Return whether it is told of such a router."""
        return self.on in ("any", platform)

    def had_by(self, version: Version) -> bool:
        """Return whether a version has what this is about."""
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
    """A word of a statement that a version lacks."""

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
) -> tuple[Lack, ...]:
    """Find what a router of this version and kind lacks of one statement; empty where it has all.

    What takes several CPUs is not among it: the router itself says whether it knows such a word.
    """
    numbers = parse(version)
    lacks = []
    for change in table().changes:
        if change.menu != menu.strip("/") or command not in change.commands:
            continue
        if not change.holds_on(platform) or change.had_by(numbers):
            continue
        named = [name for name in change.arguments if name in arguments]
        if not change.arguments:
            named = [command]
        lacks += [Lack(name, change, version) for name in named]
    return tuple(lacks)


# --- the command tree -----------------------------------------------------------------------------


HARDWARE = Path(__file__).with_name("hardware.yml")

# What print, find and monitor take has nothing to do with the menu's properties.
PROPERTIES = ("add", "set")


class Menu(StrictModel):
    """One menu of hardware.yml: its commands, each with its arguments, and who says so."""

    facts: FactIds = Field(min_length=1)

    like: str | None = None
    commands: dict[str, tuple[str, ...]]


class Kept(StrictModel):
    """hardware.yml."""

    menus: dict[str, Menu]
    unchecked: frozenset[str]


@cache
def kept() -> Kept:
    """hardware.yml, read once."""
    return fitting.validate(documents.load_yaml(HARDWARE), Kept)


@cache
def schema(version: str, *, hardware: bool) -> Schema:
    """The commands of a RouterOS version: of a CHR, or of a switch with hardware.yml's beside."""
    bundled = bundled_schema()
    if bundled is None or bundled.version != table().database:
        raise CannotHereError(
            f"versions.yml is about the command tree of {table().database}, "
            f"and routeros-lsp has {bundled.version if bundled else 'none'}",
            "make setup, or compare versions.yml with the new tree and set `database`",
        )
    root: NodeInfo = json.loads(json.dumps(bundled.root))
    if hardware:
        for path, menu in kept().menus.items():
            _add_menu(root, path, menu)
    numbers = parse(version)
    platform: Platform = "hardware" if hardware else "chr"
    for change in table().changes:
        if change.holds_on(platform):
            _apply(root, change, had=change.had_by(numbers))
    return Schema({**bundled.data, "root": root})


def _add_menu(root: NodeInfo, path: str, menu: Menu) -> None:
    """Put a menu of hardware.yml where its path says."""
    like = _commands(root, menu.like) if menu.like else {}
    node = root
    for name in path.split("/"):
        node = node.setdefault("c", {}).setdefault(name, {})
    for command, arguments in menu.commands.items():
        own = node.setdefault("c", {}).setdefault(command, {"k": 1})
        model = like.get(command, {})
        taken: dict[str, Any] = dict(model.get("a", {}))
        if command in PROPERTIES:
            taken = {name: words for name, words in taken.items() if name == "numbers"}
        own["a"] = {**own.get("a", {}), **taken, **{name: {} for name in arguments}}
        if "numbers" in taken:
            own["u"] = model.get("u", 1)
            own["r"] = ["numbers"] if command in PROPERTIES else model.get("r", [])


def _apply(root: NodeInfo, change: Change, *, had: bool) -> None:
    """Add what the version has, and take away what it has not."""
    commands = _commands(root, change.menu)
    # A command that the tree lacks cannot be made up: its arguments are not known.
    for command in commands.keys() & set(change.commands):
        if not change.arguments and not had:
            del commands[command]
        for name in change.arguments:
            arguments = commands[command].setdefault("a", {})
            if had:
                arguments.setdefault(name, {})
            else:
                arguments.pop(name, None)


def _commands(root: NodeInfo, path: str) -> NodeInfo:
    """What stands in a menu by name; nothing where there is no such menu."""
    for name in path.split("/"):
        root = root.get("c", {}).get(name, {})
    found: NodeInfo = root.get("c", {})
    return found
