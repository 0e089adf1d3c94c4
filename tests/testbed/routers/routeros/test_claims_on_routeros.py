"""Claims that a RouterOS router's own counters settle, with the free licence too."""

from __future__ import annotations

import pytest

from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab
from tests.support.factory import make_record

FASTPATH = lab.find("fastpath")
FAST = "ipv4-fast-path-packets"

ON_COUNTERS = (
    "no-fast-path-with-connection-tracking",
    "no-fast-path-with-firewall-rules",
    "no-fast-path-with-queues",
)


def record(
    *, fast: int = 0, level: str | None = "free", router: str = "routeros"
) -> results.Record:
    """A record of a CHR whose fast path counted `fast` packets in each trial."""
    made = make_record()
    trials = tuple(
        trial.model_copy(update={"counters": {FAST: fast}}) if trial.counts else trial
        for trial in made.trials
    )
    told = {"routeros": {"level": level}} if level else {}
    return made.model_copy(
        update={
            "trials": trials,
            "router": {**made.router, "name": router},
            "environment": {**made.environment, **told},
        }
    )


def verdicts(of: results.Record) -> dict[str, claims.Judged]:
    return {judged.id: judged for judged in claims.judge_all(FASTPATH, claims.Runs.of(of))}


@pytest.mark.parametrize("level", ["free", "p-unlimited"])
@pytest.mark.parametrize(("fast", "verdict"), [(0, claims.CONFIRMED), (100_000, claims.REFUTED)])
def test_counters_settle_what_no_rate_could(level: str, fast: int, verdict: str) -> None:
    found = verdicts(record(fast=fast, level=level))
    assert {found[name].verdict for name in ON_COUNTERS} == {verdict}


def test_with_the_free_licence_counters_are_all_that_is_judged() -> None:
    found = verdicts(record())
    told = {
        name
        for name, judged in found.items()
        if judged.verdict not in (claims.NOT_TESTABLE, claims.CANNOT_TELL)
    }
    no_router_needed = {
        name for name, judged in found.items() if judged.evidence != claims.ROUTEROS
    }
    assert told - no_router_needed == set(ON_COUNTERS)
