"""The properties that RouterOS has in the menus of cases and drills, by its own command tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ppslab.course import practice
from ppslab.testbed.routers.routeros.rsc import versions
from rosexplain.parse import parsed


@lru_cache(maxsize=1)
def properties() -> dict[str, list[str]]:
    """The properties by menu (`/ip/firewall/filter`) that an add or a set may name.

    Of menus in which a router or a remedy of theirs has a line, and which a CHR has: of the others,
    as those of a switch chip, no tree is there, and they are left out.
    """
    known = versions.table().database
    chr_, every = (versions.schema(known, hardware=hardware).root for hardware in (False, True))
    found = {}
    for menu in sorted(_menus()):
        if _named(chr_, menu):
            found[menu] = sorted(_named(every, menu))
    return found


def _menus() -> set[str]:
    return {
        command.menu
        for name, one in (practice.cases() | practice.drills()).items()
        for text in (one.export, *one.solutions, *(each.run for each in one.mistakes))
        for command in parsed(text, name).commands
    }


def _named(root: Mapping[str, Any], menu: str) -> set[str]:
    node: Mapping[str, Any] = root
    for word in menu.strip("/").split("/"):
        node = (node.get("c") or {}).get(word) or {}
    commands = node.get("c") or {}
    arguments = [(commands.get(verb) or {}).get("a") or {} for verb in ("add", "set")]
    return {name for each in arguments for name in each}
