"""Profiles made up for tests, from stacks that the test knows."""

from __future__ import annotations

from datetime import UTC, datetime

from ppslab.measure.profiling import experiment, stations
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from tests.support.factory import WHERE


def make_profile() -> results.ProfileRecord:
    """A record of two conditions: 1000 ns a packet, and 600 ns more in nftables."""
    fastpath = lab.find("fastpath")
    sending = ("xsk_sendmsg", "ppstraffic:main")
    plain = [("ip_rcv", *sending)] * 60 + [sending] * 40
    rules = [*plain, *[("nft_do_chain", "ip_rcv", *sending)] * 60]

    def one(name: str, stacks: list[tuple[str, ...]], total: float) -> results.ConditionProfile:
        def around(value: float) -> results.Estimate:
            return results.Estimate(estimate=value, low=0.98 * value, high=1.02 * value, count=16)

        return results.ConditionProfile(
            condition=name,
            total=around(total),
            router=around(total - 700),
            ratio=around((total - 700) / 300),
            sampled_total=1.05 * total,
            samples=len(stacks),
            stations=experiment.station_times(stations.load(), stacks, total),
            stacks={";".join(s): n for s, n in stations.fold(stacks).items()},
        )

    shown = ("routing-plain", "routing-25-ip-filter-rules")
    return results.ProfileRecord(
        schema="ppslab/profile/2",
        id="made-up",
        lab="fastpath",
        title=fastpath.title,
        started=datetime(2026, 11, 21, 3, 0, tzinfo=UTC),
        finished=datetime(2026, 11, 21, 3, 3, tzinfo=UTC),
        state="completed",
        **WHERE,
        tester=results.Tester(name="ppstraffic", version="0"),
        profile=profiles.load("quick").model_dump(mode="json"),
        deviations=(),
        seed=1,
        conditions=tuple(
            results.ConditionRecord(
                name=name, title=fastpath.conditions[name].title, configuration={}, read_back=""
            )
            for name in shown
        ),
        trials=(),
        baseline="cable",
        clock="cpu",
        reference="routing-plain",
        frame_size=64,
        sampler="perf",
        sampler_version="6.1",
        frequency=2999,
        profiles=(one(shown[0], plain, 1000.0), one(shown[1], rules, 1600.0)),
    )
