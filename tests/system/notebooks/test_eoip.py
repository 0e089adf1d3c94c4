"""The notebook on EoIP fails where the tunnel is not encrypted."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from tests.system.notebooks.broken import Broken, fails
from tests.system.notebooks.conftest import ROOT, Nbval

pytestmark = pytest.mark.notebook

NOTEBOOK = ROOT / "notebooks/eoip.ipynb"


def unencrypted(lab: Path) -> None:
    """Neither end of the tunnel has a key or a policy."""
    for end in ("r1", "r2"):
        file = lab / f"linux/{end}/ipsec.ip"
        text, count = re.subn(r"(?m)^xfrm .*$", "# nothing", file.read_text())
        assert count == 4
        file.write_text(text)


OPEN = Broken(
    "eoip",
    ("eoip-ipsec",),
    unencrypted,
    finds="not as configured",
    sizes=(1518,),
    shown="run.table()",
)


@pytest.mark.weekly
def test_a_tunnel_without_encryption_fails_the_notebook(nbval: Nbval) -> None:
    fails(nbval, OPEN)


def test_the_stored_outputs_show_both_fragments() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    text = "".join(str(cell.get("outputs", "")) for cell in cells)
    assert "4 of 4 conditions measured" in text
