"""Which router it is, and how it was exported, by what stands at the head of the exports."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.exports.reading import Export
from ppslab.theory.packet_path.exports.rows import Rows

MOST_DEFAULTS = 2
"""Settings that a person may have written out though they are so anyway; more: it is verbose."""


def header(exports: list[Export], name: str) -> str:
    """What the first export that has it says at its head."""
    for export in exports:
        if name in export.header:
            return export.header[name][0]
    return ""


def model(exports: list[Export]) -> str:
    """The model; empty where nothing at the head of an export tells it."""
    return _named(exports) or ("CHR" if virtual(exports) else "")


def _named(exports: list[Export]) -> str:
    board = header(exports, "board-name")
    return board if _virtual(board) else header(exports, "model") or board


def row_of(name: str, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The row of a model: of the `devices` with which its name begins, the longest one's."""
    name = name.upper()
    for begins in ("ROUTERBOARD ", "RB"):
        name = name[len(begins) :] if name.startswith(begins) else name
    best, length = None, 0
    for row in rows:
        for device in row["devices"]:
            if name.startswith(device) and len(device) > length:
                best, length = row, len(device)
    return best


def virtual(exports: list[Export]) -> bool | None:
    """Whether it is a CHR or an x86, by its model or its id; None where neither tells.

    A CHR has a system id, or no software id (manual, chr-header).
    """
    told = _named(exports)
    if told:
        return _virtual(told)
    without = any("software id" in each.header for each in exports)
    if header(exports, "system id") or (without and not header(exports, "software id")):
        return True
    return None


def _virtual(name: str) -> bool:
    return name[:3].upper() in ("CHR", "X86")


def mode(exports: list[Export], rows: Rows, defaults: list[dict[str, Any]]) -> str:
    """How it was exported: compact, terse or verbose, which says what is so anyway."""
    added = [c for export in exports for c in export.commands if c.command == "add"]
    plain = [c for c in added if c.properties.get("disabled") == "no"]
    said = [each for each in defaults if each["property"] != "disabled" and _says(rows, each)]
    if (added and 2 * len(plain) > len(added)) or len(said) > MOST_DEFAULTS:
        return "verbose"
    return "compact" if sum(export.menus for export in exports) else "terse"


def _says(rows: Rows, default: dict[str, Any]) -> bool:
    name = default["property"]
    return any(
        row.says(name) and row.get(name) == default["value"] for row in rows.all_of(default["menu"])
    )
