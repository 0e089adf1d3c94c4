"""`ppslab plan`: what to put where, worked out from an inventory before anything is bought."""

from __future__ import annotations

import typer

from ppslab.cli.planning import nics, offload, queues

plan = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
plan.command("nics")(nics.plan_nics)
plan.command("offload")(offload.offload_)
plan.command("queues")(queues.plan_queues)


@plan.callback()
def about() -> None:
    """Plan a build: cards into slots, routes into a switch chip, queues for virtual cards."""
