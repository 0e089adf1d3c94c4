"""A condition is profiled where perf can look into the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.measure.profiling import experiment, perf
from ppslab.model.lab import lab, profiles, topology
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
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rounds: they show where the time goes, not how much it is."""
    quick = profiles.load("quick")
    few = quick.model_copy(update={"cost": quick.cost.model_copy(update={"rounds": 2})})
    monkeypatch.setattr(profiles, "load", lambda name: few)
    monkeypatch.setattr(experiment, "SAMPLED_ROUNDS", 2)
    monkeypatch.setattr(experiment, "SAMPLED_SECONDS", 0.5)


@pytest.mark.usefixtures("short")
def test_packets_pass_connection_tracking_and_nftables_where_there_are_rules(
    tmp_path: Path,
) -> None:
    with open_backend("namespaces") as backend:
        why = perf.why_not(backend.deploy(topology.find("back-to-back")).node("tester"))
    if why:
        pytest.skip(why)
    options = experiment.Options(
        conditions=("routing-plain", RULES),
        backend="namespaces",
        seed=1,
        out=tmp_path / "profile.json",
    )
    record, _ = experiment.run(lab.find("fastpath"), options)
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
