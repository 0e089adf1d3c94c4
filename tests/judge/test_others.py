"""Others' measurements of RouterOS decide as MikroTik's do, below its tables and its manual."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import FileError
from ppslab.judge import claims
from ppslab.judge.claims.deciding import decide
from ppslab.judge.claims.others import Measurements
from ppslab.model import devices
from ppslab.model.devices import measured
from ppslab.model.lab import lab
from tests.judge.made_claims import judged

FAST = measured.Measured(
    id="fast",
    device="a router",
    configuration="fast path",
    frame_bytes=64,
    pps=400_000.0,
    at_least=False,
    routeros="7.20.7",
    streams="1 flow",
    loss="0.1 %",
    repeats=1.0,
    printed="400",
    where="row 1",
    source=devices.measurements()[0].source,
)
SLOW = replace(FAST, id="slow", pps=100_000.0)
NEXT_FAST, NEXT_SLOW = (replace(one, id=f"next-{one.id}", device="another") for one in (FAST, SLOW))
ORDER = "order: {conditions: [routing-fast-path, routing-3-rules], size: 64}"
SAME = "little_change: {numerator: routing-3-rules, denominator: routing-fast-path, size: 64}"
NEEDS = "not_testable: {needs: a router}"


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> dict[str, measured.Measured]:
    known = {one.id: one for one in (FAST, SLOW, NEXT_FAST, NEXT_SLOW)}
    monkeypatch.setattr(measured, "load", lambda: known)
    return known


def words(dearer: str, cheaper: str, *, judge: str = NEEDS, more: str = "") -> str:
    return (
        f"{judge}\n    measured: {{dearer: [{dearer}], cheaper: [{cheaper}], {more}"
        "because: one router in two configurations}"
    )


@pytest.mark.parametrize(
    ("rate", "repeats", "more", "verdict", "interval"),
    [
        (100, 1.0, "", claims.CONFIRMED, (4.0, 4.0)),
        (500, 1.0, "", claims.REFUTED, (0.8, 0.8)),
        (400, 1.0, "", claims.CANNOT_TELL, (1.0, 1.0)),
        # What the source's own repeated runs differ by, both rates may be off.
        (350, 1.2, "", claims.CANNOT_TELL, (400 / 350 / 1.44, 400 / 350 * 1.44)),
        (100, 1.2, "", claims.CONFIRMED, (4 / 1.44, 4 * 1.44)),
        (100, 1.0, "at_least: 3, ", claims.CONFIRMED, (4.0, 4.0)),
        (100, 1.2, "at_least: 3, ", claims.CANNOT_TELL, (4 / 1.44, 4 * 1.44)),
        (100, 1.0, "at_least: 5, ", claims.CANNOT_TELL, (4.0, 4.0)),
    ],
)  # fmt: skip
def test_the_interval_of_a_ratio_decides(
    tmp_path: Path, rows: dict[str, measured.Measured], rate: float, repeats: float, more: str,
    verdict: str, interval: tuple[float, float],
) -> None:  # fmt: skip
    rows["slow"] = replace(SLOW, pps=rate * 1000.0, repeats=repeats)
    rows["fast"] = replace(FAST, repeats=repeats)
    found = judged(tmp_path, words("slow", "fast", more=more))
    assert (found.evidence, found.verdict) == (claims.MEASURED, verdict)
    assert found.interval == pytest.approx(interval)
    assert found.interval_kind == "one figure"


@pytest.mark.parametrize(
    ("many", "costs", "through"), [("1 flow", True, False), ("256 flows", False, True)]
)
def test_rates_of_other_streams_tell_nothing_of_what_a_packet_costs(
    rows: dict[str, measured.Measured], many: str, costs: bool, through: bool
) -> None:
    """One flow keeps one core busy, and 256 flows all four of them: four times the rate is free."""
    rows["slow"] = replace(SLOW, streams="1 flow")
    rows["fast"] = replace(FAST, streams=many)
    asked = Measurements(dearer=("slow",), cheaper=("fast",), because="-")
    order = claims.Order(conditions=("routing-fast-path", "routing-3-rules"), size=64)
    reason = decide(asked.question(order, ())).reason
    assert "4 [4, 4]" in reason
    assert ("costs" in reason, "get through" in reason) == (costs, through)


@pytest.mark.parametrize(
    ("slow", "fast", "ends"),
    [
        # What the tester limited leaves the ratio open.
        ({}, {"at_least": True}, (4, inf)),
        ({"at_least": True}, {}, (0, 4)),
        # A search by steps ended between the last rate that passed and the next.
        ({"lost_at": 150_000}, {}, (2.67, 4)),
        ({}, {"lost_at": 600_000}, (4, 6)),
    ],
)
def test_a_ratio_is_as_open_as_its_rates(
    rows: dict[str, measured.Measured],
    slow: dict[str, Any],
    fast: dict[str, Any],
    ends: tuple[float, float],
) -> None:
    rows["slow"], rows["fast"] = replace(SLOW, **slow), replace(FAST, **fast)
    asked = Measurements(dearer=("slow",), cheaper=("fast",), because="-")
    order = claims.Order(conditions=("routing-fast-path", "routing-3-rules"), size=64)
    (ratio,) = asked.question(order, ()).intervals
    assert (ratio.low, ratio.high) == pytest.approx(ends, rel=0.01)


def test_two_measurements_reach_from_the_least_to_the_greatest(
    tmp_path: Path, rows: dict[str, measured.Measured]
) -> None:
    rows["next-slow"] = replace(NEXT_SLOW, pps=200_000.0)
    found = judged(tmp_path, words("slow, next-slow", "fast, next-fast"))
    assert found.interval == (2, 4)
    assert found.interval_kind == claims.least_to_greatest(2)
    assert all(part in found.reason for part in ("a router", "another", "RouterOS 7.20.7"))


@pytest.mark.parametrize(
    ("dearer", "cheaper", "judge", "what"),
    [
        ("slow", "fats", NEEDS, "did you mean"),
        ("slow, next-slow", "fast", NEEDS, "each dearer row"),
        ("slow", "next-fast", NEEDS, "not of one source, device and frame size"),
        ("slow", "fast", SAME, "which costs more"),
    ],
)
def test_rows_that_make_no_ratio_are_refused(
    tmp_path: Path, rows: dict[str, measured.Measured], dearer: str, cheaper: str, judge: str,
    what: str,
) -> None:  # fmt: skip
    assert rows
    with pytest.raises(FileError, match=what):
        judged(tmp_path, words(dearer, cheaper, judge=judge))


def test_two_lower_bounds_are_refused(tmp_path: Path, rows: dict[str, measured.Measured]) -> None:
    for name, row in (("slow", SLOW), ("fast", FAST)):
        rows[name] = replace(row, at_least=True)
    with pytest.raises(FileError, match="lower bounds"):
        judged(tmp_path, words("slow", "fast"))


def test_the_manual_comes_first_and_the_stand_in_last(
    tmp_path: Path, rows: dict[str, measured.Measured]
) -> None:
    assert rows
    alone = judged(tmp_path, words("slow", "fast", judge=ORDER))
    manual = f"{words('slow', 'fast', judge=ORDER)}\n    documented: {{facts: [fast-path-queues]}}"
    both = judged(tmp_path, manual)
    assert alone.evidence == claims.MEASURED
    assert both.evidence == claims.DOCUMENTED
    assert [other.evidence for other in both.others] == [claims.MEASURED]


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("loss", "", "measured, without loss"),
        ("quality", "reported", "only what was measured"),
        ("repeats", "0.9", "factor of 1 or more"),
        ("lost_at", "9", "a rate above 9 kpps"),
        ("lost_at", "later", "a rate above 9 kpps"),
        ("frame_bytes", "", "needs kpps and frame_bytes"),
    ],
)
def test_a_row_that_hides_its_method_decides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, value: str, what: str
) -> None:
    lines = (devices.FOLDER / "measurements.csv").read_text().splitlines()
    header = lines[0].split(",")
    cells = {
        **dict.fromkeys(header, ""), "id": "one", "code": "RB951G-2HnD", "kind": "bridging",
        "frame_bytes": "64", "kpps": "9", "mbps": "5", "at_least": "no", "quality": "measured",
        "source": "itsp7-2025", **dict.fromkeys(measured.METHOD, measured.NOT_SAID), column: value,
    }  # fmt: skip
    (tmp_path / "measurements.csv").write_text(f"{lines[0]}\n{','.join(cells.values())}\n")
    for name in ("devices.csv", "sources.csv"):
        (tmp_path / name).symlink_to(devices.FOLDER / name)
    monkeypatch.setattr(devices, "FOLDER", tmp_path)
    for read in (devices.measurements, measured.load):
        read.cache_clear()
    try:
        with pytest.raises(FileError, match=what):
            measured.load()
    finally:
        for read in (devices.measurements, measured.load):
            read.cache_clear()


def test_every_row_that_names_its_method_decides_a_claim() -> None:
    named = {
        row
        for name in lab.names()
        for claim in claims.load(lab.find(name))
        if claim.measured
        for row in claim.measured.named
    }
    unused = set(measured.load()) - named
    assert not unused, f"no claim names {', '.join(sorted(unused))}"
