"""The notebook on measuring: the same with other records, red where a fault goes unnoticed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from ppslab.model import results
from ppslab.model.results.kinds import FaultsRecord
from tests.support.factory import make_record
from tests.support.faults_factory import make_faults
from tests.system.notebooks.conftest import ROOT, Nbval

pytestmark = pytest.mark.notebook

Count = Callable[[subprocess.CompletedProcess[str]], int]
NOTEBOOK = ROOT / "notebooks/measuring.ipynb"


def recorded(folder: Path, record: FaultsRecord) -> dict[str, str]:
    """The environment in which a notebook takes `record` for the newest run."""
    results.save(record, folder / "faults-fastpath-20260102T030405Z-namespaces.json")
    results.save(make_record(), folder / "fastpath-20260102T030405Z-namespaces.json")
    return {"PPSLAB_BACKEND": "recorded", "PPSLAB_RESULTS": str(folder)}


def cells() -> list[str]:
    """The notebook's code."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notebook with the outputs of a run in which every fault was caught."""
    folder = tmp_path_factory.mktemp("stored")
    return Nbval(folder).store(cells(), **recorded(folder / "results", make_faults()))


def test_another_run_that_caught_everything_agrees(stored: Path, nbval: Nbval) -> None:
    done = nbval.compare(stored, **recorded(nbval.folder / "results", make_faults()))
    assert done.returncode == 0, done.stdout


def test_a_fault_that_was_missed_fails(stored: Path, nbval: Nbval, failed_cells: Count) -> None:
    missed = make_faults({"offload-on": "missed"})
    done = nbval.compare(stored, **recorded(nbval.folder / "results", missed))
    assert done.returncode == 1
    assert "5 of 6 faults caught" in done.stdout
    assert failed_cells(done) >= 2, done.stdout
