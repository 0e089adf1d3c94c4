"""The ports of a hub, and which program has one that is taken."""

from __future__ import annotations

import errno
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from ppslab.base.errors import CannotHereError
from ppslab_class.hub import left_over
from ppslab_class.hub.configuration import HUB_PORT, LOOPBACK_HOST, PROXY_PORT
from ppslab_class.readiness import Point

MOST_WORDS: Final = 120


@dataclass(frozen=True)
class Port:
    """One that a hub wants; `remedy`: what to do where a program has it."""

    what: str
    host: str
    number: int
    remedy: str = "end that program"


@dataclass(frozen=True)
class Program:
    """A program that listens."""

    pid: int
    words: str
    """How it was called."""


def of_a_hub(host: str, number: int) -> tuple[Port, ...]:
    """The seats' own address, and the two ports on the loopback that nobody else sees."""
    return (
        Port("the seats' port", host, number, "end that program, or --seats-port names another"),
        Port("the hub's own port", LOOPBACK_HOST, HUB_PORT),
        Port("the proxy's own port", LOOPBACK_HOST, PROXY_PORT),
    )


def must_be_free(ports: tuple[Port, ...]) -> None:
    """CannotHereError for the first that is taken, with the program that has it."""
    for port in ports:
        if fault := _fault(port):
            raise CannotHereError(f"{port.what}, {port.number}: {fault}", port.remedy)


def points(ports: tuple[Port, ...], folder: Path) -> list[Point]:
    """Whether each is free; one that the folder's last start has kept is no fault."""
    own = {each.pid for each in left_over.found(folder)}
    return [_point(port, own) for port in ports]


def _point(port: Port, own: set[int]) -> Point:
    fault = _fault(port)
    if not fault:
        return Point(port.what, "ready", f"{port.number} is free")
    if any(each.pid in own for each in listening(port.number)):
        found = f"{port.number}: the hub of the last start on this folder has it"
        return Point(port.what, "warning", found, "nothing: the next start ends that hub")
    return Point(port.what, "missing", f"{port.number}: {fault}", port.remedy)


def _fault(port: Port) -> str:
    """Who has it, or why else nobody can listen there; empty: it is free."""
    host = port.host or "0.0.0.0"  # whoever listens at :: has this one too
    try:
        found = socket.getaddrinfo(host, port.number, type=socket.SOCK_STREAM)
        family, kind, *_, address = found[0]
        with socket.socket(family, kind) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            return error.strerror or str(error)
        named = [f"`{each.words}` (process {each.pid})" for each in listening(port.number)]
        return f"taken by {' and '.join(named) or 'a program of another user'}"
    return ""


def listening(port: int) -> list[Program]:
    """The programs that listen at a port, as far as this user may see them."""
    pids = {
        each.pid
        for each in psutil.net_connections("tcp")
        if each.pid and each.status == psutil.CONN_LISTEN and each.laddr.port == port
    }
    found = []
    for pid in sorted(pids):
        with suppress(psutil.Error):  # it has ended
            words = " ".join(psutil.Process(pid).cmdline())
            found.append(Program(pid, words.strip()[:MOST_WORDS]))
    return found
