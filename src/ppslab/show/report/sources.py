"""The records that a report is made of: found, read, and named so that anyone can check them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ppslab.core import paths
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.core.text.terminal import printable
from ppslab.model import results


@dataclass(frozen=True)
class Source:
    """A record and the file that it was read from."""

    record: results.Run
    path: Path
    sha256: str

    @property
    def schema(self) -> str:
        return results.name_of(type(self.record))

    @property
    def file(self) -> str:
        """The file's name, as text that can be written: a name need not be text in any encoding."""
        return printable(self.path.name)


def load(name: str) -> Source:
    """The record in a file, or the recorded run of that id.

    `name`: a path, or the name of a file in results/ without `.json`.  FileError where the file is
    no record of a run; UsageError where there is none.
    """
    path = _find(name)
    record = results.load_any(path)
    if not isinstance(record, results.Run):
        kind = results.name_of(type(record))
        raise FileError(path, 1, f"a record of {kind} is not a lab run and has no report")
    return Source(record, path, hashlib.sha256(path.read_bytes()).hexdigest())


def _find(name: str) -> Path:
    path = Path(name)
    if path.is_dir():
        raise FileError(path, None, "this is a folder; name a record (*.json)")
    if path.exists() or path.suffix == ".json" or "/" in name:
        return path  # where there is no such file, reading it says so
    stored = {found.stem: found for found in paths.results_dir().glob("**/*.json")}
    if name not in stored:
        near = did_you_mean(name, stored)
        raise UsageError(
            f"no record {name!r}{near}: give the file, or the name of one in {paths.results_dir()}"
        )
    return stored[name]
