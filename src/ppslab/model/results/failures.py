"""Failed measurements of `make book`: a small record of each, until it is measured.

`results/local/failed-COMMAND-LAB[-MEASURE].json`.  It counts while no completed record of the
measurement is younger, so that a run by hand settles it too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ppslab.core import documents, paths
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError
from ppslab.core.measures import Measure
from ppslab.model.results.kinds import (
    CalibrationRecord,
    Command,
    Failure,
    FaultsRecord,
    SuiteRecord,
    TcpRecord,
)
from ppslab.model.results.storing import load_as, newest_path, newest_path_of, save

_KINDS: Final[Mapping[Command, type[StrictModel]]] = {
    "rfc2544": SuiteRecord,
    "tcp": TcpRecord,
    "break": FaultsRecord,
    "calibrate": CalibrationRecord,
}


def keep(failure: Failure) -> Path:
    """Write a failure down, in the place of the measurement's last one, and return its file."""
    path = _path(failure.command, failure.lab, failure.measure)
    save(failure, path)
    return path


def refused() -> FileError | None:
    """The error for which nothing can be kept here; None where it can."""
    path = paths.results_dir() / "local" / f".tried-{os.getpid()}"
    try:
        documents.write_atomic(path, "")
        path.unlink()
    except FileError as error:
        return error
    return None


def forget(command: Command, lab: str, measure: Measure | None = None) -> None:
    """Remove the failure of a measurement that was made, or that nobody wants any more."""
    _path(command, lab, measure).unlink(missing_ok=True)


def kept() -> list[Failure]:
    """Every failure that is written down, by the names of the files; unreadable ones are none."""
    failures = []
    for path in sorted((paths.results_dir() / "local").glob("failed-*.json")):
        try:
            failures.append(load_as(path, Failure))
        except FileError:
            continue
    return failures


def current() -> list[Failure]:
    """The failures after which no completed record of the measurement began."""
    return [
        failure for failure in kept() if (when := older(failure)) is None or when <= failure.when
    ]


def older(failure: Failure) -> datetime | None:
    """The date of the record that is shown in place of the one that failed; None without one."""
    return newest_date(failure.command, failure.lab, failure.measure)


def newest_date(command: Command, lab: str, measure: Measure | None = None) -> datetime | None:
    """The date when the newest completed record of a measurement began; None without one."""
    path = newest_of_command(command, lab, measure)
    if path is None:
        return None
    return datetime.fromisoformat(documents.load_json(path).data["started"]).astimezone(UTC)


def newest_of_command(command: Command, lab: str, measure: Measure | None = None) -> Path | None:
    """The file of the newest completed record of a measurement."""
    try:
        if command == "run":
            return newest_path(lab, measure)
        return newest_path_of(_KINDS[command], lab)
    except FileError:
        return None


def _path(command: Command, lab: str, measure: Measure | None) -> Path:
    name = "-".join(word for word in ("failed", command, lab, measure) if word)
    return paths.results_dir() / "local" / f"{name}.json"
