"""`ppslab workshop`: a course in a hall, from the cards on the tables to the report."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ppslab.core import documents, paths
from ppslab.core.documents import write_atomic
from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.text.numbers import plural
from ppslab.core.text.terminal import echo

# Each command imports what it needs: Tornado, Sphinx or every record are for one of them alone.
if TYPE_CHECKING:
    from ppslab_class.board import Board
    from ppslab_class.paper import Hall

MOST_SEATS = 200
CARDS = "cards"

FolderOption = typer.Option(
    Path("workshop"),
    "--folder",
    metavar="FOLDER",
    help="The folder with the board, the cards and the key of the day.",
)
SiteOption = typer.Option(
    None,
    "--site",
    metavar="FOLDER",
    help="The built site; default: the site that `make site` built.",
)

workshop = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    app.add_typer(workshop, name="workshop")


@workshop.callback()
def about() -> None:
    """Teach a class: serve the site with a board, plan the day, report on it."""


@contextmanager
def open_board(folder: Path) -> Iterator[Board]:
    """The board in a folder, while this is open; UsageError where there is none."""
    from ppslab_class.board.board import FILE, Board  # noqa: PLC0415

    if not (folder / FILE).is_file():
        raise UsageError(
            f"no board in {folder}: `ppslab workshop start` creates one; "
            "name another folder with --folder"
        )
    board = Board(folder)
    try:
        yield board
    finally:
        board.close()


# --- the class, served --------------------------------------------------------------------------


@workshop.command("start")
def start(
    folder: Path = FolderOption,
    seats: int = typer.Option(30, min=1, max=MOST_SEATS, help="The number of seats with a card."),
    title: str = typer.Option(
        "Packets per second", help="The name of the day, for cards and pages."
    ),
    host: str = typer.Option("", help="The address to listen on; default: all addresses."),
    port: int = typer.Option(8443, min=0, max=65535, help="The port; 0: any free port."),
    staff_port: int = typer.Option(
        8444, min=0, max=65535, help="The port of the board, the projector and the slides."
    ),
    name: str | None = typer.Option(
        None,
        "--name",
        metavar="HOST",
        help="The address on the cards; default: the address of this machine.",
    ),
    wifi: str = typer.Option("", help="Name and password of the Wi-Fi, for the cards."),
    site: Path | None = SiteOption,
    certificate: Path | None = typer.Option(
        None, "--certificate", metavar="FILE", help="A certificate (PEM), with --key."
    ),
    key: Path | None = typer.Option(
        None, "--key", metavar="FILE", help="The key of the certificate (PEM)."
    ),
    plain: bool = typer.Option(
        False, "--plain", help="Use HTTP without TLS; anybody on the network can read it."
    ),
    seats_at: str = typer.Option(
        "",
        metavar="ADDRESS",
        help="The address of a JupyterHub on this machine, printed on the cards.",
    ),
) -> None:
    """Serve the site and the board to a class, until Ctrl-C.

    The first start creates seats, codes and cards; a later start continues with these.
    """
    from ppslab.measure import turn  # noqa: PLC0415
    from ppslab_class import content, homes, paper  # noqa: PLC0415
    from ppslab_class import slides as decks  # noqa: PLC0415
    from ppslab_class.board.board import FILE, Board, serving  # noqa: PLC0415
    from ppslab_class.certificate import addresses  # noqa: PLC0415
    from ppslab_class.server import SCRIPT, Files, Hall, Tls, serve  # noqa: PLC0415

    if (certificate is None) != (key is None) or (plain and certificate):
        raise UsageError("--certificate and --key go together, and not with --plain")
    if seats_at:
        # Before anything is in it.
        homes.keep_small(turn.SHARED)
    pages = site or paths.build_dir() / "html"
    if not (pages / "index.html").is_file():
        raise UsageError(f"no site in {pages}: `make site` builds one; --site names another one")
    slides = decks.folder()
    documents.make_folder(folder, "--folder", private=True)
    hosts = [name] if name else addresses()
    fingerprint = ""
    tls = None
    if not plain:
        if certificate is None or key is None:
            # Where the seats reach the board.
            near = ("127.0.0.1",) if seats_at else ()
            certificate, key, fingerprint = _own_certificate(folder, [*hosts, *near])
        tls = Tls(certificate, key)
        tls.context()  # A wrong pair is told now.
    with ExitStack() as stack:
        stack.enter_context(serving(folder))
        board = Board(folder)
        stack.callback(board.close)
        begun = bool(board.seats)
        hall = Hall(
            *(board, content.load(), Files(pages, script=SCRIPT)),
            secure=tls is not None,
            slides=Files(slides) if (slides / decks.INDEX).is_file() else None,
        )

        def ready(port: int, staff_port: int) -> None:
            # Codes are told once, so none is made before the class can be served.
            codes = board.set_up(seats, board.day.title if begun else title)
            named = f"[{hosts[0]}]" if ":" in hosts[0] else hosts[0]
            machine = f"http{'s' if tls else ''}://{named}"
            hall.address, hall.staff_address = f"{machine}:{port}", f"{machine}:{staff_port}"
            on_cards = (board.day.title, hall.address, fingerprint, wifi, seats_at.rstrip("/"))
            _print_codes(folder, paper.Hall(*on_cards), codes)
            echo(f"The board: {hall.staff_address} for you and the projector, with your own codes.")
            until = f"until Ctrl-C; its data is in {folder / FILE}."
            echo(f"The class: {hall.address}/workshop {until}")

        asyncio.run(serve(hall, host, (port, staff_port), tls, ready))


NEW_CERTIFICATE = (
    "The certificate is new, because the old certificate does not contain this machine's "
    "addresses or is about to expire. Cards that you have printed show the old fingerprint. "
    "Start with --name and the address on the cards, or give the class the new fingerprint:"
)


def _own_certificate(folder: Path, hosts: list[str]) -> tuple[Path, Path, str]:
    """The certificate that is made here, its key and its fingerprint; says where it is another."""
    from ppslab_class import certificate  # noqa: PLC0415

    on_cards = certificate.known(folder)
    path, key = certificate.ensure(folder, hosts)
    fingerprint = certificate.fingerprint(path)
    if on_cards and on_cards != fingerprint:
        echo(f"{NEW_CERTIFICATE} {fingerprint}", err=True)
    return path, key, fingerprint


@workshop.command("cards")
def new_cards(
    seat: list[str] = typer.Argument(
        metavar="SEAT...", help="The seat, such as seat-07 or instructor."
    ),
    folder: Path = FolderOption,
    address: str = typer.Option(..., help="The site's address, as on the other cards."),
    wifi: str = typer.Option(
        "", help="Name and password of the Wi-Fi, as for `ppslab workshop start`."
    ),
    seats_at: str = typer.Option(
        "", metavar="ADDRESS", help="The address of the JupyterLabs, as on the other cards."
    ),
) -> None:
    """Make new codes for lost cards or a lost instructor's code; the old codes stop working."""
    from ppslab_class import certificate, paper  # noqa: PLC0415

    with open_board(folder) as board:
        codes = {name: board.new_code(name) for name in dict.fromkeys(seat)}
        fingerprint = certificate.known(folder) if address.startswith("https:") else ""
        hall = paper.Hall(
            board.day.title, address.rstrip("/"), fingerprint, wifi, seats_at.rstrip("/")
        )
        _print_codes(folder, hall, codes, "new-cards")


