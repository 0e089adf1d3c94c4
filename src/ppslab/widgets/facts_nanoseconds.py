"""Facts of the nanoseconds: what each feature cost in the newest record of its lab (ladders.yml).

A feature's time is the difference of two conditions' medians, so that the pieces of a measured
condition add up to what its record says of it; its interval is that of the paired differences.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ppslab import analysis, documents, results
from ppslab.errors import did_you_mean
from ppslab.lab import Lab, find
from ppslab.results import ProfileRecord, Record
from ppslab.statistics import median_interval

FILE = Path(__file__).with_name("ladders.yml")


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Feature(_Words):
    """What `condition` has that `over` has not."""

    name: str
    says: str
    condition: str
    over: str


class Ladder(_Words):
    """A condition, and features that can be put on it one after the other."""

    name: str
    lab: str
    title: str
    base: str
    says: str
    features: tuple[Feature, ...] = Field(min_length=1)


class _File(_Words):
    ladders: tuple[Ladder, ...] = Field(min_length=1)


def ladders(path: Path = FILE) -> tuple[Ladder, ...]:
    """The ladders of the file; FileError, with the line, for a condition that its lab has not."""
    document = documents.load_yaml(path)
    found = documents.validate(document, _File).ladders
    for number, ladder in enumerate(found):
        keys = ("ladders", number)
        lab = find(ladder.lab)
        _known(document, (*keys, "base"), ladder.base, lab)
        reached = [ladder.base]
        for place, feature in enumerate(ladder.features):
            here = (*keys, "features", place)
            _known(document, (*here, "condition"), feature.condition, lab)
            if feature.over not in reached:
                near = did_you_mean(feature.over, reached)
                said = f"{feature.over!r} is no condition of the features before{near}"
                raise document.error((*here, "over"), said)
            reached.append(feature.condition)
    return found


def _known(document: documents.Document, keys: tuple[Any, ...], name: str, lab: Lab) -> None:
    if name not in lab.conditions:
        near = did_you_mean(name, lab.conditions)
        raise document.error(keys, f"no condition {name!r} in the lab {lab.name}{near}")


def facts() -> dict[str, Any]:
    """`ladders`, and for each NAME `features_NAME` and `sizes_NAME`, the choices of its controls.

    A ladder: name, title, lab, provenance, cannot_show, emulated, base ([condition, words]),
    features ([name, words, condition, over]), `measured` by "CONDITION SIZE" ([median, low, high]
    in nanoseconds), `added` by "FEATURE SIZE" (the same), `stations` by condition ([title, ns]).
    A ladder whose lab has no record is left out.
    """
    labs = dict.fromkeys(ladder.lab for ladder in ladders())
    files = [
        p for kind in (Record, ProfileRecord) for lab in labs for p in results.stored(lab, kind)
    ]
    return _made(tuple((path, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=2)
def _made(_files: tuple[tuple[Path, int], ...]) -> dict[str, Any]:
    """The facts, as long as the records are these."""
    made: dict[str, Any] = {"ladders": [], "choices": []}
    for ladder in ladders():
        record = results.newest(ladder.lab)
        sizes = _sizes(record, ladder) if record else []
        made[f"features_{ladder.name}"] = [[f.name, f.says] for f in ladder.features]
        made[f"sizes_{ladder.name}"] = [[size, f"{size} bytes"] for size in sizes]
        if record and sizes:
            made["ladders"].append(_ladder(record, ladder, sizes))
            made["choices"].append([ladder.name, ladder.title])
    return made


def _sizes(record: Record, ladder: Ladder) -> list[int]:
    """The frame sizes at which the base was measured."""
    return [size for size in record.frame_sizes if analysis.router_costs(record, ladder.base, size)]


def _ladder(record: Record, ladder: Ladder, sizes: list[int]) -> dict[str, Any]:
    measured: dict[str, list[float]] = {}
    added: dict[str, list[float]] = {}
    names = [ladder.base, *(feature.condition for feature in ladder.features)]
    for size in sizes:
        for name in names:
            try:
                found = analysis.cost(record, name, size)
            except analysis.NoDataError:
                continue
            measured[f"{name} {size}"] = _short(found.estimate, found.low, found.high)
        for feature in ladder.features:
            dear = analysis.router_costs(record, feature.condition, size)
            cheap = analysis.router_costs(record, feature.over, size)
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
        "lab": ladder.lab,
        "provenance": record.provenance(),
        "emulated": record.environment.get("emulation") == "tcg",
        "base": [ladder.base, ladder.says],
        "features": [[f.name, f.says, f.condition, f.over] for f in ladder.features],
        "measured": measured,
        "added": added,
        "stations": _stations(ladder),
    }


def _short(*values: float) -> list[float]:
    """A tenth of a nanosecond is finer than any of them is known."""
    return [round(value, 1) for value in values]


def _stations(ladder: Ladder) -> dict[str, Any]:
    """Where the newest profile of the lab saw the time go, by condition; empty without one."""
    record = results.newest_of(ProfileRecord, ladder.lab)
    if record is None:
        return {}
    names = {ladder.base, *(feature.condition for feature in ladder.features)}
    return {
        profile.condition: {
            "size": record.frame_size,
            "total": round(profile.total.estimate, 1),
            "rows": [[s.title, round(s.nanoseconds, 1)] for s in profile.stations],
            "provenance": record.provenance(),
        }
        for profile in record.profiles
        if profile.condition in names and profile.stations
    }
