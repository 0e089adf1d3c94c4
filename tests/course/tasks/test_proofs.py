"""Every task of every lab, in every variant: its check fails before, the solution makes it pass,
one mistake makes it fail again, and the solution repairs that too.

A lab is stood up once for all of its tasks.  RouterOS is the double.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from pydantic import SecretStr

from ppslab.backends import Backend, capabilities, open_backend
from ppslab.base import paths
from ppslab.base.errors import CannotHereError
from ppslab.course.tasks import linux, reading
from ppslab.course.tasks.checks import Finding, Sent, verdict
from ppslab.course.tasks.engine import judging
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import Hand, RouterOSTestbed
from ppslab.course.tasks.schema import RouterOSSide, Task, Traffic, Variant
from ppslab.course.tasks.task_labs import LinuxTaskLab, RouterOSTaskLab, TaskLab, TaskTestbed
from ppslab.lab import lab, topology
from ppslab.lab.machine import FEATURE, Machine
from ppslab.measurement.testbed.routeros import beside_the_router
from ppslab.routers.devices import RouterOS
from ppslab.routers.routeros import api
from ppslab.routers.routeros.api import Api
from ppslab.routers.routeros.changes.configurator import Configurator
from ppslab.routers.routeros.changes.journal import Journal
from ppslab.routers.routeros.rsc import lint, script
from ppslab.routers.routeros.rsc.statement import CONNECTIONS
from tests.conftest import Opened
from tests.support.doubles.routeros_rest import Device, Server
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.guest

TEMPLATE = "_template"
LABS = [*(name for name in lab.names() if reading.has(lab.find(name))), TEMPLATE]
PASSWORD = "correct horse"


@cache
def tasks_of(name: str) -> Tasks:
    return reading.load(lab.load(paths.project_root() / "labs" / name))


def variants(variant: Variant) -> list[str]:
    return [n for n in LABS if any(not tasks_of(n).without(t, variant) for t in tasks_of(n).all)]


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


@pytest.mark.parametrize("name", variants("linux"))
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


def routers(
    stack: ExitStack, tasks: Tasks, folder: Path
) -> tuple[RouterOSTaskLab, dict[str, Device]]:
    """The lab's routers as doubles, each started with its file as containerlab does it.

    No CHR has a switch chip: a lab that wants one has a switch, which nobody gave a file.
    """
    found = tasks.lab
    wiring = topology.find(f"{found.spec.topology}-chr", foreign=True)
    switch = of_switch(tasks)
    ports = tuple(f"ether{number}" for number in range(1, 11))
    devices: dict[str, Device] = {}
    hands: dict[str, Hand] = {}
    for node in (found.spec.router, *beside_the_router(found)):
        device = Device(
            password=PASSWORD,
            version="7.20.8 (long-term)",
            level="p-unlimited",
            interfaces=(*ports, "sfp-sfpplus1", "sfp-sfpplus2") if switch else ports,
            hardware=switch,
            cpus=4,
        )
        server = stack.enter_context(Server(device))
        there = RouterOS(url=server.url, password=SecretStr(PASSWORD))
        start = []
        if not switch:
            start = [wiring.path.parent / str(wiring.nodes[node].foreign["startup-config"])]
            started(there, start[0], folder / f"{node}.start")
        hand = Hand(Api(there), tasks, node, folder / f"{node}.journal")
        stack.callback(hand.close)
        hand.meet({})
        hand.first(start)
        devices[node], hands[node] = device, hand

    def send(traffic: Traffic) -> Sent:
        """The lab's router carries them; whether one arrives the double does not know."""
        flows = tasks.flows(traffic)
        for flow in flows:
            devices[found.spec.router].carry(
                flow.tx_name, flow.rx_name, traffic.packets // len(flows), traffic.size
            )
        return Sent(traffic.packets, traffic.packets)

    return RouterOSTaskLab(RouterOSTestbed(tasks, hands, send), "double"), devices


def of_switch(tasks: Tasks) -> bool:
    """Whether what the tasks begin with is for a router with a switch chip."""
    named = (tasks.lab.conditions[name] for _, name in tasks.spec.conditions())
    return any("switch-only" in file for condition in named for file in condition.routeros)


