"""Options that several commands have."""

from __future__ import annotations

import typer

CONFIG = typer.Option(
    None,
    "--tester-config",
    envvar="PPSLAB_TESTER_CONFIG",
    help="The inventory file of a tester with ports of its own (book/testers.md).",
)
