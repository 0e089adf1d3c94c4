"""A bond that is not what the condition wants: nothing is measured, and nbval fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.testbed.backends.capabilities import usable
from tests.system.notebooks import failures
from tests.system.notebooks.conftest import Nbval, project_copy

STATE = usable("vm")
pytestmark = [
    pytest.mark.notebook,
    pytest.mark.skipif(not STATE.usable, reason=f"no vm backend here: {STATE.why}"),
    pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is needed: ppslab doctor"),
]

CELLS = [
    "import ppslab",
    'run = ppslab.open("hundred").tcp(["balance-rr"])',
    'run.table("links")',
    'run.table("retransmits")',
]


def broken_copy(folder: Path) -> Path:
    """The project with a bond that hashes in the place of the one that takes its ports in turn."""
    copy = project_copy(folder)
    lab = copy / "labs/hundred"
    shutil.copy(lab / "linux/802.3ad-layer2.ip", lab / "linux/balance-rr.ip")
    words = (lab / "lab.yml").read_text(encoding="utf-8")
    assert "within: 20" in words
    # Nothing comes true by waiting here.
    (lab / "lab.yml").write_text(words.replace("within: 20", "within: 1"), encoding="utf-8")
    return copy


@pytest.mark.weekly
def test_a_bond_of_another_mode_fails_the_notebook(nbval: Nbval) -> None:
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "balance-rr  8" in stored.read_text()
    done = failures.live(nbval, stored, broken_copy(nbval.folder))
    assert done.returncode == 1
    # Both tables have lost their row.
    assert failures.cells(done) == {2, 3}, done.stdout
    record = results.load_as(failures.record(nbval), results.TcpRecord)
    said = {why for transfer in record.transfers for why in transfer.invalid_because}
    assert any("router state not as configured" in why and "balance-rr" in why for why in said)