def _print_codes(folder: Path, hall: Hall, codes: dict[str, str], file: str = CARDS) -> None:
    """Cards for seats, lines for instructor and projector: theirs lie on no table."""
    from ppslab_class import paper  # noqa: PLC0415
    from ppslab_class.board.board import STAFF  # noqa: PLC0415

    for seat in STAFF:
        if seat in codes:
            echo(f"{seat}'s code: {codes[seat]}  (write it down: it is shown only once)")
    if for_seats := {seat: code for seat, code in codes.items() if seat not in STAFF}:
        path = folder / f"{file}.pdf"
        try:
            content = paper.cards_pdf(hall, for_seats)
        except CannotHereError as error:
            # Nobody can read the codes a second time.
            path, content = path.with_suffix(".html"), paper.cards(hall, for_seats).encode()
            echo(str(error), err=True)
        write_atomic(path, content, private=True)
        echo(f"{plural(len(for_seats), 'card')} to print: {path}")


# --- before the day -----------------------------------------------------------------------------


@workshop.command("slides")
def slides() -> None:
    """Build slides with speaker notes from the chapters; the slides need no network."""
    from ppslab_class import content  # noqa: PLC0415
    from ppslab_class import slides as decks  # noqa: PLC0415

    chosen = [(content.chapter(name), decks.of(name)) for name in decks.names()]
    pages = decks.build(chosen, decks.folder())
    echo(f"{plural(len(pages), 'deck')}: {decks.folder() / decks.INDEX}")


