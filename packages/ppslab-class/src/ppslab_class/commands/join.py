"""`ppslab workshop join` and `leave`: the seat of a learner who works with ppslab itself."""

from __future__ import annotations

import typer

from ppslab.base.text.terminal import echo


def register(app: typer.Typer) -> None:
    """Add the commands to the group."""
    app.command("join")(join)
    app.command("leave")(leave)


def join(
    address: str = typer.Argument(
        metavar="ADDRESS", help="The board's address, as printed on the card."
    ),
    code: str = typer.Argument(metavar="CODE", help="The code on the card."),
    fingerprint: str = typer.Option(
        "", help="The fingerprint on the card, where the certificate was made in the hall."
    ),
) -> None:
    """Take a seat: from now on `ppslab task` and `ppslab run` report their results to the board.

    It sees the task, pass or fail, the hints and solutions you read, and what you measured; not
    what you type.
    """
    from ppslab.course import own_seat  # noqa: PLC0415

    seat = own_seat.join(address, code, fingerprint)
    echo(f"{seat.seat}: ppslab task reports to {seat.address} until `ppslab workshop leave`")


def leave() -> None:
    """Give the seat up: nothing more is reported, and what was waiting is dropped."""
    from ppslab.course import own_seat  # noqa: PLC0415

    echo("left" if own_seat.leave() else "no seat was taken")
