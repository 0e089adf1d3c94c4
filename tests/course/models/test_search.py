"""The search's widget against the simulated routers, MLRsearch and the book's own searches."""

from __future__ import annotations

import random

import pytest

from ppslab.course.measuring.searching import METHODS, watch
from ppslab.course.models import search as model
from ppslab.model.searching.noisy_router import Chance, NoisyRouter, below
from ppslab.model.simulated import LossSpikes
from tests.course.models.both import ask, both, known


@pytest.mark.parametrize("seed", [0, 1, 4, 20_000, 2**32 - 1])
def test_chance_is_pythons_own_generator(seed: int) -> None:
    theirs, ours = random.Random(seed), Chance(seed)
    assert [ours.random() for _ in range(700)] == [theirs.random() for _ in range(700)]
    assert [ours.gauss(3, 2) for _ in range(701)] == [theirs.gauss(3, 2) for _ in range(701)]


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_of_more_than_a_word_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="a whole number from 0"):
        Chance(seed)


def test_the_router_loses_what_the_simulated_one_loses() -> None:
    for deviation, spikes in ((0.0, 0.0), (0.01, 0.1), (0.03, 0.3)):
        theirs = LossSpikes(1e6, spikes, 0.0008, deviation, seed=3)
        ours = NoisyRouter(1e6, deviation, spikes, 0.0008, 3)
        for seconds, load in ((60, 5e6), (1, 9e5), (0.5, 1e6), (2.5, 999_999.5)):
            counts = theirs.measure(seconds, load)
            assert ours.measure(seconds, load) == (counts.intended, counts.forwarded)


@pytest.mark.parametrize("deviation", model.DEVIATIONS)
@pytest.mark.parametrize("spikes", model.CHANCES)
@pytest.mark.parametrize("tolerated", [0.0, 0.001])
def test_the_truth_is_that_of_the_simulated_router(
    deviation: float, spikes: float, tolerated: float
) -> None:
    theirs = LossSpikes(1e6, spikes / 100, model.SPIKE, deviation / 100).throughput(tolerated)
    assert model.router(deviation, spikes, 1).truth(tolerated) == pytest.approx(theirs, rel=1e-9)


def test_there_is_no_truth_where_most_seconds_have_a_spike() -> None:
    assert NoisyRouter(1e6, 0.01, 0.6, 0.0008, 1).truth(0) is None
    assert below(0.975) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_searches_go_as_the_book_shows_them(seed: int) -> None:
    watched = watch(lambda number: LossSpikes(1_000_000, 0.1, 0.0008, 0.01, seed=number), seed=seed)
    answer = ask("search", seed=seed)
    for name, found in (
        ("binary search, trials of 60 s", answer["values"]["binary"]),
        ("MLRsearch, no loss (NDR)", answer["values"]["mlrsearch"]),
    ):
        steps = watched.steps[name]
        assert found["trials"] == len(steps)
        assert found["traffic_seconds"] == steps[-1].traffic_seconds
        assert METHODS[name][0] == 0.0
        passed = [step.load for step in steps if step.passed[0.0]]
        assert found["throughput"] is None or found["throughput"] in passed
    assert watched.truth == pytest.approx(answer["values"]["truth"])


@pytest.mark.long
def test_the_traces_of_the_facts_are_what_the_library_does_now() -> None:
    from ppslab.course.widgets.facts.search import facts, live

    known = facts()
    for deviation, spikes, seed in ((0.0, 0.0, 1), (1.0, 10.0, 2), (3.0, 30.0, 4)):
        kept, fresh = (
            known["traces"][model.key(deviation, spikes, seed)],
            live(deviation, spikes, seed),
        )
        assert [known["loads"][i] for i in kept["at"]] == [fresh["loads"][i] for i in fresh["at"]]
        assert kept["bounds"] == fresh["bounds"]


@pytest.mark.long
def test_python_searches_routers_that_no_page_has() -> None:
    found = ask("search", seed=77)["values"]["mlrsearch"]
    assert found["throughput"] == pytest.approx(1e6, rel=0.03)


def test_a_page_says_which_routers_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    known("search")  # brings Python's library, which a page does not have
    monkeypatch.setattr(model, "live", None)
    problem = ask("search", seed=77)["problem"]
    assert problem["input"] == "seed"


def test_loss_verification_costs_trials_and_one_second_finds_more() -> None:
    once, twice = ask("search"), ask("search", verified=True)
    assert twice["values"]["binary"]["trials"] > once["values"]["binary"]["trials"]
    assert "loss verification" not in once["tables"][0]["rows"][0][0]
    quick = ask("search", seconds=1, deviation=0.0, spikes=0.0)["values"]["binary"]
    assert quick["throughput"] == pytest.approx(1e6, rel=0.005)


def test_a_step_shows_the_trials_so_far() -> None:
    start, third, whole = ask("search", at=0), ask("search", at=3), ask("search")
    assert whole["steps"] == whole["values"]["mlrsearch"]["trials"]
    marks = [each["figures"][0]["svg"].count("<circle") for each in (start, third, whole)]
    assert marks[0] < marks[2]
    assert third["says"][-1].startswith("Trial 3. ")
    assert third["values"] == whole["values"]


@pytest.mark.parametrize(
    ("wrong", "where"), [({"deviation": 90}, "deviation"), ({"seed": 0}, "seed")]
)
def test_noise_that_is_none_is_told(wrong: dict[str, float], where: str) -> None:
    assert ask("search", **wrong)["problem"]["input"] == where


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    asked = [
        {"deviation": 0.0, "spikes": 0.0, "seconds": 1},
        {"seed": 3, "verified": True, "at": 9},
        {"deviation": 3.0, "spikes": 30.0, "seed": 4, "tolerated": 0.1, "seconds": 10},
        {"at": 0},
    ]
    assert len(both("search", asked)) == len(asked)
