"""Facts of the packet path: MikroTik's rules, features and stations, from packet_path.yml."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ppslab import documents, models
from ppslab.errors import did_you_mean
from ppslab.models.packet_way import SAID

FILE = Path(models.__file__).with_name("packet_path.yml")

Way = Literal["routed", "bridged"]
Closed = Literal["ip", "bridge", "fasttrack", "chip-fasttrack"]

SEEN_BY_RULES = ("tools", "in")
"""Stations whose features are no policy for packets: nothing is lost where they see none."""


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Section(_Words):
    """A section of the manual."""

    title: str
    url: str


class Rule(_Words):
    """A rule of the manual in our own words."""

    section: str
    says: str
    inferred: bool = False


class Feature(_Words):
    """What can be configured, the station that then works, and what it closes by which rule."""

    name: str
    label: str
    ways: tuple[Way, ...]
    menu: str
    at: str
    closes: dict[Closed, str]


class Station(_Words):
    """A station; `idle`, `fast`, `fasttrack`: what it does there, where it does anything."""

    name: str
    ways: tuple[Way, ...]
    title: str
    menu: str
    works: str
    idle: str | None = None
    fast: str | None = None
    fasttrack: str | None = None


class Example(_Words):
    """Inputs to begin with; `condition`: "LAB CONDITION" whose RouterOS configuration this is."""

    label: str
    inputs: dict[str, str | bool | list[str]]
    condition: str | None = None


class Manual(_Words):
    """The whole file."""

    sections: dict[str, Section]
    rules: dict[str, Rule]
    features: tuple[Feature, ...] = Field(min_length=1)
    stations: tuple[Station, ...] = Field(min_length=1)
    seen: dict[str, str]
    examples: tuple[Example, ...]


@lru_cache(maxsize=1)
def manual(path: Path = FILE) -> Manual:
    """The file; FileError, with the line, for a name in it that nothing has."""
    document = documents.load_yaml(path)
    found = documents.validate(document, Manual)

    def known(keys: tuple[Any, ...], name: str, names: Any, what: str) -> None:
        if name not in names:
            raise document.error(keys, f"no {what} {name!r}{did_you_mean(name, names)}")

    for name, rule in found.rules.items():
        known(("rules", name, "section"), rule.section, found.sections, "section")
    stations = [station.name for station in found.stations]
    for number, feature in enumerate(found.features):
        keys = ("features", number)
        known((*keys, "at"), feature.at, stations, "station")
        for closed, name in feature.closes.items():
            known((*keys, "closes", closed), name, found.rules, "rule")
    for way in found.seen:
        known(("seen", way), way, SAID, "way")
    features = [feature.name for feature in found.features]
    for number, example in enumerate(found.examples):
        for word in ("features", "on_bridge"):
            chosen = example.inputs.get(word, [])
            for chosen_name in chosen if isinstance(chosen, list) else [str(chosen)]:
                known(("examples", number, "inputs", word), chosen_name, features, "feature")
    return found


@lru_cache(maxsize=1)
def facts() -> dict[str, Any]:
    """What the model wants: for its controls `routed`, `bridged` (features) and `examples`.

    Besides: `details` and `policies` of the features, `rules`, `stations`, `seen`.
    """
    found = manual()
    sections = found.sections
    return {
        "routed": [[f.name, f.label] for f in found.features if "routed" in f.ways],
        "bridged": [[f.name, f.label] for f in found.features if "bridged" in f.ways],
        "examples": [[example.label, dict(example.inputs)] for example in found.examples],
        "details": [feature.model_dump(mode="json") for feature in found.features],
        "policies": [f.name for f in found.features if f.at not in SEEN_BY_RULES],
        "rules": [
            [
                name,
                rule.says,
                "inferred, in no source" if rule.inferred else sections[rule.section].title,
                sections[rule.section].url,
            ]
            for name, rule in found.rules.items()
        ],
        "stations": [
            station.model_dump(mode="json", exclude_none=True) for station in found.stations
        ],
        "seen": found.seen,
    }
