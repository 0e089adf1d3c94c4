"""Changes of a router: the journal, what goes wrong on the way, and what is put back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ppslab.core.errors import BackendError, CannotHereError, FileError, PpslabError, UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers import devices
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import api, changes, journal
from ppslab.testbed.routers.routeros import router as routers
from ppslab.testbed.routers.routeros.api import Api
from tests.support.doubles.http_server import Answered, HttpServer
from tests.support.doubles.routeros_rest import Device, HungUpError, Server, bad
from tests.support.waiting import PATIENCE
from tests.testbed.routers.conftest import PASSWORD, Make, configuration, lab_of, stand

FILTER = "/ip/firewall/filter"
TRACKING = "/ip/firewall/connection/tracking"

Clean = Callable[[], Any]


@pytest.fixture
def rules(fastpath: Lab) -> Any:
    """The condition whose thirteen rules stand in filter-13.rsc."""
    return fastpath.conditions["routing-13-rules"]


@pytest.fixture
def as_before(device: Device, tmp_path: Path) -> Iterator[Clean]:
    """Checks that the device is configured as it was; at the end, that no file of ours is left."""
    before = configuration(device)

    def check() -> None:
        assert configuration(device) == before

    yield check
    check()
    files = [file.read_text() for file in tmp_path.glob("**/*") if file.is_file()]
    assert not any(PASSWORD in text for text in files)
    assert not (tmp_path / "router.journal").exists()


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [0, 9])
def test_a_refused_statement_is_told_with_its_line_and_all_is_taken_back(
    make: Make, device: Device, rules: Any, as_before: Clean, after: int
) -> None:
    detail = "failure: in/out-interface matcher not possible"
    device.fault("refuses", FILTER, method="PUT", after=after, times=1, detail=detail)
    with make() as router:
        with pytest.raises(BackendError) as told:
            router.apply(rules)
        assert f"fastpath/routeros/filter-13.rsc:{4 + after}: RouterOS: {detail}" in str(told.value)
        as_before()
        # The next try stands.
        stand(router, rules)


@pytest.mark.parametrize(
    ("name", "method", "path", "after"),
    [
        ("refuses", "PUT", FILTER, 3),  # after RouterOS's 60 s
        ("hangs-up", "PUT", "/i", 2),
        ("hangs-up", "PATCH", "/i", 2),
        ("lost-answer", "PUT", "/i", 2),
        ("lost-answer", "PATCH", "/i", 2),
        ("lost-answer", "POST", "/ip/firewall/connection", 0),
    ],
)
def test_a_call_that_breaks_off_leaves_nothing(
    make: Make, device: Device, rules: Any, as_before: Clean,
    name: str, method: str, path: str, after: int,
) -> None:  # fmt: skip
    device.fault(name, path, method=method, after=after, times=1, detail=api.CLOSED)
    with make() as router:
        with pytest.raises(BackendError, match="60 s" if name == "refuses" else None):
            router.apply(rules)
        as_before()


def test_what_was_set_is_put_back_though_nobody_could_look(
    make: Make, device: Device, rules: Any, as_before: Clean
) -> None:
    whole, asked = device.answer, []

    def blind(method: str, path: str, words: object) -> object:
        """Refuses the look at what was set, once."""
        found = whole(method, path, words)
        asked.extend([path] if TRACKING in path else [])
        if asked[-2:] == [f"/rest{TRACKING}/set", f"/rest{TRACKING}"] and len(asked) == 3:
            raise bad("not now")
        return found

    device.answer = blind  # type: ignore[method-assign]
    with make() as router:
        with pytest.raises(BackendError, match="not now"):
            router.apply(rules)
        as_before()


def test_a_router_that_does_not_answer_any_more_is_put_back_by_the_next_run(
    make: Make, device: Device, rules: Any, as_before: Clean, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a killed run asked for long ago RouterOS makes no more: nobody waits for it."""
    before = configuration(device)
    router = make()
    router.open()
    device.fault("hangs-up", after=40)
    with pytest.raises(BackendError):
        router.apply(rules)
    assert any(change.asked for change in router._journal.changes)
    with pytest.raises(PpslabError):
        router.close()
    assert configuration(device) != before
    device.faults.clear()

    def waits(seconds: float) -> None:
        raise AssertionError(f"waits for {seconds:g} s")

    now = time.time()
    monkeypatch.setattr(changes, "MADE_WITHIN", 60.0)
    monkeypatch.setattr(time, "time", lambda: now + 60)
    monkeypatch.setattr(time, "sleep", waits)
    with make() as second:
        as_before()
        assert len(second.notes) == 1


