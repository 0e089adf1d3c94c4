"""The notebook on FastTrack fails where the rule that marks connections was not applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.notebooks.broken import Broken, fails
from tests.system.notebooks.conftest import Nbval

pytestmark = pytest.mark.notebook


def without_the_rule(lab: Path) -> None:
    """FastTrack's rule counts packets, and marks no connection."""
    rule = lab / "linux/fasttrack.nft"
    text = rule.read_text()
    assert text.count(" flow add @fasttrack") == 1
    rule.write_text(text.replace(" flow add @fasttrack", ""))


UNMARKED = Broken(
    "fasttrack",
    ("fasttrack-tcp",),
    without_the_rule,
    finds="not as configured",
    shown='run.table("counters")',
    needs=frozenset({"flowtable"}),
    backend="auto",
)


def test_a_connection_that_is_not_marked_fails_the_notebook(nbval: Nbval) -> None:
    fails(nbval, UNMARKED)
