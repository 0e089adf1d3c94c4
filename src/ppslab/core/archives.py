"""A folder as one zip file, the same bytes for the same content."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

MADE: Final = (1980, 1, 1, 0, 0, 0)
"""When every file was made, as far as the archive says: zip knows no year before."""


def pack(folder: Path, output: Path, inside: str, more: Mapping[str, bytes] | None = None) -> int:
    """Write the archive, whole or not at all; return how many files are in it.

    All of them are in its one folder `inside`; `more` are files besides those of `folder`, by name.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    half = output.with_suffix(".part")
    files = sorted(
        path
        for path in folder.rglob("*")
        # Hidden files are Sphinx's notes to itself.
        if path.is_file() and not path.name.startswith(".")
    )
    extra = more or {}
    with zipfile.ZipFile(half, "w") as archive:
        for name, content in extra.items():
            _add(archive, f"{inside}/{name}", content)
        for path in files:
            _add(archive, f"{inside}/{path.relative_to(folder).as_posix()}", path.read_bytes())
    half.replace(output)
    return len(files) + len(extra)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, MADE)
    entry.external_attr = 0o644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
