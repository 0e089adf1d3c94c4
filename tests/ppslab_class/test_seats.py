"""A seat: what `ppslab task` tells from one's own, and on a server its home, kernel and files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
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
from ppslab.testbed.backends.capabilities import guest_kernel
from ppslab_class import afterwards, certificate, homes
from ppslab_class.board import Board
from ppslab_class.server import Tls
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
    with served(tmp_path / "day", ports=(port, 0)) as again:
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
    pair = certificate.ensure(tmp_path, ["127.0.0.1"])
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


# --- on a server, beside the hub ---------------------------------------------------------------


def test_what_the_hub_left_is_removed_with_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "HOMES", tmp_path / "lib/private")
    folder = tmp_path / "day"
    folder.mkdir()
    board = Board(folder)
    board.set_up(1, "A day", None)
    board.close()
    for name in afterwards.HUB:
        (folder / name).touch()
    home, other = homes.make("seat-01"), homes.make("seat-02")
    (tmp_path / "lib/seat-01").symlink_to(home)
    (home / "notes").write_text("what somebody wrote")
    assert home in afterwards.remove(folder)
    assert not folder.exists() and not home.exists() and other.is_dir()
    assert not (tmp_path / "lib/seat-01").is_symlink()


@pytest.mark.long
def test_a_terminal_of_a_seat_finds_ppslab(tmp_path: Path) -> None:
    """JupyterLab's is a login shell, whose /etc/profile sets PATH anew."""
    home = tmp_path / "home"
    home.mkdir()
    words = f"exec env -i HOME={home} PATH=/usr/bin:/bin bash -lc 'command -v ppslab; echo $PATH'"
    seat = os.environ | {"HOME": str(home), "JUPYTERHUB_USER": "seat-01", "SHELL": "/bin/sh"}
    done = subprocess.run(
        [f"{sys.prefix}/bin/ppslab", "workshop", "shell", "--hub", "sh", "-c", words],
        env=seat, capture_output=True, text=True, check=True,
    )  # fmt: skip
    program, path = done.stdout.splitlines()
    assert Path(program) == Path(sys.executable).with_name("ppslab")
    assert "/usr/sbin" in path.split(":"), "where Debian has ip and tc"


def test_a_seat_has_the_machines_kernel_where_its_own_ppslab_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "HOMES", tmp_path / "private")
    monkeypatch.delenv("PPSLAB_KERNEL", raising=False)
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path / "roots"))
    home = homes.make("seat-01")
    bound = homes.kernels(home)
    source, _, target = bound.split()[0].partition(":")
    assert source == f"-{tmp_path / 'roots/kernel'}", "a dash: it may be missing"
    monkeypatch.delenv("PPSLAB_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: home)
    assert Path(target) == guest_kernel.kernel_dir()
    assert Path(target).is_dir(), "else systemd makes it, and the seat may not write beside it"
