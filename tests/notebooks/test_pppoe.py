"""A tunnel whose ends no longer encrypt: the run finds it, and nbval fails."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from ppslab.backends import capabilities
from ppslab.base.errors import CannotHereError
from tests.notebooks.conftest import ROOT, Nbval, of_one_round, project_copy

pytestmark = pytest.mark.notebook

NOTEBOOK = ROOT / "notebooks/pppoe.ipynb"

CELLS = [
    "import ppslab",
    'run = ppslab.open("pppoe").run(["no-tunnel", "encrypted"], [64], search=False)',
    "run",
]


def unencrypted(folder: Path) -> Path:
    """The project with two ends that leave MPPE out; a refused condition is not tried for long."""
    copy = project_copy(folder)
    linux = copy / "labs/pppoe/linux"
    for file in (linux / "server/encrypted", linux / "client/start"):
        text = file.read_text()
        assert "require-mppe-128" in text
        # The first one: the client has another encrypted session, whose server still asks for it.
        file.write_text(text.replace("require-mppe-128", "nomppe", 1))
    of_one_round(copy, "pppoe")
    return copy


def test_a_tunnel_without_encryption_fails_the_notebook(nbval: Nbval) -> None:
    """What is compared with was stored from the recorded run; the notebook itself runs it live."""
    try:
        capabilities.choose(frozenset({"pppoe", "mppe"}), "auto")
    except CannotHereError as error:
        pytest.skip(str(error))
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "2 of 2 conditions measured" in stored.read_text()
    done = nbval.compare_live(stored, unencrypted(nbval.folder))
    assert done.returncode == 1
    assert "1 of 2 conditions measured" in done.stdout, done.stdout


def test_the_stored_outputs_show_the_fragments_and_the_order() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    text = "".join(str(cell.get("outputs", "")) for cell in cells)
    assert "6 of 6 conditions measured" in text
    assert "fragments" in text
