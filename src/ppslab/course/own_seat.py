"""The seat of somebody who works with `ppslab` on a machine of their own: `ppslab task` tells.

Nothing is told before `ppslab workshop join`.  What cannot be sent waits in a file, and no command
fails or waits long because a board is away.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from ppslab.core import documents
from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.course.tasks import state

if TYPE_CHECKING:
    import ssl

    import httpx

    from ppslab.model.results import Record

Kind: TypeAlias = Literal[
    "at", "done", "tried", "hint", "solved", "guess", "measured", "help", "exit"
]
"""Of an event: the words of the board (packages/ppslab-class)."""

Told: TypeAlias = tuple[Kind, str, str]
"""Kind, what and value of an event."""

MOST_AT_ONCE: Final = 200
"""Events of one request."""

SEND_SECONDS: Final = 2.0
JOIN_SECONDS: Final = 15.0
MOST_WAITING: Final = 5000
"""Events that wait for a board which never comes back; the oldest are dropped."""


def folder() -> Path:
    """Among what ppslab keeps for this user."""
    return state.folder().parent


def file() -> Path:
    """The seat: where the board is, and what it knows this machine by."""
    return folder() / "workshop.json"


def waiting() -> Path:
    """The events that the board has not yet, one a line."""
    return folder() / "workshop-waiting.jsonl"


@dataclass
class OwnSeat:
    """The file: where the board is, and what it knows this machine by.

    `certificate`: what was trusted at joining, PEM; empty where an authority vouches for it.
    `heard`: the number of the last message that was shown.
    """

    address: str
    seat: str
    token: str
    life: int = 0
    certificate: str = ""
    heard: int = 0

    def save(self) -> None:
        """Write it, for this user alone."""
        documents.write_json(file(), asdict(self), private=True)

    def client(self, seconds: float) -> httpx.Client:
        import httpx  # noqa: PLC0415  (a fifth of a second, for those who have joined)

        shown = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(
            base_url=self.address, headers=shown, timeout=seconds, verify=_trust(self.certificate)
        )


_KEPT: Final = TypeAdapter(OwnSeat)


def load() -> OwnSeat | None:
    """The seat of this machine; None where nobody has joined.  FileError for a broken file."""
    if not file().is_file():
        return None
    try:
        return _KEPT.validate_python(documents.load_json(file()).data)
    except ValidationError:
        message = "is not a seat of this version of ppslab; `ppslab workshop leave` removes it"
        raise FileError(file(), None, message) from None


def take(told: str) -> None:
    """Take the seat that a hub names (JSON, the fields of `OwnSeat`), as if it had joined.

    Of the same seat what was heard stays heard; ValueError or TypeError for what names none.
    """
    seat = OwnSeat(**json.loads(told))
    known = load()
    if known is not None and (known.seat, known.life) == (seat.seat, seat.life):
        seat.heard = known.heard
    seat.save()


def join(address: str, code: str, fingerprint: str = "") -> OwnSeat:
    """Take a seat.  UsageError for a wrong code, address or fingerprint; CannotHereError: no board.

    `fingerprint`: of a certificate that no authority vouches for, as the card prints it.
    """
    import httpx  # noqa: PLC0415

    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"the address must have the form https://HOST:PORT, as on the card, not {address!r}"
        )
    base = f"{parts.scheme}://{parts.netloc}"
    certificate = _pinned(parts.hostname, parts.port or 443, fingerprint) if fingerprint else ""
    body = {"code": code, "for": "command"}
    try:
        with httpx.Client(base_url=base, timeout=JOIN_SECONDS, verify=_trust(certificate)) as line:
            answer = line.post("/workshop/api/join", json=body)
            told: dict[str, Any] = answer.json()
    except httpx.ConnectError as error:
        remedy = "if the class uses its own certificate, give --fingerprint, as on the card"
        raise CannotHereError(f"no board at {base}: {error}", remedy) from None
    except (httpx.HTTPError, ValueError) as error:
        raise CannotHereError(f"no board at {base}: {error}") from None
    if answer.status_code != 200:
        raise UsageError(f"{base}: {told.get('error', 'the board refuses the code')}")
    if told["role"] != "learner":
        raise UsageError("this code belongs to no seat: staff join in a browser")
    seat = OwnSeat(base, told["seat"], told["token"], told["life"], certificate)
    seat.save()
    return seat


def leave() -> bool:
    """Tell nothing any more; returns whether there was a seat."""
    try:
        seat = load()
    except FileError:
        seat = None
    if seat is not None:
        _quietly(seat, lambda line: line.post("/workshop/api/leave", json={}))
    there = file().exists()
    for path in (file(), waiting()):
        path.unlink(missing_ok=True)
    return there


def tell(kind: Kind, what: str, value: str = "") -> list[str]:
    """Tell the board one thing, if somebody has joined; returns what the instructor said."""
    return _tell([(kind, what, value)])


def tell_measured(record: Record) -> list[str]:
    """Tell how many times as much as the reference each condition cost, as it was guessed.

    Returns what the instructor said; a condition without a valid trial is not told.
    """
    if not file().is_file():
        return []
    from ppslab.show import record_tables  # noqa: PLC0415  (for those who have joined)

    size = min(record.frame_sizes)
    told: list[Told] = []
    for condition in record.conditions:
        ratio = record_tables.ratio(record, condition.name, record.reference, size)
        if condition.name != record.reference and not isinstance(ratio, str):
            what = f"{record.lab}/prediction/{condition.name}"
            told.append(("measured", what, f"{ratio.value:.3g}"))
    return _tell(told)


def _tell(told: Sequence[Told]) -> list[str]:
    if not file().is_file():
        return []
    try:
        seat = load()
    except FileError:
        return []  # said by the commands about seats; a task goes on
    assert seat is not None
    at = datetime.now(UTC).isoformat()
    new = [
        {"id": secrets.token_hex(12), "kind": kind, "what": what, "value": value, "at": at}
        for kind, what, value in told
    ]
    events = [*_waiting(), *new][-MOST_WAITING:]
    _keep(events)
    heard: list[str] = []
    _quietly(seat, lambda line: _talk(seat, line, events, heard))
    return heard


def _talk(
    seat: OwnSeat, line: httpx.Client, events: list[dict[str, str]], heard: list[str]
) -> None:
    """Send all that waits, and hear what was said."""
    while events:
        batch = events[:MOST_AT_ONCE]
        now = datetime.now(UTC).isoformat()
        body = {"now": now, "life": seat.life, "events": batch}
        answer = line.post("/workshop/api/events", json=body)
        if answer.status_code not in (400, 413):  # what it can never take is dropped
            answer.raise_for_status()
        del events[: len(batch)]
        _keep(events)
    answer = line.get(f"/workshop/api/seat?after={seat.heard}").raise_for_status()
    told = answer.json()
    for each in told["messages"]:
        heard.append(f"{each['text']} {each['link']}".strip())
        seat.heard = each["n"]
    seat.life = told["life"]
    seat.save()


def _quietly(seat: OwnSeat, does: Any) -> None:
    """Speak with the board; whatever fails is tried again with the next thing told."""
    import ssl  # noqa: PLC0415

    import httpx  # noqa: PLC0415

    try:
        with seat.client(SEND_SECONDS) as line:
            does(line)
    except (httpx.HTTPError, ssl.SSLError, ValueError, KeyError):
        return


def _waiting() -> list[dict[str, str]]:
    if not waiting().is_file():
        return []
    found = []
    for line in waiting().read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue  # half a line, of a machine that went off
    return found


def _keep(events: list[dict[str, str]]) -> None:
    documents.write_atomic(waiting(), "".join(f"{json.dumps(each)}\n" for each in events))


def _trust(certificate: str) -> ssl.SSLContext | bool:
    """Whom to trust: this certificate alone, or the authorities."""
    import ssl  # noqa: PLC0415

    return ssl.create_default_context(cadata=certificate) if certificate else True


def _pinned(host: str, port: int, fingerprint: str) -> str:
    """The certificate of a server, if it is the one with this fingerprint."""
    import ssl  # noqa: PLC0415

    from cryptography import x509  # noqa: PLC0415  (only where a seat is taken)
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415

    try:
        shown = ssl.get_server_certificate((host, port), timeout=JOIN_SECONDS)
    except OSError as error:
        raise CannotHereError(f"no board at {host} port {port}: {error}") from None
    found = x509.load_pem_x509_certificate(shown.encode()).fingerprint(hashes.SHA256()).hex()
    if found != fingerprint.replace(":", "").replace(" ", "").lower():
        raise UsageError(
            f"the certificate of {host} does not have the card's fingerprint, but "
            f"{found.upper()}: do not type your code"
        )
    return shown
