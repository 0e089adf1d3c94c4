"""The notebook on FastTrack fails where the rule that marks connections was not applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.backends import capabilities
from tests.notebooks.conftest import Nbval, of_one_round, project_copy

pytestmark = pytest.mark.notebook

# One condition, as a guest takes seconds for each; the notebook's own cells have seven.
CELLS = [
    "import ppslab",
    """run = ppslab.open("fasttrack").run(["fasttrack-tcp"], search=False)""",
    "run",
    """run.table("counters")""",
]


def without_the_rule(folder: Path) -> Path:
    """The project in which FastTrack's rule counts packets, and marks no connection."""
    copy = project_copy(folder)
    rule = copy / "labs/fasttrack/linux/fasttrack.nft"
    text = rule.read_text()
    assert text.count(" flow add @fasttrack") == 1
    rule.write_text(text.replace(" flow add @fasttrack", ""))
    of_one_round(copy, "fasttrack")
    return copy


def test_a_connection_that_is_not_marked_fails_the_notebook(nbval: Nbval) -> None:
    able = [n for n in ("namespaces", "vm") if "flowtable" in capabilities.features_of(n)]
    if not any(capabilities.usable(name).usable for name in able):
        pytest.skip("no backend has a flowtable here: ppslab doctor")
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "1 of 1 conditions measured" in stored.read_text()
    broken = without_the_rule(nbval.folder)
    done = nbval.compare_live(stored, broken)
    assert done.returncode == 1
    assert "0 of 1 conditions measured" in done.stdout, done.stdout
