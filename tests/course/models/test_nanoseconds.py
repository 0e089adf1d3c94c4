"""The nanoseconds of the widget are those of the records; load and cores are arithmetic."""

from __future__ import annotations

import pytest

from ppslab.core.provenance import Provenance
from ppslab.course.widgets.facts.nanoseconds import facts, ladders
from ppslab.judge import costs
from ppslab.model import results
from tests.course.models.both import ask

pytestmark = pytest.mark.usefixtures("made_up")

CHAINS = {
    "routing-fast-path": [],
    "routing-plain": ["slow-path"],
    "routing-connection-tracking": ["tracking"],
    "routing-13-rules": ["rules-10"],
    "routing-25-ip-filter-rules": ["rules-25"],
    "routing-25-simple-queues": ["queues-25"],
}


@pytest.mark.long
@pytest.mark.parametrize(("condition", "features"), CHAINS.items())
def test_what_was_measured_together_is_the_records_own_number(
    condition: str, features: list[str]
) -> None:
    record = results.newest("fastpath")
    assert record is not None
    for size in record.frame_sizes:
        wanted = costs.cost(record, condition, size)
        values = ask("nanoseconds", features_routing=features, size_routing=size)["values"]
        assert values["measured"] == pytest.approx(
            [wanted.estimate, wanted.low, wanted.high], abs=0.1
        )
        assert values["cost"] == pytest.approx(wanted.estimate, abs=0.5)
        assert values["unit"] == record.unit


def test_a_feature_brings_those_that_it_was_measured_over() -> None:
    pieces = ask("nanoseconds", features_routing=["rules-10"])["values"]["pieces"]
    (routing,) = (ladder for _, ladder in ladders() if ladder.name == "routing")
    words = {feature.name: feature.says for feature in routing.features}
    below = [words[name] for name in ("slow-path", "tracking", "rules-3", "rules-10")]
    assert [piece for piece, _ in pieces] == [routing.says, *below]


def test_what_nobody_measured_together_is_added_up_and_said() -> None:
    answer = ask("nanoseconds", features_routing=["rules-25", "queues-25"])
    assert answer["values"]["measured"] is None
    assert answer["values"]["cost"] == pytest.approx(
        sum(ns for _, ns in answer["values"]["pieces"])
    )
    assert answer["warns"]


def test_cores_and_load() -> None:
    one = ask("nanoseconds", load=100)["values"]
    assert one["busy_cores"] == pytest.approx(1e5 * one["nanoseconds"] / 1e9)
    assert one["forwarded"] == 1e5
    full = ask("nanoseconds", load=20000, cores=2)
    assert full["values"]["forwarded"] == pytest.approx(2e9 / one["nanoseconds"])


def test_an_emulated_cpu_and_noise_are_told() -> None:
    for ladder in facts()["ladders"]:
        answer = ask("nanoseconds", ladder=ladder["name"])
        said = " ".join(answer.get("warns", []))
        if "problem" not in answer:
            assert ("emulated CPU" in said) == ladder["emulated"]
            made = Provenance.of(ladder["provenance"])
            assert answer["made"][0]["parts"][0] == made.sign()["parts"][0]
