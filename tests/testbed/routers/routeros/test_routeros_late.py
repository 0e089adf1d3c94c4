"""What a router makes after nobody waits any longer is put back, and Ctrl-C takes all back."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import BackendError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.rest import Service
from ppslab.testbed.routers.routeros import api
from ppslab.testbed.routers.routeros.changes import configurator
from tests.support.doubles.routeros_rest import Device, HungUpError
from tests.support.waiting import PATIENCE
from tests.testbed.routers.conftest import Make, configuration
from tests.testbed.routers.routeros.clean import RULES, is_clean


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
    monkeypatch.setattr(configurator, "MADE_WITHIN", PATIENCE)
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
    monkeypatch.setattr(configurator, "MADE_WITHIN", PATIENCE)
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

    def ask(self: Service, method: str, path: str, body: Any = None, *, seconds: float) -> Any:
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

    monkeypatch.setattr(configurator, "MADE_WITHIN", 60.0)
    monkeypatch.setattr(time, "time", lambda: now + 60)
    monkeypatch.setattr(time, "sleep", waits)
    with make():
        assert configuration(device) == before


def test_ctrl_c_takes_back_too(make: Make, device: Device, fastpath: Lab, tmp_path: Path) -> None:
    before = configuration(device)
    whole, calls = device.answer, []

    def answer(method: str, path: str, words: object) -> object:
        calls.append(path)
        return whole(method, path, words)

    device.answer = answer  # type: ignore[method-assign]
    with make() as router:
        real = router._configurator.make

        def interrupted(statement: object) -> object:
            if "filter" in str(statement):
                raise KeyboardInterrupt
            return real(statement)  # type: ignore[arg-type]

        router._configurator.make = interrupted  # type: ignore[method-assign,assignment]
        with pytest.raises(KeyboardInterrupt):
            router.apply(fastpath.conditions[RULES])
        assert configuration(device) == before
    assert is_clean(tmp_path)
