"""Claims that a RouterOS router's own counters settle, with the free licence too."""

from __future__ import annotations

import pytest

from ppslab.judge import claims
from ppslab.model.lab import lab
from tests.support.factory import make_record

ON_COUNTERS = {
    "no-fast-path-with-connection-tracking",
    "no-fast-path-with-firewall-rules",
    "no-fast-path-with-queues",
}


def verdicts(fast: int, level: str) -> dict[str, claims.Judged]:
    """Those of a record of a CHR whose fast path counted `fast` packets in each trial."""
    made = make_record()
    counters = {"counters": {"ipv4-fast-path-packets": fast}}
    trials = tuple(t.model_copy(update=counters) if t.counts else t for t in made.trials)
    environment = {**made.environment, "routeros": {"level": level}}
    router = {**made.router, "name": "routeros"}
    record = made.model_copy(
        update={"trials": trials, "router": router, "environment": environment}
    )
    judged = claims.judge_all(lab.find("fastpath"), claims.Runs.of(record))
    return {one.id: one for one in judged}


@pytest.mark.parametrize("level", ["free", "p-unlimited"])
@pytest.mark.parametrize(("fast", "verdict"), [(0, claims.CONFIRMED), (100_000, claims.REFUTED)])
def test_counters_settle_what_no_rate_could(level: str, fast: int, verdict: str) -> None:
    found = verdicts(fast, level)
    assert {found[name].verdict for name in ON_COUNTERS} == {verdict}


def test_with_the_free_licence_counters_are_all_that_is_judged() -> None:
    told = {
        name
        for name, one in verdicts(0, "free").items()
        if one.evidence == claims.ROUTEROS
        and one.verdict not in (claims.NOT_TESTABLE, claims.CANNOT_TELL)
    }
    assert told == ON_COUNTERS
