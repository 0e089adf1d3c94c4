"""RFC 2544 section 26.1: the throughput, by MLRsearch, all subjects side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ppslab.measurement.rfc2544.stage import Stage
from ppslab.measurement.rfc2544.subjects import UnderTest
from ppslab.measurement.rounds import HIGHEST_LOAD, LOWEST_LOAD, as_counted, goals_of, in_quiet
from ppslab.measurement.search.search import Bounds, SearchFailedError, interleave, search
from ppslab.results import Throughput

if TYPE_CHECKING:
    from MLRsearch import MeasurementResult


@dataclass
class Searched:
    """A search: what it found, and what it took, in trials and in seconds of traffic."""

    found: list[Bounds] | SearchFailedError | None = None
    """The bounds, or why there are none; None: it has not ended."""
    trials: int = 0
    """Trials that it took."""
    seconds: float = 0.0
    """Seconds of traffic that it took."""


def measure(
    stage: Stage, subjects: Sequence[UnderTest], cabled: Mapping[int, float]
) -> dict[UnderTest, Searched]:
    """Search every subject.

    `cabled`: frames per second that the tester carries back to back, by frame size.
    """
    searched = {subject: Searched() for subject in subjects}
    goals = stage.testbed.profile.search

    def one(subject: UnderTest, seconds: float, load: float) -> MeasurementResult:
        searched[subject].trials += 1
        searched[subject].seconds += seconds
        return as_counted(
            in_quiet(stage.testbed, lambda: stage.trial(subject, "search", seconds, load))
        )

    outcomes = interleave(
        {
            subject: lambda ask, size=subject.size: search(  # type: ignore[misc]
                ask, goals, max(1.0, LOWEST_LOAD * cabled[size]), HIGHEST_LOAD * cabled[size]
            )
            for subject in subjects
        },
        one,
        stage.order,
    )
    for subject, result in outcomes.items():
        searched[subject].found = result
    return searched


def described(stage: Stage, searched: Mapping[UnderTest, Searched]) -> list[Throughput]:
    """The searches as a record has them; notes the lossless throughput of each in the stage."""
    said = []
    for subject, search_of in searched.items():
        fields = {
            **subject.subject_fields(),
            "trials": search_of.trials,
            "seconds": round(search_of.seconds, 6),
        }
        if not isinstance(search_of.found, list):
            said.append(Throughput(**fields, failed_because=str(search_of.found)))
            continue
        goals = goals_of(search_of.found, stage.maximum[subject.size])
        lossless = goals[0].conditional_throughput
        if lossless is not None and lossless > 0:
            stage.found[subject] = lossless
        said.append(Throughput(**fields, goals=goals))
    return said
