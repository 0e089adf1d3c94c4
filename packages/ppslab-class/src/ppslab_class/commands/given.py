"""What several commands of `ppslab workshop` are given: its folder, a site, names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import typer

from ppslab.base import paths
from ppslab.base.errors import UsageError

if TYPE_CHECKING:
    from ppslab_class.board import Board

MOST_SEATS = 200

Kind: TypeAlias = Literal["page", "server"]
"""Where a seat's programs run: in its browser's page, or on the server."""

FolderOption = typer.Option(
    Path("workshop"),
    "--folder",
    metavar="FOLDER",
    help="The folder of the day: its board, cards and key.",
)
SiteOption = typer.Option(
    None, "--site", metavar="FOLDER", help="The built site; default: that of `make site`."
)
SeatsPortOption = typer.Option(
    8000, min=1, max=65535, help="The port of the seats' JupyterLabs; kind server."
)
DiskOption = typer.Option(
    "2G",
    "--disk",
    metavar="SIZE",
    help="Of a seat of kind server, such as 2G or 512M: a disk of its own.",
)
LEAST_DISK = 64


def mib(told: str) -> int:
    """A size in MiB; UsageError for what is none, or too small for a home.

    >>> mib("2G"), mib("512M")
    (2048, 512)
    """
    number, unit = told[:-1], told[-1:].upper()
    if not (number.isascii() and number.isdigit() and unit in ("M", "G")):
        raise UsageError(f"--disk {told!r} is no size: a number with M or G is wanted, such as 2G")
    size = int(number) * (1024 if unit == "G" else 1)
    if size < LEAST_DISK:
        raise UsageError(f"--disk {told}: a seat needs {LEAST_DISK}M at least")
    return size


def site_folder(site: Path | None) -> Path:
    """The site that was named, or the one that is built here."""
    return site or paths.build_dir() / "html"


def built_site(site: Path | None) -> Path:
    """The same; UsageError where no site is in it."""
    folder = site_folder(site)
    if not (folder / "index.html").is_file():
        raise UsageError(f"no site in {folder}: `make site` builds it, --site names another")
    return folder


def names(told: str) -> list[str]:
    """Names with commas between them.

    >>> names("fastpath, fasttrack,")
    ['fastpath', 'fasttrack']
    """
    return [name.strip() for name in told.split(",") if name.strip()]


def cpus(told: str) -> list[int]:
    """Numbers of CPUs with commas between them; UsageError for what is none.

    >>> cpus("2,3")
    [2, 3]
    """
    found = names(told)
    if wrong := [each for each in found if not (each.isascii() and each.isdigit())]:
        raise UsageError(f"--measuring {told}: {wrong[0]!r} is not a CPU number; write such as 2,3")
    return [int(each) for each in found]


@contextmanager
def open_board(folder: Path) -> Iterator[Board]:
    """The board in a folder, while this is open; UsageError where there is none."""
    # Imported here: SQLite and all that a board knows, for those who ask for one.
    from ppslab_class.board.board import FILE, Board  # noqa: PLC0415

    if not (folder / FILE).is_file():
        raise UsageError(
            f"no board in {folder}: `ppslab workshop start` makes one, --folder names another"
        )
    board = Board(folder)
    try:
        yield board
    finally:
        board.close()
