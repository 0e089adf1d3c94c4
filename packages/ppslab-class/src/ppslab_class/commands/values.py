"""`ppslab workshop values`: the seats of a class on a cluster, for Zero to JupyterHub."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.base.documents import write_atomic
from ppslab.base.text.terminal import echo
from ppslab_class.commands.given import FolderOption, open_board


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("values")(values)


def values(
    folder: Path = FolderOption,
    image: str = typer.Option(
        "",
        metavar="NAME:TAG",
        help="A seat's image in your registry; without it that of make images.",
    ),
    host: str = typer.Option("", help="The name in the certificate; default: no TLS."),
    seat_memory: int = typer.Option(2048, min=256, help="MiB per seat."),
    output: Path = typer.Option(
        Path("values.yaml"), metavar="FILE", help="Where to write the values."
    ),
) -> None:
    """Write values for Zero to JupyterHub (Helm), and beside them the codes' digests.

    Seats and codes are those of the board in the folder, whose cards stay valid.
    """
    from ppslab_class.hub import values as made  # noqa: PLC0415
    from ppslab_class.hub.description import Limits, Seats  # noqa: PLC0415

    with open_board(folder) as board:
        seats = Seats(
            title=board.day.title,
            names=tuple(board.seats),
            limits=Limits(memory_mib=seat_memory),
        )
        told = made.text(made.values(seats, image or made.IMAGE, host))
        secret = made.codes(board)
    write_atomic(output, told)
    write_atomic(output.with_name(made.CODES), secret, private=True)
    echo(f"{output} and {output.with_name(made.CODES)}: the first says what to do with them")
