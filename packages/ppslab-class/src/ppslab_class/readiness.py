"""Whether this machine can hold a class: each point tried or read, and what to do about it."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from ppslab.core.errors import CannotHereError
from ppslab.core.text.tables import Cell, Table
from ppslab.show import paper
from ppslab_class.board.board import MOST_EVENTS

State: TypeAlias = Literal["ready", "warning", "missing"]

SERVER_BYTES: Final = 400 * 2**20
SEAT_BYTES: Final = 1 * 2**20
"""A rehearsal of 30 seats on 23 November 2026 took 106 MiB (PSS), one of 5 seats 114 MiB, with few
of the site's files; compressed ones are kept up to 256 MiB (`files.CACHE_BYTES`)."""

DAY_BYTES: Final = MOST_EVENTS * 300
"""Of a seat at the most: events of some 300 bytes each."""

ROUTER: Final = "_static/page-router"


@dataclass(frozen=True)
class Point:
    """One thing that a class needs: what it is like, and what brings it."""

    what: str
    state: State
    finding: str
    remedy: str = ""


def points(seats: int, site: Path, folder: Path, ports: tuple[int, int]) -> list[Point]:
    """All of them, in the order in which one would mend them; `ports`: the class's and staff's."""
    return [
        *_site(site),
        _memory(seats),
        _disk(seats, folder),
        _port("port", ports[0], "--port"),
        _port("staff's port", ports[1], "--staff-port"),
        *_network(),
        *_rest(site),
    ]


def table(points: list[Point]) -> Table:
    """The points for people."""
    rows = tuple(
        (Cell(one.what), Cell(one.state), Cell(one.finding), Cell(one.remedy)) for one in points
    )
    return Table("Ready for a class?", ("what", "state", "finding", "remedy"), rows)


def _site(site: Path) -> Iterator[Point]:
    pages = len(list(site.glob("book/**/*.html"))) if site.is_dir() else 0
    state: State = "ready" if pages else "missing"
    yield Point("the site", state, f"{pages} pages in {site}", "" if pages else "make site")
    for what, name, remedy in (
        ("Python in the page", "lite", "make site"),
        ("a router in the page", ROUTER, "make page-router, then make site"),
    ):
        there = (site / name).exists()
        finding = "there" if there else "not in this site"
        yield Point(what, "ready" if there else "warning", finding, "" if there else remedy)


def _memory(seats: int) -> Point:
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    free = (
        next(int(line.split()[1]) for line in text.splitlines() if "MemAvailable:" in line) * 1024
    )
    needed = SERVER_BYTES + seats * SEAT_BYTES
    finding = f"{free / 2**20:.0f} MiB available, {needed / 2**20:.0f} MiB needed for {seats} seats"
    if free >= needed:
        return Point("memory", "ready", finding)
    return Point("memory", "missing", finding, "end other programs")


def _disk(seats: int, folder: Path) -> Point:
    place = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    free = shutil.disk_usage(place).free
    needed = seats * DAY_BYTES
    finding = f"{free / 1e6:.0f} MB free at {place}, at most {needed / 1e6:.0f} MB needed"
    if not os.access(place, os.W_OK):
        return Point(
            "disk", "missing", f"{place} cannot be written", "choose another folder with --folder"
        )
    if free >= needed:
        return Point("disk", "ready", finding)
    return Point("disk", "missing", finding, "choose a folder on another disk with --folder")


def _port(what: str, port: int, option: str) -> Point:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("", port))
        except OSError as error:
            finding = f"{port}: {error.strerror or error}"
            return Point(what, "missing", finding, f"choose another port with {option}")
    return Point(what, "ready", f"{port} is free; open it in this machine's firewall")


def _network() -> Iterator[Point]:
    from ppslab_class.certificate import addresses  # noqa: PLC0415

    names = (socket.gethostname(), "localhost")
    reached = [one for one in addresses() if one not in names and not one.startswith("127.")]
    if reached:
        yield Point("address", "ready", ", ".join(reached))
    else:
        yield Point(
            "address", "missing", "only the loopback address", "join the classroom's network"
        )


def _rest(site: Path) -> Iterator[Point]:
    try:
        paper.pdf("<!DOCTYPE html><html lang='en'><title>x</title><body>x</body></html>")
        yield Point("cards", "ready", "a PDF can be made")
    except CannotHereError as error:
        yield Point("cards", "warning", error.reason, error.remedy)
    built = (site / "index.html").stat().st_mtime if (site / "index.html").is_file() else 0.0
    late = time.time() < built
    here = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    if late:
        yield Point("clock", "missing", f"{here}: before the site was built", "set the clock")
    else:
        yield Point("clock", "ready", f"{here}: compare this time with your watch")
    supplies = [_read(path) for path in Path("/sys/class/power_supply").glob("*/status")]
    if "Discharging" in supplies:
        yield Point("power", "warning", "this machine runs on its battery", "plug it in")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