def started(there: RouterOS, start: Path, journal: Path) -> None:
    asked = Api(there)
    begun = Journal.open(journal, "the double")
    configurator = Configurator(asked, begun)
    for statement in script.read(start):
        configurator.make(statement)
    begun.close()
    asked.close()


def configuration(device: Device) -> object:
    """What it is configured to, without ids, counters and what follows from it."""
    moving = ("packet", "byte", "active", "total-entries")
    lists = {
        menu: [
            {k: v for k, v in row.items() if not any(part in k for part in moving)}
            for row in rows.values()
        ]
        for menu, rows in device.tree.lists.items()
        if rows and menu not in CONNECTIONS
    }
    singles = {
        menu: {k: v for k, v in row.items() if not any(part in k for part in moving)}
        for menu, row in device.tree.singles.items()
    }
    return lists, singles


def prove(tasks: Tasks, variant: Variant, standing: TaskLab) -> None:
    """The proofs of all tasks, one after the other on the same lab."""
    stands: str | None = None
    for task in tasks.of(variant):
        before = tasks.before(task, variant)
        if not before or stands != before[-1].name:
            told = standing.restore(tasks.condition(task, variant))
            assert variant == "linux" or told == []
            for each in before:
                standing.testbed.begin(each)
                standing.testbed.solve(each)
        testbed = standing.testbed
        testbed.begin(task)
        assert fails(testbed, task), f"{task.name}: its check passes before it is done"
        with back(testbed):
            testbed.solve(task)
            assert state(testbed, task) == "pass", f"{task.name}: {said(testbed, task)}"
            testbed.blunder(task)
            assert fails(testbed, task), f"{task.name}: its check overlooks the mistake"
        testbed.solve(task)
        assert state(testbed, task) == "pass", f"{task.name}, repaired: {said(testbed, task)}"
        stands = task.name


class back:  # noqa: N801  (used as a context manager only)
    """On RouterOS what was made meanwhile is taken back, as a statement adds a row each time."""

    def __init__(self, testbed: TaskTestbed) -> None:
        hands = testbed.hands.values() if isinstance(testbed, RouterOSTestbed) else ()
        self.kept = [(hand, len(hand.journal.changes)) for hand in hands]

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        for hand, count in self.kept:
            assert hand.configurator.put_back(count) == []


LAST: dict[str, list[Finding]] = {}


def state(testbed: TaskTestbed, task: Task) -> str:
    LAST[task.name] = testbed.check(task)
    return verdict(LAST[task.name])


def fails(testbed: TaskTestbed, task: Task) -> bool:
    """Whether its check fails; the first that does is enough."""
    return verdict(testbed.check(task, briefly=True)) == "fail"


def said(testbed: TaskTestbed, task: Task) -> str:
    del testbed
    return "; ".join(
        f"{f.says}: {f.said} ({f.shown})" for f in LAST[task.name] if f.state != "pass"
    )


@pytest.mark.parametrize("name", variants("routeros"))
def test_its_routeros_statements_are_routeros(name: str) -> None:
    """Checked against RouterOS's own command tree, as the lab's files are."""
    wrong: list[str] = []
    hardware = of_switch(tasks_of(name))
    for task in tasks_of(name).of("routeros"):
        side = task.routeros
        assert isinstance(side, RouterOSSide)
        for what, scripts in (
            ("init", side.init),
            ("solve", side.solve),
            ("mistake", side.mistake.run),
        ):
            for node, text in scripts.items():
                where = f"{task.name} {what} {node}".rstrip()
                # Laid out as a file that ends, which a block of YAML may not.
                found = lint.check(where, text.rstrip() + "\n", hardware=hardware)
                wrong += map(str, found)
    assert wrong == []


BROKEN = {
    "passes before": (
        "    routeros:  ",
        "    routeros:\n      init: |\n        /ip/firewall/filter add chain=forward action=accept"
        ' comment="counts"\n#',
    ),
    "There is not exactly one rule": (
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
