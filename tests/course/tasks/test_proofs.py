"""Every task of every lab, in every variant: its check fails before, the solution makes it pass,
one mistake makes it fail again, and the solution repairs that too.

A lab is stood up once for all of its tasks.  RouterOS is the double.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.errors import CannotHereError
from ppslab.course.tasks import linux, reading
from ppslab.course.tasks.engine import judging
from ppslab.course.tasks.testbeds import LinuxTaskLab
from ppslab.model.lab import lab
from ppslab.model.lab.machine import FEATURE, Machine
from ppslab.testbed.backends import Backend, capabilities, open_backend
from ppslab.testbed.routers.routeros import api
from tests.conftest import Opened
from tests.course.tasks.proving import (
    TEMPLATE,
    configuration,
    prove,
    routers,
    tasks_of,
    variants,
)
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.guest


@pytest.fixture(scope="module")
def backend_of(opened: Opened) -> Iterator[Callable[[str, Machine | None], Backend]]:
    """A guest for each machine that a lab orders; for all other labs, one that others use too."""
    built: dict[tuple[str, str], Backend] = {}
    with ExitStack() as stack:

        def opening(name: str, machine: Machine | None) -> Backend:
            if machine is None:
                return opened(name)
            key = (name, machine.model_dump_json())
            if key not in built:
                built[key] = stack.enter_context(open_backend(name, machine=machine))
            return built[key]

        yield opening


RARE = {"bridges", "cores", "eoip", "fasttrack", "hundred", "l3offload", "numa", "pppoe", "queues"}
"""Labs whose guests take minutes of emulated CPU, and which few changes touch."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.weekly) if n in RARE else n for n in variants("linux")],
)
def test_on_linux(
    name: str,
    backend_of: Callable[[str, Machine | None], Backend],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A guest beside another worker: where most packets came, the rest waited for a CPU, and a step
    # may take longer than a learner would wait for one.
    monkeypatch.setattr(judging, "AGAIN", 10)
    monkeypatch.setattr(linux, "STEP_SECONDS", 5 * PATIENCE)
    tasks = tasks_of(name)
    machine = tasks.lab.spec.machine
    needs = tasks.needs | ({FEATURE} if machine else frozenset())
    try:
        choice = capabilities.choose(needs)
    except CannotHereError as error:
        pytest.skip(f"no backend has what the lab needs: {error}")
    standing = LinuxTaskLab(tasks, backend_of(choice.backend, machine), name.strip("_"))
    try:
        prove(tasks, "linux", standing)
    finally:
        standing.remove()


@pytest.mark.parametrize("name", variants("routeros"))
def test_on_routeros(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    with ExitStack() as stack:
        standing, devices = routers(stack, tasks_of(name), tmp_path)
        before = {node: configuration(device) for node, device in devices.items()}
        prove(tasks_of(name), "routeros", standing)
        assert standing.end() == []
        for node, device in devices.items():
            assert configuration(device) == before[node], f"{node} is not as it was"


BROKEN = {
    "passes before": (
        "    routeros:  ",
        "    routeros:\n      init: |\n        /ip/firewall/filter add chain=forward action=accept"
        ' comment="counts"\n#',
    ),
    "0 such rows": (
        "/ip/firewall/filter add chain=forward action=accept", "/ip/firewall/filter add chain=input"
        " action=accept",
    ),
    "overlooks the mistake": (
        '[find where comment="counts"] chain=input', '[find where comment="counts"] disabled=no',
    ),
}  # fmt: skip
"""What makes a proof fail: what it says, and what is changed in the template's task."""


@pytest.mark.parametrize("said", BROKEN)
def test_a_proof_fails_where_a_task_proves_nothing(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Solved before it began, a solution that solves nothing, a mistake that is none."""
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    old, new = BROKEN[said]
    folder = tmp_path / "labs/broken"
    shutil.copytree(paths.project_root() / "labs" / TEMPLATE, folder)
    text = (folder / reading.FILE).read_text(encoding="utf-8")
    assert old in text
    (folder / reading.FILE).write_text(text.replace(old, new, 1), encoding="utf-8")
    tasks = reading.load(lab.load(folder))
    with ExitStack() as stack, pytest.raises(AssertionError, match=said):
        standing, _ = routers(stack, tasks, tmp_path)
        prove(tasks, "routeros", standing)
