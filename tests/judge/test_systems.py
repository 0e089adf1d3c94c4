"""The articles' systems: each claim is one system's, and what is open says what it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.judge import claims, outcome, systems
from ppslab.judge.outcome import Outcome
from ppslab.judge.systems import System
from ppslab.model.lab import lab, published


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    return {name: outcome.of(lab.find(name)) for name in lab.names()}


@pytest.fixture(scope="module")
def found(outcomes: dict[str, Outcome]) -> list[System]:
    return systems.of(systems.read(), outcomes)


def test_each_claim_of_each_lab_is_one_systems(
    found: list[System], outcomes: dict[str, Outcome]
) -> None:
    theirs = sorted((each.lab, each.id) for system in found for each in system.judged)
    every = sorted((each.lab, each.id) for one in outcomes.values() for each in one.judged)
    assert theirs == every


def test_each_condition_is_some_systems(found: list[System], outcomes: dict[str, Outcome]) -> None:
    theirs = {(system.outcome.lab.name, name) for system in found for name in system.conditions}
    assert theirs == {(name, c) for name, one in outcomes.items() for c in one.lab.conditions}


def test_a_part_of_a_lab_has_its_own_conditions_and_claims(found: list[System]) -> None:
    bridging = next(each for each in found if each.title == "Bridging across two switch chips")
    rest = next(each for each in found if each.title == "L3 hardware offload")
    assert "two-chips-learned" in bridging.conditions
    assert not set(bridging.conditions) & set(rest.conditions)
    generator = next(each for each in found if "generator" in each.title)
    assert {each.source for each in generator.judged} == {"mikrotik-traffic-generator"}


def test_no_claim_is_without_a_verdict_or_a_named_need(found: list[System]) -> None:
    for system in found:
        assert system.judged or system.conditions, system.title
        open_claims = [each for mine in system.open.values() for each in mine]
        assert len(open_claims) + len(system.decided) == len(system.judged)
        assert all(each.evidence for each in system.decided)
        assert all(len(need) > 10 for need in system.open), system.title


def test_no_published_number_is_without_a_claim_or_a_named_need() -> None:
    for name in lab.names():
        here = lab.find(name)
        claimed = {row for claim in claims.load(here) for row in claim.published}
        assert not [
            row.id
            for row in published.load(here).values()
            if row.id not in claimed and not row.needs
        ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- {title: Tunnels, lab: eiop}", "systems.yml:2: no lab 'eiop' (did you mean \"eoip\"?)"),
        (
            "- {title: Chips, lab: l3offload, conditions: [chip-*]}",
            "systems.yml:2: no system takes the rest of l3offload",
        ),
        (
            "- {title: A, lab: eoip}\n- {title: B, lab: eoip}",
            "systems.yml:3: nothing of eoip is left",
        ),
        (
            "- {title: C, lab: cores, conditions: [chips]}",
            "systems.yml:2: no condition of cores is like 'chips'",
        ),
    ],
)
def test_a_file_that_leaves_something_out_is_refused(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "systems.yml"
    file.write_text(f"systems:\n{text}\n")
    monkeypatch.setattr(systems, "FILE", str(file))
    with pytest.raises(FileError) as error:
        systems.read()
    assert says in str(error.value)


def test_a_lab_that_the_file_does_not_name_is_a_system_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "systems.yml"
    file.write_text("systems:\n- {title: A tunnel, lab: eoip}\n")
    monkeypatch.setattr(systems, "FILE", str(file))
    first, *others = systems.read()
    assert first.title == "A tunnel"
    assert [each.lab for each in others] == [name for name in lab.in_order() if name != "eoip"]
