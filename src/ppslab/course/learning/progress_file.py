"""A learner's progress as a file: the one that the site exports and imports.

    {"ppslab-progress": 1, "done": {"CHAPTER/KIND/ID": TIME}, "answers": {...}, "figures": [...]}

A figure is what the learner's own newest run of a lab measured: condition and number, in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from pathlib import Path
from typing import TypeVar

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.text.quantities import NOTHING, Quantity
from ppslab.judge import costs, goodput
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import Lab
from ppslab.model.results import Record, TcpRecord
from ppslab.show import record_tables, rows

Kind = TypeVar("Kind", Record, TcpRecord)

FORM = 1
NAME = "ppslab-progress.json"


class Own(StrictModel):
    """The results of the learner's own run of one lab; `rows` are condition and number.

    `lab` begins with `tcp-` for a run with TCP.
    """

    lab: str
    title: str
    started: str
    provenance: str
    rows: tuple[tuple[str, str], ...]


class Progress(StrictModel):
    """The file."""

    form: int = Field(alias="ppslab-progress", ge=FORM, le=FORM)
    done: dict[str, str] = Field(default={})
    answers: dict[str, str] = Field(default={})
    figures: tuple[Own, ...] = ()


def load(path: Path) -> Progress:
    """The progress in a file; FileError with the line where it holds none."""
    return fitting.validate(documents.load_json(path), Progress)


def save(progress: Progress, path: Path) -> None:
    """Write the progress as JSON, whole or not at all."""
    documents.write_json(path, progress.model_dump(mode="json", by_alias=True))


def collect(tasks: Iterable[tuple[str, str, str]], folder: Path | None = None) -> Progress:
    """Collect what was done on this machine: tasks (lab, task, time), and the runs in `folder`.

    `folder` is results/local without it: what came with the
    course was measured by others.
    """
    done = {f"{lab}/task/{task}": time for lab, task, time in tasks}
    return _progress(done=done, figures=figures(folder))


def figures(folder: Path | None = None) -> list[Own]:
    """The newest own runs of each lab, in the labs' order, without runs that have no valid result.

    FileError for a record that cannot be read.
    """
    folder = folder or paths.results_dir() / "local"
    found = []
    for name in labs.names():
        lab = labs.find(name)
        cost, tcp = _newest(Record, name, folder), _newest(TcpRecord, name, folder)
        if cost:
            title = f"{lab.title}: the router's time per packet, {min(cost.frame_sizes)} bytes"
            found.append(_own(name, title, cost, _costs(lab, cost)))
        if tcp:
            found.append(_own(f"tcp-{name}", f"{lab.title}: TCP", tcp, _goodputs(lab, tcp)))
    return [each for each in found if each.rows]


def _own(
    name: str, title: str, record: Record | TcpRecord, rows: tuple[tuple[str, str], ...]
) -> Own:
    started = record.started.astimezone(UTC).isoformat(timespec="seconds")
    sentence = record.provenance().sentence
    return Own(lab=name, title=title, started=started, provenance=sentence, rows=rows)


def _progress(
    done: dict[str, str], figures: list[Own], answers: dict[str, str] | None = None
) -> Progress:
    return Progress.model_validate(
        {"ppslab-progress": FORM, "done": done, "answers": answers or {}, "figures": figures}
    )


def merged(ours: Progress, others: Progress) -> Progress:
    """Both merged: the earlier time of each task, and the newer run of each lab.

    Where both have an answer, that of `ours` is kept.
    """
    done = dict(others.done)
    for name, time in ours.done.items():
        done[name] = min(time, done.get(name, time))
    runs = {each.lab: each for each in others.figures}
    for each in ours.figures:
        if each.lab not in runs or runs[each.lab].started <= each.started:
            runs[each.lab] = each
    answers = {**others.answers, **ours.answers}
    return _progress(done=done, answers=answers, figures=list(runs.values()))


def _newest(kind: type[Kind], name: str, folder: Path) -> Kind | None:
    for path in results.stored(name, kind):
        if path.parent == folder:
            record = results.load_as(path, kind)
            if record.state == "completed":
                return record
    return None


def _costs(lab: Lab, record: Record) -> tuple[tuple[str, str], ...]:
    size = min(record.frame_sizes)
    return tuple(
        (_title(lab, name), str(cost))
        for name in costs.measured_conditions(record)
        if (cost := record_tables.cost(record, name, size)) != NOTHING
    )


def _goodputs(lab: Lab, record: TcpRecord) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            f"{_title(lab, row.condition)}, {goodput.NAMES[row.direction]}",
            str(Quantity.of(row.estimate, "Mbit/s", scale=1e-6)),
        )
        for row in rows.of(record)
        if row.quantity == "goodput"
    )


def _title(lab: Lab, condition: str) -> str:
    return lab.conditions[condition].title if condition in lab.conditions else condition
