"""`ppslab workshop report` and `remove`: what the class did, and nothing left."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.base.documents import write_atomic
from ppslab.base.text.numbers import plural
from ppslab.base.text.terminal import echo, printable
from ppslab_class.commands.given import FolderOption, open_board


def register(app: typer.Typer) -> None:
    """Add the commands to the group."""
    app.command("report")(report)
    app.command("remove")(remove)


def report(
    folder: Path = FolderOption,
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FOLDER", help="Write it here, with a zip for each seat."
    ),
    names: bool = typer.Option(
        False, "--names", help="With the names that learners gave on the exit ticket."
    ),
) -> None:
    """Say what the class did, by task, question and exit ticket; no seat is named."""
    # Imported here: every record, for the figures beside the class's.
    from ppslab_class import afterwards, content  # noqa: PLC0415

    with open_board(folder) as board:
        known = content.load()
        tables = (
            afterwards.tasks_table(board, known),
            afterwards.questions_table(board, known),
            afterwards.ticket_table(board, known, names=names),
        )
        text = "\n\n".join(table.plain() for table in tables)
        echo(text)
        if output is not None:
            made = afterwards.zips(board, output)
            write_atomic(output / "report.txt", printable(text) + "\n")
            echo(f"{output}: report.txt, {plural(len(made), 'zip')} of seats")


def remove(
    folder: Path = FolderOption,
    yes: bool = typer.Option(False, "--yes", help="Do not ask."),
) -> None:
    """Remove what the day left: board, secret, key, cards, and the seats' disks on this server.

    Reports and zips stay.
    """
    from ppslab_class import afterwards  # noqa: PLC0415

    if not yes:
        typer.confirm(f"Remove the workshop in {folder} for good?", abort=True)
    for path in afterwards.remove(folder):
        echo(f"removed: {path}")
