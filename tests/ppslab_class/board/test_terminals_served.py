"""Terminals over HTTP: who sees, who types, and nothing on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest

from ppslab_class import afterwards
from ppslab_class.board import Board, screens
from tests.ppslab_class.board.sharing import ONE, SECRET, TWO
from tests.ppslab_class.class_room import CONTENT, ClassRoom, batch, event


@pytest.fixture
def teacher(room: ClassRoom) -> httpx.Client:
    return room.client("instructor")


def share(client: httpx.Client, **words: Any) -> Any:
    told = {"consent": ONE, "see": True, **words}
    answer = client.post("/workshop/api/share", json=told)
    assert answer.status_code == 200, answer.text
    return answer.json()


def watch(client: httpx.Client, seat: str = "seat-01") -> httpx.Response:
    return client.get(f"/workshop/api/watch?seat={seat}")


def keys(client: httpx.Client, **words: Any) -> httpx.Response:
    told = {"seat": "seat-01", "text": SECRET, "key": "enter", **words}
    return client.post("/workshop/api/keys", json=told)


@pytest.fixture
def everybody(room: ClassRoom) -> Iterator[dict[str, httpx.Client]]:
    names = ("seat-01", "seat-02", "projector", "instructor")
    yield {"nobody": room.client(), **{name: room.client(name) for name in names}}


def test_who_sees_and_who_types_role_by_role(everybody: dict[str, httpx.Client]) -> None:
    """The learner's own seat too: what it shows goes to the instructor alone."""
    share(everybody["seat-01"], first=True, type=True)
    allowed = {"nobody": 401, "seat-01": 403, "seat-02": 403, "projector": 403, "instructor": 200}
    for name, status in allowed.items():
        assert watch(everybody[name]).status_code == status, name
        assert keys(everybody[name]).status_code == status, name
    told = {"consent": TWO, "see": True, "first": True}
    for name in ("nobody", "projector", "instructor"):
        answer = everybody[name].post("/workshop/api/share", json=told)
        assert answer.status_code == allowed[name] if name == "nobody" else 403
    forged = everybody["seat-02"].post("/workshop/api/share", json={**told, "seat": "seat-01"})
    assert forged.status_code == 400
    assert share(everybody["seat-02"])["keys"] == [], "what is typed at another seat"


def test_the_instructor_sees_and_types_while_the_learner_agrees(
    room: ClassRoom, teacher: httpx.Client
) -> None:
    learner = room.client("seat-01")

    def offered() -> str:
        rows = teacher.get("/workshop/api/class").json()["seats"]
        return next(str(row["terminal"]) for row in rows if row["name"] == "seat-01")

    assert (offered(), watch(teacher).status_code, keys(teacher).status_code) == ("", 403, 403)
    assert "does not show its terminal" in watch(teacher).json()["error"]
    share(learner, first=True)
    assert (offered(), watch(teacher).status_code, keys(teacher).status_code) == ("see", 200, 403)
    assert share(learner, text="lab# ")["watched"]
    assert watch(teacher).json()["text"] == "lab# "
    share(learner, type=True)
    for wrong in ({"text": "\x1b[2J"}, {"text": "x" * 500}, {"key": "ctrl-d"}):
        assert keys(teacher, **wrong).status_code == 400
    assert (offered(), keys(teacher).json()) == ("type", {"n": 1})
    assert share(learner, type=True)["keys"] == [{"n": 1, "text": SECRET, "key": "enter"}]
    share(learner, see=False)
    assert (offered(), watch(teacher).status_code, keys(teacher).status_code) == ("", 403, 403)


def test_a_seat_that_shows_too_often_waits(room: ClassRoom) -> None:
    learner = room.client("seat-01")
    told = {"consent": ONE, "see": True, "text": "x" * screens.MOST_TEXT}
    states = [
        learner.post("/workshop/api/share", json=told).status_code
        for _ in range(int(room.hall.shares.size) + 10)
    ]
    assert states[0] == 200 and 429 in states
    share(room.client("seat-02"))
    large = {**told, "text": "x" * (screens.MOST_TEXT + 1)}
    assert room.client("seat-03").post("/workshop/api/share", json=large).status_code == 400


def test_an_instructor_who_types_too_much_waits(room: ClassRoom, teacher: httpx.Client) -> None:
    share(room.client("seat-01"), first=True, type=True)
    states = [keys(teacher).status_code for _ in range(screens.MOST_WAITING + 10)]
    assert states[: screens.MOST_WAITING] == [200] * screens.MOST_WAITING and states[-1] == 429


def test_nothing_of_a_terminal_is_on_the_disk_or_in_the_report(
    room: ClassRoom, teacher: httpx.Client, tmp_path: Path
) -> None:
    learner = room.client("seat-01")
    learner.post("/workshop/api/events", json=batch(event("one", "at", "book/x")))
    share(learner, first=True, type=True)
    watch(teacher)
    share(learner, type=True, text=SECRET)
    assert SECRET in watch(teacher).text
    keys(teacher)
    assert SECRET in str(share(learner, type=True))
    board = Board(tmp_path)
    made = tmp_path / "afterwards"
    made.mkdir()
    assert afterwards.zips(board, made)
    report = afterwards.tasks_table(board, CONTENT).plain()
    board.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "board.sqlite" for path in files)
    held = [report.encode(), *(path.read_bytes() for path in files)]
    for path in files:
        if path.suffix == ".zip":
            with ZipFile(path) as packed:
                held += [packed.read(name) for name in packed.namelist()]
    for word in (SECRET, ONE):
        assert not any(word.encode() in each for each in held)
