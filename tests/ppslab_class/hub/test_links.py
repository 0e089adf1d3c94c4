"""The doctor of seats on this server tries to make a link, as a seat's user would."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.backends import capabilities
from ppslab.backends.capabilities import Usable
from ppslab.backends.nodes import isolation
from ppslab.cli import app
from ppslab_class.hub import links, running
from ppslab_class.readiness import Point
from tests.ppslab_class.class_room import site

APPARMOR = "kernel.apparmor_restrict_unprivileged_userns=0"


class Machine:
    """What refuses here: the word of a command, and what it then says."""

    def __init__(self, refuses: str, says: str) -> None:
        self.refuses, self.says = refuses, says
        self.asked: list[Sequence[str]] = []

    def run(self, words: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        self.asked.append(words)
        refused = self.refuses in words
        return subprocess.CompletedProcess(words, int(refused), "", self.says if refused else "")


@pytest.fixture
def guests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capabilities, "usable", lambda name: Usable(name, True, "QEMU"))


def machine(monkeypatch: pytest.MonkeyPatch, refuses: str, says: str) -> Machine:
    made = Machine(refuses, says)
    monkeypatch.setattr(links.subprocess, "run", made.run)
    monkeypatch.setattr(links.shutil, "which", lambda name, path: f"/usr/bin/{name}")
    monkeypatch.setattr(links.os, "geteuid", lambda: 0)
    return made


@pytest.mark.usefixtures("guests")
def test_a_user_who_may_unshare_and_make_no_link_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Ubuntu 24.04: the namespaces are there, and no power in them."""
    asked = machine(monkeypatch, links.LINK, "RTNETLINK answers: Operation not permitted\n").asked
    found = links.point()
    assert found.state == "warning" and found.found.count("\n") == 0
    assert "no link in them: RTNETLINK answers: Operation not permitted" in found.found
    assert "run in a guest" in found.found and APPARMOR in found.remedy
    for words in asked:
        assert words[:2] == ("setpriv", "--no-new-privs") and "--clear-groups" in words
        assert words[words.index("--reuid") + 1] == links.NOBODY, "root could, and a seat is not"


@pytest.mark.usefixtures("guests")
def test_a_user_who_may_not_unshare_is_told_with_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user/max_user_namespaces").write_text("0\n")
    monkeypatch.setattr(isolation, "_SETTINGS", tmp_path)
    machine(monkeypatch, "true", "unshare: unshare failed: No space left on device")
    found = links.point()
    assert "may not make namespaces" in found.found and "No space left" in found.found
    assert found.remedy == "sudo sysctl -w user.max_user_namespaces=15000"


def test_without_links_and_without_guests_something_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capabilities, "usable", lambda name: Usable(name, False, "no QEMU"))
    machine(monkeypatch, links.LINK, "Unknown device type.")
    assert links.point().state == "missing"
    monkeypatch.setattr(links.shutil, "which", lambda name, path: None if name == "ip" else name)
    assert links.point().remedy == "apt-get install iproute2"


@pytest.mark.long
def test_only_seats_on_this_server_need_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "points", list)
    monkeypatch.setattr(links, "point", lambda: Point(links.WHAT, "ready", "made"))
    asked = ["workshop", "doctor", "--site", str(site(tmp_path / "site")), "--seats", "1"]
    asked += ["--folder", str(tmp_path / "day")]
    assert links.WHAT not in CliRunner().invoke(app, asked).output
    assert links.WHAT in CliRunner().invoke(app, [*asked, "--kind", "server"]).output


@pytest.mark.live
def test_a_link_is_made_here_and_none_is_left() -> None:
    """A machine that cannot says why; what this one can, `ppslab doctor` asks in another way."""
    before = sorted(each.name for each in Path("/sys/class/net").iterdir())
    found = links.point()
    assert found.state == "ready" or found.remedy
    assert sorted(each.name for each in Path("/sys/class/net").iterdir()) == before
    if found.state != "ready":
        pytest.skip(found.found)
