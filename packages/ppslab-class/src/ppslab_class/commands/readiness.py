"""`ppslab workshop doctor`: whether this machine can hold a class, before it is in the hall."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.base.text.terminal import echo
from ppslab_class.commands.given import (
    MOST_SEATS,
    DiskOption,
    FolderOption,
    Kind,
    SeatsPortOption,
    SiteOption,
    mib,
    site_folder,
)


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("doctor")(doctor)


def doctor(
    seats: int = typer.Option(30, min=1, max=MOST_SEATS, help="How many seats."),
    folder: Path = FolderOption,
    port: int = typer.Option(8443, min=1, max=65535, help="The port of the class."),
    seats_port: int = SeatsPortOption,
    site: Path | None = SiteOption,
    kind: Kind = typer.Option("page", help="As for `ppslab workshop start`."),
    seat_memory: int = typer.Option(2048, min=256, help="MiB per seat of kind server."),
    disk: str = DiskOption,
) -> None:
    """Say whether this machine can hold a class: site, memory, disk, port, address, cards, clock.

    With --kind server also what its seats need; a disk and a link are made, and removed again.
    Exit code 1: something is missing.
    """
    from ppslab_class import readiness  # noqa: PLC0415

    on_server = kind == "server"
    found = readiness.points(
        *(seats, site_folder(site), folder, port),
        seat_bytes=seat_memory * 2**20 if on_server else 0,
        disk_bytes=mib(disk) * 2**20 if on_server else 0,
    )
    if on_server:
        from ppslab_class.hub import links, ports, running  # noqa: PLC0415

        found += running.points()
        found += [*ports.points(ports.of_a_hub("", seats_port), folder), links.point()]
    echo(readiness.table(found).plain())
    if any(each.state == "missing" for each in found):
        raise typer.Exit(1)
