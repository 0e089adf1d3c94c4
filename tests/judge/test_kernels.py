"""A ratio by kernel, and its bias against time, of records whose truth the test knows."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import combinations
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppslab.judge import agreement, kernels
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.statistics import Interval
from tests.support.factory import COSTS, ENVIRONMENT, make_record

FAST, PLAIN, RULES = "routing-fast-path", "routing-plain", "routing-25-ip-filter-rules"
SIZE = 64


def keep(folder: Path, name: str, rules: float, kernel: str, **changes: Any) -> None:
    """A record in which the rules cost `rules` times plain routing, on one kernel."""
    record = make_record(costs={RULES: rules * COSTS[PLAIN]}, rounds=4)
    environment = {**ENVIRONMENT, "kernel": kernel}
    changes = {"measure": "counted", "environment": environment, **changes}
    folder.mkdir(parents=True, exist_ok=True)
    results.save(record.model_copy(update=changes), folder / f"{name}.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A results folder of the test's own."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same lab on three kernels, whose ratios are a factor of 1.1 apart."""
    folder = tmp_path_factory.mktemp("kernels")
    for name, ratio, kernel in (
        ("a", 2.42, "6.12.118+deb13-amd64"),
        ("b", 2.0, "5.10.0-46-amd64"),
        ("c", 2.2, "6.1.0-56-amd64"),
    ):
        keep(folder / results.KERNELS, f"fastpath-20261127T01000{name}Z-vm", ratio, kernel)
    return folder


