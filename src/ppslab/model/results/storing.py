"""Files of records: their names and folders; written and read whole or not at all.

Each kind of record has a schema of its own, which its first field names, and a prefix of its file
names: `rfc2544-fastpath-20261121T052734Z-namespaces.json`.  Those of `ppslab run` have none.
A name is `[KIND-]LAB-TIME-BACKEND[-TURN].json`.  It has whole seconds, and a clock can be set back:
a run that would not come last by its time begins another turn, and the turn counts before the
time.  What ran last is the newest.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic.json_schema import models_json_schema

from ppslab.core import documents, paths
from ppslab.core.documents import Document, Key, disk, fitting
from ppslab.core.documents.fitting import dotted
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError, shortened
from ppslab.core.measures import Measure
from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import LabSpec
from ppslab.model.results.kinds import (
    CalibrationRecord,
    Failure,
    FaultsRecord,
    ProfileRecord,
    Record,
    SuiteRecord,
    TcpRecord,
)
from ppslab.model.results.parts import Run

Kind = TypeVar("Kind", bound=StrictModel)
AnyRun = TypeVar("AnyRun", bound=Run)

SCHEMA: Final = "ppslab/record/2"

KINDS: Final[Mapping[str, type[StrictModel]]] = {
    SCHEMA: Record,
    "ppslab/faults/2": FaultsRecord,
    "ppslab/rfc2544/2": SuiteRecord,
    "ppslab/tcp/2": TcpRecord,
    "ppslab/profile/2": ProfileRecord,
    "ppslab/calibration/2": CalibrationRecord,
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
    return next(name for name, known in KINDS.items() if known is kind)


@cache
def schema(*kinds: type[StrictModel]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a record of one of these kinds, of any kind without one.

    Nobody changes it, as it is made once.
    """
    every = [(kind, "validation") for kind in KINDS.values()]
    references, document = models_json_schema(every, by_alias=True)  # type: ignore[arg-type]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A record of ppslab",
        "oneOf": [references[kind, "validation"] for kind in kinds or KINDS.values()],
        **document,
    }


def save(record: StrictModel, path: Path) -> None:
    """Write a record whole or not at all."""
    documents.write_atomic(path, record.model_dump_json(by_alias=True, indent=1) + "\n")


def load(path: Path) -> Record:
    """Read a record of `ppslab run`; FileError says what is wrong with it, and in which line."""
    return load_as(path, Record)


def load_as(path: Path, kind: type[Kind]) -> Kind:
    """Read a record of one kind; FileError says what is wrong with it, and in which line."""
    return cast("Kind", _parsed(path, documents.read_text(path, disk.RECORD), kind))


def load_any(path: Path) -> StrictModel:
    """Read a record of any kind; FileError says what is wrong with it, and in which line."""
    return _parsed(path, documents.read_text(path, disk.RECORD), None)


# Every claim, table and figure asks for the newest record, and whether it is the newest is seen
# only by reading those before it.
@lru_cache(maxsize=32)
def _parsed(path: Path, text: str, kind: type[StrictModel] | None) -> StrictModel:
    document = documents.parse_json(path, text)
    name = _schema_of(document.data)
    if kind is not None and name != name_of(kind):
        raise FileError(path, 1, f"schema is {name!r}, here {name_of(kind)!r} is wanted")
    known = kind or KINDS.get(name or "")
    if known is None:
        raise FileError(path, 1, f"schema is {name!r}, this ppslab reads {', '.join(KINDS)}")
    return _read(document, known)


def _read(document: documents.Document, kind: type[Kind]) -> Kind:
    _check_numbers(document)
    record = fitting.validate(document, kind)
    _check_parts(document, record)
    return _with_titles(record) if isinstance(record, Run) else record


def _with_titles(run: AnyRun) -> AnyRun:
    """A run whose conditions have the titles of today: a reader meets one name of each, not two."""
    titles = labs.titles(run.lab)
    conditions = tuple(
        each.model_copy(update={"title": titles.get(each.name, each.title)})
        for each in run.conditions
    )
    return run.model_copy(update={"conditions": conditions})


def _schema_of(data: Any) -> str | None:
    name = data.get("schema") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def new_path(lab: str, started: datetime, backend: str, kind: type[StrictModel] = Record) -> Path:
    """The file of a run made on this machine: results/local/[KIND-]LAB-TIME-BACKEND.json.

    `new_name` says what its name is where others have the same second, or a later one.
    """
    taken = [path.name for path in _files(lab, kind, "")]
    prefix = f"{_prefix(kind)}{lab}"
    return paths.results_dir() / "local" / new_name(prefix, started, backend, taken)


