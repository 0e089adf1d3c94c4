"""`ppslab workshop start` and `cards`: the site in the hall, a board beside it, codes on cards."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ppslab.base.documents import write_atomic
from ppslab.base.errors import CannotHereError, UsageError
from ppslab.base.text.numbers import plural
from ppslab.base.text.terminal import echo
from ppslab.cli.workshop.given import (
    MOST_SEATS,
    DiskOption,
    FolderOption,
    Kind,
    SeatsPortOption,
    SiteOption,
    built_site,
    cpus,
    mib,
    open_board,
)

if TYPE_CHECKING:
    from ppslab.course.workshop.board import Board
    from ppslab.course.workshop.cards import Hall as CardsHall

CARDS = "cards"
NEW_CERTIFICATE = (
    "The certificate is new, because the old one does not name this machine's addresses or is "
    "about to end: cards that you have printed show another fingerprint. Start with --name and "
    "the address on the cards, or tell the class the new fingerprint:"
)


def register(app: typer.Typer) -> None:
    """Add the commands to the group."""
    app.command("start")(start)
    app.command("cards")(new_cards)


def start(
    folder: Path = FolderOption,
    seats: int = typer.Option(30, min=1, max=MOST_SEATS, help="How many seats have a card."),
    title: str = typer.Option("Packets per second", help="The day's name, on cards and pages."),
    hours: float = typer.Option(8.0, min=0.1, max=100, help="Hours until it ends."),
    host: str = typer.Option("", help="The address to listen on; default: all."),
    port: int = typer.Option(8443, min=0, max=65535, help="The port; 0: a free one."),
    name: str | None = typer.Option(
        None,
        "--name",
        metavar="HOST",
        help="The address on the cards; default: this machine's own.",
    ),
    wifi: str = typer.Option("", help="Name and password of the Wi-Fi, for the cards."),
    site: Path | None = SiteOption,
    slides: Path | None = typer.Option(
        None,
        "--slides",
        metavar="FOLDER",
        help="The built slides; default: those of `make slides`.",
    ),
    certificate: Path | None = typer.Option(
        None, "--certificate", metavar="FILE", help="A certificate (PEM), with --key."
    ),
    key: Path | None = typer.Option(None, "--key", metavar="FILE", help="Its key (PEM)."),
    measuring: str = typer.Option(
        "",
        metavar="CPUS",
        help="CPUs of this machine, such as 2,3, for timed runs only; seats' shells stay off them.",
    ),
    plain: bool = typer.Option(False, "--plain", help="HTTP without TLS; anyone can listen in."),
    kind: Kind = typer.Option(
        "page",
        help="page: a seat is a browser; server: it is a JupyterLab on this machine too.",
    ),
    seats_port: int = SeatsPortOption,
    seat_memory: int = typer.Option(2048, min=256, help="MiB per such seat."),
    disk: str = DiskOption,
) -> None:
    """Serve the site in the hall, with a board, until Ctrl-C.

    The first start makes seats, codes and cards; a later one continues where the last one ended.
    """
    # Imported here: Tornado, certificates and every record, for this command alone.
    from ppslab.cli.workshop import server_seats  # noqa: PLC0415
    from ppslab.course.workshop import cards, content  # noqa: PLC0415
    from ppslab.course.workshop.board.board import FILE, Board, serving  # noqa: PLC0415
    from ppslab.course.workshop.hub.configuration import LOOPBACK_HOST  # noqa: PLC0415
    from ppslab.course.workshop.server import certificate as made  # noqa: PLC0415
    from ppslab.course.workshop.server.files import SCRIPT, Files  # noqa: PLC0415
    from ppslab.course.workshop.server.handler import Hall  # noqa: PLC0415
    from ppslab.course.workshop.server.serving import Tls, serve  # noqa: PLC0415
    from ppslab.measurement import turn  # noqa: PLC0415

    if (certificate is None) != (key is None) or (plain and certificate):
        raise UsageError("--certificate and --key go together, and not with --plain")
    on_server = kind == "server"
    if on_server:
        server_seats.prepare()
    pages = built_site(site)
    decks = _slides(slides)
    _make(folder)
    names = [name] if name else made.addresses()
    asked = server_seats.Asked(folder, host, _in_url(names[0]), seats_port, seat_memory, mib(disk))
    shown = ""
    tls = None
    if not plain:
        if certificate is None or key is None:
            # Where the seats reach the board.
            near = (LOOPBACK_HOST,) if on_server else ()
            certificate, key, shown = _own_certificate(folder, [*names, *near])
        tls = Tls(certificate, key)
        tls.context()  # A wrong pair is told now.
    with ExitStack() as stack:
        stack.enter_context(serving(folder))
        if on_server:
            server_seats.make_room(asked)
        kept = cpus(measuring)
        if kept or on_server:
            stack.enter_context(turn.open_class(title, kept))
        board = Board(folder)
        stack.callback(board.close)
        begun = bool(board.seats)
        ends = _end(board, hours)
        hall = Hall(
            *(board, content.load(), Files(pages, script=SCRIPT)),
            secure=tls is not None,
            slides=Files(decks) if decks else None,
        )

        def ready(port: int) -> None:
            # Codes are told once, so none is made before the class can be served.
            codes = board.set_up(seats, board.day.title if begun else title, ends)
            address = f"{'https' if tls else 'http'}://{_in_url(names[0])}:{port}"
            seats_at = asked.address(tls) if on_server else ""
            _tell_codes(
                board, folder, cards.Hall(board.day.title, address, shown, wifi, seats_at), codes
            )
            if on_server:
                stack.enter_context(
                    server_seats.hub(asked, board, port, tls, made_here=bool(shown))
                )
                echo(f"The seats: {seats_at}, with the same codes; the hub's log: {folder}/hub.log")
            echo(f"The class: {address}/workshop until Ctrl-C; all is kept in {folder / FILE}.")

        asyncio.run(serve(hall, host, port, tls, ready))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--folder {folder}: cannot be made: {error.strerror}") from None


def _tell_lost(seats: list[str], folder: Path, address: str) -> None:
    """Say whose codes an earlier start made and told nobody."""
    if seats:
        again = f"ppslab workshop cards --missing --folder {folder} --address {address}"
        echo(
            f"An earlier start was stopped before it told {plural(len(seats), 'code')} "
            f"({', '.join(seats)}). This makes new ones: {again}",
            err=True,
        )


def _end(board: Board, hours: float) -> datetime:
    """When the day ends: as it was said before, unless that is over.

    Cards are often printed the evening before.
    """
    from ppslab.course.workshop.board.board import now  # noqa: PLC0415

    said = board.day.end if board.seats else None
    return said if said and said > now() else now() + timedelta(hours=hours)


def _own_certificate(folder: Path, names: list[str]) -> tuple[Path, Path, str]:
    """The certificate that is made here, its key and its fingerprint; says where it is another."""
    from ppslab.course.workshop.server import certificate  # noqa: PLC0415

    on_cards = certificate.known(folder)
    path, key = certificate.made(folder, names)
    shown = certificate.fingerprint(path)
    if on_cards and on_cards != shown:
        echo(f"{NEW_CERTIFICATE} {shown}", err=True)
    return path, key, shown


def _slides(given: Path | None) -> Path | None:
    """The folder of the decks; None where none are built, and none were asked for."""
    from ppslab.course.workshop.slides import building  # noqa: PLC0415

    folder = given or building.folder()
    if (folder / building.INDEX).is_file():
        return folder
    if given:
        raise UsageError(f"no slides in {given}: `ppslab workshop slides` builds them")
    return None


def new_cards(
    seat: list[str] = typer.Argument([], metavar="SEAT...", help="Such as seat-07 or instructor."),
    missing: bool = typer.Option(
        False, "--missing", help="Those whose codes a stopped start made and told nobody."
    ),
    folder: Path = FolderOption,
    address: str = typer.Option(..., help="The site's address, as on the other cards."),
    wifi: str = typer.Option("", help="As for `ppslab workshop start`."),
    seats_at: str = typer.Option(
        "", metavar="ADDRESS", help="The JupyterLabs' address, as on the other cards."
    ),
) -> None:
    """Make new codes, where a card or the instructor's code is lost; the old ones stop working."""
    from ppslab.course.workshop import cards  # noqa: PLC0415
    from ppslab.course.workshop.server import certificate  # noqa: PLC0415

    with open_board(folder) as board:
        names = list(dict.fromkeys([*seat, *(board.untold() if missing else ())]))
        if not names:
            raise UsageError("whose card? name a seat" if not missing else "no card is missing")
        codes = {name: board.new_code(name) for name in names}
        shown = certificate.known(folder) if address.startswith("https:") else ""
        hall = cards.Hall(board.day.title, address.rstrip("/"), shown, wifi, seats_at.rstrip("/"))
        _tell_codes(board, folder, hall, codes, "new-cards")


def _in_url(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _tell_codes(
    board: Board, folder: Path, hall: CardsHall, codes: dict[str, str], file: str = CARDS
) -> None:
    """Cards for seats, lines for instructor and projector: theirs lie on no table."""
    from ppslab.course.workshop import cards  # noqa: PLC0415
    from ppslab.course.workshop.board.board import STAFF  # noqa: PLC0415

    for_seats = {seat: code for seat, code in codes.items() if seat not in STAFF}
    for seat in STAFF:
        if seat in codes:
            echo(f"{seat}'s code: {codes[seat]}  (shown once: write it down)")
    if for_seats:
        path = folder / f"{file}.pdf"
        try:
            content = cards.pdf(hall, for_seats)
        except CannotHereError as error:
            # Nobody can read the codes a second time.
            path, content = path.with_suffix(".html"), cards.page(hall, for_seats).encode()
            echo(str(error), err=True)
        write_atomic(path, content, private=True)
        echo(f"{plural(len(for_seats), 'card')} to print: {path}")
    board.codes_told(codes)
    _tell_lost(board.untold(), folder, hall.address)
