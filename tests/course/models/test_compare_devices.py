"""Two devices side by side: a ratio of one year, method and configuration, and of nothing else."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from ppslab.course.models import compare_devices
from tests.course.models.both import both, known

FACTS = known("compare-devices")


def row(mode: str, size: int | None, kpps: float, when: str, method: str = "MikroTik") -> list[Any]:
    mbps = kpps * (size or 0) * 8 / 1000 or None
    return [mode, "25 ip filter rules", size, kpps, mbps, when, method]


def compared(one: list[list[Any]], other: list[list[Any]], cpu: str = "A") -> dict[str, Any]:
    device = {"name": "one", "code": "1", "cpu": "A", "ports": "5x1G", "fastest": 1000, "rows": one}
    facts = {"words": {}, "devices": {
        "one": device, "other": {**device, "name": "other", "rows": other, "cpu": cpu},
    }}  # fmt: skip
    return compare_devices.answer({"one": "one", "other": "other"}, facts)


OWN = row("Routing", 512, 200.0, "2025")


@pytest.mark.parametrize(
    ("other", "ratio"),
    [
        (row("Routing", 512, 100.0, "2025"), 2.0),
        (row("Routing", 512, 100.0, "2018"), None),
        (row("Routing", 64, 100.0, "2025"), None),
        (row("Bridging", 512, 100.0, "2025"), None),
        (row("Routing", 512, 100.0, "2025", "a user"), None),
        ([*OWN[:1], "25 simple queues", *OWN[2:]], None),
    ],
)
def test_a_ratio_is_of_figures_that_agree_in_all_but_the_device(
    other: list[Any], ratio: float | None
) -> None:
    answer = compared([OWN], [other])
    assert [value for _, value in answer["values"]["ratios"]] == ([ratio] if ratio else [])
    assert [row[3] for row in answer["tables"][0]["rows"] if len(row) > 3] == (
        ["2.00"] if ratio else []
    )
    assert len(answer["rest"]["rows"]) == (0 if ratio else 2)


@pytest.mark.parametrize(
    ("kpps", "cpu", "says"),
    [
        (100.0, "B", "one forwards 2.00 times as many packets as other"),
        (400.0, "B", "other forwards 2.00 times as many packets as one"),
        (195.0, "B", "forward the same"),
        (194.0, "B", "one forwards 1.03 times"),
        (0.0, "A", "have the same CPU"),
        (0.0, "B", "nothing here says"),
    ],
)
def test_the_conclusion_is_one_sentence(kpps: float, cpu: str, says: str) -> None:
    other = [row("Routing", 512, kpps, "2025")] if kpps else []
    (sentence,) = compared([OWN], other, cpu)["says"]
    assert says in sentence


def test_figures_of_a_copy_without_a_year_are_in_no_ratio() -> None:
    for one, other in permutations(FACTS["devices"], 2):
        answer = compare_devices.answer({"one": one, "other": other}, FACTS)
        for (_, _, _, when, method), _ in answer["values"]["ratios"]:
            assert when.isdecimal() or method != "MikroTik"
    hexes = compare_devices.answer({"one": "hex-refresh", "other": "hex"}, FACTS)
    assert "1.88 times" in hexes["says"][0] and "2025" in hexes["says"][0]


def test_a_device_without_a_figure_is_refused() -> None:
    answer = compare_devices.answer({"one": "hex", "other": "toaster"}, FACTS)
    assert answer["problem"]["input"] == "other"


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    names = sorted(FACTS["devices"])
    asked = [{"one": names[0], "other": other} for other in [*names, "toaster"]]
    assert len(both("compare-devices", asked)) == len(asked)
