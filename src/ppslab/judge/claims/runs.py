"""The runs that judge a lab's claims: the newest of each measure, of one kind of router."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ppslab.core.errors import FileError
from ppslab.core.measures import Measure
from ppslab.judge.claims.deciding import FULL
from ppslab.model import results
from ppslab.model.results import Record, Run, TcpRecord

Kind = TypeVar("Kind", bound=Run)


@dataclass(frozen=True)
class Runs:
    """Runs of one lab, newest first: of `ppslab run`, of either measure, and of `ppslab tcp`."""

    packets: tuple[Record, ...] = ()
    tcp: tuple[TcpRecord, ...] = ()

    @classmethod
    def of(cls, *runs: Run | None) -> Runs:
        """These runs, the newest first; None stands for one that there is not."""
        return cls(
            tuple(run for run in runs if isinstance(run, Record)),
            tuple(run for run in runs if isinstance(run, TcpRecord)),
        )

    @property
    def all(self) -> tuple[Run, ...]:
        return (*self.packets, *self.tcp)

    def of_measure(self, measure: Measure) -> tuple[Record, ...]:
        return tuple(record for record in self.packets if record.measure == measure)


def newest(lab: str) -> Runs:
    return Runs(_taken(_completed(lab, Record)), _taken(_completed(lab, TcpRecord)))


def files(lab: str) -> list[Path]:
    """The lab's stored records of costs and of TCP, of which `newest` chooses."""
    return [*results.stored(lab, Record), *results.stored(lab, TcpRecord)]


def _completed(lab: str, kind: type[Kind]) -> Iterable[Kind]:
    """Completed runs, newest first; FileError where the newest file of all is none."""
    for number, path in enumerate(results.stored(lab, kind)):
        try:
            record = results.load_as(path, kind)
        except FileError:
            if number == 0:
                raise
            continue
        if record.lab == lab and record.state == "completed":
            yield record


def _taken(runs: Iterable[Kind]) -> tuple[Kind, ...]:
    """Of each measure the newest ones of the newest one's router and backend.

    Another router, or another kernel in a guest, is another thing to measure, and not another run
    of the same.  Some are of some conditions only: a claim takes the newest `FULL` that have its
    own, so there are twice as many to choose from.
    """
    every = list(runs)
    taken: list[Kind] = []
    for measure in dict.fromkeys(run.measure for run in every):
        mine = [run for run in every if run.measure == measure]
        spec = mine[0].lab_now()
        whole = [run for run in mine if not isinstance(run, Record) or run.is_whole(spec)]
        here = _where((whole or mine)[0])
        taken += [run for run in mine if _where(run) == here][: 2 * FULL]
    return tuple(taken)


def _where(run: Run) -> tuple[str, str]:
    return run.router["name"], run.backend