@pytest.fixture
def three(kept: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PPSLAB_RESULTS", str(kept))
    return kept


def test_ratios_stand_by_kernel_the_oldest_first(three: Path) -> None:
    found = kernels.by_kernel("fastpath", RULES, PLAIN, SIZE)
    assert [kernel.split("-")[0] for kernel in found] == ["5.10.0", "6.1.0", "6.12.118+deb13"]
    assert [each.estimate for each in found.values()] == pytest.approx([2.0, 2.2, 2.42], rel=0.02)
    assert not kernels.by_kernel("queues", RULES, PLAIN, SIZE)


def across(*asked: Any) -> Interval:
    return kernels.across_kernels(*asked, otherwise=1.2)


def test_another_kernel_is_held_and_the_estimate_stays(three: Path) -> None:
    """Theory's worked example: a factor of 1.606 around 2.2."""
    counted = Interval(2.0, 1.99, 2.01, 3)
    found = across("fastpath", RULES, PLAIN, SIZE, counted)
    assert found.estimate == 2.0
    assert (found.low, found.high) == pytest.approx((2.2 / 1.606, 2.2 * 1.606), rel=0.08)


def test_two_kernels_are_both_held(folder: Path) -> None:
    for name, ratio, kernel in (("1", 1.5, "5.10.0-46-amd64"), ("2", 0.7, "6.1.0-56-amd64")):
        keep(folder / results.KERNELS, f"fastpath-2026112{name}T010000Z-vm", ratio, kernel)
    assert kernels.another_kernel("fastpath", RULES, PLAIN, SIZE) is None
    counted = Interval(0.7, 0.69, 0.71, 3)
    found = across("fastpath", RULES, PLAIN, SIZE, counted)
    assert found.low < 0.69 and found.high > 1.5


def test_the_bias_is_the_counted_ratio_over_the_timed_one(folder: Path) -> None:
    keep(folder, "fastpath-20261125T000000Z-vm", 3.0, "6.1.0-56-amd64")
    keep(folder, "fastpath-20261125T000001Z-namespaces", 2.0, "6.18.44", measure="timed")
    bias = kernels.bias("fastpath", RULES, PLAIN, SIZE)
    assert bias is not None and not bias.excludes(1.5)
    assert bias.estimate == pytest.approx(1.5, rel=0.03)
    changes = {"measure": "timed", "environment": {**ENVIRONMENT, "emulation": "tcg"}}
    keep(folder, "fastpath-20261125T000002Z-vm", 9.0, "6.1.0", **changes)
    assert kernels.bias("fastpath", RULES, PLAIN, SIZE) == bias


def test_a_run_of_routeros_is_no_kernel_and_no_bias(folder: Path, kept: Path) -> None:
    three = Path(shutil.copytree(kept, folder, dirs_exist_ok=True))
    kernels_before = kernels.by_kernel("fastpath", RULES, PLAIN, SIZE)
    keep(three, "fastpath-20261125T000000Z-vm", 3.0, "6.1.0-56-amd64")
    chr_router = {**make_record().router, "name": "routeros"}
    for name, kernel, measure in (("1", "5.6.3", "counted"), ("2", "5.6.3-64", "timed")):
        changes = {"measure": measure, "router": chr_router}
        keep(three, f"fastpath-20261125T00000{name}Z-vm", 9.0, kernel, **changes)
    keep(three / results.KERNELS, "fastpath-20261127T010009Z-vm", 9.0, "5.6.3", router=chr_router)
    assert kernels.by_kernel("fastpath", RULES, PLAIN, SIZE) == kernels_before
    assert kernels.bias("fastpath", RULES, PLAIN, SIZE) is None


@pytest.mark.parametrize(
    ("timed_on", "counts"),
    [(datetime(2026, 11, 21, tzinfo=UTC), False), (datetime(2026, 11, 27, tzinfo=UTC), True)],
)
def test_a_bridge_through_the_ip_firewall_says_nothing(
    folder: Path, timed_on: datetime, counts: bool
) -> None:
    keep(folder, "fastpath-20261125T000000Z-vm", 3.0, "6.1.0-56-amd64")
    bridging = tuple(
        condition.model_copy(update={"read_back": '[{"info_kind":"bridge"}]'})
        if condition.name == RULES
        else condition
        for condition in make_record().conditions
    )
    changes = {"measure": "timed", "started": timed_on, "conditions": bridging}
    keep(folder, "fastpath-20261121T000000Z-namespaces", 2.0, "6.18.44", **changes)
    assert (kernels.bias("fastpath", RULES, PLAIN, SIZE) is not None) == counts
    assert kernels.bias("fastpath", FAST, PLAIN, SIZE) is not None


def test_the_table_has_a_column_a_kernel_and_what_another_would_say(three: Path) -> None:
    table = kernels.kernels_table("fastpath")
    assert table.header[2:5] == ("5.10", "6.1", "6.12")
    sizes = make_record().frame_sizes
    assert len(table.rows) == (len(COSTS) - 1) * len(sizes)


@pytest.mark.parametrize(("ratios", "others", "row"), [(1, 0, True), (1, 1, False), (2, 1, True)])
def test_a_row_has_the_ratios_of_two_kernels_where_there_are_two(
    three: Path, monkeypatch: pytest.MonkeyPatch, ratios: int, others: int, row: bool
) -> None:
    counted = kernels.records("fastpath")[: ratios + others]
    known = {str(number): Interval(2, 2, 2, 9) for number in range(ratios)}
    monkeypatch.setattr(kernels, "records", lambda _lab: counted)
    monkeypatch.setattr(kernels, "by_kernel", lambda *_: known)
    assert bool(kernels.kernels_table("fastpath").rows) is row


def apart(ratios: Iterable[tuple[float, float]]) -> float:
    """The factor that 95 in 100 pairs of ratios are nearer to each other than."""
    return exp(float(np.quantile([abs(log(one / other)) for one, other in ratios], 0.95)))


def pairs_of(runs: Sequence[results.Record]) -> Iterator[tuple[str, str, int]]:
    """Every pair of conditions, at each frame size."""
    names = dict.fromkeys(each.name for run in runs for each in run.conditions)
    for size in sorted({size for run in runs for size in run.frame_sizes}):
        yield from ((*pair, size) for pair in combinations(names, 2))


@pytest.mark.long
def test_what_agreement_says_of_stand_ins_is_what_the_committed_records_say() -> None:
    """Nobody types them: the spread over kernels, and how far counting and timing are apart."""
    several = sorted({path.name.rpartition("-20")[0] for path in kernels.files()})
    kernel_ratios = [
        pair
        for lab in several
        for words in pairs_of(kernels.records(lab))
        for pair in combinations(
            [
                each.estimate
                for each in kernels.by_kernel(lab, *words).values()
                if each.estimate > 0
            ],
            2,
        )
    ]
    assert pytest.approx(apart(kernel_ratios), abs=0.005) == agreement.KERNELS
    biases = [
        (bias.estimate, 1.0)
        for lab in labs.names()
        for runs in [list(kernels._kept(lab))]
        if len({run.measure for run in runs}) > 1
        for words in pairs_of(runs)
        if (bias := kernels._bias(runs, *words))
    ]
    assert pytest.approx(apart(biases), abs=0.005) == agreement.COUNTING


@pytest.mark.long
def test_the_committed_records_show_that_the_bias_goes_both_ways() -> None:
    """Of the same records: 25 rules are exaggerated, and a bridge's fast path is hidden."""
    rules = kernels.bias("fastpath", RULES, FAST, SIZE)
    bridge = kernels.bias("fastpath", "bridging-plain", "bridging-fast-path", SIZE)
    assert rules and rules.low > 1
    assert bridge and bridge.high < 1