def test_what_the_router_does_not_let_us_take_back_is_tried_by_the_next_run(
    make: Make, device: Device, rules: Any, as_before: Clean
) -> None:
    router = make()
    router.open()
    router.apply(rules)
    device.fault("refuses", FILTER, method="DELETE", times=3)
    with pytest.raises(BackendError, match=FILTER):
        router.close()
    assert len(device.tree.items(FILTER)) == 3
    with make() as second:
        as_before()
        assert second.notes[0].startswith("3 ")


def test_a_router_that_is_still_starting_is_waited_for(make: Make, device: Device) -> None:
    device.fault("answers", "/system/resource", times=1, body="<html>RouterOS</html>")
    device.fault("hangs-up", "/system/resource", times=2)
    with make() as router:
        assert router.facts()["routeros"]["board-name"] == "CHR"
    asked = [path for _, path, _ in device.requests if path.endswith("/system/resource")]
    assert len(asked) == 1 + 2 + 2


@pytest.mark.usefixtures("as_before")
def test_a_body_that_belongs_to_another_question_is_no_answer(make: Make, device: Device) -> None:
    device.fault("answers", "/ip/address", method="GET", body={"version": "7.19.4 (stable)"})
    with pytest.raises(BackendError, match="/ip/address"):
        make().open()


def test_nobody_answers(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routers, "READY_SECONDS", 0.1)
    router = make(remedy="plug it in")
    object.__setattr__(router.api.device, "url", "http://127.0.0.1:9")
    with pytest.raises(CannotHereError) as told:
        router.open()
    assert told.value.remedy == "plug it in"


def test_what_the_router_did_not_keep_is_found_by_the_read_back(
    make: Make, device: Device, rules: Any
) -> None:
    device.fault("keeps-not", FILTER, method="PUT", after=1, times=1)
    with make() as router:
        router.apply(rules)
        (problem,) = router.read_back(rules).problems
        assert problem.startswith("labs/fastpath/routeros/filter-13.rsc:5: ")
        assert FILTER in problem


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("/ip/firewall/filter add chain=forward action=dorp\n", "does not match any value"),
        ("/ip/arp add address=198.18.1.2\n", "interface"),
        ("/ip/nonsense add a=b\n", "no such command"),
        ("/interface/ethernet set ether99 mtu=1500\n", "it has ether1"),
        ("/ppp/secret set [find where name=theirs] password=new\n", "/ppp/secret"),
        ("/ip/pool add name=a ranges=198.18.1.2\n", "/system/device-mode/update"),
    ],
)
@pytest.mark.usefixtures("as_before")
def test_a_statement_that_fails_is_told_with_file_and_line(
    make: Make, device: Device, tmp_path: Path, script: str, said: str
) -> None:
    """By RouterOS's own words; a secret of the router's is not overwritten."""
    device.fault("refuses", "/ip/pool", method="PUT", detail="failure: not allowed by device-mode")
    device.tree.put("/ppp/secret", {"name": "theirs", "password": "old"}, "*70")
    lab = lab_of(tmp_path / "made", f"/ip/firewall/raw add chain=output\n{script}")
    with make(lab) as router, pytest.raises(BackendError, match=said) as told:
        router.apply(lab.conditions["c"])
    assert "made/routeros/c.rsc:2" in str(told.value)
    del device.tree.lists["/ppp/secret"]


# --- what is made after nobody waits, and Ctrl-C --------------------------------------------------


def test_ctrl_c_while_the_router_makes_a_change(
    make: Make, device: Device, rules: Any, as_before: Clean
) -> None:
    """The router makes it all the same: nobody may look for what it is before it has."""
    whole, asked_too_early = device.answer, threading.Event()
    pressed = []

    def answer(method: str, path: str, words: Any) -> Any:
        if not pressed and method == "PATCH" and "/interface/" in path and "name" in words:
            pressed.append(path)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            asked_too_early.wait(0.5)  # longer only where somebody asks
        elif pressed:
            asked_too_early.set()
        return whole(method, path, words)

    device.answer = answer  # type: ignore[method-assign]
    with make() as router, pytest.raises(KeyboardInterrupt):
        router.apply(rules)
    assert pressed
    as_before()


