"""The articles' systems: the lab of each, what its claims came to, and what the rest of them needs.

book/systems.yml says which lab a system is measured in, and which part of the lab it is; all else
is the lab's own data and its verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.judge import claims
from ppslab.judge.claims import Claim, Judged
from ppslab.judge.outcome import Outcome
from ppslab.judge.scoreboard import OPEN, evidence_text
from ppslab.model.lab import lab as labs

FILE = "book/systems.yml"


class SystemSpec(StrictModel):
    """One system of systems.yml."""

    title: str = Field(min_length=1, description="what pages call it")
    lab: str = Field(description="the lab in which it is measured")
    conditions: tuple[str, ...] | None = Field(
        default=None, description="patterns of its conditions; left out: all that are left"
    )
    sources: tuple[str, ...] = Field(default=(), description="whose claims are all its own")

    @property
    def takes_the_rest(self) -> bool:
        """True if it has all of its lab that other systems did not take."""
        return self.conditions is None

    def has(self, condition: str) -> bool:
        """True if a condition of the lab is its own."""
        return any(fnmatchcase(condition, pattern) for pattern in self.conditions or ())


class Systems(StrictModel):
    """All of systems.yml."""

    systems: tuple[SystemSpec, ...]


@dataclass(frozen=True)
class System:
    """A system with the conditions and the claims that are its own."""

    title: str
    outcome: Outcome
    conditions: tuple[str, ...]
    judged: tuple[Judged, ...]

    @property
    def decided(self) -> tuple[Judged, ...]:
        """The claims with a verdict that a run, an event or arithmetic gave."""
        return tuple(each for each in self.judged if each.verdict not in OPEN)

    @property
    def decided_text(self) -> str:
        """The number of its decided claims by evidence; a dash for none."""
        return evidence_text(self.decided) or "-"

    @property
    def open(self) -> dict[str, tuple[Judged, ...]]:
        """The claims that are left, by what would settle them."""
        by_need: dict[str, tuple[Judged, ...]] = {}
        for each in self.judged:
            if each.verdict in OPEN:
                by_need[need(each)] = (*by_need.get(need(each), ()), each)
        return by_need


def need(judged: Judged) -> str:
    """Name what would settle an open claim: the hardware, or the runs that are missing."""
    return judged.settled_by or judged.reason


def read() -> tuple[SystemSpec, ...]:
    """The systems of book/systems.yml, and each lab that it does not name as one more.

    A lab of which a file is wrong has none.
    FileError, with the line, for a lab that is none, a pattern that no condition has, and where not
    exactly one system of a lab takes its rest, the last one.
    """
    document = documents.load_yaml(paths.project_root() / FILE)
    specs = fitting.validate(document, Systems).systems
    readable, unreadable = labs.tried(labs.in_order())
    by_name = {each.name: each for each in readable}
    last: dict[str, int] = {}
    for number, spec in enumerate(specs):
        if spec.lab in unreadable:
            continue
        if spec.lab not in by_name:
            near = did_you_mean(spec.lab, labs.names())
            raise document.error(("systems", number, "lab"), f"no lab {spec.lab!r}{near}")
        there = by_name[spec.lab].conditions
        for place, pattern in enumerate(spec.conditions or ()):
            if not any(fnmatchcase(name, pattern) for name in there):
                keys = ("systems", number, "conditions", place)
                raise document.error(keys, f"no condition of {spec.lab} is like {pattern!r}")
        if spec.lab in last and specs[last[spec.lab]].takes_the_rest:
            raise document.error(("systems", number), f"nothing of {spec.lab} is left for it")
        last[spec.lab] = number
    for name, number in last.items():
        if not specs[number].takes_the_rest:
            raise document.error(("systems", number), f"no system takes the rest of {name}")
    unnamed = [each for each in readable if each.name not in last]
    return (
        *(spec for spec in specs if spec.lab not in unreadable),
        *(SystemSpec(title=each.title, lab=each.name) for each in unnamed),
    )


def of(specs: Sequence[SystemSpec], outcomes: Mapping[str, Outcome]) -> list[System]:
    """Each system with its own; `outcomes`: what became of judging each lab, by its name.

    A claim is the first system's that has it; a condition may serve the claims of two.
    """
    systems = []
    taken: set[tuple[str, str]] = set()
    for spec in specs:
        outcome = outcomes[spec.lab]
        judged = {each.id: each for each in outcome.judged}
        mine = [
            claim
            for claim in (claims.load(outcome.lab) if judged else ())
            if (spec.lab, claim.id) not in taken and (spec.takes_the_rest or _is_of(claim, spec))
        ]
        taken |= {(spec.lab, claim.id) for claim in mine}
        asked = {name for claim in mine for name in claim.judge.word.conditions}
        others = [each for each in specs if each.lab == spec.lab and not each.takes_the_rest]
        conditions = tuple(
            name
            for name in outcome.lab.conditions
            if name in asked
            or spec.has(name)
            or (spec.takes_the_rest and not any(other.has(name) for other in others))
        )
        systems.append(System(spec.title, outcome, conditions, tuple(judged[c.id] for c in mine)))
    return systems


def _is_of(claim: Claim, spec: SystemSpec) -> bool:
    named = claim.judge.word.conditions
    about = bool(named) and all(spec.has(name) for name in named)
    return claim.source in spec.sources or about
