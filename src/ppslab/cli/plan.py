"""`ppslab plan`: what to put where, worked out from an inventory, before anything is bought."""

from __future__ import annotations

import typer

from ppslab.cli import plan_nics, plan_offload


def register(app: typer.Typer) -> None:
    """Add the group of commands to the application; each of them has a module of its own."""
    plan = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    plan.callback()(about)
    plan_nics.register(plan)
    plan_offload.register(plan)
    app.add_typer(plan, name="plan")


def about() -> None:
    """Plan a build: which card into which slot, which routes into a switch chip."""
