"""A condition is profiled where perf can look into the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.measure.profiling import experiment, perf
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.testbed.backends import capabilities, open_backend

pytestmark = [
    pytest.mark.live,
    pytest.mark.alone,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable
        or bool({"nft", "conntrack"} - capabilities.features_of("namespaces")),
        reason="namespaces with nft and conntrack are needed: ppslab doctor",
    ),
]

RULES = "routing-25-ip-filter-rules"


@pytest.fixture
def short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rounds, two where no test asks how much time it is: they show where it goes."""
    rounds = 4 if request.node.get_closest_marker("timed") else 2
    quick = profiles.load("quick")
    few = quick.model_copy(update={"cost": quick.cost.model_copy(update={"rounds": rounds})})
    monkeypatch.setattr(profiles, "load", lambda name: few)
    monkeypatch.setattr(experiment, "SAMPLED_ROUNDS", 2)
    monkeypatch.setattr(experiment, "SAMPLED_SECONDS", 0.5)


def profiled(out: Path) -> results.ProfileRecord:
    """Two conditions, sampled by perf."""
    with open_backend("namespaces") as backend:
        wire = _one_node(backend)
        why = perf.why_not(wire)
    if why:
        pytest.skip(why)
    options = experiment.Options(
        conditions=("routing-plain", RULES), backend="namespaces", seed=1, out=out
    )
    record, _ = experiment.run(lab.find("fastpath"), options)
    return record


@pytest.mark.usefixtures("short")
def test_packets_pass_connection_tracking_and_nftables_where_there_are_rules(
    tmp_path: Path,
) -> None:
    record = profiled(tmp_path / "profile.json")
    plain, rules = record.profiles
    by_name = {
        one.condition: {station.name: station for station in one.stations}
        for one in record.profiles
    }
    for name in ("conntrack", "nft"):
        assert name not in by_name["routing-plain"]
        assert by_name[RULES][name].nanoseconds > 0
    for one in (plain, rules):
        assert one.samples > 500
        assert sum(s.nanoseconds for s in one.stations) == pytest.approx(one.total.estimate)
        unknown = sum(one.unknown.values())
        assert unknown < 0.1 * one.samples, one.unknown
        assert {"tester-send", "tester-receive", "wire", "softirq", "ip", "fib"} <= set(
            by_name[one.condition]
        )


@pytest.mark.timed(why="perf takes its samples by the clock: they say how long, and of what")
@pytest.mark.usefixtures("short")
def test_rules_take_their_time_in_connection_tracking_and_in_nftables(tmp_path: Path) -> None:
    plain, rules = profiled(tmp_path / "profile.json").profiles
    stations = {station.name: station for station in rules.stations}
    for name in ("conntrack", "nft"):
        assert stations[name].nanoseconds > 3 * stations[name].error
    assert rules.total.estimate > plain.total.estimate


def _one_node(backend):
    from ppslab.model.lab import topology

    return backend.deploy(topology.find("back-to-back")).node("tester")
