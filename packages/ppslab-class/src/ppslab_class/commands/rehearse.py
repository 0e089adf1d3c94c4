"""`ppslab workshop rehearse`: a class of nobody, before the class of somebody."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ppslab.base import documents
from ppslab.base.errors import UsageError, did_you_mean
from ppslab.base.text.terminal import echo
from ppslab_class.commands.given import (
    MOST_SEATS,
    DiskOption,
    Kind,
    SiteOption,
    built_site,
    mib,
    names,
    open_board,
)

if TYPE_CHECKING:
    from ppslab_class.content import Content
    from ppslab_class.rehearsal.on_server.rehearsing import OnServer
    from ppslab_class.rehearsal.rehearsing import Rehearsal

DAYS: Final = Path("/var/lib")
"""Where the day of a rehearsal with seats on this server is: a seat has a /tmp of its own."""


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("rehearse")(rehearse)


def rehearse(
    seats: int = typer.Option(30, min=1, max=MOST_SEATS, help="How many learners."),
    chapters: str = typer.Option(
        "fastpath,fasttrack", metavar="A,B", help="The chapters that they do."
    ),
    pace: float = typer.Option(
        1.0, min=0, max=60, help="Seconds of thought between two steps; kind page alone."
    ),
    loss: float = typer.Option(0.0, min=0, max=50, help="Packet loss in per cent."),
    outage: float = typer.Option(0.0, min=0, max=600, help="Seconds without network."),
    kill: bool = typer.Option(False, "--kill", help="Kill the server mid-class."),
    cpu: int | None = typer.Option(
        None, min=0, help="The only CPU that the server may use; kind page alone."
    ),
    site: Path | None = SiteOption,
    kind: Kind = typer.Option("page", help="As for `ppslab workshop start`."),
    seat_memory: int = typer.Option(2048, min=256, help="MiB per seat of kind server."),
    disk: str = DiskOption,
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FILE", help="Write what came out as JSON; kind server."
    ),
) -> None:
    """Let simulated learners do every task against a real server, and say what it took.

    With --kind server they log in to a real hub, and type into the terminals of its seats.
    Exit code 1: a step failed, or something that they reported is not on the board.
    """
    # Imported here: the whole server and every record, for this command alone.
    from ppslab_class import content  # noqa: PLC0415
    from ppslab_class.rehearsal.on_server.rehearsing import OnServer  # noqa: PLC0415
    from ppslab_class.rehearsal.rehearsing import Rehearsal  # noqa: PLC0415

    pages = built_site(site)
    known = content.load()
    wanted = names(chapters)
    for name in wanted:
        if name not in known.tasks:
            near = did_you_mean(name, known.tasks)
            raise UsageError(f"no tasks of {name!r}{near}: there are {', '.join(known.tasks)}")
    if kind == "server":
        mib(disk)
        there = OnServer(seats, seat_memory, disk, loss / 100, outage, kill)
        well = _at_seats(there, wanted, pages, output)
    else:
        well = _in_pages(
            Rehearsal(seats, pace, loss / 100, outage, kill, cpu), known, wanted, pages
        )
    if not well:
        raise typer.Exit(1)


def _in_pages(asked: Rehearsal, known: Content, wanted: list[str], pages: Path) -> bool:
    """Whether all that learners in browsers told is on the board."""
    from ppslab_class import afterwards  # noqa: PLC0415
    from ppslab_class.rehearsal import rehearsing  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="ppslab-rehearsal-") as folder:
        found = rehearsing.lessons(known, wanted, pages)
        done = rehearsing.rehearse(asked, Path(folder), pages, found, echo)
        with open_board(Path(folder)) as board:
            report = (afterwards.tasks_table(board, known), afterwards.ticket_table(board, known))
    for table in report:
        echo(table.plain())
    echo(done.table().plain())
    return done.well


def _at_seats(asked: OnServer, wanted: list[str], pages: Path, output: Path | None) -> bool:
    """Whether every task was solved at the seats of this server, and is on the board."""
    from ppslab_class.rehearsal.on_server import rehearsing  # noqa: PLC0415

    labs = [rehearsing.lab_of(name) for name in wanted]
    with tempfile.TemporaryDirectory(prefix="ppslab-rehearsal-", dir=DAYS) as folder:
        # What comes out is on standard output, and how far it is on the other.
        done = rehearsing.rehearse(asked, Path(folder), pages, labs, partial(echo, err=True))
    echo(done.table().plain())
    echo(done.line())
    if output is not None:
        documents.write_json(output, done.told())
    return done.well
