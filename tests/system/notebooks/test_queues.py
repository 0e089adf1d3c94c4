"""The notebook on queues fails where one of the queues is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.notebooks.broken import Broken, fails
from tests.system.notebooks.conftest import Nbval

pytestmark = pytest.mark.notebook


def without_the_last(lab: Path) -> None:
    """Of 25 simple queues make 24."""
    script = lab / "linux/numbers/simple-25.tc"
    lines = script.read_text().splitlines(keepends=True)
    last = max(index for index, line in enumerate(lines) if line.startswith("class add"))
    script.write_text("".join(lines[:last] + lines[last + 1 :]))


@pytest.mark.weekly
def test_a_queue_that_is_missing_fails_the_notebook(nbval: Nbval) -> None:
    fails(nbval, Broken("queues", ("simple-25",), without_the_last, finds="not as configured"))
