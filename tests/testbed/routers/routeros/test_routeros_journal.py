"""The journal: what a killed run left is put back by the next, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import BackendError, FileError, UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.routeros.changes import journal
from tests.support.doubles.routeros_rest import Device, Server
from tests.support.waiting import PATIENCE
from tests.testbed.routers.conftest import PASSWORD, Make, configuration, lab_of

RUN = """
import os, sys
from pathlib import Path
from pydantic import SecretStr
from ppslab.model.lab import lab as labs
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.router import RouterOSRouter
url, place = sys.argv[1:3]
lab = labs.find("fastpath")
device = RouterOS(url=url, password=SecretStr(os.environ["PPSLAB_DUT_PASSWORD"]))
router = RouterOSRouter(device, lab, ports={}, journal=Path(place), backup=False)
router.open()
router.apply(lab.conditions["routing-fast-path"])
router.apply(lab.conditions["routing-13-rules"])
"""


class KilledAt:
    """Makes a device hold its answer to the n-th request that changes it, until it is let go."""

    def __init__(self, device: Device, number: int, *, done: bool) -> None:
        self.reached = threading.Event()
        self.gone = threading.Event()
        self._left = number
        self._done = done
        self._answer = device.answer
        device.answer = self._held  # type: ignore[method-assign]

    def _held(self, method: str, path: str, words: Any) -> Any:
        if method == "GET":
            return self._answer(method, path, words)
        self._left -= 1
        if self._left != 0:
            return self._answer(method, path, words)
        found = self._answer(method, path, words) if self._done else None
        self.reached.set()
        self.gone.wait(PATIENCE)
        return found


@pytest.mark.long
@pytest.mark.parametrize(("number", "done"), [(2, True), (9, False), (20, True)])
def test_what_a_killed_run_left_is_put_back_by_the_next(
    make: Make, device: Device, server: Server, tmp_path: Path, number: int, done: bool
) -> None:
    before = configuration(device)
    whole, held = device.answer, KilledAt(device, number, done=done)
    place = tmp_path / "router.journal"
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, server.url, str(place)],
        env={**os.environ, "PPSLAB_DUT_PASSWORD": PASSWORD},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert held.reached.wait(PATIENCE), run.communicate()[1]
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert run.stderr is not None
        run.stderr.close()
        held.gone.set()
    device.answer = whole  # type: ignore[method-assign]
    assert configuration(device) != before
    assert PASSWORD not in place.read_text()
    with make() as router:
        assert configuration(device) == before
        assert router.notes
    assert not place.exists()


def test_two_runs_do_not_share_a_router(make: Make) -> None:
    with make(), pytest.raises(UsageError, match="another run"):
        make().open()


def test_the_journal_of_another_device_is_not_put_back(
    make: Make, device: Device, fastpath: Lab
) -> None:
    killed = make()
    killed.open()
    killed.apply(fastpath.conditions["routing-plain"])
    os.close(killed._journal._handle)
    whole = device.answer

    def another(method: str, path: str, words: Any) -> Any:
        found = whole(method, path, words)
        return found | {"system-id": "another"} if path.endswith("/license") else found

    device.answer = another  # type: ignore[method-assign]
    there = configuration(device)
    with pytest.raises(FileError, match="device"):
        make().open()
    assert configuration(device) == there


@pytest.mark.parametrize("text", ["{}\n", "what\n", '{"form": 99, "device": "x"}\n'])
def test_a_file_that_is_no_journal(make: Make, tmp_path: Path, text: str) -> None:
    (tmp_path / "router.journal").write_text(text)
    with pytest.raises(FileError, match=r"router.journal:1: "):
        make().open()


def test_a_line_that_was_cut_off_is_no_change(tmp_path: Path) -> None:
    place = tmp_path / "a.journal"
    first = journal.Journal.open(place, "device")
    kept = first.adding("/ip/arp", {"address": "198.18.1.2"}, "x.rsc:1")
    first.done(kept, {".id": "*1", "address": "198.18.1.2"})
    first.close()
    with place.open("a") as file:
        file.write('{"change": {"number": 2, "do": "add", "me')
    second = journal.Journal.open(place, "device")
    assert [change.id for change in second.changes] == ["*1"]
    second.undone(second.changes[0])
    second.close()
    assert not place.exists()


def test_a_long_run_leaves_no_long_journal(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "LONG", 50)
    before = configuration(device)
    place = tmp_path / "router.journal"
    longest = 0
    router = make()
    router.open()
    for _ in range(4):
        for name in ("routing-3-rules", "routing-fast-path"):
            router.apply(fastpath.conditions[name])
            longest = max(longest, len(place.read_text().splitlines()))
    assert longest < 120
    with pytest.raises(UsageError, match="another run"):
        make().open()
    router._journal.close()  # as a killed run leaves it
    with make() as second:
        assert "put back first" in second.notes[0]
        assert configuration(device) == before
    assert not list(tmp_path.glob("router*"))


def test_no_secret_stands_in_it(make: Make, device: Device, tmp_path: Path) -> None:
    lab = lab_of(
        tmp_path / "made",
        "/interface/eoip add name=eoip1 remote-address=198.19.2.2 tunnel-id=1 ipsec-secret=hunter2 "
        "allow-fast-path=no\n/ppp/secret add name=a password=hunter2\n"
        "/ppp/secret set [find where name=a] password=hunter3\n",
    )
    before = configuration(device)
    with make(lab) as router:
        router.apply(lab.conditions["c"])
        read = router.read_back(lab.conditions["c"])
        text = (tmp_path / "router.journal").read_text()
        assert read.problems == ()
        for place in (text, read.text, repr(router.statements(lab.conditions["c"])[0])):
            assert "hunter" not in place or place.startswith("Statement(")
        assert "hunter" not in " ".join(map(str, router.statements(lab.conditions["c"])))
        assert any("(hidden)" in line for line in text.splitlines())
    assert configuration(device) == before


def test_a_row_of_somebody_else_that_is_like_ours_is_not_taken(
    make: Make, device: Device, tmp_path: Path
) -> None:
    """Killed before the answer came: the row that was there before is not the one we made."""
    lab = lab_of(tmp_path / "made", "/ip/firewall/filter add chain=forward action=accept\n")
    theirs = {"chain": "forward", "action": "accept", "disabled": "false"}
    device.tree.items("/ip/firewall/filter")["*70"] = dict(theirs)
    before = configuration(device)
    device.fault("hangs-up", "/ip/firewall/filter", method="PUT", times=1)
    with make(lab) as router, pytest.raises(BackendError):
        router.apply(lab.conditions["c"])
    assert configuration(device) == before


def test_rows_with_other_ids_after_a_reboot_are_known_again(
    make: Make, device: Device, tmp_path: Path
) -> None:
    lab = lab_of(
        tmp_path / "made",
        "/ip/arp add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=ether2\n",
    )
    before = configuration(device)
    with make(lab) as router:
        router.apply(lab.conditions["c"])
        rows = device.tree.items("/ip/arp")
        (old,) = rows
        rows["*99"] = rows.pop(old)
    assert configuration(device) == before


def test_it_is_for_this_user_alone(make: Make, fastpath: Lab, tmp_path: Path) -> None:
    with make() as router:
        router.apply(fastpath.conditions["routing-plain"])
        place = tmp_path / "router.journal"
        assert place.stat().st_mode & 0o777 == 0o600
        for line in place.read_text().splitlines():
            json.loads(line)


def test_where_no_journal_can_be_kept_nothing_is_changed(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"router\.journal"):
        make(journal=tmp_path / "file" / "router.journal").open()
    if not Path("/dev/full").exists():
        return
    router = make()
    router.open()
    handle = router._journal._handle
    router._journal._handle = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(FileError, match="journal"):
        router.apply(fastpath.conditions["routing-plain"])
    os.close(router._journal._handle)
    router._journal._handle = handle
    assert configuration(device) == before


def test_where_it_is_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ppslab.testbed.routers.devices import Device as Address

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    found = journal.default_path(Address(url="https://[2001:db8::1]:8443"))
    assert found == tmp_path / "ppslab" / "routers" / "2001_db8__1_8443.journal"
