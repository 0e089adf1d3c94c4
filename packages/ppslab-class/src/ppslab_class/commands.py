"""`ppslab workshop`: a course in a hall, from the cards on the tables to the report."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ppslab.core import documents, paths
from ppslab.core.documents import write_atomic
from ppslab.core.errors import CannotHereError, UsageError, did_you_mean
from ppslab.core.text.numbers import plural
from ppslab.core.text.terminal import echo

# Each command imports what it needs: Tornado, Sphinx or every record are for one of them alone.
if TYPE_CHECKING:
    from ppslab_class.board import Board
    from ppslab_class.cards import Hall

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


def separated(text: str) -> list[str]:
    """Names with commas between them.

    >>> separated("fastpath, fasttrack,")
    ['fastpath', 'fasttrack']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


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
    hours: float = typer.Option(8.0, min=0.1, max=100, help="Hours until the day ends."),
    host: str = typer.Option("", help="The address to listen on; default: all addresses."),
    port: int = typer.Option(8443, min=0, max=65535, help="The port; 0: any free port."),
    staff_port: int | None = typer.Option(
        None,
        "--staff-port",
        min=0,
        max=65535,
        help="The port of the board, the projector and the slides; default: the next port.",
    ),
    name: str | None = typer.Option(
        None,
        "--name",
        metavar="HOST",
        help="The address on the cards; default: the address of this machine.",
    ),
    wifi: str = typer.Option("", help="Name and password of the Wi-Fi, for the cards."),
    site: Path | None = SiteOption,
    slides: Path | None = typer.Option(
        None,
        "--slides",
        metavar="FOLDER",
        help="The built slides; default: the slides that `make slides` built.",
    ),
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
    from ppslab_class import cards, content, homes  # noqa: PLC0415
    from ppslab_class.board.board import FILE, Board, serving  # noqa: PLC0415
    from ppslab_class.certificate import addresses  # noqa: PLC0415
    from ppslab_class.server import SCRIPT, Files, Hall, Tls, serve  # noqa: PLC0415

    if (certificate is None) != (key is None) or (plain and certificate):
        raise UsageError("--certificate and --key go together, and not with --plain")
    ports = (port, _staff_port(port, staff_port))
    if seats_at:
        # Before anything is in it.
        homes.keep_small(turn.SHARED)
    pages = _built_site(site)
    decks = _built_slides(slides)
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
        ends = _end(board, hours)
        hall = Hall(
            *(board, content.load(), Files(pages, script=SCRIPT)),
            secure=tls is not None,
            slides=Files(decks) if decks else None,
        )

        def ready(port: int, staff_port: int) -> None:
            # Codes are told once, so none is made before the class can be served.
            codes = board.set_up(seats, board.day.title if begun else title, ends)
            machine = f"{'https' if tls else 'http'}://{_in_url(hosts[0])}"
            hall.address, hall.staff_address = f"{machine}:{port}", f"{machine}:{staff_port}"
            on_cards = (board.day.title, hall.address, fingerprint, wifi, seats_at.rstrip("/"))
            _print_codes(folder, cards.Hall(*on_cards), codes)
            echo(f"The board: {hall.staff_address} for you and the projector, with your own codes.")
            until = f"until Ctrl-C; its data is in {folder / FILE}."
            echo(f"The class: {hall.address}/workshop {until}")

        asyncio.run(serve(hall, host, ports, tls, ready))


def _staff_port(port: int, given: int | None) -> int:
    """The port that was named, or the one after the class's; UsageError where there is none."""
    if given is not None and given != (port or None):
        return given
    if given is not None or port == 65535:
        raise UsageError(
            f"--port {port}: the board needs another port than the class; "
            "name one with --staff-port"
        )
    return port + 1 if port else 0


def _built_site(site: Path | None) -> Path:
    """Return the site that was named or built here; UsageError where there is none."""
    folder = site or paths.build_dir() / "html"
    if not (folder / "index.html").is_file():
        raise UsageError(f"no site in {folder}: `make site` builds one; --site names another one")
    return folder


