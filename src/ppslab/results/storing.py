"""Where records lie, and how they are written and read: whole or not at all.

Each kind of record has a schema of its own, which its first field names, and a prefix of its file
names: `rfc2544-fastpath-20261121T052734Z-namespaces.json`.  Those of `ppslab run` have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from ppslab import documents, paths
from ppslab.errors import FileError
from ppslab.results.calibration import CalibrationRecord
from ppslab.results.cost import Record
from ppslab.results.faults import FaultsRecord
from ppslab.results.profile import ProfileRecord
from ppslab.results.suite import SuiteRecord
from ppslab.results.tcp import TcpRecord
from ppslab.results.words import Words

Kind = TypeVar("Kind", bound=Words)

SCHEMA: Final = "ppslab/record/1"

KINDS: Final[Mapping[str, type[Words]]] = {
    SCHEMA: Record,
    "ppslab/faults/1": FaultsRecord,
    "ppslab/rfc2544/1": SuiteRecord,
    "ppslab/tcp/1": TcpRecord,
    "ppslab/profile/1": ProfileRecord,
    "ppslab/calibration/1": CalibrationRecord,
}
"""Every kind of record by the name of its schema: `ppslab/KIND/VERSION`."""

SENT: Final = "sent"
"""The folder of results/ for runs that others made on routers of their own.

`ppslab report` and `ppslab compare` read them; no page takes one for the newest run.
"""


def name_of(kind: type[Words]) -> str:
    """The name of a kind's schema."""
    return next(name for name, known in KINDS.items() if known is kind)


def schema(kind: type[Words] = Record) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind of record."""
    _, word, version = name_of(kind).split("/")
    made = kind.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://ppslab.example/schemas/{word}-{version}.json",
        **made,
    }


def save(record: Words, path: Path) -> None:
    """Write a record whole or not at all."""
    documents.write_atomic(path, record.model_dump_json(by_alias=True, indent=1) + "\n")


def load(path: Path) -> Record:
    """Read a record of `ppslab run`; FileError says what is wrong with it, and in which line."""
    return load_as(path, Record)


def load_as(path: Path, kind: type[Kind]) -> Kind:
    """Read a record of one kind; FileError says what is wrong with it, and in which line."""
    document = documents.load_json(path)
    said, wanted = _schema_of(document.data), name_of(kind)
    if said != wanted:
        raise FileError(path, 1, f"schema is {said!r}, here {wanted!r} is wanted")
    return documents.validate(document, kind)


def load_any(path: Path) -> Words:
    """Read a record of any kind; FileError says what is wrong with it, and in which line."""
    document = documents.load_json(path)
    said = _schema_of(document.data)
    if said not in KINDS:
        raise FileError(path, 1, f"schema is {said!r}, this ppslab reads {', '.join(KINDS)}")
    return documents.validate(document, KINDS[said])


def _schema_of(data: Any) -> Any:
    return data.get("schema") if isinstance(data, dict) else None


def new_path(lab: str, started: datetime, backend: str, kind: type[Words] = Record) -> Path:
    """Where a run made on this machine is kept: results/local/[KIND-]LAB-TIME-BACKEND.json."""
    stamp = started.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return paths.results_dir() / "local" / f"{_prefix(kind)}{lab}-{stamp}-{backend}.json"


def stored(lab: str, kind: type[Words] = Record) -> Iterator[Path]:
    """The records of a lab that were made here, newest first: by the time in their names."""
    pattern = f"**/{_prefix(kind)}{lab}-*Z-*.json"
    found = (path for path in paths.results_dir().glob(pattern) if path.parent.name != SENT)
    yield from sorted(found, key=lambda path: path.name, reverse=True)


def _prefix(kind: type[Words]) -> str:
    return "" if kind is Record else name_of(kind).split("/")[1] + "-"


def newest_of(kind: type[Kind], lab: str) -> Kind | None:
    """The newest completed record of a kind; None where there is none.

    FileError where the newest file of all is no record; older ones that are none are passed over.
    """
    path = newest_path_of(kind, lab)
    return load_as(path, kind) if path else None


def newest_path_of(kind: type[Words], lab: str) -> Path | None:
    """The file of the newest completed record of a kind, as `newest_of` chooses."""
    for number, path in enumerate(stored(lab, kind)):
        try:
            record = load_as(path, kind)
        except FileError:
            if number == 0:
                raise
            continue
        if getattr(record, "state", "completed") == "completed":
            return path
    return None


def newest(lab: str) -> Record | None:
    """The newest completed record of a lab that measured all of it; None where there is none.

    A run of some conditions or frame sizes counts only where no run of all of them is: pages that
    were whole would otherwise lose what the reader's last `ppslab run --condition` left out.
    """
    path = newest_path(lab)
    return load(path) if path else None


def newest_path(lab: str) -> Path | None:
    """The file of the newest record, as `newest` chooses.

    FileError where the newest file of all is no record; older ones that are none, as those of an
    earlier ppslab, are passed over.
    """
    partial: Path | None = None
    for number, path in enumerate(stored(lab)):
        try:
            record = load(path)
        except FileError:
            if number == 0:
                raise
            continue
        if record.lab != lab or record.state != "completed":
            continue
        if record.is_whole():
            return path
        partial = partial or path
    return partial
