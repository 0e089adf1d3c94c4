"""routeros-lsp's command tree, made into that of another version, and of a switch.

The tree is that of one CHR (`versions.table().database`).  versions.yml says what a version has
more or less than that one, hardware.yml what no CHR has.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field
from routeros_lsp.analyze import bundled_schema
from routeros_lsp.schema.schema import NodeInfo, Schema

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import CannotHereError
from ppslab.model.manual import FactIds
from ppslab.testbed.routers.routeros.rsc import versions

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
    if bundled is None or bundled.version != versions.table().database:
        raise CannotHereError(
            f"versions.yml is about the command tree of {versions.table().database}, "
            f"and routeros-lsp has {bundled.version if bundled else 'none'}",
            "make setup, or compare versions.yml with the new tree and set `database`",
        )
    tree = _Tree(bundled.root)
    if hardware:
        for path, menu in kept().menus.items():
            tree.add_menu(path, menu)
    numbers = versions.parse(version)
    platform: versions.Platform = "hardware" if hardware else "chr"
    for change in versions.table().changes:
        if change.holds_on(platform):
            tree.apply(change, had=change.had_by(numbers))
    return Schema({**bundled.data, "root": tree.root})


class _Tree:
    """A copy of a command tree as far as it is changed: the rest is shared."""

    def __init__(self, root: NodeInfo) -> None:
        self.root: NodeInfo = dict(root)
        self.original = root

    def add_menu(self, path: str, menu: Menu) -> None:
        """Put a menu of hardware.yml where its path says."""
        like = _find(self.original, menu.like) if menu.like else None
        for command, arguments in menu.commands.items():
            node = self._command(path, command)
            model = ((like or {}).get("c") or {}).get(command, {})
            taken: dict[str, Any] = dict(model.get("a", {}))
            if command in PROPERTIES:
                taken = {name: words for name, words in taken.items() if name == "numbers"}
            node["a"] = {**node.get("a", {}), **taken, **{name: {} for name in arguments}}
            if "numbers" in taken:
                node["u"] = model.get("u", 1)
                node["r"] = ["numbers"] if command in PROPERTIES else model.get("r", [])

    def apply(self, change: versions.Change, *, had: bool) -> None:
        """Add what the version has, and take away what it has not."""
        menu = _find(self.root, change.menu)
        for command in change.commands:
            known = ((menu or {}).get("c") or {}).get(command)
            if not change.arguments:
                # A command that the tree lacks cannot be made up: its arguments are not known.
                if known is not None and not had:
                    del self._menu(change.menu)["c"][command]
            elif known is not None:
                arguments = self._command(change.menu, command)["a"]
                for name in change.arguments:
                    if had:
                        arguments.setdefault(name, {})
                    else:
                        arguments.pop(name, None)

    def _menu(self, path: str) -> NodeInfo:
        node = self.root
        for name in path.split("/"):
            children = node["c"] = dict(node.get("c") or {})
            node = children[name] = dict(children.get(name, {}))
        node["c"] = dict(node.get("c") or {})
        return node

    def _command(self, path: str, command: str) -> NodeInfo:
        children: NodeInfo = self._menu(path)["c"]
        node: NodeInfo = dict(children.get(command, {"k": 1}))
        node["a"] = dict(node.get("a") or {})
        children[command] = node
        return node


def _find(root: NodeInfo, path: str) -> NodeInfo | None:
    node: NodeInfo | None = root
    for name in path.split("/"):
        node = ((node or {}).get("c") or {}).get(name)
    return node
