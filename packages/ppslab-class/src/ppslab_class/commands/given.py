"""What several commands of `ppslab workshop` are given: its folder, a site, names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ppslab.base import paths
from ppslab.base.errors import UsageError

if TYPE_CHECKING:
    from ppslab_class.board import Board

MOST_SEATS = 200

FolderOption = typer.Option(
    Path("workshop"),
    "--folder",
    metavar="FOLDER",
    help="The folder of the day: its board, cards and key.",
)
SiteOption = typer.Option(
    None, "--site", metavar="FOLDER", help="The built site; default: that of `make site`."
)


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
