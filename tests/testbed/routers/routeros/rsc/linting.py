"""The lint of RouterOS as a reader calls it, and the lint of a text."""

from __future__ import annotations

import io
import runpy
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

from ppslab.testbed.routers.routeros.rsc import pages

ROOT = Path(__file__).parents[5]

SCRIPTS = sorted(
    path for folder in ("labs", "topologies") for path in (ROOT / folder).rglob("*.rsc")
)

SCRIPT = runpy.run_path(str(ROOT / "scripts/routeros/rsc"))


def rsc(*words: str | Path) -> tuple[int, str]:
    """The script's exit code and what it prints: in this process, where everything is loaded."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = SCRIPT["main"]([str(word) for word in words])
    return code, said.getvalue()


@cache
def known() -> dict[str, str]:
    return pages.known(ROOT / "labs")
