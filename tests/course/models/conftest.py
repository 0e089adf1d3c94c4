"""Records for the widgets: made up, and excerpts of kept ones; none of results/."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.model.lab import lab
from tests.support import excerpts
from tests.support.factory import TESTER_NS, make_counts, make_record
from tests.support.profile_factory import make_profile

MADE = "20261121T030000Z-namespaces"
ROUNDS = 6


def of_lab(name: str) -> results.Record:
    """A timed record of any lab: its first condition takes 150 ns, each other one 40 ns more."""
    found = lab.find(name)
    trials: list[results.Trial] = []

    def add(
        purpose: results.Purpose, condition: str | None, size: int, number: int, ns: float
    ) -> None:
        trials.append(
            results.Trial(
                number=len(trials), purpose=purpose, condition=condition, frame_size=size,
                arrangement="coupled", round=number, intended_load=None, intended_duration=0.25,
                at_seconds=float(len(trials)), state="completed", valid=True, invalid_because=(),
                # Each round is a hundredth of a per cent dearer than the one before.
                counts=make_counts(ns * (1 + number / 10_000), size),
            )
        )  # fmt: skip

    for size in found.spec.frame_sizes:
        for number in range(ROUNDS):
            add("cable", None, size, number, TESTER_NS["cable"])
            add("drop", None, size, number, TESTER_NS["drop"])
            for place, condition in enumerate(found.conditions):
                add("cost", condition, size, number, TESTER_NS["cable"] + 150.0 + 40.0 * place)
    return make_record(rounds=1).model_copy(
        update={
            "id": f"{name}-made-up",
            "lab": name,
            "title": found.title,
            "baseline": "cable",
            "reference": found.spec.reference,
            "frame_sizes": found.spec.frame_sizes,
            "conditions": tuple(
                results.ConditionRecord(name=c.name, title=c.title, configuration={}, read_back="")
                for c in found.conditions.values()
            ),
            "searches": (),
            "trials": tuple(trials),
        }
    )


@pytest.fixture(scope="session")
def folder_made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder; Fast Path's costs are those of the factory."""
    folder = tmp_path_factory.mktemp("results")
    for name, record in {
        "fastpath": make_record(),
        "fasttrack": of_lab("fasttrack"),
        "pppoe": of_lab("pppoe"),
        "profile-fastpath": make_profile(),
    }.items():
        results.save(record, folder / f"{name}-{MADE}.json")
    shutil.copy(excerpts.TUNNELS.path, folder)
    return folder


@pytest.fixture
def made_up(folder_made_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The widgets' facts come from those records."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder_made_up))
