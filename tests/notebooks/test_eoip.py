"""The notebook on EoIP fails where the tunnel is not encrypted."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from ppslab.backends import capabilities
from tests.notebooks.conftest import ROOT, Nbval, of_one_round, project_copy

pytestmark = pytest.mark.notebook

NOTEBOOK = ROOT / "notebooks/eoip.ipynb"

# One condition, as a guest takes seconds for each; the notebook's own cells have four.
CELLS = [
    "import ppslab",
    """run = ppslab.open("eoip").run(["eoip-ipsec"], [1518], search=False)""",
    "run",
    "run.table()",
]


def unencrypted(folder: Path) -> Path:
    """The project in which neither end of the tunnel has a key or a policy."""
    copy = project_copy(folder)
    for end in ("r1", "r2"):
        file = copy / f"labs/eoip/linux/{end}/ipsec.ip"
        text, count = re.subn(r"(?m)^xfrm .*$", "# nothing", file.read_text())
        assert count == 4
        file.write_text(text)
    of_one_round(copy, "eoip")
    return copy


def test_a_tunnel_without_encryption_fails_the_notebook(nbval: Nbval) -> None:
    if not capabilities.usable("vm").usable:
        pytest.skip("no guest that could have the tunnel: ppslab doctor")
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "1 of 1 conditions measured" in stored.read_text()
    done = nbval.compare_live(stored, unencrypted(nbval.folder), "vm")
    assert done.returncode == 1
    assert "0 of 1 conditions measured" in done.stdout, done.stdout


def test_the_stored_outputs_show_both_fragments() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    text = "".join(str(cell.get("outputs", "")) for cell in cells)
    assert "4 of 4 conditions measured" in text
