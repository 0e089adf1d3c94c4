"""The size of a file on its way to a reader."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

PACKED = (".gz", ".whl", ".zip")


@cache
def sent(path: Path) -> int:
    """Bytes over the wire, from a server that compresses what is not compressed yet."""
    content = path.read_bytes()
    return len(content if path.suffix in PACKED else gzip.compress(content))