# --- a seat -------------------------------------------------------------------------------------


@workshop.command(
    "shell", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
def shell(
    command: list[str] = typer.Argument(metavar="COMMAND...", help="What the hub starts."),
) -> None:
    """Start the JupyterLab of a seat; for JupyterHub, whose $JUPYTERHUB_USER is the seat.

    The records of its timed runs name the seat.
    """
    seat = os.environ.get("JUPYTERHUB_USER", "")
    program = shutil.which(command[0])
    if not seat or program is None:
        raise UsageError(f"no $JUPYTERHUB_USER, or no program {command[0]}: a JupyterHub has both")
    os.environ["PPSLAB_SEAT"] = seat
    _furnish()
    os.execv(program, command)


PROFILE = """# ppslab, and what its labs call: /etc/profile has set PATH anew by now.
PATH={programs}:$PATH:/usr/local/sbin:/usr/sbin:/sbin
"""


def _furnish() -> None:
    """Make a home that can be worked in: notebooks, records, programs."""
    home = Path.home()
    _copy_once(paths.project_root() / "notebooks", home / "notebooks", shutil.copy2)
    # The course's own records are read where they are; the seat's lie beside the links.
    _copy_once(paths.results_dir(), home / "results", os.symlink)
    # A terminal of JupyterLab is a login shell.
    profile = home / ".profile"
    if not profile.exists():
        profile.write_text(PROFILE.format(programs=Path(sys.executable).parent), encoding="utf-8")
    os.environ["PPSLAB_RESULTS"] = str(home / "results")


def _copy_once(course: Path, mine: Path, copy: Callable[[str, str], object]) -> None:
    if course.is_dir() and not mine.exists():
        hidden = shutil.ignore_patterns(".*", "local")
        shutil.copytree(course, mine, ignore=hidden, copy_function=copy)


# --- after the day ------------------------------------------------------------------------------


@workshop.command("report")
def report(folder: Path = FolderOption) -> None:
    """Report the results of a class by task and question, without names."""
    from ppslab_class import afterwards, content  # noqa: PLC0415

    with open_board(folder) as board:
        course = content.load()
        echo(afterwards.tasks_table(board, course).plain())
        echo("")
        echo(afterwards.questions_table(board, course).plain())


@workshop.command("remove")
def remove(
    folder: Path = FolderOption,
    yes: bool = typer.Option(False, "--yes", help="Do not ask for confirmation."),
) -> None:
    """Remove the files of the day: board, secret, key, cards, and homes of seats on this server."""
    from ppslab_class import afterwards  # noqa: PLC0415

    if not yes:
        typer.confirm(f"Remove the workshop in {folder} for good?", abort=True)
    for path in afterwards.remove(folder):
        echo(f"removed: {path}")
