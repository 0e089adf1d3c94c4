"""nbval fails where an order flips or a rule set was not applied, and not where noise moves.

The runs are made up, so that this takes seconds; test_defects.py breaks a real router.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ppslab.model import results
from tests.support.factory import COSTS, make_record
from tests.system.notebooks.conftest import Nbval

pytestmark = pytest.mark.notebook

Count = Callable[[subprocess.CompletedProcess[str]], int]


def recorded(folder: Path, record: results.Record) -> dict[str, str]:
    """The environment in which a notebook takes `record` for the newest run."""
    results.save(record, folder / "fastpath-20260102T030405Z-namespaces.json")
    return {"PPSLAB_BACKEND": "recorded", "PPSLAB_RESULTS": str(folder)}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lab's own notebook with the outputs of one run."""
    folder = tmp_path_factory.mktemp("stored")
    return Nbval(folder).store(None, **recorded(folder / "results", make_record(seed=1)))


def test_another_run_of_the_same_router_agrees(stored: Path, nbval: Nbval) -> None:
    slower = {name: 1.08 * cost for name, cost in COSTS.items()}
    again = make_record(seed=2, costs=slower, noise=0.01)
    done = nbval.compare(stored, **recorded(nbval.folder / "results", again))
    assert done.returncode == 0, done.stdout


def test_two_conditions_that_change_places_fail(
    stored: Path, nbval: Nbval, failed_cells: Count
) -> None:
    cheaper, dearer = "bridging-25-bridge-filter-rules-13-met", "routing-25-ip-filter-rules"
    swapped = {cheaper: COSTS[dearer], dearer: COSTS[cheaper]}
    done = nbval.compare(stored, **recorded(nbval.folder / "results", make_record(costs=swapped)))
    assert done.returncode == 1
    assert "'broken'" in done.stdout
    # The table of costs, published beside measured, the orders, the verdicts.
    assert failed_cells(done) >= 4, done.stdout


def test_a_rule_set_that_was_not_applied_fails(
    stored: Path, nbval: Nbval, failed_cells: Count
) -> None:
    """The read-back finds it, all trials of the condition are invalid, a dash stands there."""
    without = make_record(without=("routing-25-ip-filter-rules",))
    done = nbval.compare(stored, **recorded(nbval.folder / "results", without))
    assert done.returncode == 1
    assert f"{len(COSTS) - 1} of {len(COSTS)} conditions measured" in done.stdout
    assert failed_cells(done) >= 4, done.stdout


def test_a_rule_set_without_effect_fails_even_unnoticed_by_the_read_back(
    stored: Path, nbval: Nbval, failed_cells: Count
) -> None:
    idle = make_record(costs={"bridging-25-bridge-filter-rules": COSTS["bridging-plain"]})
    done = nbval.compare(stored, **recorded(nbval.folder / "results", idle))
    assert done.returncode == 1
    assert failed_cells(done) >= 1, done.stdout
