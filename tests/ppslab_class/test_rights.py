"""The board's rights, role by role and address by address, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from ppslab_class import server
from ppslab_class.board.board import RIGHTS, Right
from tests.ppslab_class.class_room import ClassRoom, batch, event, served

SEATS: Final = {"learner": "seat-01", "instructor": "instructor", "projector": "projector"}
ADDRESSES: Final[dict[tuple[str, str], tuple[Right | None, Any]]] = {
    ("POST", "join"): (None, {"code": "WRONG"}),
    ("POST", "leave"): ("leave", {}),
    ("GET", "seat"): ("read messages", None),
    ("POST", "events"): ("send reports", batch(event("one", "at", "book/x"))),
    ("GET", "class"): ("see the class", None),
    ("POST", "act"): ("control the class", {"do": "pause", "on": False}),
    ("GET", "projector"): ("see the projector", None),
    ("POST", "share"): ("share a terminal", {"consent": "rights-01", "see": True, "type": True}),
    ("GET", "watch"): ("see a terminal", None),
    ("POST", "keys"): ("type at a terminal", {"seat": "seat-03", "text": "ls"}),
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClassRoom]:
    with served(tmp_path_factory.mktemp("day")) as made:
        yield made


def test_every_address_stands_in_the_table(room: ClassRoom) -> None:
    made = server.application(room.hall)
    paths = [rule.matcher.regex.pattern for rule in made.wildcard_router.rules]  # type: ignore[attr-defined]
    served_ones = {path.split("/")[-1].rstrip("$") for path in paths if "/api/" in path}
    assert served_ones == {name for _, name in ADDRESSES}


@pytest.mark.parametrize("role", [None, *SEATS])
@pytest.mark.parametrize(("method", "name"), ADDRESSES)
def test_who_may_what(room: ClassRoom, role: str | None, method: str, name: str) -> None:
    right, body = ADDRESSES[method, name]
    client = room.client(SEATS[role] if role else None)
    if name in ("watch", "keys"):  # A seat whose learner agrees: else nobody may.
        agreed = {"consent": "rights-03", "see": True, "type": True}
        room.client("seat-03").post("/workshop/api/share", json=agreed)
    query = "?seat=seat-03" if name == "watch" else ""
    answer = client.request(method, f"/workshop/api/{name}{query}", json=body)
    if name == "join":
        assert answer.status_code == 403 and "code" in answer.text
    elif role is None:
        assert answer.status_code == 401
    elif role in RIGHTS[right]:  # type: ignore[index]
        assert answer.status_code == 200, answer.text
    else:
        assert answer.status_code == 403 and "no right" in answer.text


@pytest.mark.parametrize("role", SEATS)
def test_a_role_does_not_get_more_by_another_method(room: ClassRoom, role: str) -> None:
    client = room.client(SEATS[role])
    for _, name in ADDRESSES:
        for method in ("PUT", "DELETE", "PATCH"):
            assert client.request(method, f"/workshop/api/{name}").status_code in (403, 405)


def test_a_learner_tells_of_itself_only(room: ClassRoom) -> None:
    client = room.client("seat-02")
    forged = batch(event("forged", "help", "x", "asked")) | {"seat": "seat-03"}
    assert client.post("/workshop/api/events", json=forged).status_code == 400
    fine = batch(event("fine", "help", "x", "asked"))
    assert client.post("/workshop/api/events", json=fine).status_code == 200
    seats = room.client("instructor").get("/workshop/api/class").json()["seats"]
    assert [seat["name"] for seat in seats if seat["help"]] == ["seat-02"]


def test_a_learner_hears_no_message_to_another(room: ClassRoom) -> None:
    teacher = room.client("instructor")
    said = {"do": "message", "seats": ["seat-03"], "text": "only for three"}
    assert teacher.post("/workshop/api/act", json=said).status_code == 200
    heard = [room.client(f"seat-0{n}").get("/workshop/api/seat?after=0").text for n in (1, 2, 3)]
    assert ["only for three" in each for each in heard] == [False, False, True]


def test_a_form_of_another_site_does_nothing(room: ClassRoom) -> None:
    teacher = room.client("instructor")
    act = '{"do": "end", "on": true}'
    plain = {"Content-Type": "text/plain"}
    assert teacher.post("/workshop/api/act", content=act, headers=plain).status_code == 403
    foreign = {"Content-Type": "application/json", "Origin": "http://evil.example"}
    assert teacher.post("/workshop/api/act", content=act, headers=foreign).status_code == 403
    assert not teacher.get("/workshop/api/class").json()["day"]["over"]


def test_the_cookie_is_of_no_script_and_of_no_other_site(room: ClassRoom) -> None:
    answer = room.client().post("/workshop/api/join", json={"code": room.codes["seat-01"]})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert "token" not in answer.json()


@pytest.mark.parametrize("who", ["seat-01", "instructor", "projector"])
def test_no_seats_process_is_shown_a_token(room: ClassRoom, who: str) -> None:
    """Cookies know no ports: a seat's JupyterLab is at another port of the same host."""
    client = room.client(who)
    for path in ("/", "/hub/login", "/user/seat-02/lab", "/user/seat-02/proxy/5000/"):
        assert "Cookie" not in client.build_request("GET", path).headers, path
    shown = client.build_request("GET", "/workshop/api/seat").headers["Cookie"]
    client.post("/workshop/api/leave", json={})
    for path in ("/workshop/api/seat", "/book/eoip/index.html"):
        assert "Cookie" not in client.build_request("GET", path).headers
    assert "ppslab-seat=" in shown


def test_who_left_is_out(room: ClassRoom) -> None:
    client = room.client("seat-01")
    token = client.cookies["ppslab-seat"]
    client.post("/workshop/api/leave", json={})
    shown = {"Authorization": f"Bearer {token}"}
    assert room.client().get("/workshop/api/seat", headers=shown).status_code == 401
