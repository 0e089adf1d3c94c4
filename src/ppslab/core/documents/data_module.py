"""A module that is a YAML file's data, `DATA`, for a page whose Python reads no YAML."""

from __future__ import annotations

from pathlib import Path

from ppslab.core import documents


def text_of(module: Path) -> str:
    """A module's text; of one that has a YAML file of its own name beside it, that file's data.

    FileError where the file is none.
    """
    data = module.with_suffix(".yml")
    if not data.is_file():
        return module.read_text(encoding="utf-8")
    return f"DATA = {documents.load_yaml(data).data!r}\n"
