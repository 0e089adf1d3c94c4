"""`ppslab workshop`: a course in a hall, from the cards on the tables to the report."""

from __future__ import annotations

import typer

from ppslab_class.commands import (
    after,
    join,
    plan,
    readiness,
    shell,
    slides,
    start,
)


def register(app: typer.Typer) -> None:
    """Add the group of commands to the application; each of them has a module of its own."""
    workshop = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    workshop.callback()(about)
    start.register(workshop)
    plan.register(workshop)
    slides.register(workshop)
    readiness.register(workshop)
    join.register(workshop)
    shell.register(workshop)
    after.register(workshop)
    app.add_typer(workshop, name="workshop")


def about() -> None:
    """Teach a class: serve the site with a board, plan the day, rehearse it, report on it."""