def sent_path(lab: str, started: datetime, backend: str, kind: type[StrictModel] = Record) -> Path:
    """The file of a run that somebody sent: results/sent/[KIND-]LAB-TIME-BACKEND.json.

    Without a turn: the runs of this checkout are no runs of the sender's machine.
    """
    name = new_name(f"{_prefix(kind)}{lab}", started, backend, ())
    return paths.results_dir() / SENT / name


def stored(lab: str, kind: type[StrictModel] = Record) -> Iterator[Path]:
    """The records of a lab that were made here, newest first, as `age_key` orders them."""
    files = _files(lab, kind, ".json")
    yield from sorted(files, key=lambda path: age_key(path.name), reverse=True)


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
    """The newest completed record of a kind, as `newest_path_of` chooses; None without one."""
    path = newest_path_of(kind, lab)
    return load_as(path, kind) if path else None


def newest_path_of(kind: type[StrictModel], lab: str) -> Path | None:
    """The file of the newest completed record of a kind; FileError as `_completed`.

    Of TCP: of those with the most of the lab's conditions.  A run of a few, for a claim that was
    open, would take from the pages what it left out.
    """
    if kind is TcpRecord:
        runs = [(record.of_the_labs(), path) for path, record in _completed(lab, TcpRecord)]
        return max(runs, key=lambda run: run[0], default=(0, None))[1]
    return next((path for path, _ in _completed(lab, kind)), None)


def newest(lab: str, measure: Measure | None = None) -> Record | None:
    """The newest completed record of a lab, as `newest_path` chooses; None without one."""
    path = newest_path(lab, measure)
    return load(path) if path else None


def newest_path(lab: str, measure: Measure | None = None) -> Path | None:
    """The file of the newest completed record of a lab that measured all of it.

    `measure`: only of this one.  Without it: of the lab's own, and of a router that no Linux stands
    in for; where there is none of those, not even of a part of the lab, of any.

    A run of some conditions or frame sizes counts only where no run of all of them is: pages that
    were whole would otherwise lose what the reader's last `ppslab run --condition` left out.

    FileError as `_completed`.
    """
    newest_by: dict[tuple[bool, bool], Path] = {}
    spec: LabSpec | None = None
    for path, record in _completed(lab, Record):
        if record.lab != lab or measure not in (None, record.measure):
            continue
        spec = spec or record.lab_now()  # they are all of this lab, which is a hundred files
        first = measure is not None or record.is_first_choice(spec)
        newest_by.setdefault((first, record.is_whole(spec)), path)
        if (True, True) in newest_by:
            break
    # The measure first: where a lab has got new conditions, its counted figures stay counted.
    return newest_by[max(newest_by)] if newest_by else None


def _completed(lab: str, kind: type[Kind]) -> Iterator[tuple[Path, Kind]]:
    """The completed records of a lab, newest first, with their files.

    FileError where the newest file of all is no record; older ones that are none, as those of an
    earlier ppslab, are passed over.
    """
    for number, path in enumerate(stored(lab, kind)):
        try:
            record = load_as(path, kind)
        except FileError:
            if number == 0:
                raise
            continue
        if getattr(record, "state", "completed") == "completed":
            yield path, record


_FILE_NAME: Final = re.compile(
    r"-(?P<time>\d{8}T\d{6}Z)-(?P<backend>[a-z]+)(?:-(?P<turn>\d+))?(?:\.[a-z]+)*$"
)


def age_key(name: str) -> tuple[int, str, str]:
    """The key by which the names of one measurement's records sort, the oldest first."""
    match = _FILE_NAME.search(name)
    return (int(match["turn"] or 1), match["time"], name) if match else (0, "", name)


def new_name(prefix: str, started: datetime, backend: str, others: Iterable[str]) -> str:
    """The name of a run that starts now; `others`: the names that its measurement has already."""
    stamp = started.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    last = max((age_key(name) for name in others), default=(1, "", ""))
    turn = max(1, last[0]) + (1 if last[1] >= stamp else 0)
    return f"{prefix}-{stamp}-{backend}{f'-{turn}' if turn > 1 else ''}.json"


# What a record must be beyond the types of its words, so that what is read can be shown.

Keys = tuple[Key, ...]

_LAB_NAME = re.compile("[a-z0-9][a-z0-9-]*")
"""As ppslab.model.lab.Name; the published schemas of records call a name a text."""

