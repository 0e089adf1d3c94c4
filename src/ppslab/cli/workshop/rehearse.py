"""`ppslab workshop rehearse`: a class of nobody, before the class of somebody."""

from __future__ import annotations

import tempfile
from pathlib import Path

import typer

from ppslab.base.errors import UsageError, did_you_mean
from ppslab.base.text.terminal import echo
from ppslab.cli.workshop.given import MOST_SEATS, SiteOption, built_site, names, open_board


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("rehearse")(rehearse)


def rehearse(
    seats: int = typer.Option(30, min=1, max=MOST_SEATS, help="How many learners."),
    chapters: str = typer.Option(
        "fastpath,fasttrack", metavar="A,B", help="The chapters that they do."
    ),
    pace: float = typer.Option(1.0, min=0, max=60, help="Seconds of thought between two steps."),
    loss: float = typer.Option(0.0, min=0, max=50, help="Packet loss in per cent."),
    outage: float = typer.Option(0.0, min=0, max=600, help="Seconds without network."),
    kill: bool = typer.Option(False, "--kill", help="Kill the server mid-class."),
    cpu: int | None = typer.Option(None, min=0, help="The only CPU that the server may use."),
    site: Path | None = SiteOption,
) -> None:
    """Let simulated learners do every task against a real server, and say what it took.

    Exit code 1: something that they reported is not on the board.
    """
    # Imported here: the whole server and every record, for this command alone.
    from ppslab.course.workshop import afterwards, content  # noqa: PLC0415
    from ppslab.course.workshop.rehearsal import rehearsing  # noqa: PLC0415

    pages = built_site(site)
    known = content.load()
    wanted = names(chapters)
    for name in wanted:
        if name not in known.tasks:
            near = did_you_mean(name, known.tasks)
            raise UsageError(f"no tasks of {name!r}{near}: there are {', '.join(known.tasks)}")
    asked = rehearsing.Rehearsal(seats, pace, loss / 100, outage, kill, cpu)
    with tempfile.TemporaryDirectory(prefix="ppslab-rehearsal-") as folder:
        found = rehearsing.lessons(known, wanted, pages)
        done = rehearsing.rehearse(asked, Path(folder), pages, found, echo)
        with open_board(Path(folder)) as board:
            report = (afterwards.tasks_table(board, known), afterwards.ticket_table(board, known))
    for table in report:
        echo(table.plain())
    echo(done.table().plain())
    if not done.well:
        raise typer.Exit(1)
