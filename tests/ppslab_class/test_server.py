"""The server: files of the site, locks, wrong codes, and what it keeps when it is killed."""

from __future__ import annotations

import socket
import sqlite3
import ssl
import subprocess
import sys
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx
import pytest

from ppslab.core.errors import FileError
from ppslab_class import certificate
from ppslab_class.board import Board
from ppslab_class.server import Files, Tls
from tests.ppslab_class.class_room import NOON, POLICY, ClassRoom, batch, event, served, site
from tests.support.waiting import PATIENCE


def test_a_page_has_the_seats_script_and_its_own_policy(room: ClassRoom) -> None:
    answer = room.client().get("/")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert '<script defer src="/workshop/pages/seat.js"></script></head>' in answer.text
    assert POLICY in answer.text
    etag = {"If-None-Match": answer.headers["ETag"]}
    assert room.client().get("/", headers=etag).status_code == 304
    plain = room.client().get("/", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers and plain.text == answer.text
    assert "seat.js" not in (room.hall.site.folder / "index.html").read_text()


@pytest.mark.parametrize(
    "address",
    ["/../board.sqlite", "/..%2fboard.sqlite", "/%2e%2e/secret", "/.buildinfo", "/book/%00",
     "/book/../../secret", "//etc/passwd", "/workshop/pages/..%2fcontent.py", "/" + "a" * 5000],
)  # fmt: skip
def test_only_the_sites_own_files_are_read(room: ClassRoom, address: str) -> None:
    (room.hall.site.folder / "book" / "link.html").symlink_to(
        room.hall.site.folder.parent / "secret"
    )
    url = httpx.URL(room.address).copy_with(raw_path=address.encode())
    assert room.client().get(url).status_code in (404, 400)
    assert room.client().get("/book/link.html").status_code == 404


def test_guessing_codes_is_slowed_and_the_right_one_is_not_told(room: ClassRoom) -> None:
    room.client("seat-01")
    thief = room.client()
    answers = [thief.post("/workshop/api/join", json={"code": f"X{n}"}) for n in range(40)]
    states = [each.status_code for each in answers]
    assert states[:30] == [403] * 30 and 429 in states[30:]
    right = thief.post("/workshop/api/join", json={"code": room.codes["seat-02"]})
    assert right.status_code == 429, "else wrong answers could be told from right ones"


def test_a_seat_that_tells_too_often_waits_and_loses_nothing(room: ClassRoom) -> None:
    client = room.client("seat-01")
    states = [
        client.post("/workshop/api/events", json=batch(event(f"n{n}", "at", "x"))).status_code
        for n in range(45)
    ]
    assert 429 in states
    neighbour = room.client("seat-02").post("/workshop/api/events", json=batch())
    assert neighbour.status_code == 200


def test_a_body_that_is_too_large_or_none_is_refused(room: ClassRoom) -> None:
    client = room.client("seat-01")
    words = {"Content-Type": "application/json"}
    try:
        large = client.post("/workshop/api/events", content=b"[" * 400_000, headers=words)
        assert large.status_code in (400, 413)
    except httpx.TransportError:
        pass  # the connection is closed before all was sent
    for body in (b"", b"[" * 10_000, b'{"now": 1}', b"\xff"):
        answer = client.post("/workshop/api/events", content=body, headers=words)
        assert answer.status_code == 400, body[:20]
        assert "Traceback" not in answer.text
    assert client.get("/workshop/api/seat").status_code == 200


def test_our_own_pages_hold_no_script_and_ask_nobody_else(room: ClassRoom) -> None:
    """What learners tell is text and never markup."""
    names = [path.name for path in room.hall.pages.folder.iterdir()]
    assert "board.html" in names and "board.js" in names
    for name in names:
        answer = room.client(staff=True).get(f"/workshop/pages/{name}")
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
        assert "http://" not in answer.text and "https://" not in answer.text, name
        assert "innerHTML" not in answer.text and "<script>" not in answer.text, name


def starting(folder: Path) -> list[str]:
    """The words of the command, but for its port."""
    return [
        *(f"{sys.prefix}/bin/ppslab", "workshop", "start", "--folder", str(folder)),
        *("--site", str(site(folder.parent / "site")), "--host", "127.0.0.1"),
        *("--name", "127.0.0.1", "--seats", "2", "--staff-port", "0"),
    ]


def start(
    folder: Path, *more: str, stderr: IO[str] | None = None
) -> tuple[subprocess.Popen[str], tuple[str, str], dict[str, str]]:
    """`ppslab workshop start`, the class's address and staff's, and the codes that it told."""
    server = subprocess.Popen(
        [*starting(folder), "--port", "0", *more], stdout=subprocess.PIPE, stderr=stderr, text=True
    )
    assert server.stdout
    codes: dict[str, str] = {}
    for line in server.stdout:
        if "'s code: " in line:
            codes[line.split("'")[0]] = line.split(": ")[1].split()[0]
        if line.startswith("The board: "):
            staff = line.split()[2]
        if line.startswith("The class: "):
            return server, (line.split()[2].removesuffix("/workshop"), staff), codes
    raise AssertionError(f"ended with {server.wait()}")


def end(server: subprocess.Popen[str]) -> None:
    server.kill()
    server.wait()


@pytest.mark.long
def test_a_start_that_fails_a_server_that_is_killed_and_the_morning_after(tmp_path: Path) -> None:
    """Codes are shown once: those of a class that was never served would be lost."""
    folder = tmp_path / "day"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = subprocess.run(
            [*starting(folder), "--port", str(taken.getsockname()[1])],
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
    assert refused.returncode == 3
    assert "code:" not in refused.stdout and not (folder / "cards.pdf").exists()

    server, (_, staff), codes = start(folder)
    assert set(codes) == {"instructor", "projector"}
    try:
        context = ssl.create_default_context(cafile=str(folder / "certificate.pem"))
        own = {"Origin": staff}
        with httpx.Client(base_url=staff, headers=own, verify=context, timeout=PATIENCE) as teacher:
            teacher.post("/workshop/api/join", json={"code": codes["instructor"]})
            for number in range(50):
                said = {"do": "message", "text": f"number {number}"}
                teacher.post("/workshop/api/act", json=said).raise_for_status()
    finally:
        end(server)
    with sqlite3.connect(folder / "board.sqlite") as kept:
        assert kept.execute("SELECT count(*) FROM message").fetchone()[0] == 50
    assert (folder / "cards.pdf").read_bytes().startswith(b"%PDF")

    # A certificate that is new is announced, for the cards show the old one.
    old = certificate.known(folder)
    with (tmp_path / "errors").open("w") as file:
        server, _, none = start(folder, "--name", "192.0.2.9", stderr=file)
    end(server)
    assert none == {}, "the cards on the tables stay good"
    board = Board(folder)
    assert board.join(codes["instructor"], NOON)[0].role == "instructor"
    board.close()
    new = certificate.known(folder)
    assert new != old and (tmp_path / "errors").read_text().strip().endswith(new)
    done = subprocess.run(
        [f"{sys.prefix}/bin/ppslab", "workshop", "cards", "seat-01", "--folder", str(folder),
         "--address", "https://192.0.2.9:8443/"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "1 card to print" in done.stdout and (folder / "new-cards.pdf").is_file()


def test_a_certificate_is_made_once_and_for_the_names(tmp_path: Path) -> None:
    names = ["192.0.2.7", "2001:DB8::7", "hall.example", "münchen.example", "my_laptop"]
    first = certificate.ensure(tmp_path, names)
    text = first[0].read_bytes()
    for name in names:
        assert certificate.ensure(tmp_path, [name])[0].read_bytes() == text, name
    certificate.ensure(tmp_path, ["other.example"])
    assert first[0].read_bytes() != text
    assert first[1].stat().st_mode & 0o077 == 0
    assert len(certificate.fingerprint(first[0]).split(":")) == 32
    Tls(*first).context()
    first[0].write_text("nothing")
    with pytest.raises(FileError, match=r"certificate\.pem"):
        Tls(*first).context()


def test_staff_sees_the_slides_and_nobody_else(room: ClassRoom, tmp_path: Path) -> None:
    teacher = room.client("instructor")
    assert "make slides" in teacher.get("/workshop/slides/").text
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "index.html").write_text("<p>decks</p>")
    room.hall.slides = Files(tmp_path / "decks")
    seen = teacher.get("/workshop/slides/")
    assert seen.status_code == 200 and seen.text == "<p>decks</p>"
    assert seen.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "default-src 'self'" in seen.headers["Content-Security-Policy"]
    assert room.client("projector").get("/workshop/slides/").status_code == 200
    assert (
        room.client(staff=True).get("/workshop/slides/").headers["Location"]
        == "/workshop/pages/join"
    )
    assert room.client("seat-01").get("/workshop/slides/").status_code == 404


def test_a_notebook_runs_on_the_classs_origin_and_staffs_pages_at_staffs(room: ClassRoom) -> None:
    """Whoever opens a learner's notebook, or runs its code in a page, must not be staff there."""
    teacher = room.client("instructor")
    for path in ("lite/lab/index.html", "%6cite//x.html", "es/lite/x.js", "book/fastpath/"):
        assert teacher.get(f"/{path}").headers["Location"].startswith(f"{room.address}/"), path
    for name in ("board", "projector"):
        moved = room.client().get(f"/workshop/pages/{name}")
        assert moved.headers["Location"] == f"{room.staff_address}/workshop/pages/{name}"
        assert teacher.get(f"/workshop/pages/{name}").status_code == 200


@pytest.mark.live
def test_three_hundred_connections_that_say_nothing_disturb_no_seat(room: ClassRoom) -> None:
    place = urlsplit(room.address)
    address = (place.hostname, place.port)
    learner = room.client("seat-01")
    idle = [socket.create_connection(address, timeout=PATIENCE) for _ in range(300)]
    try:
        for number, each in enumerate(idle):
            if number % 2:  # half of them begin to tell something, and do not go on
                each.sendall(b"POST /workshop/api/events HTTP/1.1\r\nContent-Length: 1000\r\n")
        told = learner.post("/workshop/api/events", json=batch(event("one", "at", "x")))
        assert told.status_code == 200 and told.json()["new"] == 1
        assert learner.get("/").status_code == 200
        # Beside them, and not once the server had given them up, which takes it 75 s.
        assert all(_open(each) for each in idle[::2])
    finally:
        for each in idle:
            each.close()


def _open(connection: socket.socket) -> bool:
    """Whether the other end has not closed it; it has said nothing."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True


def test_a_class_is_served_with_the_certificate_of_the_cards(tmp_path: Path) -> None:
    pair = certificate.ensure(tmp_path, ["127.0.0.1"])
    with served(tmp_path, tls=Tls(*pair)) as room:
        trusted = ssl.create_default_context(cafile=str(pair[0]))
        assert httpx.get(room.address, verify=trusted, timeout=PATIENCE).status_code == 200
        with pytest.raises(httpx.ConnectError, match="certificate"):
            room.client().get("/")