class MadeLater:
    """Lets a device make one change only after it was looked for `looks` times.

    The connection breaks meanwhile, or nobody waits any longer for the answer.
    """

    def __init__(self, device: Device, method: str, path: str, *, looks: int, hangs_up: bool):
        self.asked = ""
        self._wanted = (method, path)
        self._left = looks
        self._hangs_up = hangs_up
        self.made = threading.Event()
        self._lock = threading.RLock()
        self._whole = device.answer
        device.answer = self._answer  # type: ignore[method-assign]

    def _answer(self, method: str, path: str, words: Any) -> Any:
        menu = path.removeprefix("/rest").partition("?")[0]
        with self._lock:
            if self.asked or method != self._wanted[0] or not menu.startswith(self._wanted[1]):
                found = self._whole(method, path, words)
                if self.asked and method == "GET" and self.asked.startswith(menu):
                    self._left -= 1
                    if self._left == 0:
                        self._whole(*self._change)
                        self.made.set()
                return found
            self.asked, self._change = menu, (method, path, words)
        if not self._hangs_up:
            assert self.made.wait(PATIENCE)
        raise HungUpError


@pytest.mark.parametrize(
    ("method", "path", "looks", "hangs_up"),
    [
        ("PUT", FILTER, 1, True),
        ("PATCH", "/interface/ethernet/", 4, True),
        ("POST", f"{TRACKING}/set", 3, True),
        pytest.param("PUT", FILTER, 3, False, marks=pytest.mark.long),
    ],
)
def test_what_the_router_makes_after_nobody_waited_any_longer_is_put_back(
    make: Make, device: Device, rules: Any, as_before: Clean, monkeypatch: pytest.MonkeyPatch,
    method: str, path: str, looks: int, hangs_up: bool,
) -> None:  # fmt: skip
    assert api.CHANGE_SECONDS > 60, "RouterOS breaks off then (its manual: REST API)"
    monkeypatch.setattr(changes, "MADE_WITHIN", PATIENCE)
    with make() as router:
        late = MadeLater(device, method, path, looks=looks, hangs_up=hangs_up)
        if not hangs_up:
            monkeypatch.setattr(api, "CHANGE_SECONDS", 0.5)
        with pytest.raises(BackendError, match=None if hangs_up else r"within 0\.5 s"):
            router.apply(rules)
        assert late.made.is_set()
        as_before()


# --- the journal ----------------------------------------------------------------------------------


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


@pytest.mark.long
@pytest.mark.parametrize(("number", "done"), [(2, True), (9, False), (20, True)])
def test_what_a_killed_run_left_is_put_back_by_the_next(
    make: Make, device: Device, server: Server, tmp_path: Path, as_before: Clean,
    number: int, done: bool,
) -> None:  # fmt: skip
    """Killed while the n-th request that changes something is held, made already or not."""
    before, whole = configuration(device), device.answer
    reached, gone, left = threading.Event(), threading.Event(), [number]

    def held(method: str, path: str, words: Any) -> Any:
        left[0] -= method != "GET"
        if left[0] or method == "GET":
            return whole(method, path, words)
        found = whole(method, path, words) if done else None
        reached.set()
        gone.wait(PATIENCE)
        return found

    device.answer = held  # type: ignore[method-assign]
    place = tmp_path / "router.journal"
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, server.url, str(place)],
        env={**os.environ, "PPSLAB_DUT_PASSWORD": PASSWORD},
    )
    try:
        assert reached.wait(PATIENCE)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
        gone.set()
    device.answer = whole  # type: ignore[method-assign]
    assert configuration(device) != before
    assert PASSWORD not in place.read_text()
    with make() as router:
        as_before()
        assert router.notes