def _built_slides(given: Path | None) -> Path | None:
    """The folder of the decks; None where none are built, and none were asked for."""
    from ppslab_class import slides as decks  # noqa: PLC0415

    folder = given or decks.default_folder()
    if (folder / decks.INDEX).is_file():
        return folder
    if given:
        raise UsageError(f"no slides in {given}: `ppslab workshop slides` builds them")
    return None


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


def _end(board: Board, hours: float) -> datetime:
    """Time at which the day ends: as set before, unless that is over.

    Cards are often printed the evening before.
    """
    from ppslab_class.board.board import now  # noqa: PLC0415

    earlier = board.day.end if board.seats else None
    return earlier if earlier and earlier > now() else now() + timedelta(hours=hours)


def _in_url(name: str) -> str:
    return f"[{name}]" if ":" in name else name


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
    from ppslab_class import cards, certificate  # noqa: PLC0415

    with open_board(folder) as board:
        codes = {name: board.new_code(name) for name in dict.fromkeys(seat)}
        fingerprint = certificate.known(folder) if address.startswith("https:") else ""
        hall = cards.Hall(
            board.day.title, address.rstrip("/"), fingerprint, wifi, seats_at.rstrip("/")
        )
        _print_codes(folder, hall, codes, "new-cards")


def _print_codes(folder: Path, hall: Hall, codes: dict[str, str], file: str = CARDS) -> None:
    """Cards for seats, lines for instructor and projector: theirs lie on no table."""
    from ppslab_class import cards  # noqa: PLC0415
    from ppslab_class.board.board import STAFF  # noqa: PLC0415

    for seat in STAFF:
        if seat in codes:
            echo(f"{seat}'s code: {codes[seat]}  (write it down: it is shown only once)")
    if for_seats := {seat: code for seat, code in codes.items() if seat not in STAFF}:
        path = folder / f"{file}.pdf"
        try:
            content = cards.pdf(hall, for_seats)
        except CannotHereError as error:
            # Nobody can read the codes a second time.
            path, content = path.with_suffix(".html"), cards.page(hall, for_seats).encode()
            echo(str(error), err=True)
        write_atomic(path, content, private=True)
        echo(f"{plural(len(for_seats), 'card')} to print: {path}")


# --- before the day -----------------------------------------------------------------------------


@workshop.command("slides")
def slides(
    chapters: str = typer.Option(
        "", metavar="A,B", help="Only these chapters; default: all chapters with slides."
    ),
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        metavar="FOLDER",
        help="Write the slides to this folder; default: the folder that `start` reads.",
    ),
) -> None:
    """Build slides with speaker notes from the chapters; the slides need no network."""
    from ppslab_class import content  # noqa: PLC0415
    from ppslab_class import slides as decks  # noqa: PLC0415

    known = decks.names()
    names = separated(chapters) or known
    for name in names:
        if name not in known:
            near = did_you_mean(name, known)
            raise UsageError(f"no slides of {name!r}{near}; there are slides of {', '.join(known)}")
    if output is not None:
        documents.make_folder(output, "--output")
    chosen = [(content.chapter(name), decks.of(name)) for name in names]
    pages = decks.build(chosen, output or decks.default_folder())
    echo(f"{plural(len(pages), 'deck')}: {pages[0].parent / decks.INDEX}")


# --- a seat -------------------------------------------------------------------------------------


@workshop.command(
    "shell", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
def shell(
    words: list[str] = typer.Argument(
        None,
        metavar="SEAT [COMMAND...]",
        help="Such as seat-07; the default command is your shell.",
    ),
    hub: bool = typer.Option(
        False, "--hub", help="For a start by JupyterHub: the seat is $JUPYTERHUB_USER."
    ),
) -> None:
    """Start a seat's shell or JupyterLab on the class's measuring machine.

    The records of its timed runs name the seat.
    """
    command = list(words or [])
    seat = os.environ.get("JUPYTERHUB_USER", "") if hub else (command.pop(0) if command else "")
    if not seat:
        raise UsageError(
            "no seat: type ppslab workshop shell seat-07, or use --hub in a JupyterHub"
        )
    command = command or [os.environ.get("SHELL", "/bin/sh")]
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"no program {command[0]}: give a path or a name in PATH")
    os.environ["PPSLAB_SEAT"] = seat
    if hub:
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
