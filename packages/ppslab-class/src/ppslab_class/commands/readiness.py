"""`ppslab workshop doctor`: whether this machine can hold a class, before it is in the hall."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.base.text.terminal import echo
from ppslab_class.commands.given import (
    MOST_SEATS,
    FolderOption,
    SiteOption,
    site_folder,
)


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("doctor")(doctor)


def doctor(
    seats: int = typer.Option(30, min=1, max=MOST_SEATS, help="How many seats."),
    folder: Path = FolderOption,
    port: int = typer.Option(8443, min=1, max=65535, help="The port of the class."),
    site: Path | None = SiteOption,
) -> None:
    """Say whether this machine can hold a class: site, memory, disk, port, address, cards, clock.

    Exit code 1: something is missing.
    """
    from ppslab_class import readiness  # noqa: PLC0415

    found = readiness.points(seats, site_folder(site), folder, port)
    echo(readiness.table(found).plain())
    if any(each.state == "missing" for each in found):
        raise typer.Exit(1)
