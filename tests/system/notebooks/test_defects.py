"""A lab with one defect: its run finds it, the condition is refused, and its notebook fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.system.notebooks.broken import Broken, fails
from tests.system.notebooks.conftest import Nbval

pytestmark = pytest.mark.notebook


def unencrypted_eoip(lab: Path) -> None:
    """Neither end of the tunnel has a key or a policy."""
    for end in ("r1", "r2"):
        file = lab / f"linux/{end}/ipsec.ip"
        text, count = re.subn(r"(?m)^xfrm .*$", "# nothing", file.read_text())
        assert count == 4
        file.write_text(text)


def unmarked(lab: Path) -> None:
    """FastTrack's rule counts packets, and marks no connection."""
    rule = lab / "linux/fasttrack.nft"
    text = rule.read_text()
    assert text.count(" flow add @fasttrack") == 1
    rule.write_text(text.replace(" flow add @fasttrack", ""))


def unencrypted_pppoe(lab: Path) -> None:
    """Two ends leave MPPE out."""
    for file in (lab / "linux/server/encrypted", lab / "linux/client/start"):
        text = file.read_text()
        assert "require-mppe-128" in text
        # The first one: the client has another encrypted session, whose server still asks for it.
        file.write_text(text.replace("require-mppe-128", "nomppe", 1))


def without_the_last(lab: Path) -> None:
    """Of 25 simple queues make 24."""
    script = lab / "linux/numbers/simple-25.tc"
    lines = script.read_text().splitlines(keepends=True)
    last = max(index for index, line in enumerate(lines) if line.startswith("class add"))
    script.write_text("".join(lines[:last] + lines[last + 1 :]))


FOUND = "not as configured"
DEFECTS = [
    Broken("fasttrack", ("fasttrack-tcp",), unmarked, finds=FOUND, shown='run.table("counters")',
           needs=frozenset({"flowtable"}), backend="auto"),
    Broken("eoip", ("eoip-ipsec",), unencrypted_eoip, finds=FOUND, sizes=(1518,),
           shown="run.table()"),
    Broken("pppoe", ("no-tunnel", "encrypted"), unencrypted_pppoe, finds=FOUND, sizes=(64,),
           needs=frozenset({"pppoe", "mppe"}), backend="auto"),
    Broken("queues", ("simple-25",), without_the_last, finds=FOUND),
]  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.weekly] if number else []) for number, case
     in enumerate(DEFECTS)],
    ids=lambda case: case.lab,
)  # fmt: skip
def test_a_defect_fails_the_notebook(nbval: Nbval, case: Broken) -> None:
    fails(nbval, case)
