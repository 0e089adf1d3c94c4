"""Exports from files: what a command takes as its argument."""

from __future__ import annotations

from pathlib import Path

from ppslab.core.documents import disk
from ppslab.core.errors import FileError
from rosexplain.base import text_of
from rosexplain.parse import MOST_LINES, Command, Export, parsed


def export_of(path: Path) -> Export:
    """An export with all that it says; FileError where no command is in it."""
    raw = disk.read_bytes(path, disk.TEXT)
    try:
        text = text_of(raw)  # Winbox on Windows saves UTF-16
    except UnicodeDecodeError:
        raise FileError(path, None, "not text: use the output of /export, not a backup") from None
    export = parsed(text, str(path))
    if export.left:
        why = f"only {MOST_LINES:,} lines are read, and it has {export.left:,} more: leave out"
        raise FileError(path, None, f"{why} long lists, such as /ip firewall address-list")
    if not export.commands:
        raise FileError(path, None, "no RouterOS command found: use the output of /export")
    return export


def read(path: Path) -> list[Command]:
    """Read the commands of an export; FileError where the file cannot be read."""
    return [each for each in export_of(path).commands if each.command in ("add", "set")]
