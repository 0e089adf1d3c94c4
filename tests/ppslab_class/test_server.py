"""The server: files of the site, locks, wrong codes, and what it keeps when it is killed."""

from __future__ import annotations

import os
import resource
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx
import pytest

from ppslab.core.errors import FileError
from ppslab_class import certificate, server
from ppslab_class.board import Board
from ppslab_class.server import Files, Tls
from tests.ppslab_class.class_room import NOON, POLICY, ClassRoom, batch, event, site
from tests.support.waiting import PATIENCE, until


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


def test_a_chapter_that_is_not_due_is_read_by_staff_alone(room: ClassRoom) -> None:
    teacher, learner = room.client("instructor"), room.client("seat-01")
    teacher.post("/workshop/api/act", json={"do": "lock", "chapters": ["eoip"]})
    for path in ("/book/eoip/index.html", "/book/eoip/", "/book//eoip/index.html", "/book/%65oip/"):
        assert learner.get(path).status_code == 403, path
        assert "tunnel" in teacher.get(path).text
    assert room.client().get("/book/eoip/index.html").status_code == 403
    assert learner.get("/book/fastpath/index.html").status_code == 200
    teacher.post("/workshop/api/act", json={"do": "lock", "chapters": []})
    assert "tunnel" in learner.get("/book/eoip/index.html").text


@pytest.mark.parametrize(
    "address",
    [
        "_sources/book/eoip/index.md",
        "lite/files/notebooks/eoip.ipynb",
        "notebooks/eoip.html",
        "reports/rfc2544-eoip.html",
        "reports/tcp-eoip.html",
    ],
)
def test_whatever_is_of_a_chapter_that_is_not_due_is_locked(room: ClassRoom, address: str) -> None:
    path = room.hall.site.folder / address
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("tunnel")
    other = room.hall.site.folder / address.replace("eoip", "fastpath")
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("fast")
    room.client("instructor").post("/workshop/api/act", json={"do": "lock", "chapters": ["eoip"]})
    learner = room.client("seat-01")
    assert learner.get(f"/{address}").status_code == 403
    assert learner.get(f"/{other.relative_to(room.hall.site.folder)}").status_code == 200


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


def test_files_are_dropped_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ppslab_class.server.CACHE_BYTES", 3000)
    folder = Files(tmp_path)
    for number in range(4):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(os.urandom(1000))
        folder.keep(path, *folder.read(path))
    known = [folder.known(tmp_path / f"{number}.bin") is not None for number in range(4)]
    assert known == [False, True, True, True]


