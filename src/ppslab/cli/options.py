"""Options that several commands have."""

from __future__ import annotations

import typer

ROUTER = typer.Option("linux", help="What stands as the router under test: linux or routeros.")

DUT = typer.Option(
    None,
    "--dut",
    help="The inventory of a router on your bench (book/bring-your-router.md).",
)

ISOLATED = typer.Option(
    False, "--isolated", help="Nothing else is on that router's network: send (RFC 6815)."
)

DRY_RUN = typer.Option(
    False, "--dry-run", help="Show what would be done, command by command, and do nothing."
)

CONFIG = typer.Option(
    None,
    "--tester-config",
    envvar="PPSLAB_TESTER_CONFIG",
    help="The inventory file of a tester with ports of its own (book/testers.md).",
)
