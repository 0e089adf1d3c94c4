"""Runs through the faults made up for tests, with outcomes that the test knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppslab.measure.faults.breaking import FAULTS
from ppslab.model import results
from ppslab.model.results.kinds.faults import FaultFound, FaultsRecord
from ppslab.model.validity import Cause
from tests.support.factory import make_counts, make_record

PAUSE_NS = 60_000_000


def make_faults(
    outcomes: Mapping[str, str] | None = None, *, only: tuple[str, ...] = ()
) -> FaultsRecord:
    """A completed record in which each fault was caught, unless `outcomes` says otherwise.

    `only`: leave out the other faults.
    """
    outcomes = outcomes or {}
    head = make_record(rounds=1)
    shared = {name: getattr(head, name) for name in results.Run.model_fields}
    trials: list[results.Trial] = []
    found: list[FaultFound] = []
    for fault in FAULTS:
        if only and fault.name not in only:
            continue
        outcome: Any = outcomes.get(fault.name, "caught")
        said = (f"{fault.cause or 'tester-limited'}: made up",) if outcome == "caught" else ()
        causes = (fault.cause,) if said and fault.cause else ()
        healthy, broken = len(trials), len(trials) + 1
        trials += [_trial(healthy, (), 0), _trial(broken, causes, PAUSE_NS)]
        found.append(
            FaultFound(
                name=fault.name, title=fault.title, broken=fault.broken, believed=fault.believed,
                healthy=(healthy,), trials=(broken,), outcome=outcome, said=said,
            )
        )  # fmt: skip
    return FaultsRecord(
        schema="ppslab/faults/2",
        **shared | {"trials": tuple(trials)},
        frame_size=64,
        faults=tuple(found),
    )


def _trial(number: int, causes: tuple[Cause, ...], pause: int) -> results.Trial:
    counts = make_counts(20_000.0, offered=30_000)
    counts["max_lateness_ns"] = pause
    counts["delay_ns"] |= {"p99": 3000.0 + 0.9 * pause, "max": 9000 + pause}
    return results.Trial(
        number=number, purpose="latency", condition="routing-plain", frame_size=64,
        arrangement="coupled", intended_load=50_000.0, intended_duration=0.6,
        at_seconds=float(number), state="completed", valid=not causes, causes=causes,
        invalid_because=tuple(f"{cause}: made up" for cause in causes), counts=counts,
    )  # fmt: skip
