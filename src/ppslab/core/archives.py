"""A folder as one zip file, the same bytes for the same content."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from itertools import chain
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
    # Hidden files are Sphinx's notes to itself.
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    own = ((path.relative_to(folder).as_posix(), path.read_bytes()) for path in files)
    with zipfile.ZipFile(half, "w") as archive:
        for name, content in chain((more or {}).items(), own):
            entry = zipfile.ZipInfo(f"{inside}/{name}", MADE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    half.replace(output)
    return len(files) + len(more or {})
