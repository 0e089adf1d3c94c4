"""`ppslab task` at a seat of its own: nothing is told before joining, and all of it after."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ppslab.cli import task as command
from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.course import own_seat
from ppslab.course.tasks import reading
from ppslab.course.tasks.checks import Finding
from ppslab.course.tasks.walking import Checked, Walk
from ppslab.judge import costs
from ppslab.model.lab import lab
from ppslab_class.server import certificate
from ppslab_class.server.serving import Tls
from tests.ppslab_class.class_room import TASK, ClassRoom, served
from tests.support.factory import make_record


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def seen(room: ClassRoom) -> dict[str, dict[str, int]]:
    seats = room.client("instructor").get("/workshop/api/class").json()["seats"]
    return {seat["name"]: seat["tasks"] for seat in seats}


def test_nothing_is_told_or_kept_before_joining(state: Path) -> None:
    assert own_seat.tell("tried", TASK, "fail") == []
    assert not state.exists()
    assert own_seat.leave() is False


def test_what_a_task_does_comes_to_the_board(room: ClassRoom) -> None:
    own_seat.join(f"{room.address}/workshop", room.codes["seat-02"].lower())
    walk = Walk(reading.load(lab.find("fastpath")))
    task = walk.tasks.task("open-it")
    failed = Checked(task, [Finding("Packets arrive", "fail", "none does", "")])
    assert command._check(failed, walk) == 1
    command._hint(walk, "open-it")
    passed = Checked(task, [Finding("Packets arrive", "pass", "all do", "")])
    assert command._check(passed, walk) == 0
    told = seen(room)["seat-02"][TASK]
    assert (told["fails"], told["hints"], bool(told["done"])) == (1, 1, True)
    assert seen(room)["seat-01"] == {}
    assert stat.S_IMODE(own_seat.file().stat().st_mode) == 0o600


def test_what_a_run_measured_stands_beside_the_guesses(room: ClassRoom) -> None:
    record = make_record()
    assert own_seat.tell_measured(record) == [], "nobody has joined"
    own_seat.join(room.address, room.codes["seat-03"])
    own_seat.tell_measured(record)
    told = room.hall.board.seats["seat-03"].measured
    others = [each.name for each in record.conditions if each.name != record.reference]
    assert others and set(told) == {f"{record.lab}/prediction/{name}" for name in others}
    size = min(record.frame_sizes)
    for name in others:
        ratio = costs.ratio(record, name, record.reference, size)
        shown = told[f"{record.lab}/prediction/{name}"].value
        assert float(shown) == pytest.approx(ratio.estimate, rel=0.005)


@pytest.mark.long
def test_what_is_told_without_a_board_waits_and_comes_once(tmp_path: Path) -> None:
    (tmp_path / "day").mkdir()
    with served(tmp_path / "day") as room:
        own_seat.join(room.address, room.codes["seat-01"])
        port = int(room.address.rsplit(":", 1)[1])
    for _ in range(3):
        assert own_seat.tell("tried", TASK, "fail") == []
    assert len(own_seat.waiting().read_text().splitlines()) == 3
    with own_seat.waiting().open("a") as cut:
        cut.write('{"id": "half')
    with served(tmp_path / "day", port=port) as again:
        again.codes = room.codes
        said = {"do": "message", "seats": ["seat-01"], "text": "Look up", "link": "/book/x"}
        again.client("instructor").post("/workshop/api/act", json=said)
        assert own_seat.tell("tried", TASK, "pass") == ["Look up /book/x"]
        assert own_seat.tell("hint", TASK) == [], "a message is heard once"
        assert seen(again)["seat-01"][TASK]["fails"] == 3
        assert own_seat.waiting().read_text() == ""
        assert own_seat.leave() is True
        assert not own_seat.file().exists() and not own_seat.waiting().exists()


def test_a_halls_certificate_is_trusted_by_the_cards_fingerprint_alone(tmp_path: Path) -> None:
    pair = certificate.made(tmp_path, ["127.0.0.1"])
    shown = certificate.fingerprint(pair[0])
    with served(tmp_path, tls=Tls(*pair)) as room:
        code = room.codes["seat-01"]
        with pytest.raises(CannotHereError, match="--fingerprint"):
            own_seat.join(room.address, code)
        with pytest.raises(UsageError, match="certificate"):
            own_seat.join(room.address, code, "AB:CD")
        assert own_seat.join(room.address, code, shown).certificate.startswith("-----BEGIN")
        own_seat.tell("tried", TASK, "fail")
        assert own_seat.waiting().read_text() == "", "told over TLS"


def test_a_wrong_code_or_address_is_told(room: ClassRoom) -> None:
    with pytest.raises(UsageError, match="code"):
        own_seat.join(room.address, "AAAA-AAAA")
    with pytest.raises(UsageError, match="card"):
        own_seat.join("192.0.2.7", "AAAA-AAAA")
    with pytest.raises(UsageError, match="browser"):
        own_seat.join(room.address, room.codes["instructor"])
    own_seat.folder().mkdir(parents=True, exist_ok=True)
    own_seat.file().write_text('{"address": 1}')
    with pytest.raises(FileError, match="seat"):
        own_seat.load()
    assert own_seat.tell("tried", TASK, "fail") == [], "a task goes on all the same"
