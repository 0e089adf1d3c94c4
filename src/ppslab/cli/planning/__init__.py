"""`ppslab plan`: what to put where, worked out from an inventory before anything is bought."""

from __future__ import annotations

import typer

from ppslab.cli.planning import nics, offload, queues


def register(app: typer.Typer) -> None:
    """Add the group of commands to the application; each of them has a module of its own."""
    plan = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    plan.callback()(about)
    nics.register(plan)
    offload.register(plan)
    queues.register(plan)
    app.add_typer(plan, name="plan")


def about() -> None:
    """Plan a build: cards into slots, routes into a switch chip, queues for virtual cards."""
