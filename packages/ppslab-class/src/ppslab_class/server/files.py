"""The built site as a class reads it: each file compressed once, and only from the site's folder.

A learner's script is put into every page here and not in the site, so a site that is published
elsewhere holds nothing of a workshop.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

COMPRESSED: Final = frozenset(
    ".html .css .js .mjs .json .svg .txt .xml .wasm .ipynb .data .whl .py .inv".split()
)
SCRIPT: Final = b'<script defer src="/workshop/pages/seat.js"></script>'
CACHE_BYTES: Final = 256 * 2**20
_HEAD_END = re.compile(rb"</head\s*>", re.IGNORECASE)

# Debian's list of types, or none, decides otherwise.
_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".ipynb": "application/json",
    ".wasm": "application/wasm",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class File:
    """What is sent: `zipped` where that is shorter than `size` bytes."""

    kind: str
    body: bytes
    zipped: bool
    etag: str


class Files:
    """A folder, read when a file is first asked for or has changed."""

    def __init__(self, folder: Path, *, script: bytes = b"") -> None:
        self.folder = folder.resolve()
        self.script = script
        self._kept: OrderedDict[Path, tuple[tuple[int, int], File]] = OrderedDict()
        self._bytes = 0

    def path(self, address: str) -> Path | None:
        """The file at an address below the folder; None where there is none, or none to read.

        What begins with a dot is the builder's own.
        """
        parts = [part for part in address.split("/") if part]
        if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        try:
            path = self.folder.joinpath(*parts).resolve()
            if path.is_dir():
                path = path / "index.html"
            inside = path.is_relative_to(self.folder) and path.is_file()
        except OSError:  # a name too long
            return None
        return path if inside else None

    def known(self, path: Path) -> File | None:
        """The file as it was read before, if it has not changed since."""
        kept = self._kept.get(path)
        if kept is None or kept[0] != _version(path):
            return None
        self._kept.move_to_end(path)
        return kept[1]

    def read(self, path: Path) -> tuple[tuple[int, int], File]:
        """Read and compress it: up to a second for the largest, so not among other requests."""
        version = _version(path)
        body = path.read_bytes()
        if self.script and path.suffix == ".html":
            body = _HEAD_END.sub(lambda end: self.script + end[0], body, count=1)
        zipped = path.suffix in COMPRESSED and len(body) > 500
        if zipped:
            body = gzip.compress(body, compresslevel=6, mtime=0)
        guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        kind = _TYPES.get(path.suffix, guessed)
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        return version, File(kind, body, zipped, etag)

    def keep(self, path: Path, version: tuple[int, int], file: File) -> None:
        """Keep what was read; what nobody asked for longest goes first."""
        old = self._kept.pop(path, None)
        self._bytes += len(file.body) - (len(old[1].body) if old else 0)
        self._kept[path] = (version, file)
        while self._bytes > CACHE_BYTES and len(self._kept) > 1:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._bytes -= len(dropped.body)


def _version(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def chapter_of(address: str) -> str | None:
    """The chapter that a page, its source, notebook or report is of; None for what is of none.

    >>> chapter_of("book/fastpath/why.html"), chapter_of("_sources/notebooks/eoip.ipynb")
    ('fastpath', 'eoip')
    >>> chapter_of("lite/files/notebooks/eoip.ipynb"), chapter_of("reports/tcp-eoip.html")
    ('eoip', 'eoip')
    """
    parts = [part for part in address.split("/") if part]
    if parts[:1] == ["_sources"]:
        parts = parts[1:]
    elif parts[:2] == ["lite", "files"]:
        parts = parts[2:]
    elif len(parts) == 2 and parts[0] == "reports":
        return parts[1].split(".", 1)[0].partition("-")[2] or None
    if len(parts) >= 2 and parts[0] in ("book", "notebooks"):
        return parts[1].split(".", 1)[0]
    return None


def parts(body: bytes, size: int) -> Iterator[bytes]:
    """The body in parts of so many bytes."""
    return (body[start : start + size] for start in range(0, len(body), size))


def unzipped(body: bytes, size: int) -> Iterator[bytes]:
    """The same for who takes nothing compressed, which hardly anybody does; never all at once."""
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    while not unpacking.eof:
        yield unpacking.decompress(body, size)
        body = unpacking.unconsumed_tail
