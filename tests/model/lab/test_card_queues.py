"""Queues of a network card: a wrong word in lab.yml is one message with its file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.model.lab import lab
from ppslab.model.lab.machine import Machine

CORES = lab.find("cores")
ONE, FOUR = "port_queues: {eth4: {combined: 1}}", "port_queues: {eth4: {combined: 4}}"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the lab's folder that a test may change."""
    return Path(shutil.copytree(CORES.folder, tmp_path / "cores"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (ONE, ONE.replace("combined", "combinde"), 'did you mean "combined"'),
        (ONE, ONE.replace("combined: 1", "combined: 0"), "greater than or equal to 1"),
        (ONE, ONE.replace("combined: 1", "combined: four"), "integer"),
        (ONE, ONE.replace("combined: 1", "combined: 8"), "eth4: 8 queues, and the card has 4"),
        (ONE, ONE.replace("eth4", "eth1"), "combined is of a network card, and dut has none there"),
        (ONE, ONE.replace("eth4", "eht4"), 'did you mean "eth4"'),
        (ONE, ONE.replace("combined: 1", "transmit: 4"), "eth4: a network card: say how many"),
        (ONE, ONE.replace("1}", "4, transmit: 2}"), "transmit is of a virtual wire"),
        ("card-queues]", "card-queus]", "so it needs card-queues; its needs are card-queus, nft"),
    ],
)
def test_a_wrong_word_is_found_with_its_line(copied: Path, old: str, new: str, said: str) -> None:
    path = copied / "lab.yml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        lab.load(copied)
    assert said in caught.value.message
    at = text[: text.index(old)].count("\n") + 1
    assert caught.value.line is not None
    assert abs(caught.value.line - at) <= 3, str(caught.value)


def test_a_condition_that_uses_the_card_says_so(copied: Path) -> None:
    path = copied / "lab.yml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("nft, card-queues]", "nft]", 1), encoding="utf-8")
    with pytest.raises(FileError, match="so it needs card-queues; its needs are nft, numa"):
        lab.load(copied)


def test_a_card_has_no_more_queues_than_there_are_cpus() -> None:
    assert CORES.spec.machine
    words = CORES.spec.machine.model_dump()
    words["cards"]["cores"]["dut:eth4"]["queues"] = 5
    with pytest.raises(ValueError, match="card dut:eth4: 5 queues, and there are 4 CPUs"):
        Machine.model_validate(words)


def test_only_conditions_of_the_card_need_it() -> None:
    needing = {name for name, each in CORES.conditions.items() if "card-queues" in each.needs}
    assert needing == {name for name in CORES.conditions if name.startswith("card-")}
    assert len(needing) == 3
