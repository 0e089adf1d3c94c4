"""A real router whose rule set is missing: the run finds it, and nbval fails."""

from __future__ import annotations

from pathlib import Path

from tests.notebooks.conftest import Nbval, project_copy

CELLS = [
    "import ppslab",
    """run = ppslab.open("fastpath").run(
    ["routing-plain", "routing-13-rules"], [64], search=False)""",
    "run",
    "run.table()",
]


def broken_copy(folder: Path) -> Path:
    """The project with an empty rule set in the place of the thirteen rules."""
    copy = project_copy(folder)
    (copy / "labs/fastpath/linux/filter-13.nft").write_text("# nothing\n")
    return copy


def test_a_router_without_its_rules_fails_the_notebook(nbval: Nbval) -> None:
    results = {"PPSLAB_RESULTS": str(nbval.folder / "results"), "PPSLAB_BACKEND": "auto"}
    stored = nbval.store(CELLS, **results)
    assert "2 of 2 conditions measured" in stored.read_text()
    broken = broken_copy(nbval.folder)
    done = nbval.compare(stored, **results, PPSLAB_ROOT=str(broken))
    assert done.returncode == 1
    assert "1 of 2 conditions measured" in done.stdout, done.stdout
