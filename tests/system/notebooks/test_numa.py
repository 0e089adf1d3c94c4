"""A card in a slot of the wrong socket: the live notebook shows it, and nbval fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.testbed.backends.capabilities import usable
from tests.system.notebooks import failures
from tests.system.notebooks.conftest import Nbval, project_copy

STATE = usable("vm")
pytestmark = [
    pytest.mark.notebook,
    pytest.mark.skipif(not STATE.usable, reason=f"no vm backend here: {STATE.why}"),
]

CELLS = [
    "import ppslab",
    'run = ppslab.open("numa").run(["one-socket", "one-cpu"], [64], search=False)',
    'run.table("cards")',
    'run.table("placement")',
    'run.table("served")',
]


def broken_copy(folder: Path) -> Path:
    """The project with the router's second card on socket 1, and both cards served by CPU 0."""
    copy = project_copy(folder)
    words = copy / "labs/numa/lab.yml"
    text = words.read_text(encoding="utf-8")
    for right, wrong in (
        ("dut:eth2: {socket: 0}", "dut:eth2: {socket: 1}"),
        ("interrupts: {eth1: 0, eth2: 1}", "interrupts: {eth1: 0, eth2: 0}"),
        ("    rounds: 4", "    rounds: 2"),
    ):
        assert right in text
        text = text.replace(right, wrong)
    words.write_text(text, encoding="utf-8")
    return copy


@pytest.mark.weekly
def test_a_card_on_the_wrong_socket_fails_the_notebook(nbval: Nbval) -> None:
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert '"one-socket  r12     socket 0' in stored.read_text().replace("\\n", '"')
    broken = broken_copy(nbval.folder)
    done = failures.live(nbval, stored, broken)
    assert done.returncode == 1
    # The card's node, the crossing, and the CPU that now has all the work.
    assert failures.cells(done) == {2, 3, 4}, done.stdout
