"""A chip that holds indexes: two figures and what decides, where one was wrong by 25 times.

MikroTik's manual, L3 Hardware Offloading, Partial offloading (98DX8xxx), read on 2026-10-06: one
CCR2216 with 942 326 routes of /30 in hardware under a default route by the same next hop, and with
37 729 of 942 337 without it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.course.models import offload_table
from ppslab.course.widgets.facts import offload_table as facts_offload_table
from ppslab.model.switch_chip import bounds, chips, index_table
from ppslab.model.switch_chip.routes import Prefix, Route

CCR2216 = chips.of("CCR2216-1G-12XS-2XQ")
DEFAULT = Route(Prefix(4, 0, 0), "forward", ("198.18.2.2",))


@cache
def many(count: int, hop: str = "198.18.2.2") -> list[Route]:
    return [Route(Prefix(4, (11 << 24) + 4 * i, 30), "forward", (hop,)) for i in range(count)]


def figures(routes: list[Route], chip: chips.Chip = CCR2216) -> list[tuple[str, int, int]]:
    found = bounds.of(routes, chip)
    return [(case.name, len(case.choice.hardware), len(case.choice.cpu)) for case in found]


def test_the_figures_are_the_manual_s() -> None:
    assert (CCR2216.indexes, CCR2216.shown_best, CCR2216.shown_worst) == (True, 942_326, 37_729)
    assert not chips.of("CRS326-24G-2S+").indexes


@pytest.mark.long
def test_under_a_default_route_by_the_same_next_hop_all_fit() -> None:
    assert figures([DEFAULT, *many(200_000)]) == [("joined", 200_001, 0)]


@pytest.mark.long
def test_without_it_best_and_worst_are_said() -> None:
    routes = many(200_000)
    assert figures(routes) == [("best", 120_000, 80_000), ("worst", 37_729, 162_271)]
    assert "no default route" in bounds.of(routes, CCR2216)[0].says


def test_one_other_next_hop_decides_too() -> None:
    found = bounds.of([DEFAULT, *many(3), *many(2, "198.18.1.2")[1:]], CCR2216)
    assert [case.name for case in found] == ["best", "worst"]
    assert "1 of the routes go another way" in found[0].says


def test_of_other_chips_no_worst_case_is_made_up() -> None:
    assert [name for name, _, _ in figures(many(10), chips.of("CRS317-1G-16S+"))] == ["best"]


def test_a_chip_that_holds_prefixes_has_one_figure() -> None:
    found = figures([DEFAULT, *many(20_000)], chips.of("CRS326-24G-2S+"))
    assert found == [("table", 13_312, 6_689)]


@pytest.mark.parametrize(
    ("routes", "wanted"),
    [
        ([(30, ("a",), 5)], ("no-default", 5)),
        ([(0, ("a",), 1), (30, ("a",), 5)], ("joined", 0)),
        ([(0, ("b", "a"), 1), (30, ("a", "b"), 5)], ("joined", 0)),
        ([(0, ("a",), 1), (30, ("a", "b"), 5)], ("other-ways", 5)),
        ([(0, (), 1), (30, (), 5)], ("no-default", 6)),
    ],
)
def test_what_decides(
    routes: list[tuple[int, tuple[str, ...], int]], wanted: tuple[str, int]
) -> None:
    assert index_table.decides(routes) == wanted


@pytest.mark.long
def test_the_command_says_both_figures(tmp_path: Path) -> None:
    file = tmp_path / "r.txt"
    file.write_text("11.0.0.0/30 x200000 via 198.18.2.2\n")
    words = ["plan", "offload", str(file), "--device", "CCR2216", "--towards", "11.0.0.0/16"]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0
    said = " ".join(shown.stdout.split())
    assert "At best" in said and "At worst 37729." in said and "worst case" in said
    plain = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert [case["room"] for case in plain["cases"]] == [120_000, 37_729]


def widget(routes: str, chip: str = "98DX8525") -> dict[str, object]:
    inputs = {"chip": chip, "routes": routes, "filled": offload_table.STEPS, "hosts": 0,
              "ipv6": False, "towards": "11.0.0.0/8"}  # fmt: skip
    return offload_table.answer(inputs, facts_offload_table.facts())


def test_the_widget_says_both_figures_too() -> None:
    found = widget("11.0.0.0/30 x200000 via 198.18.2.2")
    assert found["values"]["hardware"] == 120_000  # type: ignore[index]
    said = " ".join(found["says"])  # type: ignore[arg-type]
    assert "best case" in said and "At worst it held 37\u202f729 routes" in said
    joined = widget("0.0.0.0/0 via 198.18.2.2\n11.0.0.0/30 x200000 via 198.18.2.2")
    assert joined["values"]["cpu"] == 0  # type: ignore[index]


def test_the_widget_makes_no_second_figure_up() -> None:
    small = " ".join(widget("11.0.0.0/30 x9 via 198.18.2.2", "98DX3236 family")["says"])  # type: ignore[arg-type]
    assert "worst" not in small
    other = " ".join(widget("11.0.0.0/30 x9 via 198.18.2.2", "98DX8216")["says"])  # type: ignore[arg-type]
    assert "gives no worst case" in other