def test_the_journal_of_another_device_is_not_put_back(
    make: Make, device: Device, fastpath: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = make()
    killed.open()
    killed.apply(fastpath.conditions["routing-plain"])
    os.close(killed._journal._handle)
    monkeypatch.setattr(routers.read_back, "device_digest", lambda _: "another")
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
    kept = first.begin("add", "/ip/arp", {"address": "198.18.1.2"}, "x.rsc:1")
    first.done(kept, {".id": "*1", "address": "198.18.1.2"})
    first.close()
    assert place.stat().st_mode & 0o777 == 0o600
    with place.open("a") as file:
        file.write('{"change": {"number": 2, "do": "add", "me')
    second = journal.Journal.open(place, "device")
    assert [change.id for change in second.changes] == ["*1"]
    second.undone(second.changes[0])
    second.close()
    assert not place.exists()


def test_a_long_run_leaves_no_long_journal(
    make: Make, fastpath: Lab, tmp_path: Path, as_before: Clean, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "LONG", 50)
    router, longest = make(), 0
    router.open()
    for _ in range(4):
        for name in ("routing-3-rules", "routing-fast-path"):
            router.apply(fastpath.conditions[name])
            lines = (tmp_path / "router.journal").read_text().splitlines()
            longest = max(longest, len(lines))
    assert longest < 120
    with pytest.raises(UsageError, match="another run"):
        make().open()
    router._journal.close()  # as a killed run leaves it
    with make() as second:
        assert "undone first" in second.notes[0]
        as_before()


@pytest.mark.usefixtures("as_before")
def test_no_secret_stands_in_it(make: Make, tmp_path: Path) -> None:
    lab = lab_of(
        tmp_path / "made",
        "/interface/eoip add name=eoip1 remote-address=198.19.2.2 tunnel-id=1 ipsec-secret=hunter2 "
        "allow-fast-path=no\n/ppp/secret add name=a password=hunter2\n"
        "/ppp/secret set [find where name=a] password=hunter3\n",
    )
    condition = lab.conditions["c"]
    with make(lab) as router:
        router.apply(condition)
        read = router.read_back(condition)
        assert read.problems == ()
        text = (tmp_path / "router.journal").read_text()
        assert "(hidden)" in text
        for place in (text, read.text, *map(str, router.statements(condition))):
            assert "hunter" not in place


@pytest.mark.usefixtures("as_before")
def test_a_row_of_somebody_else_that_is_like_ours_is_not_taken(
    make: Make, device: Device, tmp_path: Path
) -> None:
    """Killed before the answer came: the row that was there before is not the one we made."""
    lab = lab_of(tmp_path / "made", "/ip/firewall/filter add chain=forward action=accept\n")
    number = device.tree.put(FILTER, {"chain": "forward", "action": "accept"})
    device.fault("hangs-up", FILTER, method="PUT", times=1)
    with make(lab) as router, pytest.raises(BackendError):
        router.apply(lab.conditions["c"])
    del device.tree.lists[FILTER][number]


def test_where_no_journal_can_be_kept_nothing_is_changed(
    make: Make, fastpath: Lab, tmp_path: Path, as_before: Clean
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"router\.journal"):
        make(journal=tmp_path / "file" / "router.journal").open()
    with make() as router, Path("/dev/full").open("w") as full:
        handle, router._journal._handle = router._journal._handle, full.fileno()
        with pytest.raises(FileError, match="journal"):
            router.apply(fastpath.conditions["routing-plain"])
        router._journal._handle = handle
        as_before()


def test_where_it_is_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    found = journal.default_path(devices.Device(url="https://[2001:db8::1]:8443"))
    assert found == tmp_path / "ppslab" / "routers" / "2001_db8__1_8443.journal"


# --- Ctrl-C anywhere in a request -----------------------------------------------------------------


ROWS = [{".id": "*1"}]


class Interrupting:
    """A Ctrl-C at the `at`th line that the HTTP libraries run."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Interrupting | None:
        if not any(
            f"/{name}/" in frame.f_code.co_filename for name in ("httpx", "httpcore", "h11")
        ):
            return None
        if event == "line":
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt
        return self


@contextmanager
def tracing(tracer: Any) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        yield
    finally:
        sys.settrace(before)


@pytest.mark.long
def test_a_request_after_an_interrupted_one_is_answered() -> None:
    interrupted = 0
    with HttpServer(lambda _: Answered(200, ROWS), keeps=True) as server:
        service = Api(RouterOS(url=server.url))
        for at in range(1, 100_000, 61):
            service.ask("GET", "/rows")
            tracer = Interrupting(at)
            try:
                with tracing(tracer):
                    service.ask("GET", "/rows")
            except KeyboardInterrupt:
                interrupted += 1
            if tracer.left > 0:
                break
            assert service.ask("GET", "/rows", seconds=2) == ROWS, f"line {at}"
        service.close()
    assert interrupted > 20
