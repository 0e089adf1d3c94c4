"""Where records lie, and how they are written and read: whole or not at all.

Each kind of record has a schema of its own, which its first field names, and a prefix of its file
names: `rfc2544-fastpath-20261121T052734Z-namespaces.json`.  Those of `ppslab run` have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from ppslab.core import documents, paths, record_names
from ppslab.core.documents import bounded, fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError
from ppslab.core.measures import Measure
from ppslab.model.lab.lab import LabSpec
from ppslab.model.results import consistent
from ppslab.model.results.kinds.calibration import CalibrationRecord
from ppslab.model.results.kinds.cost import Record
from ppslab.model.results.kinds.failure import Failure
from ppslab.model.results.kinds.faults import FaultsRecord
from ppslab.model.results.kinds.profile import ProfileRecord
from ppslab.model.results.kinds.soak import SoakRecord
from ppslab.model.results.kinds.suite import SuiteRecord
from ppslab.model.results.kinds.tcp import TcpRecord

Kind = TypeVar("Kind", bound=StrictModel)

SCHEMA: Final = "ppslab/record/2"

KINDS: Final[Mapping[str, type[StrictModel]]] = {
    SCHEMA: Record,
    "ppslab/faults/2": FaultsRecord,
    "ppslab/rfc2544/2": SuiteRecord,
    "ppslab/tcp/2": TcpRecord,
    "ppslab/profile/2": ProfileRecord,
    "ppslab/calibration/2": CalibrationRecord,
    "ppslab/soak/1": SoakRecord,
    "ppslab/failure/1": Failure,
}
"""Every kind of record by the name of its schema: `ppslab/KIND/VERSION`."""

SENT: Final = "sent"
"""The folder of results/ for runs that others made on routers of their own.

`ppslab report` and `ppslab compare` read them; no page takes one for the newest run.
"""

KERNELS: Final = "kernels"
"""The folder of results/ for counts on other kernels, which `ppslab.judge.kernels` compares.

No page or claim takes one for the newest run of a lab.
"""


def name_of(kind: type[StrictModel]) -> str:
    """The name of a kind's schema."""
    return next(name for name, known in KINDS.items() if known is kind)


