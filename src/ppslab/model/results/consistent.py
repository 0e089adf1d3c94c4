"""What a record must be beyond the types of its words, so that what is read can be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from typing import Any

from ppslab.core.documents import Document, Key
from ppslab.core.documents.fitting import dotted
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import shortened
from ppslab.model.results.header import Run
from ppslab.model.results.kinds.calibration import CalibrationRecord
from ppslab.model.results.kinds.failure import Failure

Keys = tuple[Key, ...]

_NAME = re.compile("[a-z0-9][a-z0-9-]*")
"""As ppslab.model.lab.schema.Name; the published schemas of records call a name a text."""

MOST = 2**64
"""No number of a record is larger: a frame counter has 64 bits, and so has a seed."""


def check_numbers(document: Document) -> None:
    """FileError, with the value's path, where a number is larger than anything that was measured.

    Sums and squares of such numbers overflow long after the record was accepted.
    """
    if _all_small(document.data):
        return
    for keys, value in _numbers(document.data, ()):
        if not -MOST <= value <= MOST:
            raise document.error(keys, f"{dotted(keys)}: {value!s:.24} is no number of a record")


def check(document: Document, record: StrictModel) -> None:
    """FileError where the parts of a record contradict one another."""
    for keys, message in _faults(record):
        raise document.error(keys, f"{dotted(keys)}: {message}")


def _faults(record: StrictModel) -> Iterator[tuple[Keys, str]]:
    # Of these, names of files and folders are made.
    if isinstance(record, Run | Failure) and not _NAME.fullmatch(record.lab):
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
    if isinstance(record, Run):
        yield from _unknown_conditions(record)
        yield from _wrong_lease(record)


def _wrong_lease(record: Run) -> Iterator[tuple[Keys, str]]:
    if record.lease is None:
        return
    if record.measure == "counted":
        yield ("lease",), "the instructions were counted, which takes no turn"
    if record.lease.since > record.started.astimezone(UTC):
        yield ("lease", "since"), "the run began before its turn, so others may have measured"
    if strange := set(record.lease.kept_free) - set(record.lease.cpus):
        yield ("lease", "kept_free"), f"CPU {min(strange)} is none of the lease's"


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


def _all_small(data: Any) -> bool:
    """Whether no number is too large; where each stands is only looked for when one is."""
    waiting = [data]
    for each in waiting:  # it grows meanwhile
        if isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, int | float) and not -MOST <= each <= MOST:
            return False
    return True


def _numbers(data: Any, keys: Keys) -> Iterator[tuple[Keys, int | float]]:
    waiting: list[tuple[Keys, Any]] = [(keys, data)]
    while waiting:
        keys, data = waiting.pop()
        if isinstance(data, dict):
            waiting += [((*keys, key), each) for key, each in data.items()]
        elif isinstance(data, list):
            waiting += [((*keys, index), each) for index, each in enumerate(data)]
        elif isinstance(data, int | float):
            yield keys, data
