"""A session: what cannot be measured is told before anything starts; what was measured is kept."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.measure import experiment, run
from ppslab.measure.experiment import FrameExperiment, State
from ppslab.measure.run import Options
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.testbed.backends import capabilities
from tests.support.stolen_machine import StolenMachine, StolenRouter, stand

FASTPATH = lab.find("fastpath")
PLAIN = FASTPATH.condition("routing-plain")


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The backends that were started: doubles, on which a testbed of doubles stands."""
    started: list[str] = []

    @contextmanager
    def opened(name: str, **_: object) -> Iterator[Any]:
        started.append(name)
        yield SimpleNamespace(name=name, facts={"kernel": "6.1"})

    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / "run"))
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(experiment, "open_backend", opened)
    monkeypatch.setattr(StolenRouter, "facts", lambda _: {}, raising=False)
    monkeypatch.setattr(
        capabilities, "choose", lambda *_: capabilities.Choice("namespaces", "as asked for")
    )
    monkeypatch.setattr(
        experiment.linux, "stand", lambda *_, **__: stand(FASTPATH, StolenMachine())
    )
    return started


class Asked(FrameExperiment[results.Record]):
    """An experiment whose one stage is an act."""

    kind = results.Record
    act: Any = None

    def stages(self) -> None:
        self.act(self)

    def record(self, state: State) -> results.Record:
        return results.Record(
            schema=results.SCHEMA,
            **self.head(state, ("made up",)),
            clock=results.clock_of(self.testbed.trials),
            baseline="cable",
            reference=PLAIN.name,
            frame_sizes=(64,),
        )


def measure(act: Any) -> tuple[results.Record, Path]:
    asked = Asked(FASTPATH, [PLAIN], Options(backend="namespaces", seed=7))
    asked.act = act
    return asked.run()


def one_trial(opened: Any) -> None:
    opened.testbed.trial(TrialSpec("cost", PLAIN, 64, 0.1))


def test_a_kernel_that_lacks_what_a_lab_needs_is_told_before_the_backend_starts(
    monkeypatch: pytest.MonkeyPatch, begun: list[str]
) -> None:
    found = lab.find("pppoe")
    condition = next(c for c in found.conditions.values() if "pppoe" in c.needs)
    monkeypatch.setattr(capabilities, "features_of", lambda _: frozenset())
    with pytest.raises(CannotHereError, match=r"namespaces has no .*pppoe"):
        run.run(found, Options(conditions=(condition.name,), backend="namespaces"))
    assert begun == []


def test_a_whole_measurement_is_a_record(begun: list[str]) -> None:
    record, path = measure(one_trial)
    assert begun == ["namespaces"]
    assert results.load(path) == record
    assert (record.state, record.seed, len(record.trials)) == ("completed", 7, 1)
    assert record.environment["kernel"] == "6.1"
    assert [each.name for each in record.conditions] == ["routing-plain"]
    assert record.deviations[0] == "made up"


def test_what_was_measured_before_a_failure_is_an_aborted_record(
    begun: list[str], tmp_path: Path
) -> None:
    def fails(opened: Any) -> None:
        one_trial(opened)
        raise BackendError("the router is gone")

    with pytest.raises(BackendError, match="is gone"):
        measure(fails)
    (path,) = (tmp_path / "results").rglob("*.json")
    assert results.load(path).state == "aborted"


def test_nothing_measured_leaves_nothing(
    begun: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise BackendError("no room")

    monkeypatch.setattr(experiment.linux, "stand", fails)
    with pytest.raises(BackendError, match="no room"):
        measure(one_trial)
    assert not [path for path in (tmp_path / "results").rglob("*") if path.is_file()]


@pytest.mark.parametrize("error", [FileNotFoundError("git"), subprocess.TimeoutExpired("git", 60)])
def test_a_commit_that_git_does_not_tell_ends_no_run(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """It is asked when everything has been measured."""

    def run(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        raise error

    monkeypatch.setattr(experiment.subprocess, "run", run)
    assert experiment.commit() == ""
