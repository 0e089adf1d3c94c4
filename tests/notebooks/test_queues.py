"""The notebook on queues fails where one of the queues is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.backends import capabilities
from tests.notebooks.conftest import Nbval, of_one_round, project_copy

pytestmark = pytest.mark.notebook

# One condition, as a guest takes seconds for each; the notebook's own cells have 25.
CELLS = [
    "import ppslab",
    """run = ppslab.open("queues").run(["simple-25"], search=False)""",
    "run",
]


def without_the_last(folder: Path) -> Path:
    """The project whose 25 simple queues are 24."""
    copy = project_copy(folder)
    script = copy / "labs/queues/linux/numbers/simple-25.tc"
    lines = script.read_text().splitlines(keepends=True)
    last = max(index for index, line in enumerate(lines) if line.startswith("class add"))
    script.write_text("".join(lines[:last] + lines[last + 1 :]))
    of_one_round(copy, "queues")
    return copy


def test_a_queue_that_is_missing_fails_the_notebook(nbval: Nbval) -> None:
    if not capabilities.usable("vm").usable:
        pytest.skip("no guest to count in: ppslab doctor")
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "1 of 1 conditions measured" in stored.read_text()
    done = nbval.compare_live(stored, without_the_last(nbval.folder), "vm")
    assert done.returncode == 1
    assert "0 of 1 conditions measured" in done.stdout, done.stdout
