"""The rows of the attacks, what was kept of them, and the table that the page shows."""

from __future__ import annotations

import ast

import pytest

from benchmarks.seat_attacks import attacks as seat_attacks
from benchmarks.seat_attacks.attacks import Result
from tests.ppslab_class.hub_process import RECIPE

SEAT = seat_attacks.FILE.with_name("seat.py")


def made() -> set[str]:
    """The attacks that a seat's program knows, but for what another of them starts."""
    found = {
        each.name.replace("_", "-")
        for each in ast.parse(SEAT.read_text()).body
        if isinstance(each, ast.FunctionDef) and each.decorator_list
    }
    return found - {"machine-as-root"}


def test_every_row_is_made_and_every_attack_has_a_row() -> None:
    assert {each.name for each in seat_attacks.load()} == made()


def test_a_row_without_a_control_says_why_and_a_unit_says_what_is_lifted() -> None:
    for each in seat_attacks.load():
        assert bool(each.because) == (each.control == "none"), each.name
        assert bool(each.lifted) == (each.control == "unit"), each.name


def test_the_newest_run_has_every_row_and_gained_nothing() -> None:
    run = seat_attacks.newest()
    assert list(run.results) == [each.name for each in seat_attacks.load()]
    for each in seat_attacks.load():
        found = run.results[each.name]
        assert not found.gained and found.neighbour_seconds <= each.within, each.name
        assert bool(found.control) == (each.control != "none"), each.name


def test_what_is_lifted_is_a_limit_of_the_unit() -> None:
    text = RECIPE.read_text(encoding="utf-8")
    own = {"MemoryMax", "StateDirectory"}  # systemdspawner's own words
    for each in seat_attacks.load():
        assert all(word in own or f'"{word}": ' in text for word in each.lifted), each.name


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ((("84 MiB in /tmp", "ENOSPC"),), "84 MiB in /tmp: ENOSPC"),
        ((("a", "EACCES"), ("the key", "got")), "a: EACCES; the key: got"),
        (
            (("a", "EACCES"), ("b", "EPERM"), ("c", "EACCES"), ("the key", "got")),
            "2 x EACCES, 1 x EPERM, GAINED the key",
        ),
    ],
)
def test_the_table_says_what_refused_and_what_was_gained(
    said: tuple[tuple[str, str], ...], told: str
) -> None:
    result = Result(said=said, control=(), neighbour_seconds=0.5)
    assert result.refusals() == told
    run = seat_attacks.newest()
    first, *_ = seat_attacks.load()
    changed = run.model_copy(update={"results": {first.name: result}})
    shown = seat_attacks.table((first,), changed)
    assert told in [cell.text for cell in shown.rows[0]]
    assert f"{len(said)} tries" in shown.notes[0]
    assert f"{len(result.gained)} succeeded" in shown.notes[0]


def test_the_page_shows_the_newest_run() -> None:
    text = seat_attacks.PAGE.read_text(encoding="utf-8")
    assert text == seat_attacks.markdown(seat_attacks.load(), seat_attacks.newest())
