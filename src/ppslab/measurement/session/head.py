"""The head of a record: who measured what, where, how, and when."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict, cast

from ppslab import results
from ppslab.base import paths
from ppslab.base.measures import Measure
from ppslab.base.version import VERSION
from ppslab.measurement.session import turn
from ppslab.results.shapes import EnvironmentShape, ProfileShape, RouterShape

if TYPE_CHECKING:
    from ppslab.lab.lab import Condition
    from ppslab.measurement.session.session import OpenSession, State
    from ppslab.measurement.testbed.contract import Testbed


class Head(TypedDict):
    """What records of every kind begin with: the fields of `results.Run`, by their names."""

    id: str
    """The record's name, as its file's."""
    lab: str
    """The lab's name."""
    title: str
    """The lab's title."""
    started: datetime
    """When it began."""
    finished: datetime
    """When it ended."""
    state: State
    """aborted: it was stopped before its end."""
    ppslab: dict[str, str]
    """Version and commit of the harness."""
    router: RouterShape
    """The router's name, and what it cannot show."""
    tester: results.Tester
    """The tester, and its own limit."""
    measure: Measure
    """Whether the run is timed or counted."""
    backend: str
    """Where the lab stood."""
    environment: EnvironmentShape
    """Kernel, CPU, emulation, programs."""
    cpus: dict[str, int | None]
    """Which CPU sends, routes, reads."""
    lease: results.Lease | None
    """The machine's turn under which time was taken."""
    profile: ProfileShape
    """How thoroughly it was measured."""
    deviations: tuple[str, ...]
    """Where the method is not the RFCs', as sentences."""
    seed: int
    """Of the order of the trials and of the bootstrap."""
    conditions: tuple[results.ConditionRecord, ...]
    """The conditions as they were measured."""
    skipped: tuple[results.Skipped, ...]
    """Conditions that could not be measured."""
    trials: tuple[results.Trial, ...]
    """Every trial, in the order in which they ran."""


def head(session: OpenSession[Testbed], state: State, deviations: Sequence[str]) -> Head:
    """Of what was measured so far; `deviations`: where it leaves RFC 2544.

    CannotHereError where time was taken without the machine's turn.
    """
    lab, testbed, where = session.lab, session.testbed, session.where
    timed = session.taken == "timed"
    return Head(
        id=f"{lab.name}-{session.started:%Y%m%dT%H%M%SZ}-{where}",
        lab=lab.name,
        title=lab.title,
        started=session.started,
        finished=datetime.now(UTC),
        state=state,
        ppslab={"version": VERSION, "commit": commit()},
        router={"name": testbed.router.name, "cannot_show": testbed.router.cannot_show},
        tester=session.tester,
        measure=session.taken,
        backend=where,
        environment=session.environment,
        cpus={
            "sender": testbed.cpus.sender,
            "router": testbed.cpus.router,
            "reader": testbed.cpus.reader,
        },
        lease=(turn.lease() if state == "completed" else turn.held()) if timed else None,
        profile=cast("ProfileShape", testbed.profile.model_dump(mode="json")),
        deviations=(*deviations, *testbed.remarks),
        seed=session.seed,
        conditions=tuple(_condition(session, each) for each in session.conditions),
        skipped=tuple(session.skipped),
        trials=tuple(testbed.trials),
    )


def _condition(session: OpenSession[Testbed], condition: Condition) -> results.ConditionRecord:
    testbed = session.testbed
    return results.ConditionRecord(
        name=condition.name,
        title=condition.title,
        description=condition.description,
        needs=tuple(sorted(condition.needs)),
        delivers=condition.delivers,
        bpf_mode=testbed.router.mode(condition) if condition.linux.bpf else None,
        configuration=session.lab.configuration(condition),
        read_back=testbed.read_backs.get(condition.name, ""),
    )


def commit() -> str:
    """The checkout's commit, with `+` where files differ from it; empty outside of git."""
    root = paths.project_root()
    asked = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