_MOST = 2**64
"""No number of a record is larger: a frame counter has 64 bits, and so has a seed."""


def _check_numbers(document: Document) -> None:
    """FileError, with the value's path, where a number is larger than anything that was measured.

    Sums and squares of such numbers overflow long after the record was accepted.
    """
    waiting: list[tuple[Keys, Any]] = [((), document.data)]
    while waiting:
        above, data = waiting.pop()
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            if isinstance(value, (int, float)):
                if not -_MOST <= value <= _MOST:
                    keys = (*above, key)
                    what = f"{dotted(keys)}: {value!s:.24} is no number of a record"
                    raise document.error(keys, what)
            elif isinstance(value, (dict, list)):
                waiting.append(((*above, key), value))


def _check_parts(document: Document, record: StrictModel) -> None:
    """FileError where the parts of a record contradict one another."""
    for keys, message in _faults(record):
        raise document.error(keys, f"{dotted(keys)}: {message}")


def _faults(record: StrictModel) -> Iterator[tuple[Keys, str]]:
    # Of these, names of files and folders are made.
    if isinstance(record, Run | Failure) and not _LAB_NAME.fullmatch(record.lab):
        yield ("lab",), f"{shortened(record.lab)!r} is no lab's name: small letters, digits and -"
    if not isinstance(record, Run | CalibrationRecord):
        return
    for index, trial in enumerate(record.trials):
        here: Keys = ("trials", index)
        if trial.valid and trial.counts is None:
            yield (*here, "counts"), "the trial is valid, but it has no counts"
        counts = trial.counts if trial.valid else None
        for word in ("offered", "send_seconds") if counts else ():
            if counts and not counts[word] > 0:
                yield (*here, "counts", word), "the trial is valid, so it should be above 0"
    if isinstance(record, TcpRecord):
        yield from _nothing_transferred(record)
    if isinstance(record, Run):
        yield from _unknown_conditions(record)
        yield from _wrong_lease(record)


def _nothing_transferred(record: TcpRecord) -> Iterator[tuple[Keys, str]]:
    """Yield what a valid transfer lacks; one that failed may lack any of it."""
    for index, transfer in enumerate(record.transfers):
        if not transfer.valid:
            continue
        here: Keys = ("transfers", index)
        if not transfer.ways:
            yield (*here, "ways"), "the transfer is valid, but no data went any way"
        if transfer.router is None:
            yield (*here, "router"), "the transfer is valid, but the router counted nothing"
        for number, way in enumerate(transfer.ways):
            if not way.received_bytes:
                message = "the transfer is valid, but it has no streams"
                yield (*here, "ways", number, "received_bytes"), message


def _wrong_lease(record: Run) -> Iterator[tuple[Keys, str]]:
    if record.lease is None:
        return
    if record.measure == "counted":
        yield ("lease",), "the instructions were counted, which takes no turn"
    if record.lease.since > record.started.astimezone(UTC):
        yield ("lease", "since"), "the run began before its turn, so others may have measured"


def _unknown_conditions(record: Run) -> Iterator[tuple[Keys, str]]:
    names = [condition.name for condition in record.conditions]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield ("conditions", index, "name"), f"{name!r} stands there twice"
    known = {*names, *(each.condition for each in record.skipped)}
    for part in ("trials", "searches", "profiles", "transfers", *_OF_THE_SUITE):
        for index, each in enumerate(getattr(record, part, ())):
            if each.condition is not None and each.condition not in known:
                yield (part, index, "condition"), f"the record has no condition {each.condition!r}"


_OF_THE_SUITE = ("throughput", "latency", "frame_loss", "back_to_back", "recovery", "reset")


def kept_only(folder: Path) -> Path:
    """Return a folder with the kept records alone: results/, or `folder` with links to them.

    The project's own files and tests do not depend on what this machine measured.
    """
    results = paths.results_dir()
    return link_kept(folder) if (results / paths.OWN).is_dir() else results


def read_kept(root: Path) -> None:
    """From here on this process, and what it starts, reads the kept records of a checkout alone."""
    records = paths.kept_results(root)
    os.environ["PPSLAB_RESULTS"] = str(root / "results")
    os.environ["PPSLAB_RESULTS"] = str(kept_only(records))


def link_kept(folder: Path) -> Path:
    """The same, but always `folder`, into which a run may be written; what was in it is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    hidden = shutil.ignore_patterns(".*", paths.OWN)
    results = paths.results_dir().absolute()
    shutil.copytree(results, folder, ignore=hidden, copy_function=os.symlink)
    return folder
