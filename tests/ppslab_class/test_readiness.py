"""The doctor of a hall finds what is missing, each thing by itself."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from ppslab.core.errors import CannotHereError
from ppslab_class import readiness
from tests.ppslab_class.class_room import site


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("", 0))
        return int(asked.getsockname()[1])


def states(
    pages: Path, seats: int = 30, folder: Path | None = None, port: int = 0, staff_port: int = 0
) -> dict[str, str]:
    ports = (port or free_port(), staff_port or free_port())
    found = readiness.points(seats, pages, folder or pages.parent / "day", ports)
    assert all(each.remedy for each in found if each.state != "ready"), "what to do is said"
    return {each.what: each.state for each in found}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    made = site(tmp_path / "site")
    (made / "lite").mkdir()
    (made / readiness.ROUTER).mkdir(parents=True)
    return made


def test_what_is_not_in_the_site_is_told(tmp_path: Path, pages: Path) -> None:
    assert "missing" in states(tmp_path / "nothing").values()
    before = states(pages)
    shutil.rmtree(pages / "lite")
    changed = {name: state for name, state in states(pages).items() if state != before[name]}
    assert list(changed.values()) == ["warning"]


def test_a_port_that_is_taken(pages: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("", 0))
        holder.listen()
        taken = holder.getsockname()[1]
        for which in ("port", "staff_port"):
            found = states(pages, **{which: taken})  # type: ignore[arg-type]
            others = {name for name, state in found.items() if "port" in name and state == "ready"}
            assert len(others) == 1, "the other port is free"


def test_memory_and_disk_are_wanted_by_the_seat(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert states(pages, seats=10**9)["memory"] == "missing"
    usage = SimpleNamespace(free=30 * readiness.DAY_BYTES)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert states(pages, seats=30)["disk"] == "ready"
    assert states(pages, seats=31)["disk"] == "missing"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert states(pages)["disk"] == "missing"


def test_a_machine_in_no_network_and_a_clock_of_the_past(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = ["localhost", "127.0.0.1"]
    monkeypatch.setattr("ppslab_class.certificate.addresses", lambda: alone)
    assert states(pages)["address"] == "missing"
    os.utime(pages / "index.html", (4e9, 4e9))
    assert states(pages)["clock"] == "missing"


def test_a_machine_that_prints_nothing_still_holds_a_class(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: str) -> bytes:
        raise CannotHereError("no Pango", "make setup")

    monkeypatch.setattr("ppslab.show.paper.pdf", broken)
    assert states(pages)["cards"] == "warning"