def schema(kind: type[StrictModel] = Record) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind of record."""
    _, word, version = name_of(kind).split("/")
    generated = kind.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://ppslab.example/schemas/{word}-{version}.json",
        **generated,
    }


def save(record: StrictModel, path: Path) -> None:
    """Write a record whole or not at all."""
    documents.write_atomic(path, record.model_dump_json(by_alias=True, indent=1) + "\n")


def load(path: Path) -> Record:
    """Read a record of `ppslab run`; FileError says what is wrong with it, and in which line."""
    return load_as(path, Record)


def load_as(path: Path, kind: type[Kind]) -> Kind:
    """Read a record of one kind; FileError says what is wrong with it, and in which line."""
    return cast("Kind", _parsed(path, documents.read_text(path, bounded.RECORD), kind))


# Every claim, table and figure asks for the newest record, and whether it is the newest is seen
# only by reading those before it.
@lru_cache(maxsize=32)
def _parsed(path: Path, text: str, kind: type[StrictModel]) -> StrictModel:
    document = documents.parse_json(path, text)
    name, expected = _schema_of(document.data), name_of(kind)
    if name != expected:
        raise FileError(path, 1, f"schema is {name!r}, here {expected!r} is wanted")
    return _read(document, kind)


def load_any(path: Path) -> StrictModel:
    """Read a record of any kind; FileError says what is wrong with it, and in which line."""
    document = documents.load_json(path)
    name = _schema_of(document.data)
    if name is None or name not in KINDS:
        raise FileError(path, 1, f"schema is {name!r}, this ppslab reads {', '.join(KINDS)}")
    return _read(document, KINDS[name])


def _read(document: documents.Document, kind: type[Kind]) -> Kind:
    consistent.check_numbers(document)
    record = fitting.validate(document, kind)
    consistent.check(document, record)
    return record


def _schema_of(data: Any) -> str | None:
    name = data.get("schema") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def new_path(lab: str, started: datetime, backend: str, kind: type[StrictModel] = Record) -> Path:
    """Where a run made on this machine is kept: results/local/[KIND-]LAB-TIME-BACKEND.json.

    `record_names` says what its name is where others have the same second, or a later one.
    """
    taken = [path.name for path in _files(lab, kind, "")]
    prefix = f"{_prefix(kind)}{lab}"
    return paths.results_dir() / "local" / record_names.new_name(prefix, started, backend, taken)


def sent_path(lab: str, started: datetime, backend: str, kind: type[StrictModel] = Record) -> Path:
    """Where a run that somebody sent is kept: results/sent/[KIND-]LAB-TIME-BACKEND.json.

    Without a turn: the runs of this checkout are no runs of the sender's machine.
    """
    name = record_names.new_name(f"{_prefix(kind)}{lab}", started, backend, ())
    return paths.results_dir() / SENT / name


def stored(lab: str, kind: type[StrictModel] = Record) -> Iterator[Path]:
    """The records of a lab that were made here, newest first, as `record_names` orders them."""
    files = _files(lab, kind, ".json")
    yield from sorted(files, key=lambda path: record_names.age_key(path.name), reverse=True)


def _files(lab: str, kind: type[StrictModel], end: str) -> Iterator[Path]:
    pattern = f"**/{_prefix(kind)}{lab}-*Z-*{end}"
    return (
        path
        for path in paths.results_dir().glob(pattern)
        if path.parent.name not in (SENT, KERNELS)
    )


def _prefix(kind: type[StrictModel]) -> str:
    return "" if kind is Record else name_of(kind).split("/")[1] + "-"


def newest_of(kind: type[Kind], lab: str) -> Kind | None:
    """The newest completed record of a kind; None where there is none.

    FileError where the newest file of all is no record; older ones that are none are passed over.
    """
    path = newest_path_of(kind, lab)
    return load_as(path, kind) if path else None


def newest_path_of(kind: type[StrictModel], lab: str) -> Path | None:
    """The file of the newest completed record of a kind, as `newest_of` chooses.

    Of TCP: of those with the most of the lab's conditions.  A run of a few, for a claim that was
    open, would take from the pages what it left out.
    """
    found: Path | None = None
    most = -1
    for number, path in enumerate(stored(lab, kind)):
        try:
            record = load_as(path, kind)
        except FileError:
            if number == 0:
                raise
            continue
        if getattr(record, "state", "completed") != "completed":
            continue
        if not isinstance(record, TcpRecord):
            return path
        if (here := record.of_the_labs()) > most:
            found, most = path, here
    return found


def newest(lab: str, measure: Measure | None = None) -> Record | None:
    """The newest completed record of a lab that measured all of it; None where there is none.

    `measure`: only of this one.  Without it: of the lab's own, and of a router that no Linux stands
    in for; where there is none of those, not even of a part of the lab, of any.

    A run of some conditions or frame sizes counts only where no run of all of them is: pages that
    were whole would otherwise lose what the reader's last `ppslab run --condition` left out.
    """
    path = newest_path(lab, measure)
    return load(path) if path else None


def newest_path(lab: str, measure: Measure | None = None) -> Path | None:
    """The file of the newest record, as `newest` chooses.

    FileError where the newest file of all is no record; older ones that are none, as those of an
    earlier ppslab, are passed over.
    """
    whole: dict[bool, Path] = {}
    partial: dict[bool, Path] = {}
    spec: LabSpec | None = None
    for number, path in enumerate(stored(lab)):
        try:
            record = load(path)
        except FileError:
            if number == 0:
                raise
            continue
        if record.lab != lab or record.state != "completed":
            continue
        if measure not in (None, record.measure):
            continue
        spec = spec or record.lab_now()  # they are all of this lab, which is a hundred files
        first = measure is not None or record.is_first_choice(spec)
        if record.is_whole(spec):
            whole.setdefault(first, path)
        else:
            partial.setdefault(first, path)
        if True in whole:
            break
    # The measure first: where a lab has got new conditions, its counted figures stay counted.
    chosen = (kept.get(first) for first in (True, False) for kept in (whole, partial))
    return next((path for path in chosen if path), None)
