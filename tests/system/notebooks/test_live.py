"""A real router whose rule set is missing: the run finds it, and nbval fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.system.notebooks.conftest import Nbval, project_copy

pytestmark = pytest.mark.notebook

CELLS = [
    "import ppslab",
    """run = ppslab.open("fastpath").run(
    ["routing-plain", "routing-13-rules"], [64], search=False)""",
    "run",
    "run.table()",
]


def broken_copy(folder: Path) -> Path:
    """The project with an empty rule set in the place of the thirteen rules, and few rounds."""
    copy = project_copy(folder)
    lab = copy / "labs/fastpath"
    (lab / "linux/filter-13.nft").write_text("# nothing\n")
    words = (lab / "lab.yml").read_text()
    fewer, count = re.subn(r"(?m)^(    flows: routing)$", r"\1\n    rounds: 4", words)
    assert count > 2
    (lab / "lab.yml").write_text(fewer)
    return copy


def test_a_router_without_its_rules_fails_the_notebook(nbval: Nbval) -> None:
    """What is compared with was stored from the recorded run."""
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "2 of 2 conditions measured" in stored.read_text()
    broken = broken_copy(nbval.folder)
    done = nbval.compare_live(stored, broken)
    assert done.returncode == 1
    assert "1 of 2 conditions measured" in done.stdout, done.stdout
