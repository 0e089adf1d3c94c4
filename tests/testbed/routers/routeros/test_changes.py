"""Changes of a router: the journal, what goes wrong on the way, and what is put back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ppslab.core.errors import BackendError, CannotHereError, FileError, PpslabError, UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import api, changes, journal
from ppslab.testbed.routers.routeros import router as routers
from ppslab.testbed.routers.routeros.rest import Service
from tests.support.doubles.http_server import Answered, HttpServer
from tests.support.doubles.routeros_rest import Device, HungUpError, Server, bad
from tests.support.waiting import PATIENCE
from tests.testbed.routers.conftest import PASSWORD, Make, configuration, lab_of

RULES = "routing-13-rules"


def is_clean(tmp_path: Path) -> bool:
    """No file of ours is left, and none has the password."""
    assert not any(PASSWORD in file.read_text() for file in tmp_path.glob("**/*") if file.is_file())
    return not (tmp_path / "router.journal").exists()


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [0, 9])
def test_a_refused_statement_is_told_with_its_line_and_all_is_taken_back(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path, after: int
) -> None:
    before = configuration(device)
    device.fault(
        "refuses", "/ip/firewall/filter", method="PUT", after=after, times=1,
        detail="failure: in/out-interface matcher not possible",
    )  # fmt: skip
    with make() as router:
        with pytest.raises(BackendError) as told:
            router.apply(fastpath.conditions[RULES])
        assert f"fastpath/routeros/filter-13.rsc:{4 + after}: RouterOS: failure: in/out" in str(
            told.value
        )
        assert configuration(device) == before
        # The next try stands.
        router.apply(fastpath.conditions[RULES])
        assert router.read_back(fastpath.conditions[RULES]).problems == ()
    assert configuration(device) == before
    assert is_clean(tmp_path)


@pytest.mark.parametrize(
    ("name", "method", "path", "after"),
    [
        ("time-limit", "PUT", "/ip/firewall/filter", 3),
        *(
            (name, *where)
            for name in ("hangs-up", "lost-answer")
            for where in (
                ("PUT", "/i", 2),
                ("PATCH", "/i", 2),
                ("POST", "/ip/firewall/connection", 0),
            )
        ),
    ],
)
def test_a_call_that_breaks_off_leaves_nothing(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path,
    name: str, method: str, path: str, after: int,
) -> None:  # fmt: skip
    before = configuration(device)
    device.pace = 0.0
    device.fault(name, path, method=method, after=after, times=1)
    with make() as router:
        said = "Session closed" if name == "time-limit" else ""
        with pytest.raises(BackendError, match=said):
            router.apply(fastpath.conditions[RULES])
        assert configuration(device) == before
    assert is_clean(tmp_path)


def test_what_was_set_is_put_back_though_nobody_could_look(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    whole = device.answer
    asked: list[str] = []

    def blind(method: str, path: str, words: object) -> object:
        """Refuses the look at what was set, once."""
        found = whole(method, path, words)
        if path.endswith("/connection/tracking/set"):
            asked.append(path)
        elif len(asked) == 1 and path.endswith("/connection/tracking"):
            asked.append(path)
            raise bad("not now")
        return found

    device.answer = blind  # type: ignore[method-assign]
    with make() as router:
        with pytest.raises(BackendError, match="not now"):
            router.apply(fastpath.conditions[RULES])
        assert configuration(device) == before
    assert len(asked) > 2
    assert is_clean(tmp_path)


def test_a_router_that_does_not_answer_any_more_is_put_back_by_the_next_run(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    router = make()
    router.open()
    device.fault("hangs-up", method="", after=40)
    with pytest.raises(BackendError):
        router.apply(fastpath.conditions[RULES])
    with pytest.raises(PpslabError):
        router.close()
    assert configuration(device) != before
    device.faults.clear()
    with make() as second:
        assert configuration(device) == before
        assert len(second.notes) == 1
    assert is_clean(tmp_path)


def test_a_router_that_is_still_starting_is_waited_for(make: Make, device: Device) -> None:
    device.fault("no-json", "/system/resource", times=1)
    device.fault("hangs-up", "/system/resource", times=2)
    with make() as router:
        assert router.facts()["routeros"]["board-name"] == "CHR"
    asked = [path for _, path, _ in device.requests if path.endswith("/system/resource")]
    assert len(asked) == 1 + 2 + 2


def test_a_body_that_belongs_to_another_question_is_no_answer(
    make: Make, device: Device, fastpath: Lab
) -> None:
    before = configuration(device)
    device.fault("half-booted", "/ip/address", method="GET")
    with pytest.raises(BackendError, match="/ip/address"):
        make().open()
    assert configuration(device) == before


def test_nobody_answers(make: Make, server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routers, "READY_SECONDS", 0.1)
    router = make(remedy="plug it in")
    object.__setattr__(router.api.device, "url", "http://127.0.0.1:9")
    with pytest.raises(CannotHereError) as told:
        router.open()
    assert told.value.remedy == "plug it in"


def test_what_the_router_did_not_keep_is_found_by_the_read_back(
    make: Make, device: Device, fastpath: Lab
) -> None:
    device.fault("keeps-not", "/ip/firewall/filter", method="PUT", after=1, times=1)
    with make() as router:
        router.apply(fastpath.conditions[RULES])
        problems = router.read_back(fastpath.conditions[RULES]).problems
        (problem,) = problems
        assert problem.startswith("labs/fastpath/routeros/filter-13.rsc:5: ")
        assert "/ip/firewall/filter" in problem


def test_device_mode_is_told_with_the_way_to_allow_it(
    make: Make, device: Device, tmp_path: Path
) -> None:
    lab = lab_of(tmp_path / "made", "/ip/settings set rp-filter=no\n/ip/arp add address=1.1.1.1\n")
    device.fault("device-mode", "/ip/arp", method="PUT")
    with make(lab) as router, pytest.raises(BackendError) as told:
        router.apply(lab.conditions["c"])
    assert "c.rsc:2: RouterOS: failure: not allowed by device-mode" in str(told.value)
    assert "/system/device-mode/update" in str(told.value)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("/ip/firewall/filter add chain=forward actoin=drop\n", "unknown parameter actoin"),
        ("/ip/firewall/filter add chain=forward action=dorp\n", "does not match any value"),
        ("/ip/arp add address=198.18.1.2\n", "interface"),
        ("/ip/nonsense add a=b\n", "no such command"),
        ("/interface/ethernet set ether99 mtu=1500\n", "it has ether1"),
    ],
)
def test_routeros_words_are_told_with_file_and_line(
    make: Make, device: Device, tmp_path: Path, script: str, said: str
) -> None:
    lab = lab_of(tmp_path / "made", f"/ip/settings set rp-filter=strict\n{script}")
    before = configuration(device)
    with make(lab) as router, pytest.raises(BackendError) as told:
        router.apply(lab.conditions["c"])
    assert said in str(told.value)
    assert "made/routeros/c.rsc:2" in str(told.value)
    assert configuration(device) == before


def test_a_secret_of_the_router_is_not_overwritten(
    make: Make, device: Device, tmp_path: Path
) -> None:
    lab = lab_of(tmp_path / "made", "/ppp/secret set [find where name=theirs] password=new\n")
    device.tree.items("/ppp/secret")["*70"] = {"name": "theirs", "password": "old"}
    with make(lab) as router, pytest.raises(BackendError, match="/ppp/secret"):
        router.apply(lab.conditions["c"])
    assert device.tree.items("/ppp/secret")["*70"]["password"] == "old"


# --- what is made after nobody waits, and Ctrl-C --------------------------------------------------


def test_ctrl_c_while_the_router_makes_a_change(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    """The router makes it all the same: nobody may look for what it is before it has."""
    before = configuration(device)
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
        router.apply(fastpath.conditions[RULES])
    assert pressed and configuration(device) == before
    assert is_clean(tmp_path)


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
            if not self.asked and method == self._wanted[0] and menu.startswith(self._wanted[1]):
                self.asked, self._change = menu, (method, path, words)
            else:
                found = self._whole(method, path, words)
                if self.asked and method == "GET" and self.asked.startswith(menu):
                    self._left -= 1
                    if self._left == 0:
                        self._whole(*self._change)
                        self.made.set()
                return found
        if not self._hangs_up:
            assert self.made.wait(PATIENCE)
        raise HungUpError


@pytest.mark.parametrize("looks", [1, 4])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/ip/firewall/filter"),
        ("PATCH", "/interface/ethernet/"),
        ("POST", "/ip/firewall/connection/tracking/set"),
    ],
)
def test_what_the_router_makes_after_the_connection_broke_is_put_back(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    method: str, path: str, looks: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(changes, "MADE_WITHIN", PATIENCE)
    before = configuration(device)
    late = MadeLater(device, method, path, looks=looks, hangs_up=True)
    with make() as router:
        with pytest.raises(BackendError):
            router.apply(fastpath.conditions[RULES])
        assert late.made.is_set() and configuration(device) == before
    assert is_clean(tmp_path)


@pytest.mark.long
def test_what_the_router_makes_after_nobody_waited_any_longer_is_put_back(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MADE_WITHIN", PATIENCE)
    before = configuration(device)
    with make() as router:
        late = MadeLater(device, "PUT", "/ip/firewall/filter", looks=3, hangs_up=False)
        monkeypatch.setattr(api, "CHANGE_SECONDS", 0.5)
        with pytest.raises(BackendError, match=r"no answer within 0\.5 s"):
            router.apply(fastpath.conditions[RULES])
        assert late.made.is_set() and configuration(device) == before
    assert is_clean(tmp_path)


def test_a_change_is_waited_for_longer_than_the_router_has_for_it(
    make: Make, fastpath: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RouterOS breaks off after 60 seconds (its manual: REST API): its outcome is known then."""
    waits: list[tuple[str, float]] = []
    whole = Service.ask

    def ask(self: Service, method: str, path: str, body: Any = None, *, seconds: float = 30) -> Any:
        waits.append((method, seconds))
        return whole(self, method, path, body, seconds=seconds)

    monkeypatch.setattr(Service, "ask", ask)
    with make() as router:
        router.apply(fastpath.conditions[RULES])
    changes = [seconds for method, seconds in waits if method != "GET"]
    assert len(changes) > 20 and min(changes) > 60


