"""RFC 2544 section 26.1: the throughput, by MLRsearch, all subjects side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from MLRsearch import MeasurementResult

from ppslab import results
from ppslab.rounds import HIGHEST_LOAD, LOWEST_LOAD, as_counted, goals_of
from ppslab.search import Bounds, SearchFailedError, interleave, search
from ppslab.suite.stage import Stage
from ppslab.suite.subjects import Tested


def measure(
    stage: Stage, subjects: Sequence[Tested], cabled: dict[int, float]
) -> tuple[dict[Tested, list[Bounds] | SearchFailedError], Counter[Tested], dict[Tested, float]]:
    """Search every subject; returns the bounds, and what each search took: trials, seconds.

    `cabled`: frames per second that the tester carries back to back, by frame size.
    """
    taken: Counter[Tested] = Counter()
    seconds_sent: dict[Tested, float] = defaultdict(float)
    words = stage.bench.profile.search

    def one(subject: Tested, seconds: float, load: float) -> MeasurementResult:
        taken[subject] += 1
        seconds_sent[subject] += seconds
        return as_counted(stage.trial(subject, "search", seconds, load))

    found = interleave(
        {
            subject: lambda ask, size=subject.size: search(  # type: ignore[misc]
                ask, words, max(1.0, LOWEST_LOAD * cabled[size]), HIGHEST_LOAD * cabled[size]
            )
            for subject in subjects
        },
        one,
        stage.order,
    )
    return found, taken, seconds_sent


def described(
    stage: Stage,
    subjects: Sequence[Tested],
    found: dict[Tested, list[Bounds] | SearchFailedError],
    taken: Counter[Tested],
    seconds: dict[Tested, float],
) -> list[results.Throughput]:
    """The searches as a record has them; notes the lossless throughput of each in the stage."""
    described = []
    for subject in subjects:
        result = found[subject]
        words = {
            **subject.words(),
            "trials": taken[subject],
            "seconds": round(seconds[subject], 6),
        }
        if isinstance(result, SearchFailedError):
            failed = str(result)
            described.append(results.Throughput(**words, failed_because=failed))
            continue
        goals = goals_of(result, stage.maximum[subject.size])
        lossless = goals[0].throughput
        if lossless is not None and lossless > 0:
            stage.found[subject] = lossless
        described.append(results.Throughput(**words, goals=goals))
    return described
