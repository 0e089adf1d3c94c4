"""Exports from files: what a command takes as its argument."""

from __future__ import annotations

import re
from pathlib import Path

from ppslab.core.documents import bounded
from ppslab.core.errors import FileError
from rosexplain.base import text_of
from rosexplain.parse import Command, Export, parsed

_HEADER = re.compile(r"#[^\n]*\bby RouterOS \d")
_OTHER_MENU = re.compile(r"^/(?!(?:ip|ipv6)[/ ]+route\b)[a-z]", re.MULTILINE)


def export_of(path: Path) -> Export:
    """An export with all that it says; FileError where no command is in it."""
    raw = bounded.read_bytes(path, bounded.TEXT)
    try:
        text = text_of(raw)  # Winbox on Windows saves UTF-16
    except UnicodeDecodeError:
        raise FileError(path, None, "no text: /export prints one, a backup is none") from None
    export = parsed(text, str(path))
    if not export.commands:
        raise FileError(path, None, "no RouterOS command in it: /export prints them")
    return export


def read(path: Path) -> list[Command]:
    """What an export adds and sets; FileError where the file cannot be read."""
    return [each for each in export_of(path).commands if each.command in ("add", "set")]


def is_export(text: str) -> bool:
    """Whether a text is what `/export` prints, of more than routes."""
    return bool(_HEADER.match(text) or _OTHER_MENU.search(text))