def test_what_was_asked_long_ago_is_not_waited_for(
    make: Make, device: Device, fastpath: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that a killed run had asked for: RouterOS makes it no more."""
    before = configuration(device)
    killed = make()
    killed.open()
    device.fault("hangs-up", method="", after=40)
    with pytest.raises(BackendError):
        killed.apply(fastpath.conditions[RULES])
    assert any(change.asked for change in killed._journal.changes)
    killed._journal.close()
    device.faults.clear()
    now = time.time()

    def waits(seconds: float) -> None:
        raise AssertionError(f"waits for {seconds:g} s")

    monkeypatch.setattr(changes, "MADE_WITHIN", 60.0)
    monkeypatch.setattr(time, "time", lambda: now + 60)
    monkeypatch.setattr(time, "sleep", waits)
    with make():
        assert configuration(device) == before


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
    kept = first.begin("add", "/ip/arp", {"address": "198.18.1.2"}, "x.rsc:1")
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
        assert "undone first" in second.notes[0]
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


# --- Ctrl-C anywhere in a request -----------------------------------------------------------------


LIBRARIES = ("httpx", "httpcore", "h11")
ROWS = [{".id": "*1"}]


@pytest.fixture
def service() -> Iterator[Service]:
    with HttpServer(lambda _: Answered(200, ROWS), keeps=True) as server:
        service = Service(RouterOS(url=server.url))
        yield service
        service.close()


class Interrupting:
    """A Ctrl-C at the `at`th line that the HTTP libraries run."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Interrupting | None:
        if not any(f"/{library}/" in frame.f_code.co_filename for library in LIBRARIES):
            return None
        if event == "line":
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt
        return self


@pytest.mark.long
def test_a_request_after_an_interrupted_one_is_answered(service: Service) -> None:
    interrupted = 0
    before = sys.gettrace()
    for at in range(1, 100_000, 61):
        service.ask("GET", "/rows")
        tracer = Interrupting(at)
        sys.settrace(tracer)
        try:
            service.ask("GET", "/rows")
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(before)
        if tracer.left > 0:
            break
        assert service.ask("GET", "/rows", seconds=2) == ROWS, f"line {at}"
    assert interrupted > 20
