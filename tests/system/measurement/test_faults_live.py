"""The instrument, really broken: each fault is caught, and a check that is taken away misses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.measure.faults.breaking import Options, run
from ppslab.model.lab import lab
from ppslab.testbed.backends import capabilities
from ppslab.testbed.routers.linux import offloads

pytestmark = [
    pytest.mark.live,
    pytest.mark.timed(why="one fault is a late tester, which a busy machine makes of any tester"),
]


@pytest.fixture(autouse=True)
def can() -> None:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")


def test_every_fault_is_caught(tmp_path: Path) -> None:
    options = Options(backend="namespaces", seed=1, out=tmp_path / "faults.json")
    record, path = run(lab.find("fastpath"), options)
    assert path.is_file()
    outcomes = {fault.name: (fault.outcome, fault.said) for fault in record.faults}
    assert len(outcomes) == 6
    assert all(outcome == "caught" for outcome, _ in outcomes.values()), outcomes
    late = record.fault("late-tester")
    assert late is not None
    counts = record.trials[late.trials[-1]].counts
    assert counts is not None
    # The pause is in the delays from the intended time, and not in the others.
    pause = counts["max_lateness_ns"]
    assert pause > 50e6
    assert counts["delay_ns"]["p99"] > 0.5 * pause
    assert counts["delay_actual_ns"]["p99"] < 0.2 * pause


def test_a_fault_is_missed_where_its_check_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offloads, "problems", lambda *_, **__: iter(()))
    options = Options(backend="namespaces", faults=("offload-on",), out=tmp_path / "faults.json")
    record, _ = run(lab.find("fastpath"), options)
    assert [fault.outcome for fault in record.faults] == ["missed"]
    assert len(record.faults[0].trials) >= 3  # noise may ask for more
