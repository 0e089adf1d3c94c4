"""A tunnel whose ends no longer encrypt: the run finds it, and nbval fails."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from tests.system.notebooks.broken import Broken, fails
from tests.system.notebooks.conftest import ROOT, Nbval

pytestmark = pytest.mark.notebook

NOTEBOOK = ROOT / "notebooks/pppoe.ipynb"


def unencrypted(lab: Path) -> None:
    """Two ends leave MPPE out."""
    for file in (lab / "linux/server/encrypted", lab / "linux/client/start"):
        text = file.read_text()
        assert "require-mppe-128" in text
        # The first one: the client has another encrypted session, whose server still asks for it.
        file.write_text(text.replace("require-mppe-128", "nomppe", 1))


OPEN = Broken(
    "pppoe",
    ("no-tunnel", "encrypted"),
    unencrypted,
    finds="not as configured",
    sizes=(64,),
    needs=frozenset({"pppoe", "mppe"}),
    backend="auto",
)


@pytest.mark.weekly
def test_a_tunnel_without_encryption_fails_the_notebook(nbval: Nbval) -> None:
    fails(nbval, OPEN)


def test_the_stored_outputs_show_the_fragments_and_the_order() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    text = "".join(str(cell.get("outputs", "")) for cell in cells)
    assert "6 of 6 conditions measured" in text
    assert "fragments" in text
