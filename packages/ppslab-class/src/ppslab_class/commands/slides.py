"""`ppslab workshop slides`: a deck for each chapter, from the chapter's own pages."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.base.errors import UsageError, did_you_mean
from ppslab.base.text.numbers import plural
from ppslab.base.text.terminal import echo
from ppslab_class.commands.given import names


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("slides")(slides)


def slides(
    chapters: str = typer.Option(
        "", metavar="A,B", help="These chapters; default: all with slides."
    ),
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        metavar="FOLDER",
        help="Where to write; default: where `start` looks for them.",
    ),
) -> None:
    """Build slides with speaker notes from what the chapters mark; they need no network."""
    from ppslab_class.slides import building, decks  # noqa: PLC0415

    known = decks.names()
    wanted = names(chapters) or known
    for name in wanted:
        if name not in known:
            near = did_you_mean(name, known)
            raise UsageError(f"no slides of {name!r}{near}: there are {', '.join(known)}")
    made = building.build(wanted, output or building.folder())
    echo(f"{plural(len(made), 'deck')}: {made[0].parent / building.INDEX}")
