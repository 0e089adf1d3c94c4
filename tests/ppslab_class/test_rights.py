"""The board's rights, role by role and address by address, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest
from tornado.web import Application

from ppslab_class import server
from ppslab_class.board.board import RIGHTS, STAFF, Right
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
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClassRoom]:
    with served(tmp_path_factory.mktemp("day")) as made:
        yield made


def names(application: Application) -> set[str]:
    paths = [rule.matcher.regex.pattern for rule in application.wildcard_router.rules]  # type: ignore[attr-defined]
    return {path.split("/")[-1].rstrip("$") for path in paths if "/api/" in path}


def test_every_address_stands_in_the_table(room: ClassRoom) -> None:
    learners, staffs = map(
        names, (server.application(room.hall), server.staff_application(room.hall))
    )
    assert learners | staffs == {name for _, name in ADDRESSES}
    for (_, name), (right, _) in ADDRESSES.items():
        roles = RIGHTS[right] if right else {"learner", "instructor"}
        assert (name in learners, name in staffs) == ("learner" in roles, "instructor" in roles)


@pytest.mark.parametrize("staff", [False, True], ids=["class", "staff"])
@pytest.mark.parametrize("role", [None, *SEATS])
@pytest.mark.parametrize(("method", "name"), ADDRESSES)
def test_who_may_what(
    room: ClassRoom, role: str | None, method: str, name: str, staff: bool
) -> None:
    """At both ports, whichever cookie the token is in."""
    right, body = ADDRESSES[method, name]
    joined = room.client(SEATS[role] if role else None)
    client = room.client(staff=staff)
    if role:
        token = next(iter(joined.cookies.jar)).value
        cookies = [f"{cookie}={token}" for cookie in server.COOKIES.values()]
        client.headers["Cookie"] = "; ".join(cookies)
    answer = client.request(method, f"/workshop/api/{name}", json=body)
    here = server.staff_application if staff else server.application
    if name not in names(here(room.hall)):
        assert answer.status_code in (404, 405)
    elif name == "join":
        assert answer.status_code == 403 and "code" in answer.text
    elif role is None or (role != "learner") != staff:
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
            assert client.request(method, f"/workshop/api/{name}").status_code in (403, 404, 405)


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


@pytest.mark.parametrize("seat", ["instructor", "projector", "seat-01"])
def test_a_code_at_the_other_port_opens_nothing_and_says_where(room: ClassRoom, seat: str) -> None:
    """A notebook on the class's origin could read what is typed there."""
    learner = seat not in STAFF
    answer = room.client(staff=learner).post("/workshop/api/join", json={"code": room.codes[seat]})
    assert answer.status_code == 403 and "Set-Cookie" not in answer.headers
    assert (room.address if learner else room.staff_address) in answer.json()["error"]


ASKING: Final = [("POST", "act", {"do": "end", "on": True}), ("GET", "class", None)]


@pytest.mark.parametrize(("method", "name", "body"), ASKING)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "CLASS"},
        {"Origin": "null"},
        {"Referer": "CLASS/lite/lab/index.html"},
        {"Origin": "CLASS", "Referer": "STAFF/workshop/pages/board"},
        {"Origin": "CLASS", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "STAFF", "Sec-Fetch-Site": "same-site"},
    ],
    ids=repr,
)
def test_the_board_answers_no_page_of_the_class(
    room: ClassRoom, method: str, name: str, body: Any, headers: dict[str, str]
) -> None:
    """The class's port is the same site: a browser shows it staff's cookie, SameSite or not."""
    teacher = room.client("instructor")
    for own in ("Origin", "Sec-Fetch-Site"):
        del teacher.headers[own]
    places = (("CLASS", room.address), ("STAFF", room.staff_address))

    def asked(headers: dict[str, str]) -> httpx.Response:
        for word, at in places:
            headers = {key: value.replace(word, at) for key, value in headers.items()}
        return teacher.request(method, f"/workshop/api/{name}", json=body, headers=headers)

    refused = asked(headers)
    assert refused.status_code == 403
    assert not [key for key in refused.headers if key.lower().startswith("access-control-")]
    assert not room.hall.board.day.over
    own = [{"Origin": "STAFF"}, {"Sec-Fetch-Site": "same-origin"}, {"Referer": "STAFF/x"}]
    for fine in own if method == "GET" else ():
        assert asked(fine).status_code == 200


def test_the_cookie_is_of_no_script_and_of_no_other_site(room: ClassRoom) -> None:
    answer = room.client().post("/workshop/api/join", json={"code": room.codes["seat-01"]})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert "token" not in answer.json()


@pytest.mark.parametrize("who", ["seat-01", "instructor", "projector"])
def test_no_seats_process_is_shown_a_token_and_who_left_is_out(room: ClassRoom, who: str) -> None:
    """Cookies know no ports: a seat's JupyterLab is at another port of the same host."""
    client = room.client(who)
    for path in ("/", "/hub/login", "/user/seat-02/lab", "/user/seat-02/proxy/5000/"):
        assert "Cookie" not in client.build_request("GET", path).headers, path
    shown = client.build_request("GET", "/workshop/api/seat").headers["Cookie"]
    assert f"{server.COOKIES[who in STAFF]}=" in shown
    client.post("/workshop/api/leave", json={})
    for path in ("/workshop/api/seat", "/book/eoip/index.html", "/es/book/eoip/index.html"):
        assert "Cookie" not in client.build_request("GET", path).headers
    api = "class" if who in STAFF else "seat"
    client.headers["Cookie"] = shown
    assert client.get(f"/workshop/api/{api}").status_code == 401
