"""The seats of `ppslab workshop start --kind server`: the hub beside the board."""

from __future__ import annotations

import ipaddress
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppslab.base.text.terminal import echo
from ppslab.course.workshop.hub import disks, left_over, ports, proxy, running
from ppslab.course.workshop.hub.configuration import LOOPBACK_HOST, Place, configuration
from ppslab.course.workshop.hub.description import Limits, Seats
from ppslab.course.workshop.server import certificate
from ppslab.measurement import turn

if TYPE_CHECKING:
    from ppslab.course.workshop.board import Board
    from ppslab.course.workshop.server.serving import Tls


@dataclass(frozen=True)
class Asked:
    """What the instructor asked of the seats."""

    folder: Path
    """What the day keeps."""
    host: str
    """The address to listen at; empty: all."""
    name: str
    """The address on the cards, as it stands in a URL."""
    port: int
    """Of the seats."""
    memory_mib: int
    """Of a seat, MiB."""
    disk_mib: int
    """Of a seat, MiB."""

    def address(self, tls: Tls | None) -> str:
        """Of the seats, as the cards have it."""
        return f"{_scheme(tls)}://{self.name}:{self.port}"


def prepare() -> None:
    """Give the seats' queue its own small file system, before anything is in it.

    CannotHereError where no seats can be on this server.
    """
    running.must_run()
    disks.keep_small(turn.SYSTEM / "queue")


def make_room(asked: Asked) -> None:
    """End what an earlier start on this folder left behind; CannotHereError where others are.

    The folder must be this process's (`board.serving`): else that hub is in use.
    """
    for each in left_over.end(asked.folder):
        echo(f"Ended the {each.what} that the last start left behind (process {each.pid}).")
    ports.must_be_free(ports.of_a_hub(asked.host, asked.port))


def hub(
    asked: Asked, board: Board, board_port: int, tls: Tls | None, *, made_here: bool
) -> AbstractContextManager[Any]:
    """The hub of a board that is served at a port; it runs while this is open."""
    described = Seats(
        title=board.day.title,
        names=tuple(board.seats),
        limits=Limits(memory_mib=asked.memory_mib, disk_mib=asked.disk_mib),
    )
    # A certificate that was made here names this address too (start.py).
    near = LOOPBACK_HOST if made_here or tls is None else asked.name
    place = Place(
        folder=asked.folder,
        port=asked.port,
        certificate=tls.certificate.absolute() if tls else None,
        key=tls.key.absolute() if tls else None,
        board=f"{_scheme(tls)}://{near}:{board_port}",
        board_certificate=tls.certificate.absolute() if tls and made_here else None,
        own=tuple(each for each in certificate.addresses() if _is_ip(each)),
        host=asked.host,
        proxy=proxy.command(),
    )
    return running.running(configuration(described, place), asked.folder, ended=_tell)


def _tell(what: str) -> None:
    echo(f"{what}\nNo seat can be taken until you start again; the board goes on.", err=True)


def _scheme(tls: Tls | None) -> str:
    return "https" if tls else "http"


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