def starting(folder: Path) -> list[str]:
    """The words of the command, but for its port."""
    return [
        *(f"{sys.prefix}/bin/ppslab", "workshop", "start", "--folder", str(folder)),
        *("--site", str(site(folder.parent / "site")), "--host", "127.0.0.1"),
        *("--name", "127.0.0.1", "--seats", "2"),
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


@pytest.mark.long
def test_a_server_that_is_killed_has_lost_nothing_it_answered(tmp_path: Path) -> None:
    folder = tmp_path / "day"
    server, (_, staff), codes = start(folder)
    try:
        context = ssl.create_default_context(cafile=str(folder / "certificate.pem"))
        own = {"Origin": staff}
        with httpx.Client(base_url=staff, headers=own, verify=context, timeout=PATIENCE) as teacher:
            teacher.post("/workshop/api/join", json={"code": codes["instructor"]})
            answered = 0
            while answered < 50:
                said = {"do": "message", "text": f"number {answered + 1}"}
                teacher.post("/workshop/api/act", json=said).raise_for_status()
                answered += 1
            server.send_signal(signal.SIGKILL)
            server.wait()
    finally:
        server.kill()
    with sqlite3.connect(folder / "board.sqlite") as kept:
        count = kept.execute("SELECT count(*) FROM message").fetchone()[0]
    assert count == answered > 0
    assert (folder / "cards.pdf").read_bytes().startswith(b"%PDF")
    again = Board(folder)
    assert again.set_up(2, "", None) == {}, "the cards on the tables stay good"
    assert again.join(codes["instructor"], NOON)[0].role == "instructor"
    again.close()


@pytest.mark.long
def test_a_first_start_that_cannot_listen_has_used_up_no_code(tmp_path: Path) -> None:
    """Codes are told once: those of a class that was never served would be lost."""
    folder = tmp_path / "day"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = subprocess.run(
            [*starting(folder), "--port", str(taken.getsockname()[1])],
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
    assert refused.returncode == 3
    assert "code:" not in refused.stdout and not (folder / "cards.pdf").exists()
    server, _, codes = start(folder)
    server.kill()
    server.wait()
    assert set(codes) == {"instructor", "projector"} and (folder / "cards.pdf").is_file()


@pytest.mark.long
def test_a_morning_after_the_cards_were_printed(tmp_path: Path) -> None:
    """The day begins anew; a certificate that is new is told, for the cards show the old one."""
    folder = tmp_path / "day"
    server, _, codes = start(folder)
    server.kill()
    server.wait()
    old = certificate.known(folder)
    board = Board(folder)
    board.set_up(2, "A day", NOON)  # which is long over
    board.close()
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        server, _, none = start(folder, "--name", "192.0.2.9", stderr=file)
    server.kill()
    server.wait()
    board = Board(folder)
    assert none == {} and board.day.end is not None and board.day.end > datetime.now(UTC)
    assert board.join(codes["instructor"], NOON)[0].role == "instructor"
    board.close()
    new = certificate.known(folder)
    assert new != old and errors.read_text().strip().endswith(new)
    done = subprocess.run(
        [f"{sys.prefix}/bin/ppslab", "workshop", "cards", "seat-01", "--folder", str(folder),
         "--address", "https://192.0.2.9:8443/"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "1 card to print" in done.stdout and (folder / "new-cards.pdf").is_file()


def test_a_certificate_is_made_once_and_for_the_names(tmp_path: Path) -> None:
    first = certificate.ensure(tmp_path, ["192.0.2.7", "hall.example"])
    text = first[0].read_bytes()
    assert certificate.ensure(tmp_path, ["hall.example"])[0].read_bytes() == text
    certificate.ensure(tmp_path, ["other.example"])
    assert first[0].read_bytes() != text
    assert first[1].stat().st_mode & 0o077 == 0
    assert len(certificate.fingerprint(first[0]).split(":")) == 32
    Tls(*first).context()


def test_a_wrong_certificate_is_told_with_its_file(tmp_path: Path) -> None:
    good = certificate.ensure(tmp_path, ["one.example"])
    other = tmp_path / "wrong.pem"
    other.write_text("nothing")
    with pytest.raises(FileError, match=r"wrong\.pem"):
        Tls(other, good[1]).context()


def test_a_pipe_is_no_certificate_and_no_key(tmp_path: Path) -> None:
    good = certificate.ensure(tmp_path, ["one.example"])
    pipe = tmp_path / "pipe.pem"
    os.mkfifo(pipe)
    for pair in ((pipe, good[1]), (good[0], pipe)):
        with pytest.raises(FileError, match=r"pipe\.pem"):
            Tls(*pair).context()
    with pytest.raises(FileError, match=r"pipe\.pem"):
        certificate.fingerprint(pipe)


def reader(room: ClassRoom, name: str, encoding: str = "") -> socket.socket:
    """A connection that asks for a file, and has little room for it."""
    place = urlsplit(room.address)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((place.hostname, place.port))
    accepts = f"Accept-Encoding: {encoding}\r\n" if encoding else ""
    connection.sendall(f"GET /{name} HTTP/1.1\r\nHost: x\r\n{accepts}\r\n".encode())
    return connection


def ended(connection: socket.socket) -> bool:
    """Whether the server has ended it, with a reset: nothing stays in the kernel."""
    state: int = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return state == TCP_CLOSE


TCP_CLOSE = 7
"""Of tcp_states.h."""


@pytest.mark.long
def test_readers_that_take_nothing_hold_little_and_are_closed(
    room: ClassRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 of them held 2.1 GB, for ever; without gzip each held the compressed file twice."""
    monkeypatch.setattr(server, "PART_SECONDS", 2)
    size, readers = 16_000_000, 20
    content = os.urandom(size)
    (room.hall.site.folder / "large.bin").write_bytes(content)
    (room.hall.site.folder / "large.wasm").write_bytes(content)
    learner = room.client()
    assert len(learner.get("/large.bin").content) == size
    plain = learner.get("/large.wasm", headers={"Accept-Encoding": "identity"})
    assert plain.content == content
    before = memory()
    slow = [reader(room, ("large.bin", "large.wasm")[n % 2]) for n in range(readers)]
    try:
        until(lambda: room.hall.sending["127.0.0.1"] == readers, "all that read slowly")
        assert memory() - before < readers * size / 20
        assert learner.get("/").status_code == 200
        until(lambda: not room.hall.sending, "their end")
        until(lambda: all(map(ended, slow)), "their connections' end")
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_reader_that_takes_a_little_each_time_has_no_new_time_for_it(
    room: ClassRoom, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    size = 16_000_000
    monkeypatch.setattr(server, "PART_SECONDS", PATIENCE)
    monkeypatch.setattr(server, "FILE_SECONDS", 0.5)
    monkeypatch.setattr(server, "LEAST_BYTES_PER_SECOND", size)
    (room.hall.site.folder / "large.wasm").write_bytes(os.urandom(size))
    assert room.client().get("/large.wasm", headers={"Accept-Encoding": encoding}).content
    begun = time.monotonic()
    connection = reader(room, "large.wasm", encoding)
    taken = 0
    try:
        while time.monotonic() - begun < PATIENCE:
            taken += len(connection.recv(4096))
            time.sleep(0.02)
    except ConnectionResetError:
        pass
    connection.close()
    assert 0 < taken < size
    assert 1.4 < time.monotonic() - begun < PATIENCE


@pytest.mark.long
def test_only_so_many_files_are_uncompressed_at_once(
    room: ClassRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_UNZIPPED", 3)
    (room.hall.site.folder / "large.wasm").write_bytes(os.urandom(8_000_000))
    learner, plain = room.client(), {"Accept-Encoding": "identity"}
    slow = [reader(room, "large.wasm") for _ in range(3)]
    try:
        until(lambda: room.hall.sending[server.UNZIPPED] == 3, "all that read slowly")
        assert learner.get("/large.wasm", headers=plain).status_code == 503
        assert learner.get("/large.wasm").status_code == 200
        assert learner.get("/", headers=plain).status_code == 200, "a page is small"
    finally:
        for connection in slow:
            connection.close()
    until(lambda: not room.hall.sending, "their end")
    assert learner.get("/large.wasm", headers=plain).status_code == 200


def memory() -> int:
    """What this process holds, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_one_address_has_only_so_many_files_on_their_way(
    room: ClassRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_SENDING", 3)
    room.hall.sending["127.0.0.1"] = 3
    assert room.client().get("/").status_code == 503
    room.hall.sending["127.0.0.1"] = 2
    assert room.client().get("/").status_code == 200
    until(lambda: room.hall.sending["127.0.0.1"] == 2, "the end of what was sent")


@pytest.mark.long
def test_a_first_start_that_is_killed_says_whose_codes_are_lost(tmp_path: Path) -> None:
    folder = tmp_path / "day"
    folder.mkdir()
    board = Board(folder)
    board.set_up(2, "A day", datetime.now(UTC) + timedelta(hours=1))  # killed before it told them
    board.close()
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        server, _, told = start(folder, stderr=file)
    server.kill()
    server.wait()
    assert told == {} and "seat-01, seat-02" in errors.read_text()
    words = errors.read_text().rpartition(": ppslab ")[2].split()
    done = subprocess.run(
        [f"{sys.prefix}/bin/ppslab", *words], capture_output=True, text=True, check=True
    )
    assert "2 cards to print" in done.stdout and "instructor's code" in done.stdout
    with errors.open("w") as file:
        server, _, _ = start(folder, stderr=file)
    server.kill()
    server.wait()
    assert "earlier start" not in errors.read_text()


def test_staff_sees_the_slides_and_nobody_else(room: ClassRoom, tmp_path: Path) -> None:
    teacher = room.client("instructor")
    assert "make slides" in teacher.get("/slides/").text
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "index.html").write_text("<p>decks</p>")
    room.hall.slides = Files(tmp_path / "decks")
    seen = teacher.get("/slides/")
    assert seen.status_code == 200 and seen.text == "<p>decks</p>"
    assert seen.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "default-src 'self'" in seen.headers["Content-Security-Policy"]
    assert room.client("projector").get("/slides/").status_code == 200
    assert room.client(staff=True).get("/slides/").headers["Location"] == "/workshop/pages/join"
    for path in ("/slides", "/slides/eoip.html"):
        moved = room.client("seat-01").get(path)
        assert moved.headers["Location"] == f"{room.staff_address}{path}"


def test_notebooks_run_on_the_classs_origin_alone(room: ClassRoom) -> None:
    """Whoever opens a learner's notebook, or runs its code in a page, must not be staff there."""
    (room.hall.site.folder / "es/book").mkdir(parents=True)
    for name in ("lite/lab/index.html", "lite/static/pyodide/pyodide.js", "es/lite/lab/index.html"):
        path = room.hall.site.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("runs")
        teacher = room.client("instructor")
        for spelled in (
            f"/{name}",
            f"/{name}".replace("lite", "%6cite"),
            f"/{name}".replace("t/", "t//"),
        ):
            assert teacher.get(spelled).headers["Location"] == f"{room.address}/{name}"
        assert room.client().get(f"/{name}").text == "runs"
    assert "fast" in teacher.get("/book/fastpath/index.html").text


@pytest.mark.parametrize("name", ["board", "projector"])
def test_staffs_pages_are_at_staffs_port(room: ClassRoom, name: str) -> None:
    moved = room.client().get(f"/workshop/pages/{name}")
    assert moved.headers["Location"] == f"{room.staff_address}/workshop/pages/{name}"
    teacher = room.client("instructor")
    assert teacher.get(f"/workshop/pages/{name}").status_code == 200
    loaded = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}
    assert teacher.get(f"/workshop/pages/{name}.js", headers=loaded).status_code == 403
    opened = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}
    assert teacher.get(f"/workshop/pages/{name}", headers=opened).status_code == 200


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
