"""Facts of the packet path: features of packet_path.yml, stations and rules of rosexplain."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.model import manual as sources
from ppslab.model import packet_path as station_data
from ppslab.model.manual import FactIds
from rosexplain import base
from rosexplain.decide import NAMES

FILE = Path(station_data.__file__).with_name("packet_path.yml")

Way = Literal["routed", "bridged"]


def _known(name: str) -> str:
    if name not in base.rules():
        raise ValueError(f"no rule {name!r}{did_you_mean(name, base.rules())}")
    return name


RuleId = Annotated[str, AfterValidator(_known)]

SEEN_BY_RULES = ("tools", "in")
"""Stations whose features are no policy for packets: nothing is lost where they see none."""


class Feature(StrictModel):
    """A feature that can be configured: a rule of the rule base."""

    name: RuleId
    ways: tuple[Way, ...]

    @property
    def rule(self) -> dict[str, Any]:
        """The rule: its label, its menus, and which path it closes by which fact."""
        return base.rules()[self.name]

    @property
    def closes(self) -> dict[str, str]:
        """The paths that it closes, each with the fact that says so."""
        return dict(self.rule["closes"])

    def plain(self) -> dict[str, Any]:
        """As the model reads it."""
        shown = {"label": self.rule["label"], "menu": self.rule["menus"][0], "closes": self.closes}
        return {**self.model_dump(mode="json"), **shown}


class Example(StrictModel):
    """Inputs to begin with; `condition`: "LAB CONDITION" whose RouterOS configuration this is."""

    label: str
    inputs: dict[str, str | bool | list[str]]
    condition: str | None = None


class Manual(StrictModel):
    """The whole file.  `rules`: what else the model decides by; `beside`: what it leaves out."""

    rules: FactIds
    beside: FactIds
    features: tuple[Feature, ...] = Field(min_length=1)
    seen: dict[str, str]
    examples: tuple[Example, ...]


@lru_cache(maxsize=1)
def manual(path: Path = FILE) -> Manual:
    """The file; FileError, with the line, for a name in it that nothing has."""
    document = documents.load_yaml(path)
    content = fitting.validate(document, Manual)

    def known(keys: tuple[str | int, ...], name: str, names: Collection[str], what: str) -> None:
        if name not in names:
            raise document.error(keys, f"no {what} {name!r}{did_you_mean(name, names)}")

    for way in content.seen:
        known(("seen", way), way, NAMES, "way")
    features = [feature.name for feature in content.features]
    for number, example in enumerate(content.examples):
        for word in ("features", "on_bridge"):
            chosen = example.inputs.get(word, [])
            for chosen_name in chosen if isinstance(chosen, list) else [str(chosen)]:
                known(("examples", number, "inputs", word), chosen_name, features, "feature")
    return content


@lru_cache(maxsize=1)
def facts() -> dict[str, Any]:
    """The facts of the model: for its controls `routed`, `bridged` (features) and `examples`.

    Besides: `details` and `policies` of the features, `rules` (id, what RouterOS does, source in
    words, address), `beside` (ids), `stations`, `seen`.
    """
    content, stations = manual(), base.base()["stations"]
    seen = [name for one in stations if one["name"] in SEEN_BY_RULES for name in one["rules"]]
    ways = {
        way: [[f.name, f.rule["label"]] for f in content.features if way in f.ways]
        for way in ("routed", "bridged")
    }
    return {
        **ways,
        "examples": [[example.label, dict(example.inputs)] for example in content.examples],
        "details": [feature.plain() for feature in content.features],
        "policies": [f.name for f in content.features if f.name not in seen],
        "rules": [_rule(name) for name in rules()],
        "beside": list(content.beside),
        "stations": stations,
        "seen": content.seen,
    }


def rules() -> list[str]:
    """The facts that the widget decides by, and those that it only names."""
    content = manual()
    closing = (fact for feature in content.features for fact in feature.closes.values())
    return list(dict.fromkeys([*content.rules, *closing, *content.beside]))


def _rule(name: str) -> list[str]:
    fact = sources.fact(name)
    cited = f"{fact.fact.section}, read {fact.read}"
    if fact.fact.basis == "inferred":
        cited = f"inferred, as {fact.fact.because}"
    return [name, fact.says, cited, fact.source]
