#!/usr/bin/env python3
"""Build the router that runs in the reader's browser: _build/web/static/page-router/.

    .venv/bin/python scripts/site/page_router.py

Debian's i386 packages come from Debian's mirror and stay in the cache folder; v86 is npm's.  What
is built already of the same sources stays.
Exit codes: 0 built; 2 images/page-router/contents.yml is wrong; 3 something cannot be had here,
which the page then says.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ppslab.core.errors import CannotHereError, PpslabError
from ppslab.testbed.backends.page_router import Parts, build, note_missing

ROOT = Path(__file__).resolve().parents[2]
PARTS = Parts(
    sources=ROOT / "images/page-router",
    emulator=ROOT / "web/node_modules/v86",
    traffic=ROOT / "traffic/src",
    objects=ROOT / "_build/bpf",
)
NODE = Path(sys.prefix) / "bin/node"
FOLDER = ROOT / "_build/web/static/page-router"


def main() -> int:
    """Build it."""
    try:
        built = build(PARTS, NODE, FOLDER, say)
    except PpslabError as error:
        print(f"page-router: {error}", file=sys.stderr)
        if isinstance(error, CannotHereError):
            note_missing(FOLDER, error.reason)
        return error.exit_code
    if built.fresh:
        say(f"{built.state.relative_to(ROOT)}: {built.bytes / 1e6:.1f} MB")
    return 0


def say(line: str) -> None:
    """What is done now."""
    print(f"page-router: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
