"""Facts of the nanoseconds: what each feature cost in the newest record of its lab.

A lab's ladders are in its own folder (`ladders.yml`), so that a lab brings them along.

A feature's time is the difference of two conditions' medians, so that the pieces of a measured
condition add up to what its record says of it; its interval is that of the paired differences.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.judge import costs
from ppslab.model import results
from ppslab.model.lab.lab import Lab, find, in_order
from ppslab.model.results import Record
from ppslab.model.statistics import median_interval
from ppslab.show.record_tables.router_costs import nanoseconds_an_instruction

FILE = "ladders.yml"

TIMED_TOO = "fastpath"
"""The lab that is measured by both measures (`timed_too` in its lab.yml)."""


class Feature(StrictModel):
    """The feature that `condition` has and `over` has not."""

    name: str
    says: str
    condition: str
    over: str


class Ladder(StrictModel):
    """A condition, and features that can be put on it one after the other."""

    name: str
    title: str
    base: str
    says: str
    begin: tuple[str, ...] = Field(default=(), description="features that are chosen first")
    size: int = Field(default=64, description="bytes of the frame that is chosen first")
    features: tuple[Feature, ...] = Field(min_length=1)


class _File(StrictModel):
    ladders: tuple[Ladder, ...] = Field(min_length=1)


def ladders() -> tuple[tuple[Lab, Ladder], ...]:
    """Every ladder with its lab, in the order of the chapters; FileError as of `of_lab`."""
    labs = (find(name) for name in in_order())
    return tuple((lab, ladder) for lab in labs for ladder in of_lab(lab))


def of_lab(lab: Lab) -> tuple[Ladder, ...]:
    """A lab's ladders; FileError, with the line, for a condition that the lab has not."""
    path = lab.folder / FILE
    if not path.is_file():
        return ()
    document = documents.load_yaml(path)
    known = fitting.validate(document, _File).ladders
    for number, ladder in enumerate(known):
        keys = ("ladders", number)
        _known(document, (*keys, "base"), ladder.base, lab)
        reached = [ladder.base]
        for place, feature in enumerate(ladder.features):
            here = (*keys, "features", place)
            _known(document, (*here, "condition"), feature.condition, lab)
            if feature.over not in reached:
                near = did_you_mean(feature.over, reached)
                message = f"{feature.over!r} is no condition of the features before{near}"
                raise document.error((*here, "over"), message)
            reached.append(feature.condition)
        names = [feature.name for feature in ladder.features]
        for name in ladder.begin:
            if name not in names:
                message = f"begin: no feature {name!r}{did_you_mean(name, names)}"
                raise document.error((*keys, "begin"), message)
    return known


def _known(document: documents.Document, keys: tuple[str | int, ...], name: str, lab: Lab) -> None:
    if name not in lab.conditions:
        near = did_you_mean(name, lab.conditions)
        raise document.error(keys, f"no condition {name!r} in the lab {lab.name}{near}")


def facts() -> dict[str, Any]:
    """`ladders`, their `choices`, and `controls`: features and frame size of each.

    A ladder: name, title, lab, provenance, emulated, titles (of the conditions), base
    ([condition, words]),
    unit ("ns", or "instructions" where they were counted), each_ns (what one of them took on a real
    CPU; None where nobody timed it), features ([name, words, condition, over]), `measured` by
    "CONDITION SIZE" ([median, low, high] in the unit), `added` by "FEATURE SIZE" (the same).
    A ladder whose lab has no record is left out.
    """
    labs = dict.fromkeys(lab.name for lab, _ in ladders())
    files = [path for lab in labs for path in results.stored(lab, Record)]
    return _made(tuple((path, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=2)
def _made(_files: tuple[tuple[Path, int], ...]) -> dict[str, Any]:
    """The facts, as long as the records are these."""
    facts: dict[str, Any] = {"ladders": [], "choices": [], "controls": []}
    for lab, ladder in ladders():
        record = results.newest(lab.name)
        sizes = _sizes(record, ladder) if record else []
        if record and sizes:
            facts["controls"] += _controls(ladder, sizes)
            facts["ladders"].append(_ladder(record, lab, ladder, sizes))
            facts["choices"].append([ladder.name, ladder.title])
    return facts


def _controls(ladder: Ladder, sizes: list[int]) -> list[dict[str, Any]]:
    """The controls that one ladder has for itself, shown while it is the chosen one."""
    shown = {"when": ["ladder", [ladder.name]]}
    return [
        {
            "kind": "many",
            "name": "features_" + ladder.name,
            "label": "With",
            "value": list(ladder.begin),
            "choices": [[feature.name, feature.says] for feature in ladder.features],
            **shown,
        },
        {
            "kind": "choice",
            "name": "size_" + ladder.name,
            "label": "Frame size",
            "value": ladder.size if ladder.size in sizes else sizes[0],
            "choices": [[size, f"{size} bytes"] for size in sizes],
            **shown,
        },
    ]


def _sizes(record: Record, ladder: Ladder) -> list[int]:
    """The frame sizes at which the base was measured."""
    return [size for size in record.frame_sizes if costs.router_costs(record, ladder.base, size)]


def _ladder(record: Record, lab: Lab, ladder: Ladder, sizes: list[int]) -> dict[str, Any]:
    measured: dict[str, list[float]] = {}
    added: dict[str, list[float]] = {}
    names = [ladder.base, *(feature.condition for feature in ladder.features)]
    for size in sizes:
        for name in names:
            try:
                interval = costs.cost(record, name, size)
            except costs.NoDataError:
                continue
            measured[f"{name} {size}"] = _short(interval.estimate, interval.low, interval.high)
        for feature in ladder.features:
            dear = costs.router_costs(record, feature.condition, size)
            cheap = costs.router_costs(record, feature.over, size)
            both = [dear[n] - cheap[n] for n in dear if n in cheap]
            ends = [measured.get(f"{name} {size}") for name in (feature.condition, feature.over)]
            if both and ends[0] and ends[1]:
                paired = median_interval(both, seed=record.seed)
                more = ends[0][0] - ends[1][0]
                added[f"{feature.name} {size}"] = _short(
                    more, min(paired.low, more), max(paired.high, more)
                )
    return {
        "name": ladder.name,
        "title": ladder.title,
        "lab": lab.name,
        "provenance": record.provenance().data(),
        "emulated": record.provenance().emulated and record.measure == "timed",
        "unit": record.unit,
        "each_ns": 1.0 if record.measure == "timed" else _an_instruction(),
        "titles": record.titles,
        "base": [ladder.base, ladder.says],
        "features": [[f.name, f.says, f.condition, f.over] for f in ladder.features],
        "measured": measured,
        "added": added,
    }


def _an_instruction() -> float | None:
    """Nanoseconds that an instruction took, the median over Fast Path's conditions.

    That lab is counted and timed; None where a run of either is missing.
    """
    counted, timed = (results.newest(TIMED_TOO, measure) for measure in ("counted", "timed"))
    if counted is None or timed is None:
        return None
    size = min(set(counted.frame_sizes) & set(timed.frame_sizes))
    intervals = [
        nanoseconds_an_instruction(counted, timed, condition.name, size)
        for condition in counted.conditions
    ]
    each = [interval.estimate for interval in intervals if interval]
    return round(median(each), 3) if each else None


def _short(*values: float) -> list[float]:
    """A tenth of a nanosecond is finer than any of them is known."""
    return [round(value, 1) for value in values]
