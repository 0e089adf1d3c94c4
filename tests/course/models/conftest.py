"""Records for the widgets: made up, and excerpts of kept ones; none of results/."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.results.kinds.soak import Leg
from tests.support import excerpts
from tests.support.calibration_factory import make_calibration
from tests.support.factory import TESTER_NS, make_counts, make_record
from tests.support.faults_factory import make_faults
from tests.support.profile_factory import make_profile
from tests.support.suite_factory import make_suite
from tests.support.tcp_factory import make_tcp_record

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


def make_soak() -> results.SoakRecord:
    """A completed soak of two legs, one of which lost a frame."""
    head = make_record(rounds=1)
    shared = {name: getattr(head, name) for name in results.Run.model_fields}
    legs = tuple(
        Leg(
            number=number, started=datetime(2026, 11, 21, 3, number, tzinfo=UTC), sitting=head.id,
            valid=True, intended=1000, received=1000 - number, delay_p50_ns=1500.0,
            delay_p999_ns=9000.0, streams={"r12": 1000 - number},
        )
        for number in range(2)
    )  # fmt: skip
    return results.SoakRecord(
        schema="ppslab/soak/1",
        **shared | {"trials": ()},
        soak="seconds",
        condition="routing-plain",
        frame_size=64,
        load=1000.0,
        leg_seconds=1.0,
        planned=2,
        legs=legs,
    )


@pytest.fixture(scope="session")
def folder_made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with a record of every kind; Fast Path's costs are those of the factory."""
    folder = tmp_path_factory.mktemp("results")
    for name, record in {
        "fastpath": make_record(),
        "fasttrack": of_lab("fasttrack"),
        "pppoe": of_lab("pppoe"),
        "tcp-fastpath": make_tcp_record(),
        "rfc2544-fastpath": make_suite(sizes=(64, 1518), repeats=2),
        "profile-fastpath": make_profile(),
        "faults-fastpath": make_faults(),
        "soak-fastpath": make_soak(),
        "calibration-ppstraffic": make_calibration(),
    }.items():
        results.save(record, folder / f"{name}-{MADE}.json")
    for excerpt in (excerpts.TUNNELS, excerpts.CHIP, excerpts.BONDS):
        shutil.copy(excerpt.path, folder)
    return folder


@pytest.fixture
def made_up(folder_made_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The widgets' facts come from those records."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder_made_up))
