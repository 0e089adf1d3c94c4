"""The way of a condition from the command line to its trial: one direction, every file once.

The README of src/ppslab lists the modules; here a run is watched, call by call.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from ppslab.backends import capabilities
from ppslab.base import paths
from ppslab.base.errors import UsageError
from ppslab.cli import app
from ppslab.instruments import inventory, testers
from ppslab.lab import lab
from ppslab.lab.conditions import Condition
from ppslab.measurement.run import Options, rehearse, run
from ppslab.measurement.session import session
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.routers import bench_inventory
from tests.support.stolen_machine import StolenMachine, StolenRouter, stand

NAME = "routing-3-rules"
"""Not the reference, which the tester's own limit asks for too."""
ARRIVED = "ppslab.measurement.trial.trial"
ITS_OWN = "ppslab.lab.conditions"
"""What a condition says of itself is no step of its way."""


def holds(value: Any, depth: int = 3) -> bool:
    """Whether the condition is in there; a whole lab, and a testbed of it, do not count."""
    if isinstance(value, Condition):
        return value.name == NAME
    if depth == 0 or isinstance(value, lab.Lab | FrameTestbed | type):
        return False
    if isinstance(value, list | tuple):
        return any(holds(each, depth - 1) for each in value)
    if is_dataclass(value) or isinstance(value, session.Session):
        return any(holds(each, depth - 1) for each in vars(value).values())
    return False


class Way:
    """Which modules are handed the condition, and which hand it back to their caller."""

    def __init__(self) -> None:
        self.modules: list[str] = []
        self.looked_up: list[str] = []
        self.handed_back: list[str] = []
        self.arrived = False

    def __call__(self, frame: FrameType, event: str, result: Any) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        name = frame.f_code.co_name
        if self.arrived or not module.startswith("ppslab.") or module == ITS_OWN:
            return
        if event == "call" and self._is_handed(frame, name):
            self._passes(frame)
            self.arrived = module == ARRIVED and name == "trial"
        if event == "return":
            self._returned(frame, module, name, result)

    def _passes(self, frame: FrameType) -> None:
        file = str(frame.f_globals["__file__"]).rpartition("/ppslab/")[2]
        if file not in self.modules:
            self.modules.append(file)

    def _is_handed(self, frame: FrameType, name: str) -> bool:
        code = frame.f_code
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        # By its name, until it is looked up.
        named = name in ("run_lab", "condition") and NAME in str(frame.f_locals)
        return named or any(holds(frame.f_locals.get(each)) for each in given)

    def _returned(self, frame: FrameType, module: str, name: str, result: Any) -> None:
        back = frame.f_back
        while back and not str(back.f_globals.get("__name__")).startswith("ppslab."):
            back = back.f_back
        if back is None or back.f_globals["__name__"] == module or not holds(result):
            return
        said = f"{module}.{name} -> {back.f_globals['__name__']}"
        if module == lab.__name__:
            self.looked_up.append(said)
            self._passes(back)
        elif not any(holds(each) for each in back.f_locals.values()):
            self.handed_back.append(said)


class Stop(BaseException):
    """The condition has arrived."""


@pytest.fixture
def doubles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A backend and a testbed of doubles, up to the router's first condition."""

    @contextmanager
    def opened(name: str, **_: object) -> Iterator[Any]:
        yield SimpleNamespace(name=name, facts={})

    def stops(*_: object, **__: object) -> None:
        raise Stop

    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / "run"))
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(session, "open_backend", opened)
    monkeypatch.setattr(
        capabilities, "choose", lambda *_: capabilities.Choice("namespaces", "as asked for")
    )
    monkeypatch.setattr(
        session.linux, "stand", lambda _, __, found, *___, **____: stand(found, StolenMachine())
    )
    monkeypatch.setattr(StolenRouter, "facts", lambda _: {}, raising=False)
    monkeypatch.setattr(StolenRouter, "apply", stops)


def watched(*argv: str) -> Way:
    way = Way()
    sys.setprofile(way)
    try:
        app(["run", "fastpath", *argv], standalone_mode=False)
    except Stop:
        pass
    finally:
        sys.setprofile(None)
    return way


@pytest.mark.usefixtures("doubles")
@pytest.mark.parametrize("measure", ["timed", "counted"])
def test_a_condition_goes_one_way_through_the_modules_that_the_map_lists(measure: str) -> None:
    way = watched("--condition", NAME, "--size", "64", "--measure", measure, "--backend", "auto")
    assert way.arrived
    text = (paths.project_root() / "src/ppslab/README.md").read_text()
    section = text.partition("## The way of a condition")[2].partition("\n## ")[0]
    listed = re.findall(r"^\d+\. `([\w/]+\.py)`", section, re.MULTILINE)
    timed = [file for file in listed if not file.endswith("counting.py")]
    assert way.modules == (listed if measure == "counted" else timed)
    assert len(listed) <= 8
    assert len(way.looked_up) == 1, "a name becomes a condition once"
    assert way.handed_back == []


def test_the_watch_sees_a_condition_that_is_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A way that went back would be seen: one is made here, as `Session.prepare` once did."""
    code = "def prepare(found, name):\n    return [found.conditions[name]]\n"
    above = "def go(prepare, found, name):\n    return len(prepare(found, name))\n"
    below: dict[str, Any] = {"__name__": "ppslab.measurement.below"}
    caller: dict[str, Any] = {"__name__": "ppslab.measurement.above"}
    exec(code, below)
    exec(above, caller)
    way = Way()
    sys.setprofile(way)
    try:
        caller["go"](below["prepare"], lab.find("fastpath"), NAME)
    finally:
        sys.setprofile(None)
    assert way.handed_back == ["ppslab.measurement.below.prepare -> ppslab.measurement.above"]


def test_the_inventory_of_a_bench_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "inventory.yml"
    path.write_text(
        "routeros:\n  url: https://192.0.2.1\n  ports: {p1: ether6, p2: ether7, p3: e8}\n"
    )
    read: list[Path] = []
    load = bench_inventory.load
    monkeypatch.setattr(bench_inventory, "load", lambda file: read.append(file) or load(file))
    options = Options(router="routeros", dut=path, conditions=(NAME,))
    with pytest.raises(UsageError, match="RFC 6815"):
        run(lab.find("fastpath"), options)
    assert read == [path]


def test_the_inventory_of_a_tester_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "testers.yml"
    path.write_text("otg: {url: 'http://127.0.0.1:9', ports: {p1: a, p2: b, p3: c}}\n")
    read: list[str] = []
    load = inventory.load

    def counted(file: Path | None, kind: str) -> Any:
        read.append(kind)
        return load(file, kind)

    monkeypatch.setattr(testers.inventory, "load", counted)
    options = Options(backend="containerlab", tester="otg", tester_config=path, conditions=(NAME,))
    assert any("one trial" in step for step in rehearse(lab.find("fastpath"), options))
    assert read == ["otg"]
