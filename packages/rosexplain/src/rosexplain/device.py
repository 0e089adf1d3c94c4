"""The device that an export is of, by its head, and the form of the export."""

from __future__ import annotations

from typing import Any

from rosexplain.parse import BEGINS, UNNAMED, Export
from rosexplain.rows import Rows
from rosexplain.selection import is_number

MOST_DEFAULTS = 2
"""Settings that a person may have written out though they are so anyway; more: it is verbose."""

WIRED = ("ether", "sfp", "combo", "qsfp")
"""How the names of ports with a wire begin."""
SWITCHES = "CRS"
"""How the models of switches begin."""
OF_NO_BOARD = 3
"""The empty comments at the head of an export of RouterOS 6 on an x86: one stands in any."""
MENUS_OF_6 = ("/ip/route/rule", "/ip/route/vrf", "/routing/ospf/network", "/routing/bgp/network",
              "/routing/bgp/peer", "/ip/accounting")  # fmt: skip
OF_6 = {"/ip/route": ("routing-mark",), "/system/ntp/client": ("primary-ntp", "secondary-ntp")}
"""Menus, and by menu properties, that RouterOS 7 has under other names, or not at all."""
LAST_OF_6 = "6.49"
RUNNING = "disable-running-check"
"""A property of the ports of CHRs and x86s (manual, chr-ports)."""


def header(exports: list[Export], name: str) -> str:
    """Return a value at the head of the first export that has it."""
    for export in exports:
        if name in export.header:
            return export.header[name][0]
    return ""


def model(exports: list[Export]) -> str:
    """The model; empty where nothing at the head of an export tells it."""
    if _named(exports) or not virtual(exports):
        return _named(exports)
    return "x86" if header(exports, "software id") else "CHR"


def version(exports: list[Export]) -> str:
    """The version; `6` where only words of RouterOS 6 tell it, and empty where nothing does."""
    known = header(exports, "version")
    commands = [] if known else [command for export in exports for command in export.commands]
    old = any(command.menu in MENUS_OF_6 or any(name in command.properties
                                                for name in OF_6.get(command.menu, ()))
              for command in commands)  # fmt: skip
    return "6" if old else known


def coded(exports: list[Export], devices: list[str]) -> str:
    """The device's code with which somebody began the first comment; empty for any other word.

    `devices`: the names of those that are known, in capitals: `# CRS312-4C+8XG-RM, the switch`.
    """
    word = header(exports, BEGINS).strip(",:;")
    code = any(is_number(letter) for letter in word) and word == word.upper()
    known = [name for name in devices if code and word[: len(name)] == name]
    return word if known else ""


def _named(exports: list[Export]) -> str:
    board = header(exports, "board-name")
    return board if _virtual(board) else header(exports, "model") or board


def row_of(name: str, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The row of a model: of the `devices` with which its name begins, the longest one's."""
    name = name.upper()
    for prefix in ("ROUTERBOARD ", "RB"):
        name = name[len(prefix) :] if name.startswith(prefix) else name
    best, length = None, 0
    for row in rows:
        for device in row["devices"]:
            if name.startswith(device) and len(device) > length:
                best, length = row, len(device)
    return best


def virtual(exports: list[Export]) -> bool | None:
    """Return True for a CHR or an x86, by its model, its id or its ports; None where none tells.

    A CHR has a system id, or no software id (fact chr-header).
    """
    model_name = _named(exports)
    if model_name:
        return _virtual(model_name)
    without = any("software id" in export.header for export in exports)
    if header(exports, "system id") or (without and not header(exports, "software id")):
        return True
    # A setting of ports that only a CHR and an x86 have (manual, chr-ports).
    runs = any(command.menu == "/interface/ethernet" and RUNNING in command.properties
               for export in exports for command in export.commands)  # fmt: skip
    return True if runs or _without_board(exports) else None


def _without_board(exports: list[Export]) -> bool:
    """Return True if RouterOS 6 left the lines of model and serial number empty (x86-header)."""
    old = header(exports, "version")[:2] == "6."
    return old and int(header(exports, UNNAMED) or "0") >= OF_NO_BOARD


def _virtual(name: str) -> bool:
    return name[:3].upper() in ("CHR", "X86")


def is_wired(name: str) -> bool:
    """Return True if a port's name is that of one with a wire."""
    return any(name[: len(begin)] == begin for begin in WIRED)


def mode(exports: list[Export], rows: Rows, defaults: list[dict[str, Any]]) -> str:
    """Return the form of the exports: compact, terse or verbose, which says the defaults too."""
    added = [c for export in exports for c in export.commands if c.command == "add"]
    plain = [c for c in added if c.properties.get("disabled") == "no"]
    spelled_out = [
        default
        for default in defaults
        if default["property"] != "disabled" and _says(rows, default)
    ]
    if (added and 2 * len(plain) > len(added)) or len(spelled_out) > MOST_DEFAULTS:
        return "verbose"
    return "compact" if sum(export.menus for export in exports) else "terse"


def _says(rows: Rows, default: dict[str, Any]) -> bool:
    name = default["property"]
    return any(
        row.says(name) and row.get(name) == default["value"] for row in rows.all_of(default["menu"])
    )
